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

/** Whether it is a script of the page that asks. */
export const isByScript = (ctx: Context): boolean => ctx.get('HX-Request') === 'true'

/** Whether the browser asks for the live part of the page it already shows; else it gets all of the page. */
export const isRefresh = (ctx: Context): boolean => isByScript(ctx) && ctx.get('HX-Request-Type') !== 'full'

/** Somebody whose password was given to them wants a page before they have one of their own. */
export class MustChangePassword extends Error {}

/** Where they get it, or leave. */
const BEFORE_THAT = /^\/(?:account|logout|language)(?:\/|$)/

/** Loads who is logged in, and takes their language. @throws ApiError 401, ApiDown, MustChangePassword */
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

/** Answers with live parts alone: the same partials that the whole page is made of. */
export async function renderParts(context: PageContext, parts: string[], data: Record<string, unknown>): Promise<void> {
  // A page that knows a number of the menu refreshes that one alone.
  if (parts.includes('_counts') && Object.keys(context.badges).length === 0) await readBadges(context)
  const { views } = context.panel
  answerHtml(context, parts.map((part) => views.render(part, { ...frame(context), ...data })).join(''))
}

/** For links and forms that stay on the page: scripts exchange only what differs, keeping focus and scroll. */
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
    // The page that a banner leads to says it itself.
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

/** Leads to a page of ours, as a GET. The notice, if any, stands on top of that page, once. */
export function redirect(ctx: Context, path: string, notice?: string): void {
  if (notice) ctx.cookies.set(NOTICE, encodeURIComponent(notice.slice(0, 500)), { ...NOTICE_COOKIE, maxAge: 60_000 })
  ctx.redirect(path)
  ctx.status = 303
}

/** The same to another page than the form's own, also whoever would exchange only a part of theirs: its frame may differ. */
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
