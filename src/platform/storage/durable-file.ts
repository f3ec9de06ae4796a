import { constants } from 'node:fs'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { newId } from '../lib/ids.ts'

/** One slot is filled while the others are written. */
const SLOT_BYTES = 1024 * 1024
const SLOTS = 3
const FILE_BYTES = SLOTS * SLOT_BYTES
/** Files at once that have slots of this size; the system gives their memory only once it is used. */
const LARGE_FILES = 16
/** What each further file gets: 300 slow uploads at once must not take a gigabyte. */
const SMALL_SLOT_BYTES = 32 * 1024
/** Such writes are of whole blocks from memory that begins where a page does; no common disk has larger blocks. */
const BLOCK_BYTES = 4096

const slotsOf = (memory: Buffer, bytes: number): Buffer[] =>
  Array.from({ length: SLOTS }, (_, n) => memory.subarray(n * bytes, (n + 1) * bytes))

/** A buffer that may be resized has pages of its own. */
const pages = new ArrayBuffer(LARGE_FILES * FILE_BYTES, { maxByteLength: LARGE_FILES * FILE_BYTES })
const free = Array.from({ length: LARGE_FILES }, (_, n) =>
  slotsOf(Buffer.from(pages, n * FILE_BYTES, FILE_BYTES), SLOT_BYTES),
)

/**
 * Can files of a folder be written past the system's cache? It saves a copy and the wait for the whole file at its
 * end, and leaves the cache to others. Some file systems cannot, those in memory for one.
 *
 * What it is worth: an upload of 512 MB is twice to four times as fast, 0.4 to 0.9 of copying the file with fsync against
 * 0.2 to 0.25 (`npm run bench -- upload`, on a busy machine of two cores).
 */
export async function takesDirectWrites(folder: string): Promise<boolean> {
  const { O_DIRECT, O_CREAT, O_EXCL, O_WRONLY } = constants
  const path = join(folder, `.direct-${newId()}`)
  try {
    const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_DIRECT)
    try {
      const { bytesWritten } = await file.write(free[0]![0]!, 0, BLOCK_BYTES, 0)
      return bytesWritten === BLOCK_BYTES
    } finally {
      await file.close()
    }
  } catch {
    return false
  } finally {
    await rm(path, { force: true })
  }
}

/** Whose a file is to be. */
export interface Owner {
  uid: number
  gid: number
}

/**
 * Writes a new file and syncs it; returns its size in bytes. What was written stays when it throws.
 * @param direct past the system's cache, where `takesDirectWrites` says so
 * @param owner who gets it, where that is somebody else; only root may give
 */
export async function writeDurably(path: string, content: Readable, direct: boolean, owner?: Owner): Promise<number> {
  const large = free.pop()
  const slots = large ?? slotsOf(Buffer.allocUnsafeSlow(SLOTS * SMALL_SLOT_BYTES), SMALL_SLOT_BYTES)
  try {
    const { O_DIRECT, O_CREAT, O_EXCL, O_WRONLY } = constants
    const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | (direct && large ? O_DIRECT : 0))
    const sink = new FileSink(file, slots)
    try {
      if (owner) await file.chown(owner.uid, owner.gid) // by its handle: under its name a link may stand by now
      await pipeline(content, sink)
      await file.sync()
      return sink.size
    } catch (error) {
      throw sink.error ?? error
    } finally {
      await sink.settled()
      await file.close()
    }
  } finally {
    if (large) free.push(large)
  }
}

/**
 * Gathers what comes in slots, and writes each when it is full. The disk and the sender work at the same moment: a
 * stream of node:fs stops its sender until everything it holds is written.
 */
class FileSink extends Writable {
  /** Bytes handed to the disk so far. */
  size = 0
  /** Why the disk took no more. The streams break with another error: theirs must not look like the sender's own. */
  error: Error | undefined
  private readonly file: FileHandle
  private readonly empty: Buffer[]
  private readonly slotBytes: number
  private filled = 0
  private readonly writing = new Set<Promise<void>>()
  private goOn: (() => void) | undefined

  constructor(file: FileHandle, slots: Buffer[]) {
    super({ highWaterMark: slots[0]!.length })
    this.file = file
    this.empty = [...slots]
    this.slotBytes = slots[0]!.length
  }

  /** No write is under way any more. */
  async settled(): Promise<void> {
    while (this.writing.size > 0) await Promise.all(this.writing)
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.take(chunk, 0, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.finish().then(() => done(), done)
  }

  private async finish(): Promise<void> {
    if (this.filled > 0) this.flush()
    await this.settled()
    if (!this.error) await this.file.truncate(this.size) // the last block was a whole one
  }

  /** Takes the rest of a chunk; what finds no empty slot waits for one. */
  private take(chunk: Buffer, from: number, done: () => void): void {
    let taken = from
    while (taken < chunk.length && this.empty[0]) {
      const bytes = chunk.copy(this.empty[0], this.filled, taken)
      taken += bytes
      this.filled += bytes
      if (this.filled === this.slotBytes) this.flush()
    }
    if (taken === chunk.length) done()
    else this.goOn = () => this.take(chunk, taken, done)
  }

  /** Begins to write what the first empty slot holds. */
  private flush(): void {
    const slot = this.empty.shift()!
    const end = Math.ceil(this.filled / BLOCK_BYTES) * BLOCK_BYTES
    slot.fill(0, this.filled, end)
    const writing: Promise<void> = writeAll(this.file, slot.subarray(0, end), this.size).then(
      () => this.written(slot, writing),
      (error: Error) => {
        this.error ??= error
        this.writing.delete(writing)
        this.destroy(new Error('The file cannot be written'))
      },
    )
    this.writing.add(writing)
    this.size += this.filled
    this.filled = 0
  }

  private written(slot: Buffer, writing: Promise<void>): void {
    this.writing.delete(writing)
    this.empty.push(slot)
    const { goOn } = this
    this.goOn = undefined
    if (!this.destroyed) goOn?.()
  }
}

/** One call may write less than it was given, as on a disk that is almost full. */
export async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}
