import { forbidden, unauthorized } from '../errors.ts'
import type { Right } from '../../people/people/entity.ts'
import type { PersonRow } from '../../people/people/present.ts'
import type { Access, Operation } from './operation.ts'

/** The cookie of a person's session. */
export const SESSION_COOKIE = 'svc_session'

/** Somebody who is logged in. */
export interface ActingPerson extends PersonRow {
  /** The managers whose calls they see, by id; an owner sees all. */
  seenManagers: string[]
}

/** Who acts: nobody known, the service by itself, an integration by its key, or a person by the session cookie. */
export type Actor =
  | { kind: 'nobody' }
  | { kind: 'system' }
  | { kind: 'key'; id: string; name: string }
  /** `viewer` is the owner who sees as that person (auth/see-as.ts): reads are noted in their name. */
  | { kind: 'person'; person: ActingPerson; sessionHash: Buffer; viewer?: ActingPerson }

/** The service itself, which sees everything; what it does is not noted in the audit log. */
export const SYSTEM: Actor = { kind: 'system' }

/** Somebody who is logged in, as the actor of a change. */
export type PersonActor = Extract<Actor, { kind: 'person' }>

/** The caller of an operation that only people may call. @throws HttpError 403 */
export function asPerson(actor: Actor): PersonActor {
  if (actor.kind !== 'person') throw forbidden()
  return actor
}

/** The same, the person alone. @throws HttpError 403 */
export const personOf = (actor: Actor): ActingPerson => asPerson(actor).person

const KEYS_PASS: ReadonlySet<Access> = new Set(['public', 'ownerOrKey', 'scoped'])

/** Whether a key may call an operation, published as its security. */
export const keysMayCall = ({ access, closedToKeys }: Pick<Operation, 'access' | 'closedToKeys'>): boolean =>
  KEYS_PASS.has(access) && !closedToKeys

/**
 * Lets the caller pass, or throws.
 * @throws HttpError 401 without valid credentials, 403 where the role, the key or the rights do not allow it
 */
export function admit(actor: Actor, operation: Pick<Operation, 'access' | 'rights' | 'closedToKeys'>): void {
  const { access, rights } = operation
  if (access === 'public') return
  // The service calls nothing by its own API.
  if (actor.kind === 'nobody' || actor.kind === 'system') throw unauthorized()
  if (actor.kind === 'key') {
    if (!keysMayCall(operation)) throw forbidden()
    return
  }
  const { role } = actor.person
  if (role === 'owner') return
  if (access === 'owner' || access === 'ownerOrKey') throw forbidden()
  if (access === 'ownerOrHead' && role !== 'head') throw forbidden()
  if (rights?.some((right: Right) => !actor.person.rights[right])) throw forbidden()
}

/**
 * A request that changes something with a person's cookie must come from a page of ours: browsers always tell where
 * it comes from, in Sec-Fetch-Site or Origin. A client that sends neither is no browser, and nobody can make it send
 * somebody else's cookie.
 */
export function isForeignOrigin(headers: Record<string, string | string[] | undefined>): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin, host } = headers
  if (origin === undefined) return false
  return !URL.canParse(String(origin)) || new URL(String(origin)).host !== host
}
