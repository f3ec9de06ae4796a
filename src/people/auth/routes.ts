import { requirePerson, personOf } from '../../platform/http/actor.ts'
import { route, type RouteHandlerInput, type Route } from '../../platform/http/route.ts'
import { presentPerson } from '../people/present.ts'
import type { ApiKey } from './entity.ts'
import {
  changeMeOperation,
  changeOwnPasswordOperation,
  createApiKeyOperation,
  endOwnOtherSessionsOperation,
  endOwnSessionOperation,
  listApiKeysOperation,
  listOwnSessionsOperation,
  loginOperation,
  logoutOperation,
  meOperation,
  revokeApiKeyOperation,
} from './schema.ts'
import {
  changePanelLanguage,
  changePassword,
  createApiKey,
  listApiKeys,
  logIn,
  logOut,
  requireCurrentPassword,
  recordThrottledLogin,
  revokeApiKey,
} from './service.ts'
import type { PeopleCore } from '../core.ts'
import { formatExpiredSessionCookie, parseSessionCookie } from './session-cookie.ts'
import { endOtherSessions, endSession, listSessions } from './sessions.ts'

export const authRoutes: Route[] = [
  route(loginOperation, async ({ ctx, core, address, body }: RouteHandlerInput<typeof loginOperation, PeopleCore>) => {
    const browser = { userAgent: ctx.get('User-Agent'), oldToken: parseSessionCookie(core.config, ctx.get('Cookie')) }
    const { person, cookie } = await core.throttle.runAttempt(
      { address },
      () => logIn(core, body, browser),
      () => recordThrottledLogin(core, body.email),
    )
    ctx.set('Set-Cookie', cookie)
    return { person: presentPerson(person) }
  }),

  route(logoutOperation, async ({ ctx, core, actor }) => {
    await logOut(core, requirePerson(actor))
    ctx.set('Set-Cookie', formatExpiredSessionCookie(core.config))
    ctx.status = 204
  }),

  route(meOperation, ({ actor }) => ({ person: presentPerson(personOf(actor)) })),

  route(
    changeOwnPasswordOperation,
    async ({ ctx, core, actor, body }: RouteHandlerInput<typeof changeOwnPasswordOperation, PeopleCore>) => {
      const personActor = requirePerson(actor)
      const person = await core.throttle.runAttempt(
        { personId: personActor.person.id },
        () => requireCurrentPassword(core, personActor, body.currentPassword),
        () => recordThrottledLogin(core, personActor.person.email),
      )
      await changePassword(core, personActor, person, body.newPassword)
      ctx.status = 204
    },
  ),

  route(changeMeOperation, async ({ core, actor, body }) => ({
    person: presentPerson(await changePanelLanguage(core, requirePerson(actor), body.language)),
  })),

  route(listOwnSessionsOperation, async ({ core, actor }) => ({
    items: await listSessions(core, requirePerson(actor)),
  })),

  route(endOwnOtherSessionsOperation, async ({ ctx, core, actor }) => {
    await endOtherSessions(core, requirePerson(actor))
    ctx.status = 204
  }),

  route(endOwnSessionOperation, async ({ ctx, core, actor, id }) => {
    const { current } = await endSession(core, requirePerson(actor), id)
    if (current) ctx.set('Set-Cookie', formatExpiredSessionCookie(core.config))
    ctx.status = 204
  }),

  route(listApiKeysOperation, async ({ core, query: { page, pageSize } }) => {
    const [keys, total] = await listApiKeys(core, page, pageSize)
    return { items: keys.map(presentKey), total, page, pageSize }
  }),

  route(createApiKeyOperation, async ({ ctx, core, actor, body }) => {
    const { apiKey, key } = await createApiKey(core, actor, body.name)
    ctx.status = 201
    return { ...presentKey(apiKey), key }
  }),

  route(revokeApiKeyOperation, async ({ ctx, core, actor, id }) => {
    await revokeApiKey(core, actor, id)
    ctx.status = 204
  }),
]

function presentKey({ id, name, prefix, createdAt, lastUsedAt }: ApiKey) {
  return { id, name, prefix, createdAt, lastUsedAt }
}
