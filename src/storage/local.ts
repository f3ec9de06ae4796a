import { constants, createReadStream } from 'node:fs'
import {
  chown,
  lstat,
  mkdir,
  open,
  opendir,
  readlink,
  realpath,
  rename,
  stat,
  statfs,
  unlink,
  type FileHandle,
} from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { Readable } from 'node:stream'
import { takesDirectWrites, writeDurably } from './durable-file.ts'
import { storageMessages } from './messages.ts'
import {
  isPlainKey,
  ObjectMissing,
  StorageUnavailable,
  type ListedObject,
  type ObjectInfo,
  type Storage,
} from './index.ts'

/** Audio on this machine's disk, below one folder. */
export class LocalStorage implements Storage {
  readonly kind = 'local'
  readonly uploadPrefix = 'uploads/'
  private readonly root: string
  /** Whether the uploads' file system takes direct writes, once it was asked. */
  private direct: Promise<boolean> | undefined

  private constructor(root: string) {
    this.root = root
  }

  static async open(root: string): Promise<LocalStorage> {
    await mkdir(root, { recursive: true })
    return new LocalStorage(await realpath(root))
  }

  async write(key: string, content: Readable): Promise<number> {
    const path = this.path(key)
    const unfinished = `${path}.part`
    const firstMade = await mkdir(dirname(path), { recursive: true })
    try {
      if (firstMade) await this.handOverFolders(dirname(path), firstMade)
      this.direct ??= takesDirectWrites(dirname(path))
      const size = await writeDurably(unfinished, content, await this.direct)
      await this.handOver(unfinished)
        .then(() => rename(unfinished, path))
        .catch((error: NodeJS.ErrnoException) => {
          throw error.code === 'ENOENT' ? new StorageUnavailable(storageMessages.removed()) : error
        })
      await syncFolders(dirname(path), this.root)
      return size
    } catch (error) {
      content.resume() // lets the sender finish, so that it can read why it failed
      await this.remove(key)
      throw error
    }
  }

  async stat(key: string): Promise<ObjectInfo> {
    return this.inFolder(key, async (path) => {
      const info = await lstat(path)
      if (!info.isFile()) throw new ObjectMissing(key)
      return { size: info.size, modifiedAt: info.mtime, tag: tagOf(info) }
    })
  }

  async read(key: string, range?: { start: number; end: number }): Promise<Readable> {
    const file = await this.inFolder(key, (path) => openFile(path, key, range?.end))
    return createReadStream('', { fd: file, ...range, highWaterMark: 256 * 1024 })
  }

  async remove(key: string): Promise<void> {
    try {
      await this.inFolder(key, async (path) => {
        await Promise.all([unlinkFile(path), unlinkFile(`${path}.part`)])
      })
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error // there is none: what stands there now is not ours
    }
  }

  async *list(folder: string): AsyncIterable<ListedObject> {
    for await (const file of filesBelow(this.path(folder.replace(/\/$/, '')))) {
      const key = relative(this.root, file)
      const info = isPlainKey(key) ? await lstat(file).catch(() => undefined) : undefined // it may be gone meanwhile
      if (info) yield { key, size: info.size, version: tagOf(info) }
    }
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.root)
    return bavail * bsize
  }

  private async handOverFolders(last: string, first: string): Promise<void> {
    for (let at = last; at.startsWith(first); at = dirname(at)) await this.handOver(at)
  }

  /**
   * Gives what root has made to the owner of the whole folder: else an ordinary user's uploads of that day would fail in
   * a folder of root's.
   */
  private async handOver(path: string): Promise<void> {
    if (process.getuid?.() !== 0) return
    const { uid, gid } = await stat(this.root)
    if (uid !== 0) await chown(path, uid, gid)
  }

  private path(key: string): string {
    if (!isPlainKey(key)) throw new ObjectMissing(key)
    return join(this.root, key)
  }

  /**
   * Works on a file that must be reached without symbolic links: they could lead outside. Whoever may write here may
   * exchange a folder at any moment, so the folder is opened, the handle is judged, and the file is named below it.
   * @throws ObjectMissing
   */
  private async inFolder<T>(key: string, work: (path: string) => Promise<T>): Promise<T> {
    const path = this.path(key)
    const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
    try {
      const folder = await open(dirname(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      try {
        const held = `/proc/self/fd/${folder.fd}`
        if ((await readlink(held)) !== dirname(path)) throw new ObjectMissing(key)
        return await work(join(held, basename(path)))
      } finally {
        await folder.close()
      }
    } catch (error) {
      throw asMissing(error)
    }
  }
}

/** Opens a regular file, and waits for no other kind: opening a pipe would wait for its writer. */
async function openFile(path: string, key: string, lastByte = -1): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const info = await file.stat()
    if (!info.isFile() || lastByte >= info.size) throw new ObjectMissing(key)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Removes a file. A folder of that name stays: it is no object. */
async function unlinkFile(path: string): Promise<void> {
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'EISDIR') throw error
  })
}

const tagOf = ({ size, mtimeMs }: { size: number; mtimeMs: number }): string =>
  `${size.toString(16)}-${Math.floor(mtimeMs).toString(16)}`

/**
 * Every file below a folder; none when there is no such folder, or it is closed to us. Symbolic links are left out,
 * because they may lead outside; so are the hidden files that programs keep while they copy.
 */
async function* filesBelow(folder: string): AsyncIterable<string> {
  const entries = await opendir(folder, { bufferSize: 256 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'EACCES') throw error
  })
  for await (const entry of entries ?? []) {
    const path = join(folder, entry.name)
    if (entry.name.startsWith('.')) continue
    if (entry.isDirectory()) yield* filesBelow(path)
    else if (entry.isFile()) yield path
  }
}

/** What a name leads to that is no file of ours: nothing, a link, a socket. */
const NO_FILE = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENXIO']

function asMissing(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  return code && NO_FILE.includes(code) ? new ObjectMissing(message) : error
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
