import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type pg from 'pg'
import { ignoreMissingObject, isPlayableCopyKey, type AudioStorage } from '../../platform/storage/storage.ts'
import { openAudioStorage } from '../../platform/storage/open.ts'
import type { BackupAudioEntry } from './backup.ts'
import { computeStreamChecksum } from './checksums.ts'
import type { InstallationConfig } from './installation.ts'
import { requireStorageOfDatabase } from './storage-ownership.ts'
import { withPostgresClient } from './tables.ts'

const PAGE_SIZE = 1000
const MAX_CONCURRENT_STATS = 16
/** A newer file can belong to an upload whose call is not inserted yet. */
const MIN_FILE_AGE_MS = 60_000

/** One difference between database and storage. The usage text of the command `check` explains each kind. */
export interface StorageDifference {
  kind: 'no-file' | 'size' | 'no-row' | 'copy' | 'going' | 'damaged'
  key: string
  recordingId?: string
  details?: string
}

/** Counts recordings, files, files whose checksum was computed (`summed`) and differences. */
export interface StorageComparisonSummary {
  recordings: number
  files: number
  summed: number
  differences: number
}

/** The options of the command `check`, which compares database and storage. */
export interface StorageComparisonOptions {
  /** The path of a list of checksums to compare with: the output of an earlier check, or audio.jsonl of a backup. */
  checksums?: string | undefined
  /** The path of a new file, to which the checksums are written. */
  write?: string | undefined
  /** True to cancel the planned removals of files. */
  keep?: boolean | undefined
}

type DifferenceListener = (difference: StorageDifference) => Promise<void> | void

/**
 * Compares database and storage while both are in use, and reports each difference to `onDifference`. With `keep`, it
 * cancels planned removals of files. Otherwise, it changes neither database nor storage.
 * @throws Error if the storage belongs to another database
 */
export async function compareDatabaseWithStorage(
  config: InstallationConfig,
  options: StorageComparisonOptions,
  onDifference: DifferenceListener,
): Promise<StorageComparisonSummary> {
  const storage = await openAudioStorage(config)
  const summary: StorageComparisonSummary = { recordings: 0, files: 0, summed: 0, differences: 0 }
  const reportDifference: DifferenceListener = async (difference) => {
    summary.differences++
    await onDifference(difference)
  }
  return withPostgresClient(config.DATABASE_URL, async (client) => {
    await requireStorageOfDatabase(client, storage)
    const sums = await ChecksumList.open(options)
    for await (const rows of listRecordingPages(client)) {
      summary.recordings += rows.length
      await compareRows(client, storage, rows, reportDifference)
      for (const { storage_key: key } of sums ? rows : []) {
        if (await sums!.compare(storage, key, reportDifference)) summary.summed++
      }
    }
    await sums?.close()
    for await (const keys of listFilePages(storage)) {
      summary.files += keys.length
      await compareFiles(client, storage, keys, reportDifference)
    }
    await compareRemovals(client, storage, options.keep ?? false, reportDifference)
    return summary
  })
}

interface Row {
  id: string
  storage_key: string
  size_bytes: string
}

async function* listRecordingPages(client: pg.Client): AsyncIterable<Row[]> {
  let last = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await client.query<Row>(
      'SELECT id, storage_key, size_bytes FROM recordings WHERE id > $1 ORDER BY id LIMIT $2',
      [last, PAGE_SIZE],
    )
    if (rows.length === 0) return
    yield rows
    last = rows.at(-1)!.id
  }
}

async function compareRows(
  client: pg.Client,
  storage: AudioStorage,
  rows: Row[],
  reportDifference: DifferenceListener,
): Promise<void> {
  const sizes = new Map<Row, number | undefined>()
  await processInBatches(
    rows,
    async (row) => void sizes.set(row, (await ignoreMissingObject(storage.stat(row.storage_key)))?.size),
  )
  const mismatches = rows.filter((row) => sizes.get(row) !== Number(row.size_bytes))
  // A call can be deleted during the comparison. Its row is removed before its file.
  const { rows: existing } = await client.query<{ id: string }>(
    'SELECT id FROM unnest($1::uuid[], $2::text[]) AS other(id, storage_key) JOIN recordings USING (id, storage_key)',
    [mismatches.map(({ id }) => id), mismatches.map(({ storage_key: key }) => key)],
  )
  const existingIds = new Set(existing.map(({ id }) => id))
  for (const row of mismatches.filter(({ id }) => existingIds.has(id))) {
    const { id: recordingId, storage_key: key, size_bytes: bytes } = row
    const size = sizes.get(row)
    if (size === undefined) await reportDifference({ kind: 'no-file', key, recordingId })
    else await reportDifference({ kind: 'size', key, recordingId, details: `${size} bytes, the call has ${bytes}` })
  }
}

async function processInBatches<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += MAX_CONCURRENT_STATS)
    await Promise.all(items.slice(at, at + MAX_CONCURRENT_STATS).map(work))
}

/** Lists the files of uploads and playable copies in pages. */
async function* listFilePages(storage: AudioStorage): AsyncIterable<string[]> {
  let keys: string[] = []
  for await (const { key } of storage.list(storage.uploadPrefix)) {
    keys.push(key)
    if (keys.length < PAGE_SIZE) continue
    yield keys
    keys = []
  }
  if (keys.length > 0) yield keys
}

async function compareFiles(
  client: pg.Client,
  storage: AudioStorage,
  keys: string[],
  reportDifference: DifferenceListener,
): Promise<void> {
  // The removal of a running upload is planned under its final name, but a local disk stores it with the suffix .part.
  const names = keys.map((key) => key.replace(/\.part$/, ''))
  const { rows } = await client.query<{ key: string }>(
    `SELECT key FROM unnest($1::text[], $2::text[]) AS file(key, name)
      WHERE NOT EXISTS (SELECT FROM recordings WHERE storage_key = key)
        AND NOT EXISTS (SELECT FROM playable_copies WHERE storage_key = key)
        AND NOT EXISTS (SELECT FROM file_removals WHERE storage_key IN (key, name))`,
    [keys, names],
  )
  await processInBatches(rows, async ({ key }) => {
    const info = await ignoreMissingObject(storage.stat(key))
    if (info)
      await reportDifference({
        kind: isPlayableCopyKey(storage, key) ? 'copy' : 'no-row',
        key,
        details: `${info.size} bytes`,
      })
  })
}

/** Reports uploads whose process crashed before it inserted a call. The due time '-infinity' marks files of deleted calls. */
async function compareRemovals(
  client: pg.Client,
  storage: AudioStorage,
  keep: boolean,
  reportDifference: DifferenceListener,
): Promise<void> {
  const { rows } = await client.query<{ storage_key: string; due_at: Date }>(
    `SELECT storage_key, due_at FROM file_removals WHERE due_at > '-infinity' ORDER BY due_at`,
  )
  for (const { storage_key: key, due_at: dueAt } of rows) {
    const info = isPlayableCopyKey(storage, key) ? undefined : await ignoreMissingObject(storage.stat(key))
    if (!info || Date.now() - info.modifiedAt.getTime() < MIN_FILE_AGE_MS) continue
    const action = keep ? 'DELETE' : 'SELECT'
    const { rowCount } = await client.query(
      `${action} FROM file_removals WHERE storage_key = $1 AND due_at > '-infinity'`,
      [key],
    )
    if (!rowCount) continue
    await reportDifference({
      kind: 'going',
      key,
      details: `${info.size} bytes, ${keep ? 'is kept now' : describeRemoval(dueAt)}`,
    })
  }
}

const describeRemoval = (dueAt: Date): string =>
  dueAt > new Date()
    ? `will be removed after ${dueAt.toISOString()}`
    : 'will be removed by the next run of the schedule'

class ChecksumList {
  private constructor(
    private readonly expected: Map<string, BackupAudioEntry> | undefined,
    private readonly output: WriteStream | undefined,
  ) {}

  static async open({ checksums, write }: StorageComparisonOptions): Promise<ChecksumList | undefined> {
    if (checksums === undefined && write === undefined) return undefined
    const known = checksums === undefined ? undefined : await loadChecksums(checksums)
    const output = write === undefined ? undefined : createWriteStream(write, { flags: 'wx', mode: 0o600 })
    if (output) await once(output, 'open')
    return new ChecksumList(known, output)
  }

  async compare(storage: AudioStorage, key: string, reportDifference: DifferenceListener): Promise<boolean> {
    const expected = this.expected?.get(key)
    if (!expected && !this.output) return false
    const content = await ignoreMissingObject(storage.read(key))
    if (!content) return false
    const sum = await computeStreamChecksum(content)
    if (expected && (expected.sha256 !== sum.sha256 || expected.bytes !== sum.bytes)) {
      await reportDifference({
        kind: 'damaged',
        key,
        details: `SHA-256 ${sum.sha256}, the list says ${expected.sha256}`,
      })
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

async function loadChecksums(path: string): Promise<Map<string, BackupAudioEntry>> {
  const entries = new Map<string, BackupAudioEntry>()
  const file = await open(path)
  for await (const line of file.readLines()) {
    if (!line) continue
    const entry = parseEntry(line)
    if (!entry) throw new Error(`${path} is no list of checksums: ${line.slice(0, 80)}`)
    entries.set(entry.key, entry)
  }
  return entries
}

function parseEntry(line: string): BackupAudioEntry | undefined {
  try {
    const entry = JSON.parse(line) as BackupAudioEntry
    return typeof entry.key === 'string' && typeof entry.sha256 === 'string' ? entry : undefined
  } catch {
    return undefined
  }
}
