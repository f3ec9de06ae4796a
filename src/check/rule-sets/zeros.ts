import type { Sql } from '../../platform/db/sql.ts'

/** Whether a backtest has judged by the rules that the draft of its set has now, as SQL: revisions begin anew with each draft. */
export const judgedDraft = (b: string): string =>
  `EXISTS (SELECT FROM rule_set_versions v WHERE v.rule_set_id = ${b}.rule_set_id AND v.state = 'draft'
              AND v.rules = ${b}.draft -> 'rules')`

/**
 * Critical rules (or noPoints, where it is by none) by which the last backtest of the draft as it is has found calls that would
 * newly get 0, and of which nobody has said that it is meant.
 */
export async function unconfirmedZeros(sql: Sql, ruleSetId: string, confirmed: string[]): Promise<string[]> {
  const { rows } = await sql.query<{ rule: string }>({
    text: `SELECT z.rule FROM backtests b, jsonb_to_recordset(b.figures -> 'newZeros') AS z (rule text, calls int)
            WHERE b.id = (SELECT t.id FROM backtests t WHERE t.rule_set_id = $1 AND t.status = 'DONE' AND ${judgedDraft('t')}
                           ORDER BY t.id DESC LIMIT 1)
              AND z.calls > 0 AND z.rule <> ALL($2::text[]) ORDER BY 1`,
    values: [ruleSetId, confirmed],
  })
  return rows.map(({ rule }) => rule)
}
