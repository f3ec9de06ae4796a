import type { Sql } from '../db.ts'
import { askAgain, IS_AUTOMATIC, markOutdated, PRIORITY } from './checks.ts'

/** What decides which rule sets apply to a call, beside its text. */
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
 * Asks again for the checks of calls that other rule sets may apply to than before, in the transaction that changes the
 * calls; marks these checks as outdated where automatic checking is off. A call without a check gets none.
 * @param before read by readCheckInputs() before the change
 * @param priority of the checks; lower where many calls may change at once, so that new calls do not wait behind them
 * @returns whether a check was asked for: then notify `analysis` after the commit
 */
export async function recheckAfterCorrection(
  sql: Sql,
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
  if (rows[0]?.isAutomatic === false) {
    await markOutdated(sql, changed)
    return false
  }
  for (const { id } of rows) await askAgain(sql, id, priority)
  return rows.length > 0
}

/** Whether a call came to another department, and a rule set is for the calls of one of the two alone. */
async function haveOwnSets(sql: Sql, before: CheckInputs, after: CheckInputs): Promise<boolean> {
  if (before.departmentId === after.departmentId) return false
  const { rowCount } = await sql.query({
    text: `SELECT FROM rule_sets s JOIN rule_set_versions v ON v.rule_set_id = s.id AND v.state = 'published'
            WHERE s.archived_at IS NULL AND s.applies -> 'departmentIds' ?| $1::text[] LIMIT 1`,
    values: [[before.departmentId, after.departmentId].filter((id) => id !== null)],
  })
  return rowCount! > 0
}
