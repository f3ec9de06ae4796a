import { createWriteStream, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { trackBufferAllocation } from '../platform/lib/free-buffers.ts'
import type { Logger } from '../platform/lib/log.ts'

const PREFIX = 'svc-asr-'
/** The folder's name tells whose it is: the process's id, and when that process began. */
const OWNER = new RegExp(`^${PREFIX}(\\d+)-(?:(\\d+)-)?`)

/** The folder of this process's jobs: one folder a job, one opaque file name in it, nothing beside it to name. */
export class Jobs {
  private readonly root: string
  private count = 0

  private constructor(root: string) {
    this.root = root
  }

  /** Makes the folder, and removes those that crashed processes left. */
  static async open(log: Logger): Promise<Jobs> {
    const folder = tmpdir()
    for (const name of await readdir(folder)) {
      const [, owner, began = ''] = OWNER.exec(name) ?? []
      if (!owner || runs(Number(owner), began)) continue
      // Another user's cannot be removed by us, which is no reason not to start.
      await rm(join(folder, name), { recursive: true, force: true }).catch((error: Error) =>
        log.warn({ folder: join(folder, name), reason: error.message }, 'what a crashed recognizer left stays'),
      )
    }
    return new Jobs(await mkdtemp(join(folder, `${PREFIX}${process.pid}-${beginningOf(process.pid)}-`)))
  }

  /** Runs `work` with the path of a file that does not exist yet; whatever becomes of it, it is gone afterwards. */
  async withFile<T>(work: (file: string) => Promise<T>): Promise<T> {
    const folder = join(this.root, String(++this.count))
    await mkdir(folder)
    try {
      return await work(join(folder, 'audio'))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  async close(): Promise<void> {
    await rm(this.root, { recursive: true, force: true })
  }
}

/** Does the process still run that had this id and began then? Ids come again, in a container the same ones always. */
function runs(id: number, began: string): boolean {
  if (began) return beginningOf(id) === began
  if (id === process.pid) return false
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** When a process began, in ticks since the machine started; empty where that is not to be known. */
function beginningOf(id: number): string {
  try {
    // The name in brackets may hold anything; the beginning is the 20th field behind it.
    return readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[19]!
  } catch {
    return ''
  }
}

/** A body with more bytes than allowed. */
export class TooLargeError extends Error {}

/**
 * Writes a body to a file and returns its number of bytes.
 * @throws TooLargeError past `limit` bytes; the rest of the body is left unread
 */
export async function receive(body: Readable, file: string, limit: number): Promise<number> {
  let size = 0
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      trackBufferAllocation(chunk.length)
      if (size > limit) done(new TooLargeError())
      else done(null, chunk)
    },
  })
  // The body's own stream must survive a refusal: the connection still has to carry the answer.
  await pipeline(body.iterator({ destroyOnReturn: false }), count, createWriteStream(file))
  return size
}
