import type { Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Config } from '../config/config.ts'
import {
  formatStorageKeyScheme,
  type ListedStorageObject,
  type StorageObjectInfo,
  type AudioStorage,
} from './storage.ts'
import { LocalAudioStorage } from './local.ts'

/** Opens the storage of STORAGE_KIND. If the ingestion uses the other kind, its files are accessible too. */
export async function openAudioStorage(config: Config): Promise<AudioStorage> {
  // Load the S3 client only if it is needed.
  const openS3 = async () => new (await import('./s3.ts')).S3AudioStorage(config)
  const local = await LocalAudioStorage.open(config.audioDir)
  if (config.STORAGE_KIND === 's3') return new CompositeStorage(await openS3(), local)
  return config.INGESTION_SOURCE === 's3' ? new CompositeStorage(local, await openS3()) : local
}

/** Combines a storage with one of the other kind. Objects of the other one have keys such as s3://in/call.wav. */
class CompositeStorage implements AudioStorage {
  readonly kind: AudioStorage['kind']
  readonly uploadPrefix: string
  private readonly scheme: string

  constructor(
    private readonly own: AudioStorage,
    private readonly foreign: AudioStorage,
  ) {
    this.kind = own.kind
    this.uploadPrefix = own.uploadPrefix
    this.scheme = formatStorageKeyScheme(foreign.kind)
  }

  write(key: string, content: Readable, hash?: Hash): Promise<number> {
    return this.own.write(key, content, hash)
  }

  stat(key: string): Promise<StorageObjectInfo> {
    const [storage, ownKey] = this.locate(key)
    return storage.stat(ownKey)
  }

  read(key: string, range?: { start: number; end: number }): Promise<Readable> {
    const [storage, ownKey] = this.locate(key)
    return storage.read(ownKey, range)
  }

  remove(key: string): Promise<void> {
    const [storage, ownKey] = this.locate(key)
    return storage.remove(ownKey)
  }

  async *list(folder: string): AsyncIterable<ListedStorageObject> {
    const [storage, ownFolder] = this.locate(folder)
    const scheme = storage === this.foreign ? this.scheme : ''
    for await (const object of storage.list(ownFolder)) yield { ...object, key: scheme + object.key }
  }

  freeBytes(): Promise<number | null> {
    return this.own.freeBytes()
  }

  private locate(key: string): [storage: AudioStorage, ownKey: string] {
    return key.startsWith(this.scheme) ? [this.foreign, key.slice(this.scheme.length)] : [this.own, key]
  }
}
