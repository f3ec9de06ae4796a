import type { Core } from '../../platform/core.ts'
import type { StepName } from '../steps/schema.ts'
import type { QuarantinedRowJson } from './schema.ts'
import { NO_ID } from './store.ts'

type Row = Omit<QuarantinedRowJson, 'firstSeenAt' | 'seenAt'> & { firstSeenAt: Date; seenAt: Date }

/** Lists a page of the rows in quarantine, of one step or of all. */
export async function readQuarantine(
  { pool }: Core,
  { step, page, pageSize }: { step?: StepName | undefined; page: number; pageSize: number },
): Promise<{ items: QuarantinedRowJson[]; total: number; page: number; pageSize: number }> {
  const where = 'WHERE $1::text IS NULL OR step = $1'
  const [{ rows: counted }, { rows }] = await Promise.all([
    pool.query<{ total: number }>({
      text: `SELECT count(*)::int AS total FROM crm_quarantine ${where}`,
      values: [step],
    }),
    pool.query<Row>({
      text: `SELECT step, CASE WHEN row_id NOT LIKE '${NO_ID}%' THEN row_id END AS "rowId", reason, value,
                    first_seen_at AS "firstSeenAt", seen_at AS "seenAt"
               FROM crm_quarantine ${where} ORDER BY seen_at DESC, step, row_id LIMIT $2 OFFSET $3`,
      values: [step, pageSize, (page - 1) * pageSize],
    }),
  ])
  const items = rows.map((row) => ({
    ...row,
    firstSeenAt: row.firstSeenAt.toISOString(),
    seenAt: row.seenAt.toISOString(),
  }))
  return { items, total: counted[0]!.total, page, pageSize }
}
