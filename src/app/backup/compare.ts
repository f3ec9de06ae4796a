import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type pg from 'pg'
import { ifPresent, isCopy, type Storage } from '../../platform/storage/index.ts'
import { openStorage } from '../../platform/storage/open.ts'
import type { AudioEntry } from './backup.ts'
import { sumOf } from './files.ts'
import type { InstallationConfig } from './installation.ts'
import { requireOwnStorage } from './storage.ts'
import { withClient } from './tables.ts'

const PAGE = 1000
const CONCURRENCY = 16
/** A newer file can be about to be registered. */
const FRESH_MS = 60_000

/** A difference between database and storage; the usage of `check` explains each kind. */
export interface Difference {
  kind: 'no-file' | 'size' | 'no-row' | 'copy' | 'going' | 'damaged'
  key: string
  recordingId?: string
  details?: string
}

export interface Compared {
  recordings: number
  files: number
  summed: number
  differences: number
}

export interface CompareOptions {
  /** A list of checksums to compare with: of an earlier check, or audio.jsonl of a backup. */
  checksums?: string | undefined
  /** A new list of checksums to write. */
  write?: string | undefined
  /** Cancels the planned removals of files. */
  keep?: boolean | undefined
}

type Found = (difference: Difference) => Promise<void> | void

/** Compares database and storage while both are in use. Changes nothing without `keep`. */
export async function compareStorage(
  config: InstallationConfig,
  options: CompareOptions,
  onDifference: Found,
): Promise<Compared> {
  const storage = await openStorage(config)
  const compared: Compared = { recordings: 0, files: 0, summed: 0, differences: 0 }
  const found: Found = async (difference) => {
    compared.differences++
    await onDifference(difference)
  }
  return withClient(config.DATABASE_URL, async (client) => {
    await requireOwnStorage(client, storage)
    const sums = await Sums.open(options)
    for await (const rows of pagesOfRecordings(client)) {
      compared.recordings += rows.length
      await compareRows(client, storage, rows, found)
      for (const { storage_key: key } of sums ? rows : []) {
        if (await sums!.compare(storage, key, found)) compared.summed++
      }
    }
    await sums?.close()
    for await (const keys of pagesOfFiles(storage)) {
      compared.files += keys.length
      await compareFiles(client, storage, keys, found)
    }
    await compareRemovals(client, storage, options.keep ?? false, found)
    return compared
  })
}

interface Row {
  id: string
  storage_key: string
  size_bytes: string
}

async function* pagesOfRecordings(client: pg.Client): AsyncIterable<Row[]> {
  let last = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await client.query<Row>(
      'SELECT id, storage_key, size_bytes FROM recordings WHERE id > $1 ORDER BY id LIMIT $2',
      [last, PAGE],
    )
    if (rows.length === 0) return
    yield rows
    last = rows.at(-1)!.id
  }
}

async function compareRows(client: pg.Client, storage: Storage, rows: Row[], found: Found): Promise<void> {
  const sizes = new Map<Row, number | undefined>()
  await inGroups(rows, async (row) => void sizes.set(row, (await ifPresent(storage.stat(row.storage_key)))?.size))
  const other = rows.filter((row) => sizes.get(row) !== Number(row.size_bytes))
  // Deleting a call removes its row before its file.
  const { rows: kept } = await client.query<{ id: string }>(
    'SELECT id FROM unnest($1::uuid[], $2::text[]) AS other(id, storage_key) JOIN recordings USING (id, storage_key)',
    [other.map(({ id }) => id), other.map(({ storage_key: key }) => key)],
  )
  const isKept = new Set(kept.map(({ id }) => id))
  for (const row of other.filter(({ id }) => isKept.has(id))) {
    const { id: recordingId, storage_key: key, size_bytes: bytes } = row
    const size = sizes.get(row)
    if (size === undefined) await found({ kind: 'no-file', key, recordingId })
    else await found({ kind: 'size', key, recordingId, details: `${size} bytes, the call has ${bytes}` })
  }
}

async function inGroups<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += CONCURRENCY) await Promise.all(items.slice(at, at + CONCURRENCY).map(work))
}

/** Lists the files of uploads and playable copies. */
async function* pagesOfFiles(storage: Storage): AsyncIterable<string[]> {
  let keys: string[] = []
  for await (const { key } of storage.list(storage.uploadPrefix)) {
    keys.push(key)
    if (keys.length < PAGE) continue
    yield keys
    keys = []
  }
  if (keys.length > 0) yield keys
}

async function compareFiles(client: pg.Client, storage: Storage, keys: string[], found: Found): Promise<void> {
  // A running upload is planned for removal by its name; its file on a disk has this ending.
  const names = keys.map((key) => key.replace(/\.part$/, ''))
  const { rows } = await client.query<{ key: string }>(
    `SELECT key FROM unnest($1::text[], $2::text[]) AS file(key, name)
      WHERE NOT EXISTS (SELECT FROM recordings WHERE storage_key = key)
        AND NOT EXISTS (SELECT FROM playable_copies WHERE storage_key = key)
        AND NOT EXISTS (SELECT FROM file_removals WHERE storage_key IN (key, name))`,
    [keys, names],
  )
  await inGroups(rows, async ({ key }) => {
    const info = await ifPresent(storage.stat(key))
    if (info) await found({ kind: isCopy(storage, key) ? 'copy' : 'no-row', key, details: `${info.size} bytes` })
  })
}

/** Reports uploads whose process crashed before it made a call of them. '-infinity' marks files of deleted calls. */
async function compareRemovals(client: pg.Client, storage: Storage, keep: boolean, found: Found): Promise<void> {
  const { rows } = await client.query<{ storage_key: string; due_at: Date }>(
    `SELECT storage_key, due_at FROM file_removals WHERE due_at > '-infinity' ORDER BY due_at`,
  )
  for (const { storage_key: key, due_at: dueAt } of rows) {
    const info = isCopy(storage, key) ? undefined : await ifPresent(storage.stat(key))
    if (!info || Date.now() - info.modifiedAt.getTime() < FRESH_MS) continue
    const action = keep ? 'DELETE' : 'SELECT'
    const { rowCount } = await client.query(
      `${action} FROM file_removals WHERE storage_key = $1 AND due_at > '-infinity'`,
      [key],
    )
    if (!rowCount) continue
    await found({ kind: 'going', key, details: `${info.size} bytes, ${keep ? 'is kept now' : describeRemoval(dueAt)}` })
  }
}

const describeRemoval = (dueAt: Date): string =>
  dueAt > new Date()
    ? `will be removed after ${dueAt.toISOString()}`
    : 'will be removed by the next run of the schedule'

class Sums {
  private constructor(
    private readonly known: Map<string, AudioEntry> | undefined,
    private readonly output: WriteStream | undefined,
  ) {}

  static async open({ checksums, write }: CompareOptions): Promise<Sums | undefined> {
    if (checksums === undefined && write === undefined) return undefined
    const known = checksums === undefined ? undefined : await readSums(checksums)
    const output = write === undefined ? undefined : createWriteStream(write, { flags: 'wx', mode: 0o600 })
    if (output) await once(output, 'open')
    return new Sums(known, output)
  }

  async compare(storage: Storage, key: string, found: Found): Promise<boolean> {
    const expected = this.known?.get(key)
    if (!expected && !this.output) return false
    const content = await ifPresent(storage.read(key))
    if (!content) return false
    const sum = await sumOf(content)
    if (expected && (expected.sha256 !== sum.sha256 || expected.bytes !== sum.bytes)) {
      await found({ kind: 'damaged', key, details: `SHA-256 ${sum.sha256}, the list says ${expected.sha256}` })
    }
    this.output?.write(`${JSON.stringify({ key, ...sum })}\n`)
    if (this.output?.writableNeedDrain) await once(this.output, 'drain')
    return true
  }

  async close(): Promise<void> {
    if (!this.output) return
    this.output.end()
    await once(this.output, 'close')
  }
}

async function readSums(path: string): Promise<Map<string, AudioEntry>> {
  const entries = new Map<string, AudioEntry>()
  const file = await open(path)
  for await (const line of file.readLines()) {
    if (!line) continue
    const entry = entryOf(line)
    if (!entry) throw new Error(`${path} is no list of checksums: ${line.slice(0, 80)}`)
    entries.set(entry.key, entry)
  }
  return entries
}

function entryOf(line: string): AudioEntry | undefined {
  try {
    const entry = JSON.parse(line) as AudioEntry
    return typeof entry.key === 'string' && typeof entry.sha256 === 'string' ? entry : undefined
  } catch {
    return undefined
  }
}
