import { Semaphore, withTimeout } from 'async-mutex'
import type pg from 'pg'
import type { Core } from '../../platform/core.ts'
import { createDedicatedClient } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { HttpError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { countSelection } from '../list/counts.ts'
import type { RecordingFilters } from '../list/filters.ts'
import { FROM_RECORDINGS } from '../recordings/present.ts'
import { createSelection } from '../list/create-selection.ts'
import { selectionCondition, type RecordingSelection } from '../list/selection.ts'
import { transcriptMessages } from './messages.ts'

const SLOT_WAIT_MS = 30_000
/** Parallel exports: each uses a connection for as long as its client reads. */
const exportSlots = withTimeout(
  new Semaphore(4),
  SLOT_WAIT_MS,
  new HttpError(503, transcriptMessages.busy(), { 'Retry-After': '30' }),
)
/** The limit until counts and ids are known, as for other statements. */
const OPENING_LIMIT_MS = 30_000
/** A snapshot blocks the cleanup of Postgres, so slower clients are cut off. */
export const EXPORT_LIMIT_MS = 15 * 60_000
/** The same limit for a client that reads nothing. */
const STALL_LIMIT_MS = 150_000
/** Rows of one statement. Two batches are in memory, and the row of a call of hours has 600 KB. */
const ROWS_PER_BATCH = 200

/** Transcripts of one moment. */
interface Snapshot<Row> {
  matching: number
  exported: number
  /** The oldest call first. */
  batches: AsyncIterable<Row[]>
  /** Closes the connection; call it after the last row or an error. Further calls are ignored. */
  close: () => void
}

/**
 * Opens a transaction that counts and reads the filtered transcripts in one snapshot.
 * @param columns SQL, of r (recordings), t (transcripts) and d (departments), in the time zone APP_TIMEZONE
 * @param limitMs the connection is closed after this time
 * @throws HttpError 503 when too many exports run
 */
export async function openSnapshot<Row>(
  core: Core,
  actor: Actor,
  filters: RecordingFilters,
  { limit, columns }: { limit: number; columns: string },
  limitMs = EXPORT_LIMIT_MS,
): Promise<Snapshot<Row>> {
  const [, release] = await exportSlots.acquire()
  const client = createDedicatedClient(core.db)
  client.on('error', () => undefined) // the statement under way fails with it
  const close = () => {
    clearTimeout(limitTimer)
    client.end().catch(() => undefined)
    release()
  }
  const limitTimer = setTimeout(close, limitMs).unref()
  const openingTimer = setTimeout(close, OPENING_LIMIT_MS)
  try {
    await client.connect()
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0')
    const selection = await createSelection(core, client, actor, filters, { transcripts: true })
    const matching = await countSelection(client, selection)
    const ids = await listSelectedIds(client, selection, limit)
    await client.query("SELECT set_config('TimeZone', $1, true)", [core.config.APP_TIMEZONE])
    const batches = closeIfStalled(streamBatches<Row & pg.QueryResultRow>(client, ids, columns), close)
    return { matching, exported: ids.length, batches, close }
  } catch (error) {
    close()
    throw error
  } finally {
    clearTimeout(openingTimer)
  }
}

async function listSelectedIds(sql: Sql, selection: RecordingSelection, limit: number): Promise<string[]> {
  const p = new SqlParameters()
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT r.id FROM recordings r WHERE ${p.and(selectionCondition(selection))} ORDER BY r.call_at, r.id LIMIT ${limit}`,
    values: p.values,
  })
  return rows.map(({ id }) => id)
}

/** Postgres reads the next rows while the caller works on some. */
async function* streamBatches<Row extends pg.QueryResultRow>(
  sql: Sql,
  ids: string[],
  columns: string,
): AsyncGenerator<Row[]> {
  const text = `SELECT ${columns} ${FROM_RECORDINGS} WHERE r.id = ANY($1::uuid[]) ORDER BY r.call_at, r.id`
  const queryBatch = (from: number) => {
    const pendingBatch = sql.query<Row>({ text, values: [ids.slice(from, from + ROWS_PER_BATCH)] })
    pendingBatch.catch(() => undefined) // awaited in the next round
    return pendingBatch
  }
  let pendingBatch = queryBatch(0)
  for (let from = ROWS_PER_BATCH; from - ROWS_PER_BATCH < ids.length; from += ROWS_PER_BATCH) {
    const { rows } = await pendingBatch
    pendingBatch = queryBatch(from)
    yield rows
  }
}

/** Closes the connection if nobody requests the next rows. */
async function* closeIfStalled<T>(batches: AsyncIterable<T>, close: () => void): AsyncGenerator<T> {
  for await (const batch of batches) {
    const timer = setTimeout(close, STALL_LIMIT_MS).unref()
    try {
      yield batch
    } finally {
      clearTimeout(timer)
    }
  }
}
