import type { Actor } from '../http/access.ts'

/** A condition on the table r, its parameters from $1 on, and a name that is the same for the same condition. */
export interface Scope {
  name: string
  condition: string
  values: string[]
}

/**
 * Which recordings an actor sees, as a condition on the table r; a parameter $1 stands for `name` where it is used.
 * Keys and owners see all; other people the calls that carry their name. The kept counts are asked with the same
 * condition, and know of a recording only manager_name (see counts.ts).
 */
export function visibleTo(actor: Actor): Scope {
  if (actor.kind === 'key' || (actor.kind === 'person' && actor.person.role === 'owner')) {
    return { name: 'all', condition: 'true', values: [] }
  }
  if (actor.kind === 'nobody') return { name: 'none', condition: 'false', values: [] }
  return { name: 'own', condition: 'lower(btrim(r.manager_name)) = lower(btrim($1))', values: [actor.person.name] }
}
