import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type pg from 'pg'
import { ignoreMissingObject, type AudioStorage } from '../../platform/storage/storage.ts'
import { openAudioStorage } from '../../platform/storage/open.ts'
import { computeStreamChecksum, writeFileWithChecksum, type FileChecksum } from './checksums.ts'
import type { InstallationConfig } from './installation.ts'
import { requireStorageOfDatabase } from './storage-ownership.ts'
import {
  createTableReadStream,
  listDatabaseSequences,
  listDatabaseTables,
  withPostgresClient,
  type BackupTable,
} from './tables.ts'

/** The content of backup.json. It is written last, so a backup without it is incomplete. */
export interface BackupManifest {
  format: 1
  version: string
  commit: string
  createdAt: string
  migrations: string[]
  tables: (BackupTable & FileChecksum)[]
  sequences: { name: string; value: string }[]
  audioList: FileChecksum
  audioFiles: number
  audioBytes: number
  missingAudio: string[]
}

/** One line of audio.jsonl, which lists the audio files of a backup with their checksums. */
export interface BackupAudioEntry extends FileChecksum {
  key: string
  /** The path within the backup. The file name is a number, because a key is not always a valid file name. */
  file: string
}

export const BACKUP_MANIFEST_FILE = 'backup.json'
export const BACKUP_AUDIO_LIST_FILE = 'audio.jsonl'
/** Returns the path of a table's file within a backup. */
export const formatBackupTablePath = (name: string): string => join('tables', `${name}.copy.gz`)

/** Limits the snapshots that a backup tries, because calls can be deleted while their audio is copied. */
const MAX_SNAPSHOTS = 20

/** Receives a line of text about the progress of a backup or a restore. */
export type BackupProgressListener = (text: string) => unknown

/**
 * Writes the tables of one snapshot and the audio of exactly its calls to a new folder, while the service runs.
 * @throws Error if the folder is not empty or the storage belongs to another database
 */
export async function createBackup(
  config: InstallationConfig,
  folder: string,
  notify: BackupProgressListener = () => undefined,
): Promise<BackupManifest> {
  await requireEmptyFolder(folder)
  return withPostgresClient(config.DATABASE_URL, async (client) => {
    const storage = await openAudioStorage(config)
    await requireStorageOfDatabase(client, storage)
    const copier = new AudioCopier(storage, folder)
    // Most audio is copied before the snapshot, because a snapshot that is open for hours prevents Postgres from vacuuming.
    await copier.copyMissing(await listStorageKeys(client))
    notify(`${copier.count} audio files copied`)
    for (let attempt = 1; ; attempt++) {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0')
      const keys = await listStorageKeys(client)
      const missing = await copier.copyMissing(keys)
      if (attempt < MAX_SNAPSHOTS && (await areDeleted(config.DATABASE_URL, missing))) {
        await client.query('ROLLBACK')
        continue
      }
      const audio = await copier.keepOnly(new Set(keys))
      const manifest = await writeTables(client, folder, audio, missing)
      await client.query('COMMIT')
      await writeManifest(folder, manifest)
      return manifest
    }
  })
}

async function requireEmptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty: give a new folder for each backup`)
}

async function listStorageKeys(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ storage_key: string }>('SELECT storage_key FROM recordings ORDER BY id')
  return rows.map((row) => row.storage_key)
}

/** Checks whether any of the recordings was deleted after the snapshot, which explains a missing file. */
async function areDeleted(url: string, keys: string[]): Promise<boolean> {
  if (keys.length === 0) return false
  const text = 'SELECT count(*)::int AS n FROM recordings WHERE storage_key = ANY($1)'
  const { rows } = await withPostgresClient(url, (client) => client.query<{ n: number }>(text, [keys]))
  return rows[0]!.n < keys.length
}

class AudioCopier {
  private readonly entries = new Map<string, BackupAudioEntry>()
  private next = 0

  constructor(
    private readonly storage: AudioStorage,
    private readonly folder: string,
  ) {}

  get count(): number {
    return this.entries.size
  }

  /**
   * Copies the files that are not copied yet.
   * @returns the keys whose files are missing in the storage
   */
  async copyMissing(keys: string[]): Promise<string[]> {
    const missing: string[] = []
    for (const key of keys) {
      if (this.entries.has(key)) continue
      const number = String(this.next++).padStart(9, '0')
      const file = join('audio', number.slice(0, 6), number)
      const content = await ignoreMissingObject(this.storage.read(key))
      if (!content) missing.push(key)
      else this.entries.set(key, { key, file, ...(await writeFileWithChecksum(join(this.folder, file), content)) })
    }
    return missing
  }

  /** Removes the copied audio of calls that are not in the snapshot. @returns the entries of the other files */
  async keepOnly(keys: Set<string>): Promise<BackupAudioEntry[]> {
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
  audio: BackupAudioEntry[],
  missingAudio: string[],
): Promise<BackupManifest> {
  const tables: BackupManifest['tables'] = []
  await mkdir(join(folder, 'tables'), { mode: 0o700 })
  for (const table of await listDatabaseTables(client)) {
    const file = join(folder, formatBackupTablePath(table.name))
    const out = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true })
    await pipeline(createTableReadStream(client, table), createGzip({ level: 3 }), out)
    tables.push({ ...table, ...(await computeStreamChecksum(createReadStream(file))) })
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
    sequences: await listDatabaseSequences(client),
    audioList: await writeFileWithChecksum(join(folder, BACKUP_AUDIO_LIST_FILE), lines),
    audioFiles: audio.length,
    audioBytes: audio.reduce((sum, { bytes }) => sum + bytes, 0),
    missingAudio,
  }
}

async function writeManifest(folder: string, manifest: BackupManifest): Promise<void> {
  const temporaryFile = join(folder, `${BACKUP_MANIFEST_FILE}.new`)
  await writeFile(temporaryFile, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
  await rename(temporaryFile, join(folder, BACKUP_MANIFEST_FILE))
}
