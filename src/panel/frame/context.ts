import { join } from 'node:path'
import { Eta } from 'eta'
import type { Context } from 'koa'
import { buildMenu, fetchMenuBadges } from './menu.ts'
import { fetchMenuViews } from './menu-views.ts'
import type { PageContext, LoggedInPerson, RequestContext } from './page.ts'

export type { PageContext, PanelServices, LoggedInPerson, RequestContext, PanelRoute } from './page.ts'

/** Creates the renderer of the templates in views/. It escapes all values, except where a template opts out with `<%~`. */
export function createTemplateRenderer(root: string): Eta {
  return new Eta({ views: join(root, 'views'), cache: true, autoEscape: true })
}

/** Returns true if htmx or a script of the page sent the request. */
export const isHtmxRequest = (ctx: Context): boolean => ctx.get('HX-Request') === 'true'

/** Returns true if the browser requests only the live parts of the page that it already shows. */
export const isPartialRefresh = (ctx: Context): boolean => isHtmxRequest(ctx) && ctx.get('HX-Request-Type') !== 'full'

/** Thrown if a person with an initial password opens a page other than PASSWORD_CHANGE_PATHS before changing it. */
export class PasswordChangeRequiredError extends Error {}

/** Paths that stay open to a person with an initial password. */
const PASSWORD_CHANGE_PATHS = /^\/(?:account|logout|language)(?:\/|$)/

/**
 * Fetches the logged-in person into the context and switches to the person's language. @throws ApiError 401, ApiUnavailableError,
 * PasswordChangeRequiredError
 */
export async function fetchLoggedInPerson(context: RequestContext): Promise<void> {
  const { person } = await context.api.fetch<{ person: LoggedInPerson }>('/v1/auth/me')
  context.language = context.panel.languages.find(({ code }) => code === person.language) ?? context.language
  context.api.language = context.language.code
  if (person.mustChangePassword && !PASSWORD_CHANGE_PATHS.test(context.ctx.path))
    throw new PasswordChangeRequiredError()
  context.person = person
}

/** Fetches the counts of the menu and the banners. A failed part is omitted, so that the page still opens. */
async function fetchFrame(context: RequestContext): Promise<void> {
  if (!hasPerson(context) || context.ctx.status >= 500) return
  const bannerRequests = context.panel.pages.map(async ({ banners }) => banners?.(context).catch(() => []))
  const [banners, menuViews] = await Promise.all([
    Promise.all(bannerRequests),
    fetchMenuViews(context.api, findOpenViewId(context)),
    fetchMenuBadges(context),
  ])
  context.menuViews = menuViews
  context.banners = banners.flatMap((some) => some ?? [])
}

/** Returns the id of the saved view that the list of calls shows. */
const findOpenViewId = ({ ctx }: RequestContext): string | undefined =>
  ctx.path === '/recordings' && typeof ctx.query.view === 'string' ? ctx.query.view : undefined

const hasPerson = (context: RequestContext): context is PageContext => context.person !== undefined

/**
 * Renders a whole page with menu and banners. @param data data of the template. `here` replaces the address of the request, for
 * pages that answer a POST. With `sentOnce`, reloading opens `here` and sends nothing again.
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

/** Renders partials of the current page for htmx. @param parts template names @param data data of all parts */
export async function renderPageParts(
  context: PageContext,
  parts: string[],
  data: Record<string, unknown>,
): Promise<void> {
  // Pages that load their own menu counts have already filled the badges.
  if (parts.includes('_counts') && Object.keys(context.badges).length === 0) await fetchMenuBadges(context)
  const { views } = context.panel
  sendHtml(context, parts.map((part) => views.render(part, { ...buildFrameData(context), ...data })).join(''))
}

/** htmx morphs only the changed elements of the page, which keeps focus and scroll position. */
const IN_PLACE_ATTRIBUTES = `hx-boost:inherited="select:'#content' target:'#content' swap:outerMorph"`

function buildFrameData(context: RequestContext) {
  const { ctx, panel, language, person, badges, banners, menuViews, seeAs, actionId } = context
  const openView = menuViews.find(({ isOpen }) => isOpen)
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
    // The page that a banner links to already shows the problem.
    banners: banners.filter(({ href }) => href !== ctx.path),
    // An owner who views the panel as another person cannot open that person's account pages.
    menu: person && {
      ...buildMenu(panel.pages, person, openView ? '' : ctx.path, language, badges),
      ...(seeAs && { own: [] }),
    },
    menuViews,
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

/** Redirects to a path of the panel with 303. The next page shows the notice once. */
export function redirect(ctx: Context, path: string, notice?: string): void {
  if (notice)
    ctx.cookies.set(NOTICE_COOKIE, encodeURIComponent(notice.slice(0, 500)), {
      ...NOTICE_COOKIE_OPTIONS,
      maxAge: 60_000,
    })
  ctx.redirect(path)
  ctx.status = 303
}

/** Redirects with a full page load, because htmx would otherwise replace only a part and keep the old menu. */
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
