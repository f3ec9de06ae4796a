import { randomUUID } from 'node:crypto'
import type { Core } from '../../app/core.ts'
import type { Sql } from '../../platform/db/db.ts'
import { parseRows, type Fields } from '../bitrix24/fields.ts'
import { crmMessages } from '../messages.ts'
import { callPortal, type Params, type PortalAnswer } from '../bitrix24/client.ts'
import type { Row } from '../bitrix24/rows.ts'
import { storeRows, type RowKind } from '../quarantine/store.ts'
import type { Ended, Reading, ReadPage } from './step.ts'
import { upsert, type Target } from './upsert.ts'

/** The values of a row by the columns of its table. */
export type Columns = Record<string, unknown>

/** A list that is read whole each time; what it does not hold any more is marked, never deleted. */
export interface FullPass {
  target: Target
  kind: RowKind<Columns>
  /** What is asked for, in their order; a pass reads each list to its end. */
  lists: (core: Core) => Promise<List[]>
}

export interface List {
  method: string
  params: Params
  rows: (answer: PortalAnswer) => Row[]
  toColumns: (fields: Fields) => Columns
}

/** How far a pass is: which of its lists, and where in it. */
export interface PassCursor {
  pass: string
  list: number
  start: number
  /** Number of rows that could not be stored. */
  rejected?: number
}

/** As `pages` of a step. */
export async function* readWhole(
  core: Core,
  { asking, cursor }: Reading<never, PassCursor>,
  { target, kind, lists }: FullPass,
): AsyncGenerator<ReadPage<PassCursor>> {
  const all = await lists(core)
  let at = cursor ?? { pass: randomUUID(), list: 0, start: 0 }
  while (at.list < all.length) {
    const { method, params, rows, toColumns } = all[at.list]!
    const answer = await callPortal(core, asking, method, { ...params, start: at.start })
    const parsed = parseRows(rows(answer), toColumns)
    // A portal that gave the same page for ever would keep us for ever.
    const next = answer.next !== undefined && answer.next > at.start ? answer.next : undefined
    const rejected = (at.rejected ?? 0) + parsed.rejected.length
    at = next === undefined ? { ...at, list: at.list + 1, start: 0, rejected } : { ...at, start: next, rejected }
    const { pass } = at
    yield {
      cursor: at,
      store: (sql) => storeRows(sql, kind, parsed, (columns) => upsert(sql, target, columns, pass)),
      more: at.list < all.length,
    }
  }
}

/** So many rows may vanish at once without it looking as if rights had shrunk. */
const FEW = 3
const SHARE = 0.05

/**
 * The `end` of a step: flags rows that the pass did not see. If many are missing, we assume lost permissions and flag nothing.
 * Rejected rows also prevent flagging, because they can be the missing ones.
 */
export async function markGone(sql: Sql, table: string, cursor: PassCursor | undefined): Promise<Ended<never>> {
  if (!cursor || cursor.rejected) return {}
  const { rows } = await sql.query<{ known: number; missing: number }>({
    text: `SELECT count(*)::int AS known, count(*) FILTER (WHERE seen_in IS DISTINCT FROM $1)::int AS missing
             FROM ${table} WHERE gone_at IS NULL`,
    values: [cursor.pass],
  })
  const { known, missing } = rows[0]!
  if (missing > Math.max(FEW, known * SHARE)) {
    return { notice: crmMessages.rowsMissing({ missing, known }) }
  }
  await sql.query({
    text: `UPDATE ${table} SET gone_at = now() WHERE gone_at IS NULL AND seen_in IS DISTINCT FROM $1`,
    values: [cursor.pass],
  })
  return {}
}
