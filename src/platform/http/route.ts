import type { Actor } from './actor.ts'
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import Router from '@koa/router'
import type { Context } from 'koa'
import Type, { type Static, type TSchema } from 'typebox'
import { AuditReadLog } from '../audit/read-log.ts'
import type { Core } from '../core.ts'
import { forbiddenError, methodNotAllowedError, notFoundError } from '../errors.ts'
import { isUuid } from '../lib/ids.ts'
import { getCurrentRequestTrace } from '../lib/log.ts'
import { requireOperationAccess, hasCrossOriginHeaders } from './access.ts'
import { hasRequestBody, parseRequestBody } from './body.ts'
import { NO_EXTRA_PROPERTIES } from './field.ts'
import type { Operation } from './operation.ts'
import { httpMessages } from './messages.ts'
import { validateTextValues, groupValuesByName } from './validation.ts'

type ValidatedInput<S> = S extends TSchema ? Static<S> : undefined

/** Contains the validated input of a handler. `C` is the core type of the module. */
export interface RouteHandlerInput<O extends Operation = Operation, C extends Core = Core> {
  ctx: Context
  core: C
  actor: Actor
  /** Authorises the caller again, for example after a slow upload. @throws HttpError 401 or 403 for lost access */
  reauthorise: () => Promise<Actor>
  /** IP address of the caller behind trusted proxies. */
  address: string
  /** UUID from {id} in the path; empty for paths without {id}. */
  id: string
  query: ValidatedInput<O['query']>
  body: ValidatedInput<O['body']>
}

/** Allows Date where the schema has a string, because JSON.stringify writes dates as ISO text. */
type Serializable<T> = T extends string ? T | Date : T extends object ? { [K in keyof T]: Serializable<T[K]> } : T

/** Requires the declared JSON if it is the only successful response; otherwise any value. */
type HandlerResult<O extends Operation, R = O['responses'][Extract<keyof O['responses'], 200 | 201 | 202>]> = [
  R,
] extends [{ json: infer S extends TSchema; content?: never }]
  ? Serializable<Static<S>>
  : unknown

/** Handles a request of an operation. Returns the JSON of the response, or sets the response in `ctx`. */
export type RouteHandler<O extends Operation, C extends Core = Core> = (
  call: RouteHandlerInput<O, C>,
) => HandlerResult<O> | Promise<HandlerResult<O>>

/** Contains an operation and its handler, without their types. Create it with route(). */
export interface Route {
  operation: Operation
  handle: RouteHandler<never, never>
}

/** Creates a route. The types of the handler input and result follow from the schemas of the operation. */
export function route<const O extends Operation, C extends Core = Core>(
  operation: O,
  handle: RouteHandler<O, C>,
): Route {
  return { operation, handle }
}

/** Sets status 201 and Location `path/id`. @returns `object` */
export function respondCreated<T extends { id: string }>(ctx: Context, path: string, object: T): T {
  ctx.status = 201
  ctx.set('Location', `${path}/${object.id}`)
  return object
}

/** Identifies the caller of a request. @throws HttpError 401 for wrong credentials, 403 for a forbidden X-See-As */
export type RequestAuthenticator = (core: Core, headers: IncomingHttpHeaders, operation: Operation) => Promise<Actor>

/**
 * Creates the middleware of all routes, which authorises, validates, handles and audits in this order.
 * Tests use the attached `router`.
 */
export function createApiRouter(core: Core, routes: Route[], authenticate: RequestAuthenticator) {
  const readLog = new AuditReadLog(core)
  const router = new Router({ sensitive: true, strict: true })
  for (const { operation, handle } of routes) {
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1')
    router[operation.method](path, async (ctx) => {
      ctx.state.operation = operation.id
      const reauthorise = () => authorise(core, ctx, operation, authenticate)
      const initialActor = await reauthorise()
      if (ctx.params.id !== undefined && !isUuid(ctx.params.id)) throw notFoundError()
      const query = parseQuery(core, ctx, operation)
      const body = await parseRequestBody(core, ctx, operation)
      // The caller can lose access while a slow body arrives, so check again.
      const actor = hasRequestBody(ctx) && !operation.multipart ? await reauthorise() : initialActor
      const id = ctx.params.id ?? ''
      const address = getCurrentRequestTrace()!.address
      const result = await handle({ ctx, core, actor, reauthorise, address, id, query, body } as never)
      if (result !== undefined) ctx.body = result
      if (operation.audit && isAudited(ctx, operation, query)) {
        const { id: _, ...named } = ctx.params
        const { object, details } = toAuditEntry(operation, id, { ...(query as object), ...(body as object) })
        await readLog.record(actor, operation.audit, object, { ...named, ...details })
      }
      serializeBody(ctx)
    })
  }
  const dispatch = router.routes()
  const fixedPaths = collectFixedPathMethods(routes)
  const middleware = async (ctx: Context): Promise<void> => {
    const methods = fixedPaths.get(ctx.path)
    if (methods && !methods.includes(ctx.method)) throw methodNotAllowedError(methods.join(', '))
    await dispatch(ctx as never, () => rejectUnknownPath(router, ctx))
  }
  return Object.assign(middleware, { router })
}

/**
 * Returns true if the audit log records this response: a success of a request other than HEAD. If `auditWhen` is declared, that
 * parameter must be true.
 */
function isAudited({ method, status }: Context, { auditWhen }: Operation, query: unknown): boolean {
  const hasCallData = auditWhen === undefined || (query as Record<string, unknown>)[auditWhen] === true
  return method !== 'HEAD' && status < 400 && hasCallData
}

/** Returns the object of a read, with the other parameters as details. */
function toAuditEntry(
  { method, auditObject: type, auditBy }: Operation,
  id: string,
  parameters: Record<string, unknown>,
) {
  if (!auditBy) return { object: type && { type, id: id.toLowerCase() }, details: parameters }
  const { [auditBy.field]: named, ...others } = parameters
  // Bodies can be large, so record the object without the content.
  const details = { ...(auditBy.id && { [auditBy.id]: id.toLowerCase() }), ...(method === 'get' && others) }
  return { object: type && { type, id: String(named).toLowerCase() }, details }
}

/**
 * Collects the methods of paths without parameters. Otherwise GET /v1/recordings/retry-failed matches /v1/recordings/{id} and
 * gets 404 instead of 405.
 */
function collectFixedPathMethods(routes: Route[]): Map<string, string[]> {
  const fixedPaths = new Map<string, string[]>()
  for (const { operation } of routes.filter(({ operation }) => !operation.path.includes('{'))) {
    const method = operation.method.toUpperCase()
    const more = method === 'GET' ? ['GET', 'HEAD'] : [method]
    fixedPaths.set(operation.path, [...(fixedPaths.get(operation.path) ?? []), ...more].sort())
  }
  return fixedPaths
}

/** Serializes a JSON response once. Koa does it three times: for the length, for compression and for sending. */
function serializeBody(ctx: Context): void {
  const body: unknown = ctx.body
  if (typeof body !== 'object' || body === null || Buffer.isBuffer(body) || body instanceof Readable) return
  ctx.type = 'application/json; charset=utf-8'
  ctx.body = JSON.stringify(body)
}

async function authorise(
  core: Core,
  ctx: Context,
  operation: Operation,
  authenticate: RequestAuthenticator,
): Promise<Actor> {
  const changes = operation.method !== 'get'
  if (operation.access === 'public') {
    // Without this check, a foreign page can log its victim in as somebody else.
    if (changes && ctx.get('Cookie') && hasCrossOriginHeaders(ctx.headers))
      throw forbiddenError(httpMessages.foreignPage())
    return { kind: 'nobody' }
  }
  const actor = await authenticate(core, ctx.headers, operation)
  requireOperationAccess(actor, operation)
  if (changes && actor.kind === 'person' && hasCrossOriginHeaders(ctx.headers)) {
    throw forbiddenError(httpMessages.foreignPage())
  }
  return actor
}

const NO_PARAMETERS = Type.Object({}, NO_EXTRA_PROPERTIES)

/** Parses query parameters by the schema. @throws HttpError 400 for invalid, repeated or unknown parameters */
function parseQuery(core: Core, ctx: Context, { query: schema = NO_PARAMETERS, anyQuery }: Operation): unknown {
  if (anyQuery) return undefined
  const parameters = groupValuesByName(new URLSearchParams(ctx.querystring))
  return validateTextValues(schema, Object.fromEntries(parameters), core.config)
}

/** Throws HttpError 405 with Allow if the path has other methods; otherwise 404. */
function rejectUnknownPath(router: Pick<Router, 'match'>, ctx: Context): never {
  const methods = new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods))
  throw methods.size > 0 ? methodNotAllowedError([...methods].sort().join(', ')) : notFoundError()
}
