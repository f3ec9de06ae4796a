import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { cleanName } from '../../platform/lib/names.ts'
import type { Where } from '../../platform/lib/where.ts'
import { managerKey, managerNamed } from './names.ts'

/** Whether somebody sees all there is, also the objects of the storage that no call has yet: the service, keys and owners. */
export const seesAll = (actor: Actor): boolean =>
  actor.kind === 'system' || actor.kind === 'key' || (actor.kind === 'person' && actor.person.role === 'owner')

/**
 * Which recordings an actor sees, as conditions on the table r to be joined with others; none if they see all.
 * A manager sees their own calls, a head also those of the rosters of their departments. The counters are asked with
 * the same conditions, and know of a recording only its manager (see recordings/list/counts.ts).
 */
export function visibleTo(actor: Actor): Where {
  if (seesAll(actor)) return []
  if (actor.kind !== 'person') return [{ sql: 'false', values: [] }]
  const managers = actor.person.seenManagers
  // The calls of a single one are found in their order.
  if (managers.length === 1) return [{ sql: 'r.manager_id = ?::uuid', values: managers }]
  return [{ sql: 'r.manager_id = ANY(?::uuid[])', values: [managers] }]
}

/** The managers whose calls somebody sees; null: all of them, and the calls of nobody. */
export function managersSeenBy(actor: Actor): string[] | null {
  if (seesAll(actor)) return null
  return actor.kind === 'person' ? actor.person.seenManagers : []
}

/** The same of one recording. */
export const visibleRecording = (actor: Actor, id: string): Where => [
  { sql: 'r.id = ?::uuid', values: [id] },
  ...visibleTo(actor),
]

/**
 * SQL conditions on the table d for the deals that an actor sees. These are deals in the funnels of their departments, and deals
 * of managers whose calls they see. For the actor, other deals do not exist.
 */
export function visibleDeals(actor: Actor): Where {
  if (seesAll(actor)) return []
  if (actor.kind !== 'person') return [{ sql: 'false', values: [] }]
  const { departments, seenManagers } = actor.person
  return [
    {
      sql: `(d.funnel_id IN (SELECT unnest(o.funnels) FROM departments o WHERE o.id = ANY(?::uuid[]))
             OR d.responsible_id IN (SELECT k.crm_user_id FROM managers k WHERE k.id = ANY(?::uuid[])))`,
      values: [departments.map(({ id }) => id), seenManagers],
    },
  ]
}

/** Whether somebody sees the calls of the manager of a name, also of one that no call carries yet. */
export async function seesManager(sql: Sql, actor: Actor, name: string): Promise<boolean> {
  if (actor.kind !== 'person' || seesAll(actor)) return seesAll(actor)
  const { name: own, seenManagers } = actor.person
  const { rowCount } = await sql.query({
    text: `SELECT WHERE ${managerKey('$1')} = ${managerKey('$2')} OR ${managerNamed('$1')} = ANY($3::uuid[])`,
    values: [cleanName(name), own, seenManagers],
  })
  return rowCount === 1
}
