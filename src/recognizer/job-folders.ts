import { createWriteStream, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { trackBufferAllocation } from '../platform/lib/buffer-memory.ts'
import type { Logger } from '../platform/lib/log.ts'

const FOLDER_PREFIX = 'svc-asr-'
/** The name of a folder contains the id and the start time of its process, because the system reuses ids. */
const OWNER_PATTERN = new RegExp(`^${FOLDER_PREFIX}(\\d+)-(\\d*)-`)

/** Creates a temporary folder for each received file. `open()` first removes the folders of processes that have ended. */
export class RecognizerJobFolders {
  private count = 0

  private constructor(private readonly root: string) {}

  static async open(log: Logger): Promise<RecognizerJobFolders> {
    const folder = tmpdir()
    for (const name of await readdir(folder)) {
      const [, owner, started] = OWNER_PATTERN.exec(name) ?? []
      if (owner === undefined || readProcessStartTime(Number(owner)) === started) continue
      // The folder can belong to another user.
      await rm(join(folder, name), { recursive: true, force: true }).catch((error: Error) =>
        log.warn(
          { folder: join(folder, name), reason: error.message },
          'files of a crashed recognizer could not be deleted',
        ),
      )
    }
    return new RecognizerJobFolders(
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

/** Returns the start time of a process in clock ticks since boot, or '' if the process does not exist. */
function readProcessStartTime(id: number): string {
  try {
    // The process name in parentheses can contain any characters. The start time is the 20th field after it.
    return readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[19]!
  } catch {
    return ''
  }
}

/** Thrown if a request body exceeds the size limit. */
export class BodyTooLargeError extends Error {}

/**
 * Writes a request body to a file and returns its size in bytes.
 * @param limit the maximum size in bytes
 * @throws BodyTooLargeError if the body is larger; the rest of the body is not read
 */
export async function writeBodyToFile(body: AsyncIterable<Buffer>, file: string, limit: number): Promise<number> {
  let size = 0
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      trackBufferAllocation(chunk.length)
      if (size > limit) done(new BodyTooLargeError())
      else done(null, chunk)
    },
  })
  await pipeline(body, count, createWriteStream(file))
  return size
}
