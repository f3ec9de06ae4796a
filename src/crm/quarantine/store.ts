import { createHash } from 'node:crypto'
import type { Core } from '../../platform/core.ts'
import { listPage, type ResultPage, type PageRequest } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { formatReason, toStoredReason, type StoredReason } from '../../platform/lib/stored-reason.ts'
import type { ParsedPortalRows } from '../bitrix24/fields.ts'
import { PORTAL_PAGE_SIZE, type RejectedPortalRow } from '../bitrix24/rows.ts'
import { crmMessages } from '../messages.ts'
import type { CrmStepName } from '../steps/schema.ts'
import type { QuarantinedRowJson } from './schema.ts'

/** How rows of a portal list are identified, and which step reads them. */
export interface PortalRowKind<T> {
  step: CrmStepName
  /** The field with the id in a row of the portal. */
  id: string
  keyOf: (value: T) => string
}

/** Counts of the rows of a page. `invalid` counts values that became null. */
export interface CrmPageCounts {
  read: number
  new: number
  changed: number
  invalid: number
}

/** The numbers of new and of changed rows. */
export type RowChangeCounts = Pick<CrmPageCounts, 'new' | 'changed'>

export const ZERO_PAGE_COUNTS: CrmPageCounts = { read: 0, new: 0, changed: 0, invalid: 0 }

interface QuarantineEntry {
  row_id: string
  reason: Message
  value: string | null
}

/**
 * Stores the rows of a page in the current transaction. Rejected rows are quarantined, and stored rows leave the quarantine.
 * @param store inserts or updates the rows
 * @param historyLoadId the history load that requested the rows
 */
export async function storePortalRows<T>(
  sql: Sql,
  kind: PortalRowKind<T>,
  { read, values, rejected, invalid }: ParsedPortalRows<T>,
  store: (values: T[]) => Promise<RowChangeCounts>,
  historyLoadId?: string,
): Promise<CrmPageCounts> {
  const refusedEntries: QuarantineEntry[] = []
  const counts = await storeWithBisection(sql, values, store, (value, code) =>
    refusedEntries.push({ row_id: kind.keyOf(value), reason: crmMessages.rowRefused({ code }), value: null }),
  )
  await deleteEntries(sql, kind.step, values.map(kind.keyOf))
  await insertEntries(
    sql,
    kind.step,
    [...rejected.map((row) => toQuarantineEntry(kind, row)), ...refusedEntries],
    historyLoadId,
  )
  return { read, invalid, ...counts }
}

/** SQLSTATE classes of errors caused by a row: invalid data, constraints, limits. */
const ROW_ERROR_PATTERN = /^(22|23|54)/

/** Stores all values at once. If Postgres rejects a value, halves the list until only this value is left out. */
async function storeWithBisection<T>(
  sql: Sql,
  values: T[],
  store: (values: T[]) => Promise<RowChangeCounts>,
  onRefused: (value: T, code: string) => void,
): Promise<RowChangeCounts> {
  if (values.length === 0) return { new: 0, changed: 0 }
  await sql.query({ text: 'SAVEPOINT page' })
  try {
    const counts = await store(values)
    await sql.query({ text: 'RELEASE SAVEPOINT page' })
    return counts
  } catch (error) {
    const { code } = error as { code?: string }
    if (!code || !ROW_ERROR_PATTERN.test(code)) throw error
    await sql.query({ text: 'ROLLBACK TO SAVEPOINT page' })
    await sql.query({ text: 'RELEASE SAVEPOINT page' })
    if (values.length === 1) {
      onRefused(values[0]!, code)
      return { new: 0, changed: 0 }
    }
    const middle = values.length >> 1
    const first = await storeWithBisection(sql, values.slice(0, middle), store, onRefused)
    const second = await storeWithBisection(sql, values.slice(middle), store, onRefused)
    return { new: first.new + second.new, changed: first.changed + second.changed }
  }
}

/** Marks a hash that replaces an invalid id. */
const NO_ID_PREFIX = '#'

function toQuarantineEntry(
  { id }: Pick<PortalRowKind<never>, 'id'>,
  { row, reason, value }: RejectedPortalRow,
): QuarantineEntry {
  const rawId = row[id]
  const isKnown = value !== rawId && ['string', 'number'].includes(typeof rawId) && /^\d{1,18}$/.test(String(rawId))
  return { row_id: isKnown ? String(rawId) : NO_ID_PREFIX + hashRow(row), reason, value: formatExcerpt(value) }
}

const hashRow = (row: object): string => createHash('sha256').update(JSON.stringify(row)).digest('hex').slice(0, 16)

const MAX_EXCERPT_LENGTH = 100

/** Formats the start of a value as text, without characters that Postgres cannot store. */
function formatExcerpt(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'object') return Array.isArray(value) ? '[…]' : '{…}'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const excerpt = text.length > MAX_EXCERPT_LENGTH ? `${text.slice(0, MAX_EXCERPT_LENGTH)}…` : text
  return excerpt.replaceAll('\0', '\u2400').toWellFormed()
}

const MAX_ENTRIES_PER_STEP = 500

/** Inserts in the order of ids, so that concurrent writers do not deadlock. */
async function insertEntries(
  sql: Sql,
  step: CrmStepName,
  entries: QuarantineEntry[],
  historyLoadId?: string,
): Promise<void> {
  if (entries.length === 0) return
  const uniqueEntries = [...new Map(entries.map((entry) => [entry.row_id, entry])).values()]
  const rows = uniqueEntries.map((entry) => ({
    ...entry,
    reason: entry.reason.text,
    message_json: toStoredReason(entry.reason),
  }))
  await sql.query({
    text: `INSERT INTO crm_quarantine AS q (step, row_id, reason, message_json, value, history_load_id, generation)
           SELECT $1, g.row_id, g.reason, g.message_json, g.value, $3, coalesce((SELECT generation FROM crm_steps WHERE name = $1), 1)
             FROM jsonb_to_recordset($2::jsonb) AS g (row_id text, reason text, message_json jsonb, value text) ORDER BY g.row_id
           ON CONFLICT (step, row_id) DO UPDATE
             SET reason = excluded.reason, message_json = excluded.message_json, value = excluded.value, generation = excluded.generation, seen_at = now(),
                 history_load_id = coalesce(excluded.history_load_id, q.history_load_id)`,
    values: [step, JSON.stringify(rows), historyLoadId],
  })
  await sql.query({
    text: `DELETE FROM crm_quarantine WHERE step = $1 AND row_id IN (
             SELECT row_id FROM crm_quarantine WHERE step = $1 AND row_id IN (
               SELECT row_id FROM crm_quarantine WHERE step = $1 ORDER BY seen_at DESC, row_id OFFSET ${MAX_ENTRIES_PER_STEP})
                FOR UPDATE SKIP LOCKED)`,
    values: [step],
  })
}

async function deleteEntries(sql: Sql, step: CrmStepName, rowIds: string[]): Promise<void> {
  if (rowIds.length === 0) return
  await sql.query({
    text: 'DELETE FROM crm_quarantine WHERE step = $1 AND row_id = ANY ($2::text[])',
    values: [step, rowIds],
  })
}

/** Lists the row ids of calls quarantined before the last reset, in pages. A page has calls of one history load, or of none. */
export async function listStaleQuarantinedCalls(sql: Sql, generation: number) {
  const { rows } = await sql.query<{ loadId: string | null; ids: string[] }>({
    text: `SELECT load_id AS "loadId", array_agg(row_id) AS ids
             FROM (SELECT q.row_id, l.id AS load_id,
                          (row_number() OVER (PARTITION BY l.id ORDER BY q.row_id) - 1) / ${PORTAL_PAGE_SIZE} AS page
                     FROM crm_quarantine q
                     LEFT JOIN crm_history_loads l ON l.id = q.history_load_id AND l.state <> 'cancelled'
                    WHERE q.step = 'calls' AND q.generation < $1 AND q.row_id NOT LIKE '${NO_ID_PREFIX}%') r
            GROUP BY load_id, page`,
    values: [generation],
  })
  return rows
}

/** Deletes quarantined rows of a step that the first pass after a reset did not quarantine again. */
export async function deleteStaleQuarantineEntries(sql: Sql, step: CrmStepName, generation: number): Promise<void> {
  await sql.query({
    text: 'DELETE FROM crm_quarantine WHERE step = $1 AND generation < $2',
    values: [step, generation],
  })
}

type QuarantineRow = Omit<QuarantinedRowJson, 'firstSeenAt' | 'seenAt'> & {
  firstSeenAt: Date
  seenAt: Date
  messageJson: StoredReason | null
}

/**
 * Lists the rows that could not be stored, last seen first.
 * @param step selects the rows of one step; undefined selects all
 */
export async function listQuarantinedRows(
  { pool }: Core,
  { step, ...page }: PageRequest & { step?: CrmStepName | undefined },
): Promise<ResultPage<QuarantinedRowJson>> {
  const list = {
    select: `step, CASE WHEN row_id NOT LIKE '${NO_ID_PREFIX}%' THEN row_id END AS "rowId", reason, message_json AS "messageJson", value,
             first_seen_at AS "firstSeenAt", seen_at AS "seenAt"`,
    from: 'crm_quarantine WHERE $1::text IS NULL OR step = $1',
    order: 'seen_at DESC, step, row_id',
    values: [step],
  }
  const found = await listPage<QuarantineRow>(pool, list, page)
  const items = found.items.map(({ firstSeenAt, seenAt, messageJson, ...row }) => ({
    ...row,
    reason: formatReason(row.reason, messageJson),
    firstSeenAt: firstSeenAt.toISOString(),
    seenAt: seenAt.toISOString(),
  }))
  return { ...found, items }
}
