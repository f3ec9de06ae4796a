import { createWriteStream, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { trackBufferAllocation } from '../platform/lib/buffer-memory.ts'
import type { Logger } from '../platform/lib/log.ts'

const FOLDER_PREFIX = 'svc-asr-'
/** The folder is named after the id and the start time of its process, because ids repeat. */
const OWNER_PATTERN = new RegExp(`^${FOLDER_PREFIX}(\\d+)-(\\d*)-`)

/** A folder for each file in work; folders of dead processes are removed. */
export class JobFolders {
  private count = 0

  private constructor(private readonly root: string) {}

  static async open(log: Logger): Promise<JobFolders> {
    const folder = tmpdir()
    for (const name of await readdir(folder)) {
      const [, owner, started] = OWNER_PATTERN.exec(name) ?? []
      if (owner === undefined || readProcessStartTime(Number(owner)) === started) continue
      // The folder of another user cannot be removed.
      await rm(join(folder, name), { recursive: true, force: true }).catch((error: Error) =>
        log.warn({ folder: join(folder, name), reason: error.message }, 'what a crashed recognizer left stays'),
      )
    }
    return new JobFolders(
      await mkdtemp(join(folder, `${FOLDER_PREFIX}${process.pid}-${readProcessStartTime(process.pid)}-`)),
    )
  }

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

/** Start time of a process in ticks since boot; empty if it does not run. */
function readProcessStartTime(id: number): string {
  try {
    // The name in parentheses can contain anything; the start time is the 20th field after it.
    return readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[19]!
  } catch {
    return ''
  }
}

/** The body exceeds the limit. */
export class TooLargeError extends Error {}

/** Writes a body to a file; returns its size. @throws TooLargeError, leaving the rest unread */
export async function receiveBody(body: AsyncIterable<Buffer>, file: string, limit: number): Promise<number> {
  let size = 0
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      trackBufferAllocation(chunk.length)
      if (size > limit) done(new TooLargeError())
      else done(null, chunk)
    },
  })
  await pipeline(body, count, createWriteStream(file))
  return size
}
