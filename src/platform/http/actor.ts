import { forbiddenError } from '../errors.ts'

export const ROLES = ['owner', 'head', 'manager'] as const
export type Role = (typeof ROLES)[number]

/** The rights of a person beyond reading; an owner has all of them. */
export const RIGHTS = ['audio', 'export', 'manageRecordings', 'analytics', 'editRules'] as const
export type Right = (typeof RIGHTS)[number]

export const LANGUAGES = ['en', 'ru'] as const
export type Language = (typeof LANGUAGES)[number]

/** The logged-in person with their role and rights. */
export interface ActingPerson {
  id: string
  email: string
  name: string
  role: Role
  rights: Partial<Record<Right, boolean>>
  departments: { id: string; name: string }[]
  active: boolean
  mustChangePassword: boolean
  language: Language | null
  createdAt: Date
  lastLoginAt: Date | null
  /** Ids of the managers whose calls they see; an owner sees all calls. */
  seenManagers: string[]
}

/** The caller: an unknown one, the service itself, an integration by its key, or a person by the session cookie. */
export type Actor =
  | { kind: 'nobody' }
  | { kind: 'system' }
  | { kind: 'key'; id: string; name: string }
  /** `viewer` is the owner who sees as that person (people/auth/actor.ts): the audit log names the viewer. */
  | { kind: 'person'; person: ActingPerson; sessionHash: Buffer; viewer?: ActingPerson }

/** The service itself. It sees everything, and the audit log does not record what it does. */
export const SYSTEM_ACTOR: Actor = { kind: 'system' }

/** A person as the actor of a change. */
export type PersonActor = Extract<Actor, { kind: 'person' }>

/** The caller of an operation for people only. @throws HttpError 403 */
export function requirePerson(actor: Actor): PersonActor {
  if (actor.kind !== 'person') throw forbiddenError()
  return actor
}

/** The calling person. @throws HttpError 403 */
export const personOf = (actor: Actor): ActingPerson => requirePerson(actor).person
