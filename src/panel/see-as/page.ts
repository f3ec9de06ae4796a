import type { Context, Next } from 'koa'
import type { PersonJson } from '../../people/people/schema.ts'
import { isId } from '../../platform/lib/ids.ts'
import { loadPerson, redirect, type PageContext, type RequestContext } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import type { Page } from '../frame/page.ts'
import { seeAs } from './words.ts'

export const seeAsPage: Page<'seeAs', typeof seeAs> = {
  name: 'seeAs',
  words: seeAs,
  routes: [
    { method: 'post', path: '/people/:id/see-as', handle: begin },
    { method: 'post', path: '/see-as/end', handle: end, isPublic: true },
  ],
}

/**
 * The person whom this browser sees as, until it is closed. The API checks the permission: see seeAs() in
 * people/auth/actor.ts.
 */
const COOKIE = 'panel_see_as'
const OPTIONS = { path: '/', httpOnly: true, sameSite: 'lax', overwrite: true, signed: false } as const

/** Actions that remain one's own: to end the view, to log in and out, and to choose the language. */
const AS_ONESELF = /^\/(?:see-as\/end|login|logout|language)$/

/** The person whom the owner of this browser sees as on this page; undefined: themselves. */
export function readSeeAs(ctx: Context): string | undefined {
  const id = ctx.cookies.get(COOKIE, { signed: false })
  return id && isId(id) && !AS_ONESELF.test(ctx.path) ? id : undefined
}

/** While an owner sees as another person, forms are rejected; logging in or out ends the view. */
export async function refuseWhileSeeing(ctx: Context, next: Next): Promise<void> {
  const context = ctx.state.context as RequestContext
  const changes = !['GET', 'HEAD'].includes(ctx.method)
  if (context.seeAs && changes) {
    await loadPerson(context).catch(() => undefined) // for the language of the refusal
    throw new PageError(403, context.language.words.seeAs.refused)
  }
  await next()
  const comesOrGoes = changes && /^\/log(?:in|out)$/.test(ctx.path)
  if (comesOrGoes && ctx.cookies.get(COOKIE, { signed: false })) ctx.cookies.set(COOKIE, '', { ...OPTIONS, maxAge: 0 })
}

async function begin(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const person = await api.read<PersonJson>(`/v1/people/${encodeURIComponent(String(ctx.params.id))}`)
  if (!canSeeAs(context.person, person)) throw new PageError(403)
  ctx.cookies.set(COOKIE, person.id, OPTIONS)
  redirect(ctx, '/recordings')
}

/** Owners can see as heads and managers with access. The API checks this too. */
export const canSeeAs = (
  me: Pick<PersonJson, 'role'>,
  { role, active }: Pick<PersonJson, 'role' | 'active'>,
): boolean => me.role === 'owner' && role !== 'owner' && active

/** Ends the view, on the page of the viewed person. */
function end({ ctx }: RequestContext): void {
  const id = ctx.cookies.get(COOKIE, { signed: false })
  ctx.cookies.set(COOKIE, '', { ...OPTIONS, maxAge: 0 })
  redirect(ctx, id && isId(id) ? `/people/${id}` : '/recordings')
}
