import type { Actor } from './actor.ts'
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import Router from '@koa/router'
import type { Context } from 'koa'
import type { Static, TSchema } from 'typebox'
import { ReadLog } from '../audit/reads.ts'
import type { Core } from '../core.ts'
import { badRequest, forbidden, MOST_VIOLATIONS, methodNotAllowed, notFound } from '../errors.ts'
import { isId } from '../lib/ids.ts'
import { currentRequest } from '../lib/log.ts'
import { admit, isForeignOrigin } from './access.ts'
import { hasBody, readBody } from './body.ts'
import type { Operation } from './operation.ts'
import { httpMessages, rules } from './messages.ts'
import { checkText, gather } from './validation.ts'

type Checked<S> = S extends TSchema ? Static<S> : undefined

/** The checked input of a handler. `C` is the core of its module. */
export interface Call<O extends Operation = Operation, C extends Core = Core> {
  ctx: Context
  core: C
  actor: Actor
  /** Authorises the caller again, for example after receiving a file. @throws HttpError 401 or 403 for lost access */
  reauthorise: () => Promise<Actor>
  /** The caller's own network address. */
  address: string
  /** The value of {id} in the path, a UUID. */
  id: string
  query: Checked<O['query']>
  body: Checked<O['body']>
}

/** The values that JSON.stringify turns into T: it writes dates as text. */
type BeforeJson<T> = T extends string ? T | Date : T extends object ? { [K in keyof T]: BeforeJson<T[K]> } : T

/** The result of a handler: the declared JSON, if no other response of the operation succeeds. */
type Answer<O extends Operation, R = O['responses'][Extract<keyof O['responses'], 200 | 201 | 202>]> = [R] extends [
  { json: infer S extends TSchema; content?: never },
]
  ? BeforeJson<Static<S>>
  : unknown

/** Runs an operation. It returns the JSON of the response, or sets the response in `ctx` itself. */
export type Handler<O extends Operation, C extends Core = Core> = (call: Call<O, C>) => Answer<O> | Promise<Answer<O>>

/** An operation with its handler. */
export interface Route {
  operation: Operation
  handle: Handler<never, never>
}

/** Binds a handler to its operation; the handler's types follow from the operation's schemas. */
export function route<const O extends Operation, C extends Core = Core>(operation: O, handle: Handler<O, C>): Route {
  return { operation, handle }
}

/** Responds 201 with an object and its address. */
export function created<T extends { id: string }>(ctx: Context, path: string, made: T): T {
  ctx.status = 201
  ctx.set('Location', `${path}/${made.id}`)
  return made
}

/** Finds the caller. @throws HttpError 401 for wrong credentials, 403 for a view that the caller cannot ask for */
export type Authenticate = (core: Core, headers: IncomingHttpHeaders, operation: Operation) => Promise<Actor>

/** The middleware of all routes: access, validation, handler, audit, in this order. It carries its router, for tests. */
export function createRouter(core: Core, routes: Route[], authenticate: Authenticate) {
  const reads = new ReadLog(core)
  const router = new Router({ sensitive: true, strict: true })
  for (const { operation, handle } of routes) {
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1')
    router[operation.method](path, async (ctx) => {
      ctx.state.operation = operation.id
      const reauthorise = () => authorise(core, ctx, operation, authenticate)
      const admitted = await reauthorise()
      if (ctx.params.id !== undefined && !isId(ctx.params.id)) throw notFound()
      const query = readQuery(core, ctx, operation)
      const body = await readBody(core, ctx, operation)
      // A body can take long to arrive, and the caller can lose access meanwhile.
      const actor = hasBody(ctx) && !operation.multipart ? await reauthorise() : admitted
      const id = ctx.params.id ?? ''
      const address = currentRequest()!.address
      const answer = await handle({ ctx, core, actor, reauthorise, address, id, query, body } as never)
      if (answer !== undefined) ctx.body = answer
      if (operation.audit && isAudited(ctx, operation, query)) {
        const { id: _, ...named } = ctx.params
        const { object, details } = toAuditEntry(operation, id, { ...(query as object), ...(body as object) })
        await reads.note(actor, operation.audit, object, { ...named, ...details })
      }
      writeJson(ctx)
    })
  }
  const dispatch = router.routes()
  const fixed = methodsOfFixedPaths(routes)
  const middleware = async (ctx: Context): Promise<void> => {
    const methods = fixed.get(ctx.path)
    if (methods && !methods.includes(ctx.method)) throw methodNotAllowed(methods.join(', '))
    await dispatch(ctx as never, () => refuseUnknown(router, ctx))
  }
  return Object.assign(middleware, { router })
}

/** Whether the audit log records this response. HEAD has none. */
function isAudited({ method, status }: Context, { auditWhen }: Operation, query: unknown): boolean {
  const tellsOfCalls = auditWhen === undefined || (query as Record<string, unknown>)[auditWhen] === true
  return method !== 'HEAD' && status < 400 && tellsOfCalls
}

/** The object of a read, and its other parameters as details. */
function toAuditEntry({ method, auditObject: type, auditBy }: Operation, id: string, given: Record<string, unknown>) {
  if (!auditBy) return { object: type && { type, id: id.toLowerCase() }, details: given }
  const { [auditBy.field]: named, ...others } = given
  // Bodies can be large: record the object, not the content.
  const details = { ...(auditBy.id && { [auditBy.id]: id.toLowerCase() }), ...(method === 'get' && others) }
  return { object: type && { type, id: String(named).toLowerCase() }, details }
}

/** A fixed path wins over a parameter for its other methods too: GET /v1/recordings/retry-failed reads no recording. */
function methodsOfFixedPaths(routes: Route[]): Map<string, string[]> {
  const fixed = new Map<string, string[]>()
  for (const { operation } of routes.filter(({ operation }) => !operation.path.includes('{'))) {
    const method = operation.method.toUpperCase()
    const more = method === 'GET' ? ['GET', 'HEAD'] : [method]
    fixed.set(operation.path, [...(fixed.get(operation.path) ?? []), ...more].sort())
  }
  return fixed
}

/** Serializes a JSON response once: Koa would do so for its length, for compression and for sending. */
function writeJson(ctx: Context): void {
  const body: unknown = ctx.body
  if (typeof body !== 'object' || body === null || Buffer.isBuffer(body) || body instanceof Readable) return
  ctx.type = 'application/json; charset=utf-8'
  ctx.body = JSON.stringify(body)
}

async function authorise(core: Core, ctx: Context, operation: Operation, authenticate: Authenticate): Promise<Actor> {
  const changes = operation.method !== 'get'
  if (operation.access === 'public') {
    // A login from a foreign page would log its victim in as somebody else.
    if (changes && ctx.get('Cookie') && isForeignOrigin(ctx.headers)) throw forbidden(httpMessages.foreignPage())
    return { kind: 'nobody' }
  }
  const actor = await authenticate(core, ctx.headers, operation)
  admit(actor, operation)
  if (changes && actor.kind === 'person' && isForeignOrigin(ctx.headers)) {
    throw forbidden(httpMessages.foreignPage())
  }
  return actor
}

/** Parameters as text, converted by their schema. Repeated and unknown parameters are violations. */
function readQuery(core: Core, ctx: Context, { query: schema, anyQuery }: Operation): unknown {
  if (anyQuery) return undefined
  const given = gather(new URLSearchParams(ctx.querystring))
  if (schema) return checkText(schema, Object.fromEntries(given), core.config)
  if (given.size > 0)
    throw badRequest(
      [...given.keys()].slice(0, MOST_VIOLATIONS).map((name) => rules.unknownParameter().about(name.slice(0, 60))),
    )
  return undefined
}

/** 405 with Allow if the path exists with other methods, else 404. */
function refuseUnknown(router: Pick<Router, 'match'>, ctx: Context): never {
  const methods = new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods))
  throw methods.size > 0 ? methodNotAllowed([...methods].sort().join(', ')) : notFound()
}
