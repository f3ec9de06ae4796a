import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { cleanName } from '../../platform/lib/names.ts'
import type { Where } from '../../platform/lib/where.ts'
import { managerKey, managerNamed } from './names.ts'

/** Whether the actor sees everything, also objects of the storage without a call: the service, keys and owners. */
export const seesAll = (actor: Actor): boolean =>
  actor.kind === 'system' || actor.kind === 'key' || (actor.kind === 'person' && actor.person.role === 'owner')

/**
 * Conditions on the table r for the recordings that an actor sees; none if they see all. A manager sees their own calls, a
 * head also those of their departments' rosters. Counters use the same conditions, and know only the manager of a recording
 * (see recordings/list/counts.ts).
 */
export function visibleTo(actor: Actor): Where {
  if (seesAll(actor)) return []
  if (actor.kind !== 'person') return [{ sql: 'false', values: [] }]
  const managers = actor.person.seenManagers
  // With one manager, an index returns the calls in order.
  if (managers.length === 1) return [{ sql: 'r.manager_id = ?::uuid', values: managers }]
  return [{ sql: 'r.manager_id = ANY(?::uuid[])', values: [managers] }]
}

/** The managers whose calls a person sees; null: all, and calls without a manager. */
export function managersSeenBy(actor: Actor): string[] | null {
  if (seesAll(actor)) return null
  return actor.kind === 'person' ? actor.person.seenManagers : []
}

/** The same for one recording. */
export const visibleRecording = (actor: Actor, id: string): Where => [
  { sql: 'r.id = ?::uuid', values: [id] },
  ...visibleTo(actor),
]

/** SQL conditions on deals d: in funnels of the actor's departments, or of managers whose calls they see. */
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

/** Whether the actor sees the calls of the manager of a name, even if no call has it yet. */
export async function seesManager(sql: Sql, actor: Actor, name: string): Promise<boolean> {
  if (actor.kind !== 'person' || seesAll(actor)) return seesAll(actor)
  const { name: own, seenManagers } = actor.person
  const { rowCount } = await sql.query({
    text: `SELECT WHERE ${managerKey('$1')} = ${managerKey('$2')} OR ${managerNamed('$1')} = ANY($3::uuid[])`,
    values: [cleanName(name), own, seenManagers],
  })
  return rowCount === 1
}
