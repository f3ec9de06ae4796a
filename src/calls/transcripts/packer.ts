import { Worker } from 'node:worker_threads'
import { threadFile } from '../../platform/lib/thread-file.ts'
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
  private readonly gone: Promise<unknown>
  private ended: Error | undefined

  constructor() {
    this.gone = new Promise((resolve) => this.thread.once('exit', resolve))
    this.thread.on('message', (packed: PackedTogether) => this.waiting.shift()!.resolve(packed))
    this.thread.once('error', (error) => this.fail(error))
    this.thread.once('exit', () => this.fail(new Error('the thread that compresses has ended')))
  }

  /**
   * Compresses the files of one call after those of the call before.
   * @param ending what stands at the end of each file that is not empty, besides what it holds
   */
  async pack(files: Buffer[], ending: Uint8Array = NOTHING): Promise<Packed[]> {
    if (this.ended) throw this.ended
    const joined = joinedWith(files, ending)
    const packed = new Promise<PackedTogether>((resolve, reject) => this.waiting.push({ resolve, reject }))
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.thread.postMessage(joined, [joined.bytes.buffer as ArrayBuffer])
    return apart(await packed)
  }

  private fail(error: Error): void {
    this.ended ??= error
    for (const { reject } of this.waiting.splice(0)) reject(this.ended)
  }

  /**
   * Has the thread end once what it was given is packed, some 30 ms. It must not be terminated: Node ends the whole
   * process where that happens while zlib is being set up ("close before init").
   */
  async close(): Promise<void> {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.thread.postMessage(null)
    await this.gone
  }
}

const NOTHING = new Uint8Array(0)

/** In a buffer of its own, which is handed over and not copied once more. */
function joinedWith(files: Buffer[], ending: Uint8Array): Joined {
  const lengths = Uint32Array.from(files, ({ length }) => (length > 0 ? length + ending.length : 0))
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  for (const [n, file] of files.entries()) {
    bytes.set(file, at)
    at += lengths[n]!
    if (file.length > 0) bytes.set(ending, at - ending.length)
  }
  return { bytes, lengths }
}

function apart({ bytes, facts }: PackedTogether): Packed[] {
  let at = 0
  return Array.from({ length: facts.length / 3 }, (_, n) => {
    const length = facts[3 * n]!
    return { bytes: bytes.subarray(at, (at += length)), crc: facts[3 * n + 1]!, size: facts[3 * n + 2]! }
  })
}
