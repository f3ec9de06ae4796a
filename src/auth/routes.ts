import { route, type Route } from '../http/route.ts'
import { presentPerson } from '../people/present.ts'
import type { ApiKey } from './entity.ts'
import { createKey, listKeys, login, logout, me, revokeKey } from './schema.ts'
import { createApiKey, listApiKeys, logIn, logOut, revokeApiKey } from './service.ts'
import { clearedSessionCookie } from './session.ts'
import type { LoginThrottle } from './throttle.ts'

export const authRoutes = (throttle: LoginThrottle): Route[] => [
  route(login, async ({ ctx, core, body }) => {
    const { person, cookie } = await throttle.attempt(ctx.ip, () => logIn(core, body.email, body.password))
    ctx.set('Set-Cookie', cookie)
    ctx.body = { person: presentPerson(person) }
  }),

  route(logout, async ({ ctx, core, actor }) => {
    if (actor.kind === 'person') await logOut(core, actor.sessionHash)
    ctx.set('Set-Cookie', clearedSessionCookie(core.config))
    ctx.status = 204
  }),

  route(me, ({ ctx, actor }) => {
    if (actor.kind === 'person') ctx.body = { person: presentPerson(actor.person) }
  }),

  route(listKeys, async ({ ctx, core, query: { page, pageSize } }) => {
    const [keys, total] = await listApiKeys(core, page, pageSize)
    ctx.body = { items: keys.map(presentKey), total, page, pageSize }
  }),

  route(createKey, async ({ ctx, core, body }) => {
    const { apiKey, key } = await createApiKey(core, body.name)
    ctx.status = 201
    ctx.body = { ...presentKey(apiKey), key }
  }),

  route(revokeKey, async ({ ctx, core, id }) => {
    await revokeApiKey(core, id)
    ctx.status = 204
  }),
]

function presentKey({ id, name, prefix, createdAt, lastUsedAt }: ApiKey) {
  return { id, name, prefix, createdAt, lastUsedAt }
}
