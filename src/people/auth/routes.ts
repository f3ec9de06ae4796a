import { requirePerson, personOf } from '../../platform/http/actor.ts'
import { route, type HandlerInput, type Route } from '../../platform/http/route.ts'
import { presentPerson } from '../people/present.ts'
import type { ApiKey } from './entity.ts'
import {
  changeMe,
  changeOwnPassword,
  createKey,
  endOwnOtherSessions,
  endOwnSession,
  listKeys,
  listOwnSessions,
  login,
  logout,
  meOperation,
  revokeKey,
} from './schema.ts'
import {
  changeLanguage,
  changePassword,
  createApiKey,
  listApiKeys,
  logIn,
  logOut,
  confirmPassword,
  recordThrottledLogin,
  revokeApiKey,
} from './service.ts'
import type { PeopleCore } from '../core.ts'
import { formatExpiredSessionCookie, parseSessionCookie } from './session-cookie.ts'
import { endOtherSessions, endSession, listSessions } from './sessions.ts'

export const authRoutes: Route[] = [
  route(login, async ({ ctx, core, address, body }: HandlerInput<typeof login, PeopleCore>) => {
    const browser = { userAgent: ctx.get('User-Agent'), oldToken: parseSessionCookie(core.config, ctx.get('Cookie')) }
    const { person, cookie } = await core.throttle.attempt(
      { address },
      () => logIn(core, body, browser),
      () => recordThrottledLogin(core, body.email),
    )
    ctx.set('Set-Cookie', cookie)
    return { person: presentPerson(person) }
  }),

  route(logout, async ({ ctx, core, actor }) => {
    await logOut(core, requirePerson(actor))
    ctx.set('Set-Cookie', formatExpiredSessionCookie(core.config))
    ctx.status = 204
  }),

  route(meOperation, ({ actor }) => ({ person: presentPerson(personOf(actor)) })),

  route(changeOwnPassword, async ({ ctx, core, actor, body }: HandlerInput<typeof changeOwnPassword, PeopleCore>) => {
    const personActor = requirePerson(actor)
    const person = await core.throttle.attempt(
      { personId: personActor.person.id },
      () => confirmPassword(core, personActor, body.currentPassword),
      () => recordThrottledLogin(core, personActor.person.email),
    )
    await changePassword(core, personActor, person, body.newPassword)
    ctx.status = 204
  }),

  route(changeMe, async ({ core, actor, body }) => ({
    person: presentPerson(await changeLanguage(core, requirePerson(actor), body.language)),
  })),

  route(listOwnSessions, async ({ core, actor }) => ({ items: await listSessions(core, requirePerson(actor)) })),

  route(endOwnOtherSessions, async ({ ctx, core, actor }) => {
    await endOtherSessions(core, requirePerson(actor))
    ctx.status = 204
  }),

  route(endOwnSession, async ({ ctx, core, actor, id }) => {
    const { current } = await endSession(core, requirePerson(actor), id)
    if (current) ctx.set('Set-Cookie', formatExpiredSessionCookie(core.config))
    ctx.status = 204
  }),

  route(listKeys, async ({ core, query: { page, pageSize } }) => {
    const [keys, total] = await listApiKeys(core, page, pageSize)
    return { items: keys.map(presentKey), total, page, pageSize }
  }),

  route(createKey, async ({ ctx, core, actor, body }) => {
    const { apiKey, key } = await createApiKey(core, actor, body.name)
    ctx.status = 201
    return { ...presentKey(apiKey), key }
  }),

  route(revokeKey, async ({ ctx, core, actor, id }) => {
    await revokeApiKey(core, actor, id)
    ctx.status = 204
  }),
]

function presentKey({ id, name, prefix, createdAt, lastUsedAt }: ApiKey) {
  return { id, name, prefix, createdAt, lastUsedAt }
}
