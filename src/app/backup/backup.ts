import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type pg from 'pg'
import { ObjectMissing, type Storage } from '../../platform/storage/index.ts'
import { openStorage } from '../../platform/storage/open.ts'
import { sumOf, writeSummed, type Sum } from './files.ts'
import { refuseForeign } from './own-storage.ts'
import type { InstallationConfig } from './installation.ts'
import { connectTo, readTable, sequencesOf, tablesOf, type Table } from './tables.ts'

/** The list of a backup, written last: a backup without it is not whole. */
export interface Manifest {
  format: 1
  version: string
  commit: string
  createdAt: string
  migrations: string[]
  tables: (Table & Sum)[]
  sequences: { name: string; value: string }[]
  /** Of the file that names every audio file. */
  audioList: Sum
  audioFiles: number
  audioBytes: number
  /** Files that recordings name and that were gone already when the backup was made. */
  missingAudio: string[]
}

/** A line of the list of audio files. */
export interface AudioEntry extends Sum {
  key: string
  /** Its path in the backup: keys may have names that no folder takes. */
  file: string
}

export const MANIFEST = 'backup.json'
export const AUDIO_LIST = 'audio.jsonl'
export const tableFile = (name: string): string => join('tables', `${name}.copy.gz`)

/** Between two looks at the database while the first files are copied, calls may be deleted with their audio. */
const MOST_SNAPSHOTS = 20

type Tell = (text: string) => void

/**
 * Writes everything into a new folder while the service runs: the tables of one moment and the audio of exactly the
 * calls that they name.
 * @throws Error saying what to do; what was written until then stays without its list
 */
export async function backUp(
  config: InstallationConfig,
  folder: string,
  tell: Tell = () => undefined,
): Promise<Manifest> {
  await makeEmpty(folder)
  const client = await connectTo(config.DATABASE_URL)
  try {
    const storage = await openStorage(config)
    await refuseForeign(client, storage)
    const copies = new Copies(storage, folder)
    // Most of the audio first, because a snapshot that stays open for hours keeps Postgres from cleaning up.
    await copies.take(await keysOf(client))
    tell(`${copies.count} audio files copied`)
    for (let attempt = 1; ; attempt++) {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      const keys = await keysOf(client)
      const missing = await copies.take(keys)
      const deleted = await deletedSince(config.DATABASE_URL, missing)
      if (deleted && attempt < MOST_SNAPSHOTS) {
        await client.query('ROLLBACK')
        continue
      }
      const audio = await copies.keepOnly(new Set(keys))
      const manifest = await writeTables(client, folder, audio, missing)
      await client.query('COMMIT')
      await writeManifest(folder, manifest)
      return manifest
    }
  } finally {
    await client.end()
  }
}

async function makeEmpty(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty: give a new folder for each backup`)
}

async function keysOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ storage_key: string }>('SELECT storage_key FROM recordings ORDER BY id')
  return rows.map((row) => row.storage_key)
}

/** Whether one of the files is gone because its recording is, since the snapshot. */
async function deletedSince(url: string, keys: string[]): Promise<boolean> {
  if (keys.length === 0) return false
  const client = await connectTo(url)
  try {
    const { rows } = await client.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM recordings WHERE storage_key = ANY($1)',
      [keys],
    )
    return rows[0]!.n < keys.length
  } finally {
    await client.end()
  }
}

class Copies {
  private readonly entries = new Map<string, AudioEntry>()
  private readonly storage: Storage
  private readonly folder: string
  private next = 0

  constructor(storage: Storage, folder: string) {
    this.storage = storage
    this.folder = folder
  }

  get count(): number {
    return this.entries.size
  }

  /** Copies what is not copied yet; returns the keys that lead to no file. */
  async take(keys: string[]): Promise<string[]> {
    const missing: string[] = []
    for (const key of keys) {
      if (this.entries.has(key)) continue
      const number = String(this.next++).padStart(9, '0')
      const file = join('audio', number.slice(0, 6), number)
      try {
        const sum = await writeSummed(join(this.folder, file), await this.storage.read(key))
        this.entries.set(key, { key, file, ...sum })
      } catch (error) {
        if (!(error instanceof ObjectMissing)) throw error
        missing.push(key)
      }
    }
    return missing
  }

  /** Forgets the audio of calls that were deleted meanwhile. */
  async keepOnly(keys: Set<string>): Promise<AudioEntry[]> {
    for (const [key, { file }] of this.entries) {
      if (keys.has(key)) continue
      this.entries.delete(key)
      await rm(join(this.folder, file), { force: true })
    }
    return [...this.entries.values()]
  }
}

async function writeTables(
  client: pg.Client,
  folder: string,
  audio: AudioEntry[],
  missingAudio: string[],
): Promise<Manifest> {
  const tables: Manifest['tables'] = []
  await mkdir(join(folder, 'tables'), { mode: 0o700 })
  for (const table of await tablesOf(client)) {
    const file = join(folder, tableFile(table.name))
    const out = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true })
    await pipeline(readTable(client, table), createGzip({ level: 3 }), out)
    tables.push({ ...table, ...(await sumOf(createReadStream(file))) })
  }
  const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY id')
  const lines = Readable.from(
    audio.map((entry) => `${JSON.stringify(entry)}\n`),
    { objectMode: false },
  )
  return {
    format: 1,
    version: SVC_VERSION,
    commit: SVC_COMMIT,
    createdAt: new Date().toISOString(),
    migrations: rows.map(({ name }) => name),
    tables,
    sequences: await sequencesOf(client),
    audioList: await writeSummed(join(folder, AUDIO_LIST), lines),
    audioFiles: audio.length,
    audioBytes: audio.reduce((sum, { bytes }) => sum + bytes, 0),
    missingAudio,
  }
}

async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const unfinished = join(folder, `${MANIFEST}.new`)
  await writeFile(unfinished, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
  await rename(unfinished, join(folder, MANIFEST))
}
