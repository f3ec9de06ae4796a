import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { DataSource } from 'typeorm'
import { isDatabaseDown, poolOf, runInTransaction } from '../db/db.ts'
import type { Logger } from '../lib/log.ts'
import type { Message } from '../lib/messages.ts'
import { ignoreMissingObject, StorageUnavailableError, type AudioStorage } from './storage.ts'
import { storageMessages } from './messages.ts'

/** A negative result expires sooner, so that calls resume soon after the storage is back. */
const OURS_CACHE_MS = 10_000
const NOT_OURS_CACHE_MS = 2000

/** Selects the ten oldest and ten newest recordings, which we search in a storage without a mark. */
export const SAMPLE_STORAGE_KEYS_SQL =
  `(SELECT storage_key FROM recordings WHERE storage_key NOT LIKE '%://%' ORDER BY created_at DESC LIMIT 10) UNION ` +
  `(SELECT storage_key FROM recordings WHERE storage_key NOT LIKE '%://%' ORDER BY created_at LIMIT 10)`

/**
 * Describes the storage: with our mark, without a mark (`unmarked` or, with unknown files, `occupied`), with another database's
 * mark, or unreachable (`away`).
 */
export type StorageOwnershipState = 'ours' | 'unmarked' | 'occupied' | 'foreign' | 'away'

/** Returns the key of the marker object, which contains the id of the database. */
export const ownershipMarkKeyOf = ({ uploadPrefix }: AudioStorage): string => `${uploadPrefix}.svc-database`

/** Reads the id of the database that the storage belongs to; undefined without a mark. */
export async function readOwnershipMark(storage: AudioStorage): Promise<string | undefined> {
  const content = await ignoreMissingObject(storage.read(ownershipMarkKeyOf(storage)).then(text))
  return content?.trim()
}

export const STORAGE_OWNERSHIP_ERRORS: Record<Exclude<StorageOwnershipState, 'ours'>, Message> = {
  unmarked: storageMessages.unmarked(),
  occupied: storageMessages.occupied(),
  foreign: storageMessages.foreign(),
  away: storageMessages.away(),
}

/**
 * Checks by a marker object that the storage belongs to this database. Calls wait until it does.
 * Without this check, audio seems lost in an unmounted volume or a wrong bucket, and every call fails.
 */
export class StorageOwnership {
  private pending: Promise<StorageOwnershipState> | undefined
  private validUntil = 0
  private id: string | undefined
  last: StorageOwnershipState = 'away'
  private hasChecked = false

  constructor(
    private readonly db: DataSource,
    private readonly storage: AudioStorage,
    private readonly log: Logger,
  ) {}

  /** Returns the state, at most 10 s old. */
  state(): Promise<StorageOwnershipState> {
    return this.pending && performance.now() < this.validUntil ? this.pending : this.refresh()
  }

  /** Returns the last known state without waiting; undefined before the first check has ended. */
  getLastKnown(): StorageOwnershipState | undefined {
    void this.state()
    return this.hasChecked ? this.last : undefined
  }

  async refresh(): Promise<StorageOwnershipState> {
    this.validUntil = Infinity // all callers wait for this check
    const pending = this.determineState()
    this.pending = pending
    const found = await pending
    if (this.pending === pending)
      this.validUntil = performance.now() + (found === 'ours' ? OURS_CACHE_MS : NOT_OURS_CACHE_MS)
    if (found !== 'ours' && (found !== this.last || !this.hasChecked))
      this.log.error(STORAGE_OWNERSHIP_ERRORS[found].text)
    if (found === 'ours' && this.last !== 'ours' && this.hasChecked)
      this.log.info('the audio storage is the right one again')
    this.last = found
    this.hasChecked = true
    return found
  }

  /**
   * Rejects writes to a foreign storage, because files in the folder of an unmounted volume are lost. @throws
   * StorageUnavailableError
   */
  async requireOurs(): Promise<void> {
    const found = await this.state()
    if (found !== 'ours') throw new StorageUnavailableError(STORAGE_OWNERSHIP_ERRORS[found])
  }

  /** Marks the storage as ours, even if it has another mark. The command accept-storage calls it. */
  async accept(): Promise<void> {
    const { key, id } = await this.loadMark()
    await this.storage.write(key, Readable.from([Buffer.from(`${id}\n`)]))
    await this.refresh()
  }

  private async determineState(): Promise<StorageOwnershipState> {
    try {
      const { key, id } = await this.loadMark()
      const found = await readOwnershipMark(this.storage)
      if (found !== undefined) return found === id ? 'ours' : 'foreign'
      const unmarked = await this.classifyUnmarked()
      return unmarked === 'ours' ? await this.markOnce(key, id) : unmarked
    } catch (error) {
      if (isDatabaseDown(error)) return this.last
      this.log.warn({ reason: (error as Error).message }, 'the owner of the audio storage could not be determined')
      return 'away'
    }
  }

  /** Writes the mark in one process at a time, because a process whose write fails deletes the file of the other. */
  private async markOnce(key: string, id: string): Promise<StorageOwnershipState> {
    return runInTransaction(this.db, async (sql) => {
      await sql.query({ text: 'SELECT FROM storage_owner FOR UPDATE' })
      const found = await readOwnershipMark(this.storage)
      if (found !== undefined) return found === id ? 'ours' : 'foreign'
      await this.storage.write(key, Readable.from([Buffer.from(`${id}\n`)]))
      return 'ours'
    })
  }

  private async loadMark(): Promise<{ key: string; id: string }> {
    if (!this.id) {
      const { rows } = await poolOf(this.db).query<{ id: string }>({ text: 'SELECT id FROM storage_owner' })
      this.id = rows[0]!.id
    }
    return { key: ownershipMarkKeyOf(this.storage), id: this.id }
  }

  /**
   * Decides about a storage without a mark, because a copy can lack it. It is ours with at least half of the sampled recordings.
   * A database without recordings accepts only an empty storage, because the files can belong to another database.
   */
  private async classifyUnmarked(): Promise<'ours' | 'unmarked' | 'occupied'> {
    const { rows } = await poolOf(this.db).query<{ storage_key: string }>({ text: SAMPLE_STORAGE_KEYS_SQL })
    if (rows.length === 0) return (await this.hasFiles()) ? 'occupied' : 'ours'
    const knownObjects = await Promise.all(
      rows.map(({ storage_key: key }) => ignoreMissingObject(this.storage.stat(key))),
    )
    return knownObjects.filter(Boolean).length * 2 >= rows.length ? 'ours' : 'unmarked'
  }

  private async hasFiles(): Promise<boolean> {
    for await (const _ of this.storage.list(this.storage.uploadPrefix)) return true
    return false
  }
}
