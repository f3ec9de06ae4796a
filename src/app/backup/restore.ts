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
import { ObjectMissing, type Storage } from '../../platform/storage/index.ts'
import { openStorage } from '../../platform/storage/open.ts'
import { markKey } from '../../platform/storage/ownership.ts'
import { AUDIO_LIST, MANIFEST, tableFile, type AudioEntry, type Manifest } from './backup.ts'
import { check, sumOf } from './files.ts'
import type { InstallationConfig } from './installation.ts'
import { markOf } from './own-storage.ts'
import { connectTo, fillTable, quoted, tablesOf } from './tables.ts'

/** Tables whose rows somebody would miss. */
const PRECIOUS = ['recordings', 'people', 'audit', 'departments']

type Tell = (text: string) => void

/**
 * Brings a backup back into an empty database, and its audio into the storage; then the schema to this version.
 * @throws Error before anything is written where the backup is not whole, comes from a newer version, or the installation
 *   is not empty
 */
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
  await refuseFullDatabase(config.DATABASE_URL, manifest)
  const storage = await openStorage(config)
  await refuseOtherSound(storage, folder)
  await restoreAudio(storage, folder)
  tell(`${manifest.audioFiles} audio files are in the storage`)
  // First the schema that the rows fit into; what has changed since then is done to them as by any upgrade.
  await migrated(config, log, known)
  await restoreTables(config.DATABASE_URL, folder, manifest)
  await migrated(config, log, migrations)
  await markStorage(config.DATABASE_URL, storage, tell)
  return manifest
}

/** Marks the storage as the restored database's. A mark of another database stays and is reported. */
async function markStorage(url: string, storage: Storage, tell: Tell): Promise<void> {
  const client = await connectTo(url)
  try {
    const { rows } = await client.query<{ id: string }>('SELECT id FROM storage_owner')
    const mark = await markOf(storage)
    if (mark === undefined) await storage.write(markKey(storage), Readable.from([Buffer.from(`${rows[0]!.id}\n`)]))
    else if (mark !== rows[0]!.id)
      tell('the storage carries the mark of another database: accept-storage takes it over')
  } finally {
    await client.end()
  }
}

async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => {
    throw new Error(`${folder} holds no whole backup: there is no ${MANIFEST} in it`)
  })
  try {
    const manifest = JSON.parse(text) as Manifest
    if (manifest.format === 1) return manifest
  } catch {
    // told below
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

async function refuseFullDatabase(url: string, { migrations: wanted }: Manifest): Promise<void> {
  const client = await connectTo(url)
  try {
    for (const { name } of await tablesOf(client)) {
      if (name === 'schema_migrations') await refuseLaterSchema(client, wanted)
      if (!PRECIOUS.includes(name)) continue
      const { rowCount } = await client.query(`SELECT FROM ${quoted(name)} LIMIT 1`)
      if (rowCount) throw new Error(`the database is not empty (${name}): restore into a new one`)
    }
  } finally {
    await client.end()
  }
}

/** The rows of an earlier release do not fit into a later schema; it would have to be taken back first. */
async function refuseLaterSchema(client: Client, wanted: string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations')
  if (rows.every(({ name }) => wanted.includes(name))) return
  throw new Error('the database has the schema of a later release than the backup: restore into a new, empty one')
}

/** What is there already, from a restore that was interrupted or because only the database moves, must be the same. */
async function refuseOtherSound(storage: Storage, folder: string): Promise<void> {
  for await (const entry of audioOf(folder)) {
    if ((await isThere(storage, entry)) === 'other') {
      throw new Error(`the storage holds another file as ${entry.key}: restore into an empty storage`)
    }
  }
}

async function isThere(storage: Storage, { key, bytes, sha256 }: AudioEntry): Promise<'same' | 'other' | undefined> {
  try {
    const { size } = await storage.stat(key)
    if (size !== bytes) return 'other'
    return (await sumOf(await storage.read(key))).sha256 === sha256 ? 'same' : 'other'
  } catch (error) {
    if (error instanceof ObjectMissing) return undefined
    throw error
  }
}

async function restoreAudio(storage: Storage, folder: string): Promise<void> {
  for await (const entry of audioOf(folder)) {
    if (await isThere(storage, entry)) continue
    await storage.write(entry.key, createReadStream(join(folder, entry.file)))
  }
}

async function migrated(config: InstallationConfig, log: Logger, toApply: typeof migrations): Promise<void> {
  const compare = toApply === migrations
  if ((await migrate(config, log, toApply, { compare })) !== 0)
    throw new Error('the schema could not be made: see the lines above')
}

/** In one transaction: a restore that breaks leaves an empty database. */
async function restoreTables(url: string, folder: string, { tables, sequences }: Manifest): Promise<void> {
  const client = await connectTo(url)
  try {
    await client.query('BEGIN')
    const there = (await tablesOf(client)).map(({ name }) => name)
    const ours = tables.filter(({ name }) => there.includes(name))
    if (ours.length < tables.length) throw new Error('the schema lacks tables of the backup')
    // Counters and listings come with the backup: triggers must not make them once more.
    for (const name of there) await client.query(`ALTER TABLE ${quoted(name)} DISABLE TRIGGER USER`)
    await client.query(`TRUNCATE ${there.map(quoted).join(', ')}`)
    for (const table of ours) {
      const file = createReadStream(join(folder, tableFile(table.name)))
      await pipeline(file, createGunzip(), fillTable(client, table))
    }
    for (const { name, value } of sequences) {
      await client.query('SELECT setval(quote_ident($1)::regclass, $2::bigint)', [name, value])
    }
    for (const name of there) await client.query(`ALTER TABLE ${quoted(name)} ENABLE TRIGGER USER`)
    await client.query('COMMIT')
    await client.query('ANALYZE')
  } finally {
    await client.end()
  }
}
