import { open, type FileHandle } from 'node:fs/promises'
import { Writable, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const SYNC_EVERY_MS = 100

/** So much may wait in memory for the disk: above it the sender stops, at half of it it goes on. */
const WAITING_BYTES = 2 * 1024 * 1024

/** Writes a new file and syncs it; answers its size in bytes. What was written stays when it throws. */
export async function writeDurably(path: string, content: Readable): Promise<number> {
  const file = await open(path, 'wx')
  const sink = new FileSink(file)
  const endSyncing = syncMeanwhile(file)
  try {
    await pipeline(content, sink)
    const fault = await endSyncing()
    if (fault) throw fault
    await file.sync()
    return sink.size
  } catch (error) {
    throw sink.fault ?? error
  } finally {
    await endSyncing()
    await file.close() // waits for a write that is still under way
  }
}

/**
 * Writes to the end of a file, one write at a time with all that has come meanwhile. The disk and the sender work at
 * the same moment: a stream of node:fs stops its sender until everything it holds is written.
 */
class FileSink extends Writable {
  /** Bytes written so far. */
  size = 0
  /** Why the disk took no more. The streams break with another error: theirs must not look like the sender's own. */
  fault: Error | undefined
  private readonly file: FileHandle
  private waiting: Buffer[] = []
  private waitingBytes = 0
  private writing: Promise<void> | undefined
  private goOn: (() => void) | undefined

  constructor(file: FileHandle) {
    super({ highWaterMark: 1024 * 1024 })
    this.file = file
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.waiting.push(chunk)
    this.waitingBytes += chunk.length
    if (this.waitingBytes < WAITING_BYTES) done()
    else this.goOn = done
    this.writing ??= this.writeWaiting().catch((error: Error) => {
      this.fault = error
      this.destroy(new Error('The file cannot be written'))
    })
  }

  override _final(done: (error?: Error) => void): void {
    void (this.writing ?? Promise.resolve()).then(() => done())
  }

  private async writeWaiting(): Promise<void> {
    while (this.waiting.length > 0) {
      const chunks = this.waiting
      this.waiting = []
      const bytes = await writeAll(this.file, chunks)
      this.size += bytes
      this.waitingBytes -= bytes
      if (this.waitingBytes > WAITING_BYTES / 2) continue
      // Called last: it may hand over the next chunk at once, with a goOn of its own.
      const { goOn } = this
      this.goOn = undefined
      goOn?.()
    }
    this.writing = undefined
  }
}

/** One call may write less than it was given: more buffers than the system takes at once, or a disk almost full. */
async function writeAll(file: FileHandle, chunks: Buffer[]): Promise<number> {
  let total = 0
  for (let rest = chunks; rest.length > 0;) {
    const { bytesWritten } = await file.writev(rest)
    total += bytesWritten
    rest = without(rest, bytesWritten)
  }
  return total
}

function without(chunks: Buffer[], bytes: number): Buffer[] {
  let left = bytes
  let whole = 0
  while (whole < chunks.length && left >= chunks[whole]!.length) left -= chunks[whole++]!.length
  const rest = chunks.slice(whole)
  if (left > 0) rest[0] = rest[0]!.subarray(left)
  return rest
}

/**
 * Has the disk write while the file still arrives: else the last sync would wait for all of it at once.
 * @returns ends it, and answers the first fault: the system tells a fault once, so the last sync would not meet it
 */
function syncMeanwhile(file: FileHandle): () => Promise<Error | undefined> {
  let running: Promise<void> | undefined
  let fault: Error | undefined
  const timer = setInterval(() => {
    running ??= file
      .datasync()
      .catch((error: Error) => void (fault ??= error))
      .finally(() => (running = undefined))
  }, SYNC_EVERY_MS)
  return async () => {
    clearInterval(timer)
    await running
    return fault
  }
}
