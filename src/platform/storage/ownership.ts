import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { DataSource } from 'typeorm'
import { isDatabaseAway, pool, transaction } from '../db/db.ts'
import type { Logger } from '../lib/log.ts'
import type { Message } from '../lib/messages.ts'
import { ifPresent, StorageUnavailable, type Storage } from './index.ts'
import { storageMessages } from './messages.ts'

/** How long a result is cached: that the storage is ours, and that it is not. */
const OURS_MS = 10_000
const NOT_OURS_MS = 2000

/** Recordings that we look for in a storage without a mark. */
export const SAMPLE_OF_RECORDINGS =
  `(SELECT storage_key FROM recordings WHERE storage_key NOT LIKE '%://%' ORDER BY created_at DESC LIMIT 10) UNION ` +
  `(SELECT storage_key FROM recordings WHERE storage_key NOT LIKE '%://%' ORDER BY created_at LIMIT 10)`

/** ours: our mark. occupied: no mark, but files of unknown calls. away: storage or database do not respond. */
export type Belonging = 'ours' | 'unmarked' | 'occupied' | 'foreign' | 'away'

export const markKey = ({ uploadPrefix }: Storage): string => `${uploadPrefix}.svc-database`

/** Reads the id of the database that a storage belongs to; undefined without a mark. */
export async function readMark(storage: Storage): Promise<string | undefined> {
  const content = await ifPresent(storage.read(markKey(storage)).then(text))
  return content?.trim()
}

export const BELONGING_ERRORS: Record<Exclude<Belonging, 'ours'>, Message> = {
  unmarked: storageMessages.unmarked(),
  occupied: storageMessages.occupied(),
  foreign: storageMessages.foreign(),
  away: storageMessages.away(),
}

/**
 * Whether the storage belongs to this database. In an unmounted volume or a wrong bucket every audio file is missing, and
 * every call would fail. So the storage has a marker file, and calls wait without it.
 */
export class Ownership {
  private looking: Promise<Belonging> | undefined
  private until = 0
  private id: string | undefined
  last: Belonging = 'away'
  private hasLooked = false

  constructor(
    private readonly db: DataSource,
    private readonly storage: Storage,
    private readonly log: Logger,
  ) {}

  /** The state, at most some seconds old. */
  state(): Promise<Belonging> {
    return this.looking && performance.now() < this.until ? this.looking : this.look()
  }

  /** The last state, without waiting for the storage; undefined before the first look has ended. */
  known(): Belonging | undefined {
    void this.state()
    return this.hasLooked ? this.last : undefined
  }

  async look(): Promise<Belonging> {
    this.until = Infinity // all callers wait for this look
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

  /** Files written to an unmounted volume's folder would be lost. @throws StorageUnavailable */
  async requireOurs(): Promise<void> {
    const found = await this.state()
    if (found !== 'ours') throw new StorageUnavailable(BELONGING_ERRORS[found])
  }

  /** Marks the storage as ours, even if it has another mark. */
  async accept(): Promise<void> {
    const { key, id } = await this.mark()
    await this.storage.write(key, Readable.from([Buffer.from(`${id}\n`)]))
    await this.look()
  }

  private async find(): Promise<Belonging> {
    try {
      const { key, id } = await this.mark()
      const found = await readMark(this.storage)
      if (found !== undefined) return found === id ? 'ours' : 'foreign'
      const unmarked = await this.judgeUnmarked()
      return unmarked === 'ours' ? await this.markOnce(key, id) : unmarked
    } catch (error) {
      if (isDatabaseAway(error)) return this.last
      this.log.warn({ reason: (error as Error).message }, 'whose the audio storage is could not be found out')
      return 'away'
    }
  }

  /** One process at a time: of two that write the same file, one that fails removes it. */
  private async markOnce(key: string, id: string): Promise<Belonging> {
    return transaction(this.db, async (sql) => {
      await sql.query({ text: 'SELECT FROM storage_owner FOR UPDATE' })
      const found = await readMark(this.storage)
      if (found !== undefined) return found === id ? 'ours' : 'foreign'
      await this.storage.write(key, Readable.from([Buffer.from(`${id}\n`)]))
      return 'ours'
    })
  }

  private async mark(): Promise<{ key: string; id: string }> {
    if (!this.id) {
      const { rows } = await pool(this.db).query<{ id: string }>({ text: 'SELECT id FROM storage_owner' })
      this.id = rows[0]!.id
    }
    return { key: markKey(this.storage), id: this.id }
  }

  /**
   * A copy of a storage can lose its mark: it is ours if it has at least half of some known recordings. A database without
   * recordings takes only an empty storage, because files of another database would be deleted.
   */
  private async judgeUnmarked(): Promise<'ours' | 'unmarked' | 'occupied'> {
    const { rows } = await pool(this.db).query<{ storage_key: string }>({ text: SAMPLE_OF_RECORDINGS })
    if (rows.length === 0) return (await this.holdsFiles()) ? 'occupied' : 'ours'
    const there = await Promise.all(rows.map(({ storage_key: key }) => ifPresent(this.storage.stat(key))))
    return there.filter(Boolean).length * 2 >= rows.length ? 'ours' : 'unmarked'
  }

  private async holdsFiles(): Promise<boolean> {
    for await (const _ of this.storage.list(this.storage.uploadPrefix)) return true
    return false
  }
}
