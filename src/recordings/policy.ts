import type { Actor } from '../http/access.ts'

/** A condition on the table r, its parameters from $1 on, and a name that is the same for the same condition. */
export interface Scope {
  name: 'all' | 'none' | 'own' | 'team'
  condition: string
  values: unknown[]
}

/** Keys and owners see all there is, the objects of the storage that no call has yet included. */
export const seesAll = (actor: Actor): boolean =>
  actor.kind === 'key' || (actor.kind === 'person' && actor.person.role === 'owner')

/**
 * Which recordings an actor sees, as a condition on the table r; a parameter $1 stands for a value where it is used.
 * Keys and owners see all; other people the calls that carry a name which is theirs to see: a manager their own, a head
 * those of the rosters of their departments too. The kept counts are asked with the same condition, and know of a
 * recording only manager_name (see counts.ts).
 */
export function visibleTo(actor: Actor): Scope {
  if (seesAll(actor)) return { name: 'all', condition: 'true', values: [] }
  if (actor.kind !== 'person') return { name: 'none', condition: 'false', values: [] }
  const names = actor.person.seenNames
  // A single name is found in the order of the calls.
  if (names.length === 1) return { name: 'own', condition: 'lower(btrim(r.manager_name)) = $1', values: names }
  return { name: 'team', condition: 'lower(btrim(r.manager_name)) = ANY($1::text[])', values: [names] }
}
