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

/** Whom this browser sees as, until it is closed. The API judges whether it may: see seeAs() in people/auth/actor.ts. */
const COOKIE = 'panel_see_as'
const OPTIONS = { path: '/', httpOnly: true, sameSite: 'lax', overwrite: true, signed: false } as const

/** Actions that remain one's own: to end the view, to log in and out, and to choose the language. */
const AS_ONESELF = /^\/(?:see-as\/end|login|logout|language)$/

/** Whom the owner of this browser sees as on this page; undefined: as themselves. */
export function readSeeAs(ctx: Context): string | undefined {
  const id = ctx.cookies.get(COOKIE, { signed: false })
  return id && isId(id) && !AS_ONESELF.test(ctx.path) ? id : undefined
}

/** While somebody sees as another person no form is sent on; whoever comes or goes sees as themselves. */
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

/** An owner sees as heads and managers who have access. The API says the same to whoever asks. */
export const canSeeAs = (
  me: Pick<PersonJson, 'role'>,
  { role, active }: Pick<PersonJson, 'role' | 'active'>,
): boolean => me.role === 'owner' && role !== 'owner' && active

/** Back to oneself, on the page of the person who was seen as. */
function end({ ctx }: RequestContext): void {
  const id = ctx.cookies.get(COOKIE, { signed: false })
  ctx.cookies.set(COOKIE, '', { ...OPTIONS, maxAge: 0 })
  redirect(ctx, id && isId(id) ? `/people/${id}` : '/recordings')
}
