import { forbiddenError } from '../errors.ts'

export const ROLES = ['owner', 'head', 'manager'] as const
export type Role = (typeof ROLES)[number]

/** Lists the permissions beyond the role, which owners and heads can grant. Owners have all of them. */
export const RIGHTS = ['audio', 'export', 'manageRecordings', 'analytics', 'editRules'] as const
export type Right = (typeof RIGHTS)[number]

export const LANGUAGES = ['en', 'ru'] as const
export type Language = (typeof LANGUAGES)[number]

/** Represents the logged-in person with the access data that most operations need. */
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
  /** Ids of the managers whose calls the person sees. Owners see all calls regardless. */
  seenManagers: string[]
}

/** Identifies the caller: nobody, the service itself, an integration by API key, or a person by session. */
export type Actor =
  | { kind: 'nobody' }
  | { kind: 'system' }
  | { kind: 'key'; id: string; name: string }
  /** `viewer` is the owner who sees as that person (people/auth/actor.ts): the audit log names the viewer. */
  | { kind: 'person'; person: ActingPerson; sessionHash: Buffer; viewer?: ActingPerson }

/** Represents the service itself, which sees everything. recordAuditChange() does not record its changes. */
export const SYSTEM_ACTOR: Actor = { kind: 'system' }

/** An actor who is a person, for operations that keys cannot call. */
export type PersonActor = Extract<Actor, { kind: 'person' }>

/** Returns the actor if it is a person. @throws HttpError 403 for any other actor */
export function requirePerson(actor: Actor): PersonActor {
  if (actor.kind !== 'person') throw forbiddenError()
  return actor
}

/** Returns the person behind the actor. @throws HttpError 403 if the actor is no person */
export const personOf = (actor: Actor): ActingPerson => requirePerson(actor).person

/** Returns a person's actor that sees only those of their managers whose ids are given. */
export function narrowActorToManagers(actor: PersonActor, managerIds: readonly string[]): PersonActor {
  const seenManagers = actor.person.seenManagers.filter((id) => managerIds.includes(id))
  return { ...actor, person: { ...actor.person, seenManagers } }
}
