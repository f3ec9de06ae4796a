import type { Readable } from 'node:stream'
import { foreignScheme, type ListedObject, type ObjectInfo, type Storage } from './index.ts'

/**
 * A storage with another one beside it, for an ingestion whose files lie elsewhere than uploads: they stay where they
 * are, under keys such as s3://in/call.wav.
 */
export class StorageWithForeign implements Storage {
  readonly kind: Storage['kind']
  readonly uploadPrefix: string
  private readonly own: Storage
  private readonly foreign: Storage
  private readonly scheme: string

  constructor(own: Storage, foreign: Storage) {
    this.kind = own.kind
    this.uploadPrefix = own.uploadPrefix
    this.own = own
    this.foreign = foreign
    this.scheme = foreignScheme(foreign.kind)
  }

  write(key: string, content: Readable): Promise<number> {
    return this.own.write(key, content)
  }

  stat(key: string): Promise<ObjectInfo> {
    const [storage, plain] = this.find(key)
    return storage.stat(plain)
  }

  read(key: string, range?: { start: number; end: number }): Promise<Readable> {
    const [storage, plain] = this.find(key)
    return storage.read(plain, range)
  }

  remove(key: string): Promise<void> {
    const [storage, plain] = this.find(key)
    return storage.remove(plain)
  }

  async *list(folder: string): AsyncIterable<ListedObject> {
    const [storage, plain] = this.find(folder)
    const scheme = storage === this.foreign ? this.scheme : ''
    for await (const { key, ...rest } of storage.list(plain)) yield { key: scheme + key, ...rest }
  }

  freeBytes(): Promise<number | null> {
    return this.own.freeBytes()
  }

  private find(key: string): [Storage, string] {
    return key.startsWith(this.scheme) ? [this.foreign, key.slice(this.scheme.length)] : [this.own, key]
  }
}
