import type { Sql } from '../../platform/db/sql.ts'
import type { Config } from '../../platform/config/config.ts'
import { askAgain, IS_AUTOMATIC, markOutdated, PRIORITY } from './checks.ts'

/** The properties of a call, besides its text, that select its rule sets. */
export interface CheckInputs {
  id: string
  direction: string | null
  departmentId: string | null
}

export async function readCheckInputs(sql: Sql, ids: string[]): Promise<CheckInputs[]> {
  const { rows } = await sql.query<CheckInputs>({
    text: `SELECT r.id, r.direction, m.department_id AS "departmentId"
             FROM recordings r LEFT JOIN department_managers m ON m.manager_id = r.manager_id
            WHERE r.id = ANY($1::uuid[]) ORDER BY r.id`,
    values: [ids],
  })
  return rows
}

/**
 * Queues new checks for calls whose rule sets may have changed, in the transaction that changes the calls. While automatic
 * checking or the call check is off, it marks their checks as outdated instead. A call without a check gets none.
 * @param before result of readCheckInputs() before the change
 * @param priority lower if many calls can change at once, so that new calls do not wait behind them
 * @returns whether a check was queued: then notify `analysis` after the commit
 */
export async function recheckAfterCorrection(
  sql: Sql,
  { ANALYSIS_PROVIDER }: Config,
  before: CheckInputs[],
  priority: number = PRIORITY.person,
): Promise<boolean> {
  const after = new Map((await readCheckInputs(sql, before.map(({ id }) => id))).map((call) => [call.id, call])) // prettier-ignore
  const changed: string[] = []
  for (const call of before) {
    const now = after.get(call.id)
    if (now && (now.direction !== call.direction || (await haveOwnSets(sql, call, now)))) changed.push(call.id)
  }
  const { rows } = await sql.query<{ id: string; isAutomatic: boolean }>({
    text: `SELECT DISTINCT recording_id AS id, ${IS_AUTOMATIC} AS "isAutomatic" FROM analyses
            WHERE recording_id = ANY($1::uuid[]) ORDER BY 1`,
    values: [changed],
  })
  if (ANALYSIS_PROVIDER === 'none' || rows[0]?.isAutomatic === false) {
    await markOutdated(sql, changed)
    return false
  }
  for (const { id } of rows) await askAgain(sql, id, priority)
  return rows.length > 0
}

/** Whether a call moved to another department and a rule set applies only to one of the two. */
async function haveOwnSets(sql: Sql, before: CheckInputs, after: CheckInputs): Promise<boolean> {
  if (before.departmentId === after.departmentId) return false
  const { rowCount } = await sql.query({
    text: `SELECT FROM rule_sets s JOIN rule_set_versions v ON v.rule_set_id = s.id AND v.state = 'published'
            WHERE s.archived_at IS NULL AND s.applies -> 'departmentIds' ?| $1::text[] LIMIT 1`,
    values: [[before.departmentId, after.departmentId].filter((id) => id !== null)],
  })
  return rowCount! > 0
}
