import { join } from 'node:path'
import { Eta } from 'eta'
import type { Context } from 'koa'
import { menuOf, readBadges } from './menu.ts'
import type { PageContext, Person, RequestContext } from './page.ts'

export type { PageContext, Panel, Person, RequestContext, Route } from './page.ts'

/** The templates. They escape all output; only layouts and partials opt out. */
export function createViews(root: string): Eta {
  return new Eta({ views: join(root, 'views'), cache: true, autoEscape: true })
}

/** Whether a script of the page sent the request. */
export const isByScript = (ctx: Context): boolean => ctx.get('HX-Request') === 'true'

/** Whether the browser requests the live part of the page it already shows; else it gets the whole page. */
export const isRefresh = (ctx: Context): boolean => isByScript(ctx) && ctx.get('HX-Request-Type') !== 'full'

/** A person with an initial password requests a page before they have one of their own. */
export class MustChangePassword extends Error {}

/** The pages where they change it, or log out. */
const BEFORE_THAT = /^\/(?:account|logout|language)(?:\/|$)/

/** Loads the logged-in person, and switches to their language. @throws ApiError 401, ApiDown, MustChangePassword */
export async function loadPerson(context: RequestContext): Promise<void> {
  const { person } = await context.api.read<{ person: Person }>('/v1/auth/me')
  context.language = context.panel.languages.find(({ code }) => code === person.language) ?? context.language
  context.api.language = context.language.code
  if (person.mustChangePassword && !BEFORE_THAT.test(context.ctx.path)) throw new MustChangePassword()
  context.person = person
}

/** Loads the numbers of the menu, and the banners; a page is shown without those that fail. */
async function loadFrame(context: RequestContext): Promise<void> {
  if (!isPersonal(context) || context.ctx.status >= 500) return
  const reading = context.panel.pages.map(async ({ banners }) => banners?.(context).catch(() => []))
  const [banners] = await Promise.all([Promise.all(reading), readBadges(context)])
  context.banners = banners.flatMap((some) => some ?? [])
}

const isPersonal = (context: RequestContext): context is PageContext => context.person !== undefined

/**
 * Renders a whole page in the frame. `scripts` are further files of public/ for this page. `here` is its address if its own
 * one only accepts a form. `sentOnce` makes a reload open that address.
 */
export async function renderPage(
  context: RequestContext,
  view: string,
  data: { title: string; scripts?: string[]; here?: string; sentOnce?: boolean | undefined } & Record<string, unknown>,
): Promise<void> {
  await loadFrame(context)
  answerHtml(context, context.panel.views.render(view, { ...frame(context), notice: takeNotice(context.ctx), ...data }))
}

/** Renders only the live parts: the same partials as in the whole page. */
export async function renderParts(context: PageContext, parts: string[], data: Record<string, unknown>): Promise<void> {
  // A page that knows its number in the menu refreshes it too.
  if (parts.includes('_counts') && Object.keys(context.badges).length === 0) await readBadges(context)
  const { views } = context.panel
  answerHtml(context, parts.map((part) => views.render(part, { ...frame(context), ...data })).join(''))
}

/** For links and forms within a page: scripts exchange only the differences, keeping focus and scroll. */
const IN_PLACE = `hx-boost:inherited="select:'#content' target:'#content' swap:outerMorph"`

function frame({ ctx, panel, language, person, badges, banners, seeAs }: RequestContext) {
  return {
    lang: language.code,
    otherLanguage: panel.languages.find(({ code }) => code !== language.code)!.code,
    words: language.words,
    format: language.format,
    asset: panel.assets.address,
    here: ctx.path + ctx.search,
    path: ctx.path,
    person,
    inPlace: IN_PLACE,
    // The target page of a banner shows its content itself.
    banners: banners.filter(({ href }) => href !== ctx.path),
    // An owner who sees as another person has no account page.
    menu: person && { ...menuOf(panel.pages, person, ctx.path, language, badges), ...(seeAs && { own: [] }) },
    seeAs,
  }
}

function answerHtml({ ctx, language }: RequestContext, html: string): void {
  ctx.type = 'text/html; charset=utf-8'
  ctx.set('Content-Language', language.code)
  ctx.vary('Accept-Language')
  ctx.vary('HX-Request, HX-Request-Type')
  ctx.body = html
}

/** Redirects to a page of the panel, as a GET. The notice, if any, is shown there once. */
export function redirect(ctx: Context, path: string, notice?: string): void {
  if (notice) ctx.cookies.set(NOTICE, encodeURIComponent(notice.slice(0, 500)), { ...NOTICE_COOKIE, maxAge: 60_000 })
  ctx.redirect(path)
  ctx.status = 303
}

/** Redirects to another page than the form's own, also for requests of a part: its frame can differ. */
export function redirectFullPage(ctx: Context, path: string, notice?: string): void {
  redirect(ctx, path, notice)
  if (!isByScript(ctx)) return
  ctx.status = 204
  ctx.remove('Location')
  ctx.set('HX-Redirect', path)
}

const NOTICE = 'panel_notice'
const NOTICE_COOKIE = { path: '/', httpOnly: true, sameSite: 'lax', overwrite: true, signed: false } as const

function takeNotice(ctx: Context): string | undefined {
  const left = ctx.cookies.get(NOTICE, { signed: false })
  if (!left) return undefined
  ctx.cookies.set(NOTICE, '', { ...NOTICE_COOKIE, maxAge: 0 })
  try {
    return decodeURIComponent(left)
  } catch {
    return undefined
  }
}
