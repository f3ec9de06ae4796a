import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { CallRow } from '../bitrix24/calls.ts'
import type { ParsedRows } from '../bitrix24/fields.ts'
import { storeCalls } from '../calls/rows.ts'
import type { Counts } from '../quarantine/store.ts'

/** Stores calls of a history load and queues those that it loads. A load that had ended without them continues. */
export async function storeLoaded(
  { config }: Core,
  sql: Sql,
  id: string,
  parsed: ParsedRows<CallRow>,
): Promise<Counts> {
  const calls = parsed.values
  const counts = await storeCalls(sql, config, parsed, id)
  const queued = await queueLoads(sql, id, calls)
  await sql.query({
    text: `UPDATE crm_history_loads SET found = found + $2, skipped = skipped + $2 - $3, invalid_values = invalid_values + $4,
                  state = CASE WHEN state = 'done' AND $3 > 0 THEN 'running' ELSE state END,
                  finished_at = CASE WHEN state = 'done' AND $3 > 0 THEN NULL ELSE finished_at END
            WHERE id = $1`,
    values: [id, calls.length, queued, counts.invalid],
  })
  return counts
}

async function queueLoads(sql: Sql, id: string, calls: CallRow[]): Promise<number> {
  const { rowCount } = await sql.query({
    text: `INSERT INTO crm_load_jobs (history_load_id, call_id, priority)
           SELECT DISTINCT $1::uuid, c.call_id, 0 FROM crm_calls c
            WHERE c.id = ANY ($2::bigint[]) AND c.load_state = 'waiting' AND c.history_load_id = $1
           ON CONFLICT DO NOTHING`,
    values: [id, calls.map((call) => call.id)],
  })
  return rowCount ?? 0
}
