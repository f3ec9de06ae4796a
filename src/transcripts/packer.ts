import { Worker } from 'node:worker_threads'
import { threadFile } from '../lib/thread-file.ts'
import type { Packed } from './pack.ts'
import type { Joined, PackedTogether } from './pack-thread.ts'

/**
 * Compresses files in a thread of its own while the next ones are read: that is half of the work of a zip, and would
 * keep other requests waiting. To be closed by whoever made it.
 */
export class Packer {
  private readonly thread = new Worker(threadFile('zip-worker'))
  private readonly waiting: ((packed: PackedTogether) => void)[] = []
  private readonly ended: Promise<never>

  constructor() {
    this.thread.on('message', (packed: PackedTogether) => this.waiting.shift()!(packed))
    this.ended = new Promise((_, reject) => {
      this.thread.once('error', reject)
      this.thread.once('exit', () => reject(new Error('the thread that compresses has ended')))
    })
    this.ended.catch(() => undefined) // whoever waits for files hears of it
  }

  /** Compresses the files of one call after those of the call before. */
  async pack(files: Buffer[]): Promise<Packed[]> {
    // A buffer of its own, which is handed over and not copied once more.
    const bytes = new Uint8Array(files.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const file of files) {
      bytes.set(file, at)
      at += file.length
    }
    const answer = new Promise<PackedTogether>((resolve) => this.waiting.push(resolve))
    const joined: Joined = { bytes, lengths: files.map(({ length }) => length) }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.thread.postMessage(joined, [bytes.buffer])
    return apart(await Promise.race([answer, this.ended]))
  }

  async close(): Promise<void> {
    await this.thread.terminate()
  }
}

function apart({ bytes, files }: PackedTogether): Packed[] {
  let at = 0
  return files.map(({ length, crc, size }) => ({ bytes: bytes.subarray(at, (at += length)), crc, size }))
}
