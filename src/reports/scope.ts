import type { Core } from '../platform/core.ts'
import type { Sql } from '../platform/db/sql.ts'
import type { Actor } from '../platform/http/actor.ts'
import { type Parameters, type Where } from '../platform/lib/where.ts'
import { seesAll, visibleTo } from '../people/managers/visibility.ts'
import { asksForNobody, ofManagers } from '../calls/list/filters/managers.ts'
import { readPeriod, type Period } from '../platform/lib/period.ts'
import { queryRows } from './query-rows.ts'

export interface Narrowing {
  manager?: string
  department?: string
}

export interface ReportQuery extends Narrowing {
  from?: string
  to?: string
  funnel?: number
}

/** Ids of managers, null for calls and deals without one. Null instead of the list: everything. */
export type Managers = (string | null)[] | null

/** A period, and the managers whose calls and deals count. */
export interface Scope {
  period: Period
  managers: Managers
  funnel?: number | undefined
}

const LIMITS = { days: 90, most: 366 }

/** @throws HttpError 400 for an invalid period */
export async function loadScope(core: Core, actor: Actor, query: ReportQuery): Promise<Scope> {
  const period = readPeriod(query, core.config.APP_TIMEZONE, LIMITS)
  return { period, managers: await findManagers(core, actor, query), funnel: query.funnel }
}

/** The managers that the actor sees and the query names. Calls count for their caller, deals for the responsible person. */
export async function findManagers({ pool }: Core, actor: Actor, narrowing: Narrowing): Promise<Managers> {
  const conditions = [...visibleTo(actor), ...ofManagers(narrowing)]
  if (conditions.length === 0) return null
  const rows = await queryRows<{ id: string }>(
    pool,
    (p) => `SELECT id FROM (SELECT id, coalesce(same_as, id) AS manager_id FROM managers) r
             WHERE ${p.and(conditions)} ORDER BY 1`,
  )
  const ids = rows.map(({ id }) => id)
  const isOfNobody = seesAll(actor) && narrowing.department === undefined && asksForNobody(narrowing.manager)
  return isOfNobody ? [...ids, null] : ids
}

/** Rows of these managers. @param column names the manager of a row */
export function managerCondition(managers: Managers, column = 'r.manager_id'): Where {
  if (managers === null) return []
  const sql = `${column} = ANY(?::uuid[])`
  const values = [managers.filter((id) => id !== null)]
  return [{ sql: managers.includes(null) ? `(${sql} OR ${column} IS NULL)` : sql, values }]
}

/** SQL: rows of the period. @param column the time that counts */
export function inPeriod(p: Parameters, { since, until }: Period, column: string): string {
  return `${column} >= ${p.add(since)}::timestamptz AND ${column} < ${p.add(until)}::timestamptz`
}

/** SQL: the number of a time's span, from 1. @param spans their beginnings, oldest first */
export const spanNumber = (p: Parameters, column: string, spans: { since: Date }[]): string =>
  `width_bucket(${column}, ${p.add(spans.map(({ since }) => since))}::timestamptz[])`

/** SQL: recordings r, or links r, of a scope. */
export const callsInScope = (p: Parameters, { period, managers }: Scope): string =>
  `${inPeriod(p, period, 'r.call_at')} AND ${p.and(managerCondition(managers))}`

export async function findManagerNames(sql: Sql, ids: (string | null)[]): Promise<Map<string | null, string>> {
  const { rows } = await sql.query<{ id: string; name: string }>({
    text: 'SELECT id, name FROM managers WHERE id = ANY($1::uuid[])',
    values: [ids.filter((id) => id !== null)],
  })
  return new Map(rows.map(({ id, name }) => [id, name]))
}
