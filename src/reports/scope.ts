import type { Core } from '../platform/core.ts'
import type { Sql } from '../platform/db/sql.ts'
import type { Actor } from '../platform/http/actor.ts'
import { type SqlParameters, type SqlConditions } from '../platform/lib/sql-conditions.ts'
import { hasFullVisibility, visibleRecordingsCondition } from '../people/managers/visibility.ts'
import { canMatchCallsWithoutManager, managerFilterCondition } from '../calls/list/filters/managers.ts'
import { parsePeriod, type Period } from '../platform/lib/period.ts'
import { queryRows } from './query-rows.ts'

/** Restricts a report to managers by parts of their names, or to the roster of a department by its id. */
export interface ManagerFilter {
  manager?: string
  department?: string
}

/** The query parameters that most reports share. Days are ISO 8601, inclusive, in APP_TIMEZONE. */
export interface ReportQuery extends ManagerFilter {
  from?: string
  to?: string
  funnel?: number
}

/** Lists manager ids; a null entry includes calls and deals without a manager. Null instead of a list means no restriction. */
export type ManagerIds = (string | null)[] | null

/** Restricts a report to a period and to the calls and deals of managers. Only reports on deals use `funnel`. */
export interface ReportScope {
  period: Period
  managers: ManagerIds
  funnel?: number | undefined
}

const PERIOD_LIMITS = { days: 90, most: 366 }

/**
 * Resolves the period of a query in APP_TIMEZONE and the managers that the actor sees. Without a period, it uses the last 90
 * days.
 * @throws HttpError 400 for an invalid period or one over 366 days
 */
export async function loadReportScope(core: Core, actor: Actor, query: ReportQuery): Promise<ReportScope> {
  const period = parsePeriod(query, core.config.APP_TIMEZONE, PERIOD_LIMITS)
  return { period, managers: await listManagerIds(core, actor, query), funnel: query.funnel }
}

/**
 * Lists the managers that the actor sees and that match the filter.
 * @returns null without any restriction
 */
export async function listManagerIds({ pool }: Core, actor: Actor, filter: ManagerFilter): Promise<ManagerIds> {
  const conditions = [...visibleRecordingsCondition(actor), ...managerFilterCondition(filter)]
  if (conditions.length === 0) return null
  const rows = await queryRows<{ id: string }>(
    pool,
    (p) => `SELECT id FROM (SELECT id, coalesce(same_as, id) AS manager_id FROM managers) r
             WHERE ${p.and(conditions)} ORDER BY 1`,
  )
  const ids = rows.map(({ id }) => id)
  const includesUnassigned =
    hasFullVisibility(actor) && filter.department === undefined && canMatchCallsWithoutManager(filter.manager)
  return includesUnassigned ? [...ids, null] : ids
}

/**
 * Builds a condition on the manager of a row.
 * @param column SQL of the manager id
 */
export function managerCondition(managers: ManagerIds, column = 'r.manager_id'): SqlConditions {
  if (managers === null) return []
  const sql = `${column} = ANY(?::uuid[])`
  const values = [managers.filter((id) => id !== null)]
  return [{ sql: managers.includes(null) ? `(${sql} OR ${column} IS NULL)` : sql, values }]
}

/**
 * Builds a condition on rows within the period.
 * @param column SQL of the time that counts
 */
export function periodCondition(p: SqlParameters, { since, until }: Period, column: string): string {
  return `${column} >= ${p.add(since)}::timestamptz AND ${column} < ${p.add(until)}::timestamptz`
}

/**
 * Builds an expression for the number of the span, from 1, that contains a time.
 * @param spans spans in ascending order, the last without an end
 */
export const spanNumberSql = (p: SqlParameters, column: string, spans: { since: Date }[]): string =>
  `width_bucket(${column}, ${p.add(spans.map(({ since }) => since))}::timestamptz[])`

/** Builds a condition on recordings r, or links r of calls to deals, within the period and the managers of the scope. */
export const callScopeCondition = (p: SqlParameters, { period, managers }: ReportScope): string =>
  `${periodCondition(p, period, 'r.call_at')} AND ${p.and(managerCondition(managers))}`

/** Loads the names of managers by id. Ids without a row are missing in the map. */
export async function loadManagerNames(sql: Sql, ids: (string | null)[]): Promise<Map<string | null, string>> {
  const { rows } = await sql.query<{ id: string; name: string }>({
    text: 'SELECT id, name FROM managers WHERE id = ANY($1::uuid[])',
    values: [ids.filter((id) => id !== null)],
  })
  return new Map(rows.map(({ id, name }) => [id, name]))
}
