import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Client } from 'pg'
import { migrations } from '../../../migrations/index.ts'
import { migrate } from '../commands/migrate.ts'
import type { Logger } from '../../platform/lib/log.ts'
import { ifPresent, type Storage } from '../../platform/storage/index.ts'
import { openStorage } from '../../platform/storage/open.ts'
import { markKey, readMark } from '../../platform/storage/ownership.ts'
import { AUDIO_LIST, MANIFEST, tableFile, type AudioEntry, type Manifest, type Tell } from './backup.ts'
import { check, sumOf } from './files.ts'
import type { InstallationConfig } from './installation.ts'
import { fillTable, quoted, tablesOf, withClient } from './tables.ts'

/** Tables that must be empty. */
const PRECIOUS = ['recordings', 'people', 'audit', 'departments']

/** Restores a backup. @throws Error before anything is written if backup or installation do not fit */
export async function restore(
  config: InstallationConfig,
  folder: string,
  log: Logger,
  tell: Tell = () => undefined,
): Promise<Manifest> {
  const manifest = await readManifest(folder)
  const known = migrations.filter(({ name }) => manifest.migrations.includes(name))
  if (known.length < manifest.migrations.length) {
    throw new Error(`this backup was made by version ${manifest.version}, which is newer: restore it with that version`)
  }
  await checkAll(folder, manifest)
  tell('all files of the backup are whole')
  await requireEmptyDatabase(config.DATABASE_URL, manifest)
  const storage = await openStorage(config)
  await rejectOtherAudio(storage, folder)
  await restoreAudio(storage, folder)
  tell(`${manifest.audioFiles} audio files are in the storage`)
  // First to the schema of the backup; the rows are then migrated like in any upgrade.
  await migrateTo(config, log, known)
  await restoreTables(config.DATABASE_URL, folder, manifest)
  await migrateTo(config, log, migrations)
  await markStorage(config.DATABASE_URL, storage, tell)
  return manifest
}

/** Marks the storage as the restored database's. A mark of another database stays and is reported. */
async function markStorage(url: string, storage: Storage, tell: Tell): Promise<void> {
  const { rows } = await withClient(url, (client) => client.query<{ id: string }>('SELECT id FROM storage_owner'))
  const mark = await readMark(storage)
  if (mark === undefined) await storage.write(markKey(storage), Readable.from([Buffer.from(`${rows[0]!.id}\n`)]))
  else if (mark !== rows[0]!.id) tell('the storage carries the mark of another database: accept-storage takes it over')
}

async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => {
    throw new Error(`${folder} holds no whole backup: there is no ${MANIFEST} in it`)
  })
  try {
    const manifest = JSON.parse(text) as Manifest
    if (manifest.format === 1) return manifest
  } catch {
    // reported below
  }
  throw new Error(`${join(folder, MANIFEST)} is damaged, or of a version that this one does not know`)
}

async function checkAll(folder: string, { tables, audioList }: Manifest): Promise<void> {
  for (const table of tables) await check(join(folder, tableFile(table.name)), table)
  await check(join(folder, AUDIO_LIST), audioList)
  for await (const entry of audioOf(folder)) await check(join(folder, entry.file), entry)
}

async function* audioOf(folder: string): AsyncIterable<AudioEntry> {
  const input = createReadStream(join(folder, AUDIO_LIST))
  for await (const line of createInterface({ input })) if (line) yield JSON.parse(line) as AudioEntry
}

async function requireEmptyDatabase(url: string, { migrations: wanted }: Manifest): Promise<void> {
  await withClient(url, async (client) => {
    for (const { name } of await tablesOf(client)) {
      if (name === 'schema_migrations') await rejectLaterSchema(client, wanted)
      if (!PRECIOUS.includes(name)) continue
      const { rowCount } = await client.query(`SELECT FROM ${quoted(name)} LIMIT 1`)
      if (rowCount) throw new Error(`the database is not empty (${name}): restore into a new one`)
    }
  })
}

/** The rows of an earlier release do not fit into a later schema. */
async function rejectLaterSchema(client: Client, wanted: string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations')
  if (rows.every(({ name }) => wanted.includes(name))) return
  throw new Error('the database has the schema of a later release than the backup: restore into a new, empty one')
}

/** The storage can hold files of an interrupted restore, or all files if only the database moves; they must be the same. */
async function rejectOtherAudio(storage: Storage, folder: string): Promise<void> {
  for await (const entry of audioOf(folder)) {
    const isSame = await isStored(storage, entry)
    if (isSame === false)
      throw new Error(`the storage holds another file as ${entry.key}: restore into an empty storage`)
  }
}

/** Whether the storage holds this content; undefined without a file. */
async function isStored(storage: Storage, { key, bytes, sha256 }: AudioEntry): Promise<boolean | undefined> {
  const info = await ifPresent(storage.stat(key))
  return info && info.size === bytes && (await sumOf(await storage.read(key))).sha256 === sha256
}

async function restoreAudio(storage: Storage, folder: string): Promise<void> {
  for await (const entry of audioOf(folder)) {
    if (await isStored(storage, entry)) continue
    await storage.write(entry.key, createReadStream(join(folder, entry.file)))
  }
}

async function migrateTo(config: InstallationConfig, log: Logger, toApply: typeof migrations): Promise<void> {
  const compare = toApply === migrations
  if ((await migrate(config, log, toApply, { compare })) !== 0)
    throw new Error('the schema could not be made: see the lines above')
}

/** In one transaction: a restore that breaks leaves an empty database. */
async function restoreTables(url: string, folder: string, { tables, sequences }: Manifest): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('BEGIN')
    const present = (await tablesOf(client)).map(({ name }) => name)
    if (tables.some(({ name }) => !present.includes(name))) throw new Error('the schema lacks tables of the backup')
    // The backup includes counters and listings, which triggers would compute again.
    for (const name of present) await client.query(`ALTER TABLE ${quoted(name)} DISABLE TRIGGER USER`)
    await client.query(`TRUNCATE ${present.map(quoted).join(', ')}`)
    for (const table of tables) {
      const file = createReadStream(join(folder, tableFile(table.name)))
      await pipeline(file, createGunzip(), fillTable(client, table))
    }
    for (const { name, value } of sequences) {
      await client.query('SELECT setval(quote_ident($1)::regclass, $2::bigint)', [name, value])
    }
    for (const name of present) await client.query(`ALTER TABLE ${quoted(name)} ENABLE TRIGGER USER`)
    await client.query('COMMIT')
    await client.query('ANALYZE')
  })
}
