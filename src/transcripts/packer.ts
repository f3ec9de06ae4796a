import { Worker } from 'node:worker_threads'
import { threadFile } from '../lib/thread-file.ts'
import type { Packed } from './pack.ts'
import type { Joined, PackedTogether } from './pack-thread.ts'

/** Little lives on from file to file, so a small heap is emptied often and stays small. */
const MOST_YOUNG_MEGABYTES = 4

/**
 * Compresses files in a thread of its own while the next ones are read: that is half of the work of a zip, and would
 * keep other requests waiting. To be closed by whoever made it.
 */
export class Packer {
  private readonly thread = new Worker(threadFile('zip-worker'), {
    resourceLimits: { maxYoungGenerationSizeMb: MOST_YOUNG_MEGABYTES },
  })
  private readonly waiting: { resolve: (packed: PackedTogether) => void; reject: (error: Error) => void }[] = []
  private ended: Error | undefined

  constructor() {
    this.thread.on('message', (packed: PackedTogether) => this.waiting.shift()!.resolve(packed))
    this.thread.once('error', (error) => this.fail(error))
    this.thread.once('exit', () => this.fail(new Error('the thread that compresses has ended')))
  }

  /** Compresses the files of one call after those of the call before. */
  async pack(files: Buffer[]): Promise<Packed[]> {
    if (this.ended) throw this.ended
    // A buffer of its own, which is handed over and not copied once more.
    const bytes = new Uint8Array(files.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const file of files) {
      bytes.set(file, at)
      at += file.length
    }
    const joined: Joined = { bytes, lengths: files.map(({ length }) => length) }
    const packed = new Promise<PackedTogether>((resolve, reject) => this.waiting.push({ resolve, reject }))
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.thread.postMessage(joined, [bytes.buffer])
    return apart(await packed)
  }

  private fail(error: Error): void {
    this.ended ??= error
    for (const { reject } of this.waiting.splice(0)) reject(this.ended)
  }

  async close(): Promise<void> {
    await this.thread.terminate()
  }
}

function apart({ bytes, files }: PackedTogether): Packed[] {
  let at = 0
  return files.map(({ length, crc, size }) => ({ bytes: bytes.subarray(at, (at += length)), crc, size }))
}
