import { createReadStream } from 'node:fs'
import { chown, lstat, mkdir, open, opendir, realpath, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Readable } from 'node:stream'
import { takesDirectWrites, writeDurably } from './durable-file.ts'
import { isPlainKey, ObjectMissing, type ListedObject, type ObjectInfo, type Storage } from './index.ts'

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
    const info = await stat(await this.existing(key)).catch(asMissing)
    if (!info.isFile()) throw new ObjectMissing(key)
    return { size: info.size, modifiedAt: info.mtime, tag: tagOf(info) }
  }

  async read(key: string, range?: { start: number; end: number }): Promise<Readable> {
    const file = await open(await this.existing(key)).catch(asMissing)
    return createReadStream('', { fd: file, ...range, highWaterMark: 256 * 1024 })
  }

  async remove(key: string): Promise<void> {
    const path = this.path(key)
    await Promise.all([rm(path, { force: true }), rm(`${path}.part`, { force: true })])
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

  /** The path of a file that must be there, and be reached without symbolic links: they could lead outside. */
  private async existing(key: string): Promise<string> {
    const path = this.path(key)
    if ((await realpath(path).catch(asMissing)) !== path) throw new ObjectMissing(key)
    return path
  }
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

function asMissing(error: NodeJS.ErrnoException): never {
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(error.code ?? '')) throw new ObjectMissing(error.message)
  throw error
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
