import type { Sql } from '../../platform/db/sql.ts'
import type { ActingPerson, Actor } from '../../platform/http/actor.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'
import type { SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { managerNameKeySql, managerIdByNameSql, managerIdsByNamesSql } from './name-sql.ts'

/** Returns true for the service, API keys and owners, who see all calls and deals, also those without a manager. */
export const hasFullVisibility = (actor: Actor): boolean =>
  actor.kind === 'system' || actor.kind === 'key' || (actor.kind === 'person' && actor.person.role === 'owner')

/**
 * Returns conditions on recordings r for those that the actor sees; none for full visibility.
 * A manager sees their own calls, a head also the calls of their departments' rosters. Counters reuse these conditions, so they
 * can use only r.manager_id (see src/calls/list/counts.ts).
 */
export function visibleRecordingsCondition(actor: Actor): SqlConditions {
  if (hasFullVisibility(actor)) return []
  if (actor.kind !== 'person') return [{ sql: 'false', values: [] }]
  const managers = actor.person.seenManagers
  // With one manager, an index returns the calls in order.
  if (managers.length === 1) return [{ sql: 'r.manager_id = ?::uuid', values: managers }]
  return [{ sql: 'r.manager_id = ANY(?::uuid[])', values: [managers] }]
}

/** Returns the ids of the managers of visible calls; null for all calls, including those without a manager. */
export function getVisibleManagerIds(actor: Actor): string[] | null {
  if (hasFullVisibility(actor)) return null
  return actor.kind === 'person' ? actor.person.seenManagers : []
}

/** Returns conditions that select the recording r with this id if the actor sees it. */
export const visibleRecordingByIdCondition = (actor: Actor, id: string): SqlConditions => [
  { sql: 'r.id = ?::uuid', values: [id] },
  ...visibleRecordingsCondition(actor),
]

/**
 * Returns conditions on deals d for those that the actor sees; none for full visibility. A person sees the deals in the funnels
 * of their departments, and those whose responsible CRM user is a manager of visible calls.
 */
export function visibleDealsCondition(actor: Actor): SqlConditions {
  if (hasFullVisibility(actor)) return []
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

/** Returns true if the actor sees the calls of the manager with this name, even if the manager has no calls yet. */
export async function canSeeManagerCalls(sql: Sql, actor: Actor, name: string): Promise<boolean> {
  if (actor.kind !== 'person' || hasFullVisibility(actor)) return hasFullVisibility(actor)
  const { name: ownName, seenManagers } = actor.person
  const { rowCount } = await sql.query({
    text: `SELECT WHERE ${managerNameKeySql('$1')} = ${managerNameKeySql('$2')} OR ${managerIdByNameSql('$1')} = ANY($3::uuid[])`,
    values: [normalizeWhitespace(name), ownName, seenManagers],
  })
  return rowCount === 1
}

/**
 * SQL for the ids of the managers whose calls the person p sees. It has the manager with their own name and, for a head, those in
 * the rosters of their departments.
 */
export const VISIBLE_MANAGER_IDS_SQL = `
  ARRAY(${managerIdsByNamesSql('ARRAY[p.name]')}
        UNION
        SELECT m.manager_id FROM person_departments b JOIN department_managers m ON m.department_id = b.department_id
         WHERE b.person_id = p.id AND p.role = 'head')`

/** Returns a condition on people p: those with whom the actor shares visible calls, owners, and the actor. */
export const sharesVisibleCallsCondition = ({ id, role, seenManagers }: ActingPerson): SqlConditions =>
  role === 'owner'
    ? []
    : [{ sql: `(p.role = 'owner' OR p.id = ? OR ${VISIBLE_MANAGER_IDS_SQL} && ?::uuid[])`, values: [id, seenManagers] }]

/** SQL condition: the active person p sees the recording r. It is the rule of visibleRecordingsCondition() by person. */
export const PERSON_SEES_RECORDING_SQL = `(p.active AND (p.role = 'owner' OR r.manager_id = ANY(${VISIBLE_MANAGER_IDS_SQL})))`

/** SQL condition: the person p has the name of the manager of the recording r. */
export const IS_CALL_MANAGER_SQL = `(r.manager_id IS NOT NULL AND r.manager_id = ${managerIdByNameSql('p.name')})`
