import { once } from 'node:events'
import {
  close as closeFd,
  createReadStream,
  createWriteStream,
  fdatasync as fdatasyncFd,
  fsync as fsyncFd,
} from 'node:fs'
import { mkdir, open, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join, normalize, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { ObjectMissing, type ObjectInfo, type Storage } from './index.ts'

const SYNC_EVERY_MS = 100
const close = promisify(closeFd)
const fdatasync = promisify(fdatasyncFd)
const fsync = promisify(fsyncFd)

/** Audio on this machine's disk, below one folder. */
export class LocalStorage implements Storage {
  readonly kind = 'local'
  private readonly root: string

  private constructor(root: string) {
    this.root = root
  }

  static async open(root: string): Promise<LocalStorage> {
    await mkdir(root, { recursive: true })
    return new LocalStorage(normalize(root))
  }

  async write(key: string, content: Readable): Promise<number> {
    const path = this.path(key)
    const unfinished = `${path}.part`
    await mkdir(dirname(path), { recursive: true })
    try {
      const size = await writeDurably(unfinished, content)
      await rename(unfinished, path)
      await syncFolders(dirname(path), this.root)
      return size
    } catch (error) {
      content.resume() // lets the sender finish, so that it can read why it failed
      await this.remove(key)
      throw error
    }
  }

  async stat(key: string): Promise<ObjectInfo> {
    const info = await stat(this.path(key)).catch(asMissing)
    if (!info.isFile()) throw new ObjectMissing(key)
    return { size: info.size, modifiedAt: info.mtime }
  }

  async read(key: string, range?: { start: number; end: number }): Promise<Readable> {
    const file = await open(this.path(key)).catch(asMissing)
    return createReadStream('', { fd: file, ...range, highWaterMark: 256 * 1024 })
  }

  async remove(key: string): Promise<void> {
    const path = this.path(key)
    await Promise.all([rm(path, { force: true }), rm(`${path}.part`, { force: true })])
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.root)
    return bavail * bsize
  }

  private path(key: string): string {
    const path = join(this.root, key)
    if (key.includes('\0') || !path.startsWith(this.root + sep)) throw new ObjectMissing(key)
    return path
  }
}

function asMissing(error: NodeJS.ErrnoException): never {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw new ObjectMissing(error.message)
  throw error
}

/** Writes a new file and syncs it; answers its size in bytes. */
async function writeDurably(path: string, content: Readable): Promise<number> {
  const stream = createWriteStream(path, { flags: 'wx', autoClose: false, highWaterMark: 1024 * 1024 })
  const [fd] = (await once(stream, 'open')) as [number]
  const endSyncing = syncMeanwhile(fd)
  try {
    await pipeline(content, stream)
    const fault = await endSyncing()
    if (fault) throw fault
    await fsync(fd)
    return stream.bytesWritten
  } finally {
    await endSyncing()
    await close(fd)
  }
}

/**
 * Has the disk write while the file still arrives: else the last sync would wait for all of it at once.
 * @returns ends it, and answers the first fault: the system tells a fault once, so the last sync would not meet it
 */
function syncMeanwhile(fd: number): () => Promise<Error | undefined> {
  let running: Promise<void> | undefined
  let fault: Error | undefined
  const timer = setInterval(() => {
    running ??= fdatasync(fd)
      .catch((error: Error) => void (fault ??= error))
      .finally(() => (running = undefined))
  }, SYNC_EVERY_MS)
  return async () => {
    clearInterval(timer)
    await running
    return fault
  }
}

/** Makes a rename durable: the folder that names the file, and those above that may be new. */
async function syncFolders(folder: string, root: string): Promise<void> {
  for (let at = folder; at.startsWith(root); at = dirname(at)) {
    const handle = await open(at)
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
}
