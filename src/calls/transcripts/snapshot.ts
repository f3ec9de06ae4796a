import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { Semaphore, withTimeout } from 'async-mutex'
import pg from 'pg'
import type { Core } from '../../platform/core.ts'
import { dedicatedClient } from '../../platform/db/db.ts'
import { HttpError } from '../../platform/errors.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { countSelected } from '../list/counts.ts'
import type { Filters } from '../list/filters.ts'
import { SELECT_RECORDING_WITH_TRANSCRIPT, type RecordingWithTranscriptRow } from '../recordings/present.ts'
import { select } from '../list/select.ts'
import { rowsOf, type Selection } from '../list/selection.ts'
import { copyRows, type CopiedRows } from './copy.ts'
import { transcriptMessages } from './messages.ts'

const SLOT_WAIT_MS = 30_000
/** Exports that run at once: each has a connection of its own for as long as its client reads. */
const slots = withTimeout(
  new Semaphore(4),
  SLOT_WAIT_MS,
  new HttpError(503, transcriptMessages.busy(), { 'Retry-After': '30' }),
)
/** Until counts and ids are known: as long as any other statement may take. */
const OPENING_LIMIT_MS = 30_000
/** A snapshot keeps Postgres from cleaning up: a client that reads slower than this is cut. */
export const EXPORT_LIMIT_MS = 15 * 60_000
/** The same for a client that reads nothing at all. */
const STALL_LIMIT_MS = 150_000
/** Recordings that one statement reads. */
const BATCH = 1000

/** A recording with its transcript, whose long parts stay the UTF-8 that Postgres sent, to be passed on. */
export type ExportRow = Omit<RecordingWithTranscriptRow, 'text' | 'segments'> & {
  text: Buffer | null
  /** JSON. */
  segments: Buffer | null
}

/** Transcripts of one moment, being read. */
export interface Snapshot {
  matching: number
  exported: number
  columns: Column[]
  /** The rows, the oldest call first, with a field for each column. */
  batches: AsyncIterable<CopiedRows>
  /** Gives the connection up; to be called however the reading ends, and as often as one likes. */
  close: () => void
}

/**
 * Begins to read transcripts: what is counted and what is read is of one moment, however long it takes.
 * @param text as it is, or as JSON
 * @param names those of the columns that are read, in their order; all where there are none
 * @param limitMs when reading is cut, however far it is
 * @throws HttpError 503 when too many exports run
 */
export async function openSnapshot(
  core: Core,
  actor: Actor,
  filters: Filters,
  { limit, text, names }: { limit: number; text: 'plain' | 'json'; names?: readonly (keyof ExportRow)[] },
  limitMs = EXPORT_LIMIT_MS,
): Promise<Snapshot> {
  const [, release] = await slots.acquire()
  const client = dedicatedClient(core.db)
  const close = closer(client, limitMs, release)
  const opening = setTimeout(close, OPENING_LIMIT_MS)
  try {
    await client.connect()
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0')
    const sql: Sql = client
    const selection = await select(core, sql, actor, filters, { transcripts: true })
    const matching = await countSelected(sql, selection)
    const ids = await idsOf(sql, selection, limit)
    const columns = await columnsOf(client, text, names)
    const rows = readAll(client, ids, columns)
    return { matching, exported: ids.length, columns, batches: unlessStalled(rows, close), close }
  } catch (error) {
    close()
    throw error
  } finally {
    clearTimeout(opening)
  }
}

/** Ends a connection, whatever it is about: it is nobody else's. */
function closer(client: pg.Client, limitMs: number, ended: () => void): () => void {
  client.on('error', () => undefined) // whoever reads hears of it
  const close = () => {
    clearTimeout(limit)
    client.end().catch(() => undefined) // the farewell to a database that is gone may take long
    ended()
  }
  const limit = setTimeout(close, limitMs).unref()
  return close
}

async function idsOf(sql: Sql, selection: Selection, limit: number): Promise<string[]> {
  const p = new Parameters()
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT r.id FROM recordings r WHERE ${p.and(rowsOf(selection))} ORDER BY r.call_at, r.id LIMIT ${limit}`,
    values: p.values,
  })
  return rows.map(({ id }) => id)
}

/** A column of the rows: how Postgres writes it, and what a field's bytes mean. */
export interface Column {
  name: string
  sql: string
  read: (bytes: Buffer, from: number, to: number) => unknown
}

/** The columns as every other query would answer them; what is long stays as it comes. */
async function columnsOf(client: pg.Client, text: 'plain' | 'json', names?: readonly string[]): Promise<Column[]> {
  const long: Record<string, string> = {
    text: text === 'json' ? 'to_json(text)::text' : 'text',
    segments: 'segments::text',
  }
  const { fields } = await client.query(`${SELECT_RECORDING_WITH_TRANSCRIPT} LIMIT 0`)
  const read = names ? names.map((name) => fields.find((field) => field.name === name)!) : fields
  return read.map(({ name, dataTypeID }) => {
    if (long[name]) return { name, sql: long[name], read: (bytes, from, to) => bytes.subarray(from, to) }
    if (dataTypeID === TIME) return { name, sql: `"${name}"`, read: (bytes, from) => new Date(timeAt(bytes, from)) }
    const parse = pg.types.getTypeParser(dataTypeID, 'text')
    return { name, sql: `"${name}"::text`, read: (bytes, from, to) => parse(bytes.toString('utf8', from, to)) }
  })
}

const TIME: number = pg.types.builtins.TIMESTAMPTZ
const POSTGRES_EPOCH_MS = Date.UTC(2000)

/**
 * A time as Postgres sends it, microseconds from 2000 on, in milliseconds. It is three times as fast as reading its text.
 * Its halves are divided one by one, because numbers are exact up to 53 bits only: 2 ** 32 is 4,294,967 thousands and 296.
 */
export function timeAt(bytes: Buffer, at: number): number {
  const [high, low] = [bytes.readInt32BE(at), bytes.readUInt32BE(at + 4)]
  return high * 4_294_967 + Math.floor((high * 296 + low) / 1000) + POSTGRES_EPOCH_MS
}

/**
 * While some rows are worked with, Postgres makes the next ones. COPY takes no parameters, so it is told ids: what a caller
 * gave never stands in a statement.
 */
async function* readAll(client: pg.Client, ids: string[], columns: Column[]): AsyncGenerator<CopiedRows> {
  const list = columns.map(({ sql }) => sql).join(', ')
  const begin = (from: number) => {
    const some = ids.slice(from, from + BATCH).join()
    const statement = `
      SELECT ${list} FROM (${SELECT_RECORDING_WITH_TRANSCRIPT}
        JOIN unnest('{${some}}'::uuid[]) WITH ORDINALITY AS chosen (id, ordinal) ON chosen.id = r.id
       ORDER BY chosen.ordinal) AS rows`
    return some ? copyRows(client, statement) : undefined
  }
  let reading = begin(0)
  for (let from = BATCH; reading; from += BATCH) {
    const next = begin(from)
    yield* reading
    reading = next
  }
}

/** Gives up when nobody asks for the next rows. */
async function* unlessStalled<T>(batches: AsyncIterable<T>, giveUp: () => void): AsyncGenerator<T> {
  for await (const batch of batches) {
    const stalled = setTimeout(giveUp, STALL_LIMIT_MS).unref()
    try {
      yield batch
    } finally {
      clearTimeout(stalled)
    }
  }
}

/** The rows with their fields read. */
export function readRows(columns: Column[], { count, bytes, places }: CopiedRows): ExportRow[] {
  let n = 0
  return Array.from({ length: count }, () => {
    const row: Record<string, unknown> = {}
    for (const { name, read } of columns) {
      const [from, to] = [places[n++]!, places[n++]!]
      row[name] = from < 0 ? null : read(bytes, from, to)
    }
    return row as unknown as ExportRow
  })
}
