import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'
import type { Conditions } from '../../platform/lib/sql-conditions.ts'
import { managerKeySql, managerIdByNameSql } from './name-sql.ts'

/** Whether the actor sees everything, also objects of the storage without a call: the service, keys and owners. */
export const canSeeAll = (actor: Actor): boolean =>
  actor.kind === 'system' || actor.kind === 'key' || (actor.kind === 'person' && actor.person.role === 'owner')

/**
 * Conditions on the table r for the recordings that an actor sees; none if they see all. A manager sees their own calls, a
 * head also those of their departments' rosters. Counters use the same conditions, and know only the manager of a recording
 * (see recordings/list/counts.ts).
 */
export function visibleRecordingsCondition(actor: Actor): Conditions {
  if (canSeeAll(actor)) return []
  if (actor.kind !== 'person') return [{ sql: 'false', values: [] }]
  const managers = actor.person.seenManagers
  // With one manager, an index returns the calls in order.
  if (managers.length === 1) return [{ sql: 'r.manager_id = ?::uuid', values: managers }]
  return [{ sql: 'r.manager_id = ANY(?::uuid[])', values: [managers] }]
}

/** The managers whose calls a person sees; null: all, and calls without a manager. */
export function visibleManagerIds(actor: Actor): string[] | null {
  if (canSeeAll(actor)) return null
  return actor.kind === 'person' ? actor.person.seenManagers : []
}

/** The same for one recording. */
export const visibleRecordingCondition = (actor: Actor, id: string): Conditions => [
  { sql: 'r.id = ?::uuid', values: [id] },
  ...visibleRecordingsCondition(actor),
]

/** SQL conditions on deals d: in funnels of the actor's departments, or of managers whose calls they see. */
export function visibleDealsCondition(actor: Actor): Conditions {
  if (canSeeAll(actor)) return []
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
export async function canSeeManager(sql: Sql, actor: Actor, name: string): Promise<boolean> {
  if (actor.kind !== 'person' || canSeeAll(actor)) return canSeeAll(actor)
  const { name: ownName, seenManagers } = actor.person
  const { rowCount } = await sql.query({
    text: `SELECT WHERE ${managerKeySql('$1')} = ${managerKeySql('$2')} OR ${managerIdByNameSql('$1')} = ANY($3::uuid[])`,
    values: [normalizeWhitespace(name), ownName, seenManagers],
  })
  return rowCount === 1
}
