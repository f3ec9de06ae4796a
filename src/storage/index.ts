import type { Readable } from 'node:stream'
import type { Config } from '../config.ts'
import { LocalStorage } from './local.ts'

/** No such object in the storage. */
export class ObjectMissing extends Error {}

/** What is known of an object: its size in bytes and a tag that changes with its content. */
export interface ObjectInfo {
  size: number
  modifiedAt: Date
}

/** Where audio lies. Keys are relative paths with "/"; a key that would leave the storage is not there. */
export interface Storage {
  readonly kind: 'local' | 's3'
  /** Stores a stream whole and durably, or nothing: answers its size once it would survive a power cut. */
  write(key: string, content: Readable): Promise<number>
  /** @throws ObjectMissing */
  stat(key: string): Promise<ObjectInfo>
  /** The bytes from `start` to `end`, both inclusive. @throws ObjectMissing */
  read(key: string, range?: { start: number; end: number }): Promise<Readable>
  /** Removes the object and what an interrupted write left of it. No error when there is none. */
  remove(key: string): Promise<void>
  /** Free bytes, or null where the storage knows no limit. */
  freeBytes(): Promise<number | null>
}

/** The storage that STORAGE_KIND names. */
export async function openStorage(config: Config): Promise<Storage> {
  return LocalStorage.open(config.audioDir)
}
