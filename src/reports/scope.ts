import type { Core } from '../platform/core.ts'
import type { Sql } from '../platform/db/sql.ts'
import type { Actor } from '../platform/http/actor.ts'
import { type SqlParameters, type Conditions } from '../platform/lib/sql-conditions.ts'
import { canSeeAll, visibleRecordingsCondition } from '../people/managers/visibility.ts'
import { canMatchNoManager, managerFilterCondition } from '../calls/list/filters/managers.ts'
import { parsePeriod, type Period } from '../platform/lib/period.ts'
import { queryRows } from './query-rows.ts'

/** Limits a report to a manager or a department. */
export interface ManagerFilter {
  manager?: string
  department?: string
}

/** The parameters that most reports have. */
export interface ReportQuery extends ManagerFilter {
  from?: string
  to?: string
  funnel?: number
}

/** Ids of managers, null for calls and deals without one. Null instead of the list: everything. */
export type ManagerIds = (string | null)[] | null

/** A period, and the managers whose calls and deals count. */
export interface ReportScope {
  period: Period
  managers: ManagerIds
  funnel?: number | undefined
}

const PERIOD_LIMITS = { days: 90, most: 366 }

/** @throws HttpError 400 for an invalid period */
export async function loadReportScope(core: Core, actor: Actor, query: ReportQuery): Promise<ReportScope> {
  const period = parsePeriod(query, core.config.APP_TIMEZONE, PERIOD_LIMITS)
  return { period, managers: await listManagerIds(core, actor, query), funnel: query.funnel }
}

/** The managers that the actor sees and the query names. Calls count for their caller, deals for the responsible person. */
export async function listManagerIds({ pool }: Core, actor: Actor, filter: ManagerFilter): Promise<ManagerIds> {
  const conditions = [...visibleRecordingsCondition(actor), ...managerFilterCondition(filter)]
  if (conditions.length === 0) return null
  const rows = await queryRows<{ id: string }>(
    pool,
    (p) => `SELECT id FROM (SELECT id, coalesce(same_as, id) AS manager_id FROM managers) r
             WHERE ${p.and(conditions)} ORDER BY 1`,
  )
  const ids = rows.map(({ id }) => id)
  const includesUnassigned = canSeeAll(actor) && filter.department === undefined && canMatchNoManager(filter.manager)
  return includesUnassigned ? [...ids, null] : ids
}

/** Rows of these managers. @param column names the manager of a row */
export function managerCondition(managers: ManagerIds, column = 'r.manager_id'): Conditions {
  if (managers === null) return []
  const sql = `${column} = ANY(?::uuid[])`
  const values = [managers.filter((id) => id !== null)]
  return [{ sql: managers.includes(null) ? `(${sql} OR ${column} IS NULL)` : sql, values }]
}

/** SQL: rows of the period. @param column the time that counts */
export function periodCondition(p: SqlParameters, { since, until }: Period, column: string): string {
  return `${column} >= ${p.add(since)}::timestamptz AND ${column} < ${p.add(until)}::timestamptz`
}

/** SQL: the number of a time's span, from 1. @param spans their beginnings, oldest first */
export const spanNumberSql = (p: SqlParameters, column: string, spans: { since: Date }[]): string =>
  `width_bucket(${column}, ${p.add(spans.map(({ since }) => since))}::timestamptz[])`

/** SQL: recordings r, or links r, of a scope. */
export const callScopeCondition = (p: SqlParameters, { period, managers }: ReportScope): string =>
  `${periodCondition(p, period, 'r.call_at')} AND ${p.and(managerCondition(managers))}`

/** Loads the names of managers by id. */
export async function loadManagerNames(sql: Sql, ids: (string | null)[]): Promise<Map<string | null, string>> {
  const { rows } = await sql.query<{ id: string; name: string }>({
    text: 'SELECT id, name FROM managers WHERE id = ANY($1::uuid[])',
    values: [ids.filter((id) => id !== null)],
  })
  return new Map(rows.map(({ id, name }) => [id, name]))
}
