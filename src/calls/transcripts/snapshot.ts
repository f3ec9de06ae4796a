import { Semaphore, withTimeout } from 'async-mutex'
import type pg from 'pg'
import type { Core } from '../../platform/core.ts'
import { createDedicatedDatabaseClient } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { HttpError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { countRecordingSelection } from '../list/counts.ts'
import type { RecordingFilterValues } from '../list/filters.ts'
import { RECORDINGS_FROM_SQL } from '../recordings/present.ts'
import { createRecordingSelection } from '../list/create-selection.ts'
import { recordingSelectionCondition, type RecordingSelection } from '../list/selection.ts'
import { transcriptMessages } from './messages.ts'

const SLOT_WAIT_MS = 30_000
/** Limits the parallel exports of this process, because each one uses a connection for as long as its client reads. */
const exportSlots = withTimeout(
  new Semaphore(4),
  SLOT_WAIT_MS,
  new HttpError(503, transcriptMessages.busy(), { 'Retry-After': '30' }),
)
/** Limits the time for connecting, counting and selecting the ids. */
const OPENING_LIMIT_MS = 30_000
/** A snapshot prevents Postgres from removing old rows, so we disconnect slower clients after this time. */
export const TRANSCRIPT_EXPORT_LIMIT_MS = 15 * 60_000
/** We disconnect a client that requests no rows for this time. */
const STALL_LIMIT_MS = 150_000
/** Rows per statement. Two batches are in memory, and the row of a call of several hours can have 600 KB. */
const ROWS_PER_BATCH = 200

/** The transcripts of one database snapshot. */
interface Snapshot<Row> {
  matching: number
  exported: number
  /** Rows in order of time, oldest call first. */
  batches: AsyncIterable<Row[]>
  /** Closes the connection. Call it after the last row or an error. Further calls have no effect. */
  close: () => void
}

/**
 * Opens a transaction that counts and reads the filtered transcripts in one snapshot.
 * @param columns SQL on recordings r, transcripts t and departments d; the session uses APP_TIMEZONE
 * @param limitMs the connection is closed after this time
 * @throws HttpError 503 if too many exports are running
 */
export async function openTranscriptSnapshot<Row>(
  core: Core,
  actor: Actor,
  filters: RecordingFilterValues,
  { limit, columns }: { limit: number; columns: string },
  limitMs = TRANSCRIPT_EXPORT_LIMIT_MS,
): Promise<Snapshot<Row>> {
  const [, release] = await exportSlots.acquire()
  const client = createDedicatedDatabaseClient(core.db)
  client.on('error', () => undefined) // The running statement fails with the same error.
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
    const selection = await createRecordingSelection(core, client, actor, filters, { transcripts: true })
    const matching = await countRecordingSelection(client, selection)
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
    text: `SELECT r.id FROM recordings r WHERE ${p.and(recordingSelectionCondition(selection))} ORDER BY r.call_at, r.id LIMIT ${limit}`,
    values: p.values,
  })
  return rows.map(({ id }) => id)
}

/** Reads rows in batches. Postgres reads the next batch while the caller processes the current one. */
async function* streamBatches<Row extends pg.QueryResultRow>(
  sql: Sql,
  ids: string[],
  columns: string,
): AsyncGenerator<Row[]> {
  const text = `SELECT ${columns} ${RECORDINGS_FROM_SQL} WHERE r.id = ANY($1::uuid[]) ORDER BY r.call_at, r.id`
  const queryBatch = (from: number) => {
    const pendingBatch = sql.query<Row>({ text, values: [ids.slice(from, from + ROWS_PER_BATCH)] })
    pendingBatch.catch(() => undefined) // The next iteration awaits this promise.
    return pendingBatch
  }
  let pendingBatch = queryBatch(0)
  for (let from = ROWS_PER_BATCH; from - ROWS_PER_BATCH < ids.length; from += ROWS_PER_BATCH) {
    const { rows } = await pendingBatch
    pendingBatch = queryBatch(from)
    yield rows
  }
}

/** Closes the connection if the caller requests no further rows for STALL_LIMIT_MS. */
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
