import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TestS3Server } from './s3-server.ts'

/** A watched folder in S3 or on this machine, into which tests put files. */
export class TestWatchedFolder {
  private readonly storage: TestS3Server | string
  private readonly folder: string

  /** @param storage the S3 server, or the path of the audio folder that contains the inbox */
  constructor(storage: TestS3Server | string, folder: string) {
    this.storage = storage
    this.folder = folder
  }

  async writeFile(name: string, content: string | Buffer | object): Promise<void> {
    const bytes = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content)
    if (typeof this.storage !== 'string') return this.storage.writeObject(this.folder + name, bytes)
    const path = join(this.storage, this.folder + name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, bytes)
  }

  async deleteFile(name: string): Promise<void> {
    if (typeof this.storage !== 'string') await this.storage.deleteObject(this.folder + name)
    else await rm(join(this.storage, this.folder + name), { recursive: true, force: true })
  }
}
