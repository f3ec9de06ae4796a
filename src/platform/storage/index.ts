import type { Readable } from 'node:stream'
import type { Message } from '../lib/messages.ts'

/** No such object in the storage. */
export class ObjectMissing extends Error {}

/** The storage does not answer, or not to us: nothing is said of any object, and trying again later may help. */
export class StorageUnavailable extends Error {
  readonly reason: Message
  constructor(reason: Message) {
    super(reason.text)
    this.reason = reason
  }
}

/** What is known of an object. */
export interface ObjectInfo {
  /** Bytes. */
  size: number
  modifiedAt: Date
  /** A tag that changes with the content. */
  tag: string
}

/** An object as a listing names it. */
export interface ListedObject {
  key: string
  size: number
  /** Changes when the object is written again: of its size, its time and, where there is one, its tag. */
  version: string
}

/**
 * Where audio lies. A key is a relative path with "/" in its one plain spelling; what would leave the storage, or is
 * spelled in another way, is not there. Every method that speaks to another machine may throw StorageUnavailable.
 */
export interface Storage {
  readonly kind: 'local' | 's3'
  /** Where files that arrive here are put: a folder, with "/" at its end. */
  readonly uploadPrefix: string
  /** Stores a stream whole and durably, or nothing: returns its size once it would survive a power cut. */
  write(key: string, content: Readable): Promise<number>
  /** @throws ObjectMissing */
  stat(key: string): Promise<ObjectInfo>
  /** The bytes from `start` to `end`, both inclusive. @throws ObjectMissing */
  read(key: string, range?: { start: number; end: number }): Promise<Readable>
  /** Removes the object and what an interrupted write left of it. No error when there is none. */
  remove(key: string): Promise<void>
  /** Every object below a folder, in no order and with no more in memory than a page; hidden files are left out. */
  list(folder: string): AsyncIterable<ListedObject>
  /** Free bytes, or null where the storage knows no limit. */
  freeBytes(): Promise<number | null>
}

/** Where copies of calls that every browser plays are put. */
export const copiesFolder = ({ uploadPrefix }: Storage): string => `${uploadPrefix}playable/`

/** Whether a key is that of such a copy. */
export const isCopy = (storage: Storage, key: string): boolean => key.startsWith(copiesFolder(storage))

/** How a key names an object of the other kind of storage. No key of a storage itself has an empty part. */
export const foreignScheme = (kind: Storage['kind']): string => `${kind}://`

/** An index of Postgres takes entries of 2,704 bytes; the scheme of a foreign storage stands before some keys. */
const MAX_KEY_BYTES = 2600

/**
 * Whether a key has the one spelling that the storage uses: no empty, "." or ".." part and no backslash, so that no two
 * keys lead to one object; no control characters, and text that survives UTF-8.
 */
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
