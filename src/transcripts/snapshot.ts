import { types } from 'pg'
import type { Core } from '../core.ts'
import { pool, type Sql } from '../db.ts'
import { HttpError } from '../errors.ts'
import type { Actor } from '../http/access.ts'
import { Slots } from '../lib/slots.ts'
import { Parameters } from '../lib/where.ts'
import { countSelected } from '../recordings/counts.ts'
import type { Filters } from '../recordings/filters.ts'
import { SELECT_RECORDING_WITH_TRANSCRIPT, type RecordingWithTranscriptRow } from '../recordings/present.ts'
import { select } from '../recordings/select.ts'
import { rowsOf, type Selection } from '../recordings/selection.ts'

/** Exports that run at once: each holds a connection of the pool for as long as its client reads. */
const slots = new Slots(4)
const SLOT_WAIT_MS = 30_000
/** A snapshot keeps Postgres from cleaning up: a client that reads slower than this is cut. */
const EXPORT_LIMIT_MS = 15 * 60_000
const IDLE_LIMIT = '150s'
/** Rows that are in memory at once, and as many again that come meanwhile: some of the longest calls must fit. */
const BATCH = 50

/** A recording with its transcript; the segments are JSON as it is stored, because no format needs to read it. */
export type ExportRow = Omit<RecordingWithTranscriptRow, 'segments'> & { segments: string }

const JSON_TYPE = 114
const RAW_JSON: Pick<typeof types, 'getTypeParser'> = {
  getTypeParser: ((id: number, format?: 'text') =>
    id === JSON_TYPE ? (text: string) => text : types.getTypeParser(id, format)) as typeof types.getTypeParser,
}

/** Transcripts of one moment, being read. */
export interface Snapshot {
  /** How many match. */
  matching: number
  /** How many are read. */
  exported: number
  /** The rows, the oldest call first. */
  batches: AsyncIterable<ExportRow[]>
  /** Gives the connection back; to be called however the reading ends, and as often as one likes. */
  close: () => void
}

/**
 * Begins to read transcripts: what is counted and what is read is of one moment, however long it takes.
 * @throws HttpError 503 when too many exports run
 */
export async function openSnapshot(core: Core, actor: Actor, filters: Filters, limit: number): Promise<Snapshot> {
  const release = await slots.take(SLOT_WAIT_MS)
  if (!release) throw new HttpError(503, 'Too many exports run at once. Try again', { 'Retry-After': '30' })
  const session = await openSession(core, release)
  try {
    const selection = await select(core, session, actor, filters, { transcripts: true })
    const matching = await countSelected(session, selection)
    await declareCursor(session, selection, limit)
    const first = await fetchBatch(session)
    const batches = readOn(session, first)
    return { matching, exported: Math.min(matching, limit), batches, close: session.close }
  } catch (error) {
    session.close()
    throw error
  }
}

/**
 * A connection inside a transaction that sees one moment. Once closed it refuses every statement: by then the
 * connection may be somebody else's.
 */
async function openSession({ db }: Core, ended: () => void): Promise<Sql & { close: () => void }> {
  const client = await pool(db)
    .connect()
    .catch((error: unknown) => {
      ended()
      throw error
    })
  // A connection that breaks fails the statement; the event of the same would end the process if nobody listened.
  const heard = () => undefined
  client.on('error', heard)
  let closed = false
  const close = () => {
    if (closed) return
    closed = true
    clearTimeout(limit)
    const giveBack = (error?: Error) => {
      client.off('error', heard).release(error)
      ended()
    }
    client.query('ROLLBACK').then(() => giveBack(), giveBack)
  }
  const limit = setTimeout(close, EXPORT_LIMIT_MS).unref()
  const query: Sql['query'] = (statement) => {
    if (closed) return Promise.reject(new Error('the export is over'))
    return (client as Sql).query(statement)
  }
  try {
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
      SET LOCAL idle_in_transaction_session_timeout = '${IDLE_LIMIT}';
      SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off`)
  } catch (error) {
    close()
    throw error
  }
  return { query, close }
}

/** The joins are made row by row, in the order of the calls: so the first row comes at once, and no row is kept. */
async function declareCursor(sql: Sql, selection: Selection, limit: number): Promise<void> {
  const p = new Parameters()
  await sql.query({
    text: `DECLARE export NO SCROLL CURSOR FOR ${SELECT_RECORDING_WITH_TRANSCRIPT}
            WHERE ${p.and(rowsOf(selection))} ORDER BY r.call_at, r.id LIMIT ${limit}`,
    values: p.values,
  })
}

async function fetchBatch(sql: Sql): Promise<ExportRow[]> {
  const statement = { text: `FETCH ${BATCH} FROM export`, types: RAW_JSON }
  return (await sql.query<ExportRow>(statement)).rows
}

/** While one batch is written the next is read. */
async function* readOn(sql: Sql, first: ExportRow[]) {
  let batch = first
  while (batch.length > 0) {
    const next = fetchBatch(sql)
    next.catch(() => undefined) // whoever waits for it hears of the error
    yield batch
    batch = await next
  }
}
