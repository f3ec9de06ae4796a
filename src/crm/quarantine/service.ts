import type { Core } from '../../platform/core.ts'
import type { Page } from '../schema-parts.ts'
import type { StepName } from '../steps/schema.ts'
import type { QuarantinedRowJson } from './schema.ts'
import { NO_ID } from './store.ts'

type Row = Omit<QuarantinedRowJson, 'firstSeenAt' | 'seenAt'> & { firstSeenAt: Date; seenAt: Date }

/** Lists a page of the rows in quarantine, of one step or of all. */
export async function listQuarantinedRows(
  { pool }: Core,
  { step, page, pageSize }: { step?: StepName | undefined; page: number; pageSize: number },
): Promise<Page<QuarantinedRowJson>> {
  const chosen = 'FROM crm_quarantine WHERE $1::text IS NULL OR step = $1'
  const [{ rows: counted }, { rows }] = await Promise.all([
    pool.query<{ total: number }>({ text: `SELECT count(*)::int AS total ${chosen}`, values: [step] }),
    pool.query<Row>({
      text: `SELECT step, CASE WHEN row_id NOT LIKE '${NO_ID}%' THEN row_id END AS "rowId", reason, value,
                    first_seen_at AS "firstSeenAt", seen_at AS "seenAt" ${chosen}
              ORDER BY seen_at DESC, step, row_id LIMIT $2 OFFSET $3`,
      values: [step, pageSize, (page - 1) * pageSize],
    }),
  ])
  const items = rows.map(({ firstSeenAt, seenAt, ...row }) => ({
    ...row,
    firstSeenAt: firstSeenAt.toISOString(),
    seenAt: seenAt.toISOString(),
  }))
  return { items, total: counted[0]!.total, page, pageSize }
}
