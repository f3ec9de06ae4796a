import type { Context, Next } from 'koa'
import type { PersonJson } from '../../people/people/schema.ts'
import { isUuid } from '../../platform/lib/ids.ts'
import { fetchLoggedInPerson, redirect, type PageContext, type RequestContext } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import type { Page } from '../frame/page.ts'
import { seeAsWords } from './words.ts'

export const seeAsPage: Page<'seeAs', typeof seeAsWords> = {
  name: 'seeAs',
  words: seeAsWords,
  routes: [
    { method: 'post', path: '/people/:id/see-as', handle: startSeeAs },
    { method: 'post', path: '/see-as/end', handle: endSeeAs, isPublic: true },
  ],
}

/**
 * Contains the id of the person as whom this browser views the panel, until the browser closes.
 * The API checks the permission: see applySeeAsHeader() in people/auth/actor.ts.
 */
const SEE_AS_COOKIE = 'panel_see_as'
const COOKIE_OPTIONS = { path: '/', httpOnly: true, sameSite: 'lax', overwrite: true, signed: false } as const

/** Requests that always act as the logged-in owner: ending the view, login, logout and language. */
const PATHS_AS_ONESELF = /^\/(?:see-as\/end|login|logout|language)$/

/** Returns the id of the person as whom an owner views this page; undefined for the owner's own view. */
export function parseSeeAsCookie(ctx: Context): string | undefined {
  const id = ctx.cookies.get(SEE_AS_COOKIE, { signed: false })
  return id && isUuid(id) && !PATHS_AS_ONESELF.test(ctx.path) ? id : undefined
}

/** Rejects forms while an owner views the panel as another person. Login and logout end the view. @throws PageError 403 */
export async function rejectChangesWhileSeeingAs(ctx: Context, next: Next): Promise<void> {
  const context = ctx.state.context as RequestContext
  const isChange = !['GET', 'HEAD'].includes(ctx.method)
  if (context.seeAs && isChange) {
    await fetchLoggedInPerson(context).catch(() => undefined) // the error page uses the person's language
    throw new PageError(403, context.language.words.seeAs.refused)
  }
  await next()
  const isLoginOrLogout = isChange && /^\/log(?:in|out)$/.test(ctx.path)
  if (isLoginOrLogout && ctx.cookies.get(SEE_AS_COOKIE, { signed: false }))
    ctx.cookies.set(SEE_AS_COOKIE, '', { ...COOKIE_OPTIONS, maxAge: 0 })
}

async function startSeeAs(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const person = await api.fetch<PersonJson>(`/v1/people/${encodeURIComponent(String(ctx.params.id))}`)
  if (!canSeeAsPerson(context.person, person)) throw new PageError(403)
  ctx.cookies.set(SEE_AS_COOKIE, person.id, COOKIE_OPTIONS)
  redirect(ctx, '/')
}

/** Returns true if an owner can view the panel as this person: a head or a manager with access. The API checks this too. */
export const canSeeAsPerson = (
  viewer: Pick<PersonJson, 'role'>,
  { role, active }: Pick<PersonJson, 'role' | 'active'>,
): boolean => viewer.role === 'owner' && role !== 'owner' && active

/** Ends the view and redirects to the page of the viewed person. */
function endSeeAs({ ctx }: RequestContext): void {
  const id = ctx.cookies.get(SEE_AS_COOKIE, { signed: false })
  ctx.cookies.set(SEE_AS_COOKIE, '', { ...COOKIE_OPTIONS, maxAge: 0 })
  redirect(ctx, id && isUuid(id) ? `/people/${id}` : '/recordings')
}
