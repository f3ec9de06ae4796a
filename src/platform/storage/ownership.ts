import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { DataSource } from 'typeorm'
import { isDatabaseAway, pool, transaction } from '../db/db.ts'
import type { Logger } from '../lib/log.ts'
import type { Message } from '../lib/messages.ts'
import { ObjectMissing, StorageUnavailable, type Storage } from './index.ts'
import { storageMessages } from './messages.ts'

/** How long an answer is believed: that the storage is ours, and that it is not. */
const OURS_MS = 10_000
const NOT_OURS_MS = 2000

/** Recordings that are looked for where there is no mark: some of the newest and of the oldest. */
export const SAMPLE_OF_RECORDINGS =
  `(SELECT storage_key FROM recordings WHERE storage_key NOT LIKE '%://%' ORDER BY created_at DESC LIMIT 10) UNION ` +
  `(SELECT storage_key FROM recordings WHERE storage_key NOT LIKE '%://%' ORDER BY created_at LIMIT 10)`

/**
 * ours: the mark has our database's id. occupied: there is no mark, but there are files of unknown calls. away: storage or
 * database do not answer.
 */
export type Belonging = 'ours' | 'unmarked' | 'occupied' | 'foreign' | 'away'

/** Where the mark lies. */
export const markKey = ({ uploadPrefix }: Storage): string => `${uploadPrefix}.svc-database`

/** What an operator reads of each, in the log, on the panel and in answers. */
export const BELONGING_ERRORS: Record<Exclude<Belonging, 'ours'>, Message> = {
  unmarked: storageMessages.unmarked(),
  occupied: storageMessages.occupied(),
  foreign: storageMessages.foreign(),
  away: storageMessages.away(),
}

/**
 * Whether the storage is the one of this database. A volume that is not mounted or a wrong bucket looks like calls whose
 * audio is gone, and would end every one of them: so the storage carries a mark, and without it nothing is taken.
 */
export class Ownership {
  private readonly db: DataSource
  private readonly storage: Storage
  private readonly log: Logger
  private looking: Promise<Belonging> | undefined
  private until = 0
  private id: string | undefined
  /** What the last look that ended has found. */
  last: Belonging = 'away'
  private hasLooked = false

  constructor(db: DataSource, storage: Storage, log: Logger) {
    this.db = db
    this.storage = storage
    this.log = log
  }

  /** What was found a few seconds ago at most. */
  state(): Promise<Belonging> {
    return this.looking && performance.now() < this.until ? this.looking : this.look()
  }

  /** What was found last, without waiting for the storage; undefined before the first look has ended. */
  known(): Belonging | undefined {
    void this.state()
    return this.hasLooked ? this.last : undefined
  }

  async look(): Promise<Belonging> {
    this.until = Infinity // until it is known, everybody waits for this look
    const looking = this.find()
    this.looking = looking
    const found = await looking
    if (this.looking === looking) this.until = performance.now() + (found === 'ours' ? OURS_MS : NOT_OURS_MS)
    if (found !== 'ours' && (found !== this.last || !this.hasLooked)) this.log.error(BELONGING_ERRORS[found].text)
    if (found === 'ours' && this.last !== 'ours' && this.hasLooked)
      this.log.info('the audio storage is the right one again')
    this.last = found
    this.hasLooked = true
    return found
  }

  /** What is written to a folder whose volume is not mounted would be lost. @throws StorageUnavailable */
  async requireOurs(): Promise<void> {
    const found = await this.state()
    if (found !== 'ours') throw new StorageUnavailable(BELONGING_ERRORS[found])
  }

  /** Marks the storage as ours, whatever it carries. */
  async accept(): Promise<void> {
    const { key, id } = await this.mark()
    await this.storage.write(key, Readable.from([Buffer.from(`${id}\n`)]))
    await this.look()
  }

  private async find(): Promise<Belonging> {
    try {
      const { key, id } = await this.mark()
      const found = await this.read(key)
      if (found !== undefined) return found === id ? 'ours' : 'foreign'
      const unmarked = await this.judgeUnmarked()
      return unmarked === 'ours' ? await this.markOnce(key, id) : unmarked
    } catch (error) {
      if (isDatabaseAway(error)) return this.last // says nothing of the storage
      this.log.warn({ reason: (error as Error).message }, 'whose the audio storage is could not be found out')
      return 'away'
    }
  }

  /** One process at a time: of two that write one file at once, the one that fails would take it away from the other. */
  private async markOnce(key: string, id: string): Promise<Belonging> {
    return transaction(this.db, async (sql) => {
      await sql.query({ text: 'SELECT FROM storage_owner FOR UPDATE' })
      const found = await this.read(key)
      if (found !== undefined) return found === id ? 'ours' : 'foreign'
      await this.storage.write(key, Readable.from([Buffer.from(`${id}\n`)]))
      return 'ours'
    })
  }

  /** Where the mark lies, and what it must say. */
  private async mark(): Promise<{ key: string; id: string }> {
    if (!this.id) {
      const { rows } = await pool(this.db).query<{ id: string }>({ text: 'SELECT id FROM storage_owner' })
      this.id = rows[0]!.id
    }
    return { key: markKey(this.storage), id: this.id }
  }

  private async read(key: string): Promise<string | undefined> {
    try {
      return (await text(await this.storage.read(key))).trim()
    } catch (error) {
      if (error instanceof ObjectMissing) return undefined
      throw error
    }
  }

  /**
   * Storages of earlier releases have no mark, and copies may lose it: what counts is whether at least half of some known
   * recordings exist there. A database without recordings takes only an empty storage: files of another database whose
   * mark was lost would be deleted.
   */
  private async judgeUnmarked(): Promise<'ours' | 'unmarked' | 'occupied'> {
    const { rows } = await pool(this.db).query<{ storage_key: string }>({
      text: SAMPLE_OF_RECORDINGS,
    })
    if (rows.length === 0) return (await this.holdsFiles()) ? 'occupied' : 'ours'
    const there = await Promise.all(rows.map(({ storage_key: key }) => this.isThere(key)))
    return there.filter(Boolean).length * 2 >= rows.length ? 'ours' : 'unmarked'
  }

  private async holdsFiles(): Promise<boolean> {
    for await (const _ of this.storage.list(this.storage.uploadPrefix)) return true
    return false
  }

  private async isThere(key: string): Promise<boolean> {
    try {
      await this.storage.stat(key)
      return true
    } catch (error) {
      if (error instanceof ObjectMissing) return false
      throw error
    }
  }
}
