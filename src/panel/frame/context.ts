import { join } from 'node:path'
import { Eta } from 'eta'
import type { Context } from 'koa'
import { buildMenu, fetchBadges } from './menu.ts'
import type { PageContext, Person, RequestContext } from './page.ts'

export type { PageContext, Panel, Person, RequestContext, Route } from './page.ts'

/** The templates. They escape all output; only layouts and partials opt out. */
export function createViews(root: string): Eta {
  return new Eta({ views: join(root, 'views'), cache: true, autoEscape: true })
}

/** Whether a script of the page sent the request. */
export const isHtmxRequest = (ctx: Context): boolean => ctx.get('HX-Request') === 'true'

/** Whether the browser requests the live part of the page it already shows; else it gets the whole page. */
export const isRefresh = (ctx: Context): boolean => isHtmxRequest(ctx) && ctx.get('HX-Request-Type') !== 'full'

/** A person with an initial password requests a page before they have one of their own. */
export class PasswordChangeRequiredError extends Error {}

/** The pages where they change it, or log out. */
const PASSWORD_CHANGE_PATHS = /^\/(?:account|logout|language)(?:\/|$)/

/** Loads the logged-in person, and switches to their language. @throws ApiError 401, ApiUnavailableError, PasswordChangeRequiredError */
export async function fetchPerson(context: RequestContext): Promise<void> {
  const { person } = await context.api.fetch<{ person: Person }>('/v1/auth/me')
  context.language = context.panel.languages.find(({ code }) => code === person.language) ?? context.language
  context.api.language = context.language.code
  if (person.mustChangePassword && !PASSWORD_CHANGE_PATHS.test(context.ctx.path))
    throw new PasswordChangeRequiredError()
  context.person = person
}

/** Loads the numbers of the menu, and the banners; a page is shown without those that fail. */
async function fetchFrame(context: RequestContext): Promise<void> {
  if (!hasPerson(context) || context.ctx.status >= 500) return
  const bannerRequests = context.panel.pages.map(async ({ banners }) => banners?.(context).catch(() => []))
  const [banners] = await Promise.all([Promise.all(bannerRequests), fetchBadges(context)])
  context.banners = banners.flatMap((some) => some ?? [])
}

const hasPerson = (context: RequestContext): context is PageContext => context.person !== undefined

/**
 * Renders a whole page in the frame. `scripts` are further files of public/ for this page. `here` is its address if its own
 * one only accepts a form. `sentOnce` makes a reload open that address.
 */
export async function renderPage(
  context: RequestContext,
  view: string,
  data: { title: string; scripts?: string[]; here?: string; sentOnce?: boolean | undefined } & Record<string, unknown>,
): Promise<void> {
  await fetchFrame(context)
  sendHtml(
    context,
    context.panel.views.render(view, { ...buildFrameData(context), notice: consumeNotice(context.ctx), ...data }),
  )
}

/** Renders only the live parts: the same partials as in the whole page. */
export async function renderParts(context: PageContext, parts: string[], data: Record<string, unknown>): Promise<void> {
  // A page that knows its number in the menu refreshes it too.
  if (parts.includes('_counts') && Object.keys(context.badges).length === 0) await fetchBadges(context)
  const { views } = context.panel
  sendHtml(context, parts.map((part) => views.render(part, { ...buildFrameData(context), ...data })).join(''))
}

/** For links and forms within a page: scripts exchange only the differences, keeping focus and scroll. */
const IN_PLACE_ATTRIBUTES = `hx-boost:inherited="select:'#content' target:'#content' swap:outerMorph"`

function buildFrameData({ ctx, panel, language, person, badges, banners, seeAs, actionId }: RequestContext) {
  return {
    lang: language.code,
    otherLanguage: panel.languages.find(({ code }) => code !== language.code)!.code,
    words: language.words,
    format: language.format,
    asset: panel.assets.address,
    here: ctx.path + ctx.search,
    path: ctx.path,
    person,
    inPlace: IN_PLACE_ATTRIBUTES,
    // The target page of a banner shows its content itself.
    banners: banners.filter(({ href }) => href !== ctx.path),
    // An owner who sees as another person has no account page.
    menu: person && { ...buildMenu(panel.pages, person, ctx.path, language, badges), ...(seeAs && { own: [] }) },
    seeAs,
    actionId,
  }
}

function sendHtml({ ctx, language }: RequestContext, html: string): void {
  ctx.type = 'text/html; charset=utf-8'
  ctx.set('Content-Language', language.code)
  ctx.vary('Accept-Language')
  ctx.vary('HX-Request, HX-Request-Type')
  ctx.body = html
}

/** Redirects to a page of the panel, as a GET. The notice, if any, is shown there once. */
export function redirect(ctx: Context, path: string, notice?: string): void {
  if (notice)
    ctx.cookies.set(NOTICE_COOKIE, encodeURIComponent(notice.slice(0, 500)), {
      ...NOTICE_COOKIE_OPTIONS,
      maxAge: 60_000,
    })
  ctx.redirect(path)
  ctx.status = 303
}

/** Redirects to another page than the form's own, also for requests of a part: its frame can differ. */
export function redirectFullPage(ctx: Context, path: string, notice?: string): void {
  redirect(ctx, path, notice)
  if (!isHtmxRequest(ctx)) return
  ctx.status = 204
  ctx.remove('Location')
  ctx.set('HX-Redirect', path)
}

const NOTICE_COOKIE = 'panel_notice'
const NOTICE_COOKIE_OPTIONS = { path: '/', httpOnly: true, sameSite: 'lax', overwrite: true, signed: false } as const

function consumeNotice(ctx: Context): string | undefined {
  const notice = ctx.cookies.get(NOTICE_COOKIE, { signed: false })
  if (!notice) return undefined
  ctx.cookies.set(NOTICE_COOKIE, '', { ...NOTICE_COOKIE_OPTIONS, maxAge: 0 })
  try {
    return decodeURIComponent(notice)
  } catch {
    return undefined
  }
}
