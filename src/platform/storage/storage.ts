import type { Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Message } from '../lib/messages.ts'

/** The storage has no object with this key. */
export class ObjectMissingError extends Error {}

/** Returns undefined if the object is missing. */
export function ignoreMissingObject<T>(request: Promise<T>): Promise<T | undefined> {
  return request.catch((error: unknown) => {
    if (error instanceof ObjectMissingError) return undefined
    throw error
  })
}

/** The storage does not respond, or rejects our credentials. This says nothing about any object; a retry can help. */
export class StorageUnavailableError extends Error {
  constructor(readonly reason: Message) {
    super(reason.text)
  }
}

/** What a storage knows of an object without reading it. */
export interface ObjectInfo {
  /** Bytes. */
  size: number
  modifiedAt: Date
  /** A tag that changes with the content. */
  tag: string
}

/** An object in a listing. */
export interface ListedObject {
  key: string
  size: number
  /** Changes when the object is written again. */
  version: string
}

/** Stores audio by plain key (isPlainKey); other keys are missing. Every method can throw StorageUnavailableError. */
export interface AudioStorage {
  readonly kind: 'local' | 's3'
  /** The folder of uploads, with "/" at its end. */
  readonly uploadPrefix: string
  /** Stores a stream durably, or nothing, and adds its bytes to the hash. Returns its size in bytes. */
  write(key: string, content: Readable, hash?: Hash): Promise<number>
  /** @throws ObjectMissingError */
  stat(key: string): Promise<ObjectInfo>
  /** The bytes from `start` to `end`, both inclusive. @throws ObjectMissingError */
  read(key: string, range?: { start: number; end: number }): Promise<Readable>
  /** Removes the object and what an interrupted write left of it. A missing object is no error. */
  remove(key: string): Promise<void>
  /** Every object below a folder except hidden files, in no order, page by page. */
  list(folder: string): AsyncIterable<ListedObject>
  /** Free bytes; null without a limit. */
  freeBytes(): Promise<number | null>
}

/** The folder of playable copies of calls. */
export const copiesFolderOf = ({ uploadPrefix }: AudioStorage): string => `${uploadPrefix}playable/`

/** Whether a key belongs to a copy that browsers can play. */
export const isPlayableCopy = (storage: AudioStorage, key: string): boolean => key.startsWith(copiesFolderOf(storage))

/** Begins the key of an object in the other kind of storage. No plain key has an empty part. */
export const formatKeyScheme = (kind: AudioStorage['kind']): string => `${kind}://`

/** An index of Postgres takes entries of 2,704 bytes, and some keys have a scheme before them. */
const MAX_KEY_BYTES = 2600

/** Whether a key is valid UTF-8 without control characters, backslashes, or empty, "." and ".." parts. */
export function isPlainKey(key: string): boolean {
  return (
    key.length <= 1024 &&
    Buffer.byteLength(key) <= MAX_KEY_BYTES &&
    key.isWellFormed() &&
    // oxlint-disable-next-line no-control-regex
    !/[\u0000-\u001f\u007f\\]/.test(key) &&
    key.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  )
}
