import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Client } from 'pg'
import { migrations } from '../../../migrations/index.ts'
import { migrateDatabase } from '../commands/migrate.ts'
import type { Logger } from '../../platform/lib/log.ts'
import { ignoreMissingObject, type AudioStorage } from '../../platform/storage/storage.ts'
import { openAudioStorage } from '../../platform/storage/open.ts'
import { ownershipMarkKeyOf, readOwnershipMark } from '../../platform/storage/ownership.ts'
import {
  BACKUP_AUDIO_LIST_FILE,
  BACKUP_MANIFEST_FILE,
  formatBackupTablePath,
  type BackupAudioEntry,
  type BackupManifest,
  type BackupProgressListener,
} from './backup.ts'
import { verifyFileChecksum, computeStreamChecksum } from './checksums.ts'
import type { InstallationConfig } from './installation.ts'
import { createTableWriteStream, quoteSqlIdentifier, listDatabaseTables, withPostgresClient } from './tables.ts'

/** A restore requires that these tables are empty. */
const PROTECTED_TABLES = ['recordings', 'people', 'audit', 'departments']

/**
 * Restores a backup into an empty installation.
 * @throws Error before any write if a file of the backup is damaged, the backup is from a newer version, or the installation has
 * data
 */
export async function restoreBackup(
  config: InstallationConfig,
  folder: string,
  log: Logger,
  notify: BackupProgressListener = () => undefined,
): Promise<BackupManifest> {
  const manifest = await loadManifest(folder)
  const knownMigrations = migrations.filter(({ name }) => manifest.migrations.includes(name))
  if (knownMigrations.length < manifest.migrations.length) {
    throw new Error(`this backup was made by version ${manifest.version}, which is newer: restore it with that version`)
  }
  await requireEmptyDatabase(config.DATABASE_URL, manifest)
  await verifyFiles(folder, manifest)
  notify('all files of the backup are complete')
  const storage = await openAudioStorage(config)
  await rejectForeignAudio(storage, folder)
  await restoreAudio(storage, folder)
  notify(`${manifest.audioFiles} audio files are in the storage`)
  // The rows have the schema of the backup. A later migration then changes them as in any upgrade.
  await applyMigrations(config, log, knownMigrations)
  await restoreTables(config.DATABASE_URL, folder, manifest)
  await applyMigrations(config, log, migrations)
  await markStorage(config.DATABASE_URL, storage, notify)
  return manifest
}

/** Writes the mark of the restored database to the storage. A mark of another database is kept and reported. */
async function markStorage(url: string, storage: AudioStorage, notify: BackupProgressListener): Promise<void> {
  const { rows } = await withPostgresClient(url, (client) =>
    client.query<{ id: string }>('SELECT id FROM storage_owner'),
  )
  const mark = await readOwnershipMark(storage)
  if (mark === undefined)
    await storage.write(ownershipMarkKeyOf(storage), Readable.from([Buffer.from(`${rows[0]!.id}\n`)]))
  else if (mark !== rows[0]!.id)
    notify('the storage carries the mark of another database: accept-storage takes it over')
}

async function loadManifest(folder: string): Promise<BackupManifest> {
  const text = await readFile(join(folder, BACKUP_MANIFEST_FILE), 'utf8').catch(() => {
    throw new Error(`${folder} holds no whole backup: there is no ${BACKUP_MANIFEST_FILE} in it`)
  })
  try {
    const manifest = JSON.parse(text) as BackupManifest
    if (manifest.format === 1) return manifest
  } catch {
    // reported below
  }
  throw new Error(`${join(folder, BACKUP_MANIFEST_FILE)} is damaged, or of a version that this one does not know`)
}

async function verifyFiles(folder: string, { tables, audioList }: BackupManifest): Promise<void> {
  for (const table of tables) await verifyFileChecksum(join(folder, formatBackupTablePath(table.name)), table)
  await verifyFileChecksum(join(folder, BACKUP_AUDIO_LIST_FILE), audioList)
  for await (const entry of loadAudioEntries(folder)) await verifyFileChecksum(join(folder, entry.file), entry)
}

async function* loadAudioEntries(folder: string): AsyncIterable<BackupAudioEntry> {
  const input = createReadStream(join(folder, BACKUP_AUDIO_LIST_FILE))
  for await (const line of createInterface({ input })) if (line) yield JSON.parse(line) as BackupAudioEntry
}

async function requireEmptyDatabase(url: string, { migrations: backupMigrations }: BackupManifest): Promise<void> {
  await withPostgresClient(url, async (client) => {
    for (const { name } of await listDatabaseTables(client)) {
      if (name === 'schema_migrations') await rejectLaterSchema(client, backupMigrations)
      if (!PROTECTED_TABLES.includes(name)) continue
      const { rowCount } = await client.query(`SELECT FROM ${quoteSqlIdentifier(name)} LIMIT 1`)
      if (rowCount) throw new Error(`the database is not empty (${name}): restore into a new one`)
    }
  })
}

/** Rows of an earlier release do not fit into a later schema. */
async function rejectLaterSchema(client: Client, backupMigrations: string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations')
  if (rows.every(({ name }) => backupMigrations.includes(name))) return
  throw new Error('the database has the schema of a later release than the backup: restore into a new, empty one')
}

/**
 * The storage can already contain files, after an interrupted restore or if only the database moves. They must equal the files of
 * the backup.
 */
async function rejectForeignAudio(storage: AudioStorage, folder: string): Promise<void> {
  for await (const entry of loadAudioEntries(folder)) {
    const isSame = await isStored(storage, entry)
    if (isSame === false)
      throw new Error(`the storage holds another file as ${entry.key}: restore into an empty storage`)
  }
}

/** Returns whether the storage contains a file with this content; undefined if the file is missing. */
async function isStored(storage: AudioStorage, { key, bytes, sha256 }: BackupAudioEntry): Promise<boolean | undefined> {
  const info = await ignoreMissingObject(storage.stat(key))
  return info && info.size === bytes && (await computeStreamChecksum(await storage.read(key))).sha256 === sha256
}

async function restoreAudio(storage: AudioStorage, folder: string): Promise<void> {
  for await (const entry of loadAudioEntries(folder)) {
    if (await isStored(storage, entry)) continue
    await storage.write(entry.key, createReadStream(join(folder, entry.file)))
  }
}

async function applyMigrations(config: InstallationConfig, log: Logger, toApply: typeof migrations): Promise<void> {
  const compare = toApply === migrations
  if ((await migrateDatabase(config, log, toApply, { compare })) !== 0)
    throw new Error('the schema could not be made: see the lines above')
}

/** Runs in one transaction, so that a failed restore leaves no rows of the backup. */
async function restoreTables(url: string, folder: string, { tables, sequences }: BackupManifest): Promise<void> {
  await withPostgresClient(url, async (client) => {
    await client.query('BEGIN; SET LOCAL statement_timeout = 0')
    const tableNames = (await listDatabaseTables(client)).map(({ name }) => name)
    if (tables.some(({ name }) => !tableNames.includes(name))) throw new Error('the schema lacks tables of the backup')
    // The backup contains the counters and listings that the triggers maintain, so the triggers are disabled.
    for (const name of tableNames) await client.query(`ALTER TABLE ${quoteSqlIdentifier(name)} DISABLE TRIGGER USER`)
    await client.query(`TRUNCATE ${tableNames.map(quoteSqlIdentifier).join(', ')}`)
    for (const table of tables) {
      const file = createReadStream(join(folder, formatBackupTablePath(table.name)))
      await pipeline(file, createGunzip(), createTableWriteStream(client, table))
    }
    for (const { name, value } of sequences) {
      await client.query('SELECT setval(quote_ident($1)::regclass, $2::bigint)', [name, value])
    }
    for (const name of tableNames) await client.query(`ALTER TABLE ${quoteSqlIdentifier(name)} ENABLE TRIGGER USER`)
    await client.query('COMMIT')
    await client.query('ANALYZE')
  })
}
