import { forbiddenError, unauthorizedError } from '../errors.ts'
import type { Actor, Right } from './actor.ts'
import type { OperationAccess, Operation } from './operation.ts'

export const SESSION_COOKIE_NAME = 'svc_session'

/** Names the header in which an owner sends the id of a person to see the service as that person. */
export const SEE_AS_HEADER = 'X-See-As'

/**
 * Returns true if an owner can call the operation as another person: reads with the access `scoped` or `ownerOrHead`, and `me`.
 */
export const canUseSeeAs = ({ id, method, access }: Pick<Operation, 'id' | 'method' | 'access'>): boolean =>
  method === 'get' && (access === 'scoped' || access === 'ownerOrHead' || id === 'me')

const KEY_ACCESS: ReadonlySet<OperationAccess> = new Set(['public', 'ownerOrKey', 'scoped'])

/** Returns true if an API key can call the operation. If so, its `security` in the API description has `apiKey` and `bearer`. */
export const canApiKeyCall = ({ access, closedToKeys }: Pick<Operation, 'access' | 'closedToKeys'>): boolean =>
  KEY_ACCESS.has(access) && !closedToKeys

/**
 * Checks that the actor can call the operation.
 * @throws HttpError 401 without valid credentials, 403 if the role, key or rights do not allow it
 */
export function requireOperationAccess(
  actor: Actor,
  operation: Pick<Operation, 'access' | 'rights' | 'closedToKeys'>,
): void {
  const { access, rights } = operation
  if (access === 'public') return
  // The service does not call its own API.
  if (actor.kind === 'nobody' || actor.kind === 'system') throw unauthorizedError()
  if (actor.kind === 'key') {
    if (!canApiKeyCall(operation)) throw forbiddenError()
    return
  }
  const { role } = actor.person
  if (role === 'owner') return
  if (access === 'owner' || access === 'ownerOrKey') throw forbiddenError()
  if (access === 'ownerOrHead' && role !== 'head') throw forbiddenError()
  if (rights?.some((right: Right) => !actor.person.rights[right])) throw forbiddenError()
}

/**
 * Returns true if Sec-Fetch-Site or Origin shows that a page of another origin sent the request. Returns false if the request has
 * neither header.
 */
export function hasCrossOriginHeaders(headers: Record<string, string | string[] | undefined>): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin, host } = headers
  if (origin === undefined) return false
  return !URL.canParse(String(origin)) || new URL(String(origin)).host !== host
}
