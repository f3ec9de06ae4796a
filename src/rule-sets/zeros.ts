import type { Sql } from '../db.ts'

/** Critical rules by which a backtest of this revision has found calls that would newly get 0, and of which nobody has said that it is meant. */
export async function unconfirmedZeros(
  sql: Sql,
  ruleSetId: string,
  revision: number,
  confirmed: string[],
): Promise<string[]> {
  const { rows } = await sql.query<{ rule: string }>({
    text: `SELECT z.rule FROM backtests b, jsonb_to_recordset(b.figures -> 'newZeros') AS z (rule text, calls int)
            WHERE b.id = (SELECT id FROM backtests WHERE rule_set_id = $1 AND draft_revision = $2 AND state = 'done'
                           ORDER BY id DESC LIMIT 1)
              AND z.calls > 0 AND z.rule <> ALL($3::text[]) ORDER BY 1`,
    values: [ruleSetId, revision, confirmed],
  })
  return rows.map(({ rule }) => rule)
}
