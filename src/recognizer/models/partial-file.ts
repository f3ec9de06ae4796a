import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readFile, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { HubFileMetadata } from './hub.ts'

/** Identifies the content of a partial file. It is stored beside the file, so that a later start can resume the download. */
export interface PartialDownloadOrigin extends HubFileMetadata {
  etag?: string
}

/** A partial download: FILE.part with the bytes and FILE.part.json with their origin. */
export class PartialDownloadFile {
  readonly path: string
  size = 0
  origin: PartialDownloadOrigin = {}
  private handle: FileHandle | undefined

  private constructor(private readonly target: string) {
    this.path = `${target}.part`
  }

  /** Loads the partial file of an earlier attempt. Without one, returns an empty partial file. */
  static async load(target: string): Promise<PartialDownloadFile> {
    const part = new PartialDownloadFile(target)
    const found = await stat(part.path).catch(() => undefined)
    const origin = await readFile(part.originPath, 'utf8')
      .then(JSON.parse, () => undefined)
      .catch(() => undefined)
    // Without a stored origin, we do not know the content that the bytes belong to and cannot resume.
    if (found?.isFile() && origin) {
      part.size = found.size
      part.origin = origin as PartialDownloadOrigin
    }
    return part
  }

  private get originPath(): string {
    return `${this.path}.json`
  }

  async restart(origin: PartialDownloadOrigin): Promise<void> {
    await this.close()
    // Truncate before writing the origin, so that old bytes never get the new origin.
    this.handle = await open(this.path, 'w')
    this.size = 0
    this.origin = origin
    await writeFile(this.originPath, JSON.stringify(origin))
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.handle ??= await open(this.path, 'r+')
    for (let at = 0; at < bytes.length;) {
      const { bytesWritten } = await this.handle.write(bytes, at, bytes.length - at, this.size)
      at += bytesWritten
      this.size += bytesWritten
    }
  }

  async sha256(): Promise<string> {
    const hash = createHash('sha256')
    await pipeline(createReadStream(this.path, { highWaterMark: 1024 * 1024 }), hash)
    return hash.digest('hex')
  }

  /** Moves the complete file to its final path. The sync calls make the move survive a power failure. */
  async finish(): Promise<void> {
    this.handle ??= await open(this.path, 'r+')
    await this.handle.sync()
    await this.close()
    await rename(this.path, this.target)
    const folder = await open(dirname(this.target), 'r')
    await folder.sync()
    await folder.close()
    await rm(this.originPath, { force: true })
  }

  async drop(): Promise<void> {
    await this.close()
    await rm(this.path, { force: true })
    await rm(this.originPath, { force: true })
    this.size = 0
    this.origin = {}
  }

  async close(): Promise<void> {
    const { handle } = this
    this.handle = undefined
    await handle?.close()
  }
}
