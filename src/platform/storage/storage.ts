import type { Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Message } from '../lib/messages.ts'

/** Signals that the storage has no object with the key. */
export class StorageObjectMissingError extends Error {}

/** Returns undefined instead of throwing StorageObjectMissingError. */
export function ignoreMissingObject<T>(request: Promise<T>): Promise<T | undefined> {
  return request.catch((error: unknown) => {
    if (error instanceof StorageObjectMissingError) return undefined
    throw error
  })
}

/** Signals that the storage does not respond or rejects our credentials. A retry can help; the object can still exist. */
export class StorageUnavailableError extends Error {
  constructor(readonly reason: Message) {
    super(reason.text)
  }
}

/** Describes a stored object: size, time and version tag. */
export interface StorageObjectInfo {
  /** Size in bytes. */
  size: number
  modifiedAt: Date
  /** Changes with the content. */
  tag: string
}

/** Describes an object of AudioStorage.list(). `size` is in bytes. */
export interface ListedStorageObject {
  key: string
  size: number
  /** Changes when the object is written again. */
  version: string
}

/**
 * Stores audio files by key. Keys that isPlainStorageKey() rejects count as missing.
 * Every method can throw StorageUnavailableError.
 */
export interface AudioStorage {
  readonly kind: 'local' | 's3'
  /** Folder of uploads, with a trailing slash. */
  readonly uploadPrefix: string
  /** Stores a stream durably or not at all, and updates the hash with its bytes. @returns the size in bytes */
  write(key: string, content: Readable, hash?: Hash): Promise<number>
  /** @throws StorageObjectMissingError */
  stat(key: string): Promise<StorageObjectInfo>
  /** Reads an object, or the bytes from `start` to `end`, both inclusive. @throws StorageObjectMissingError */
  read(key: string, range?: { start: number; end: number }): Promise<Readable>
  /** Deletes the object and the remains of an interrupted write. Ignores a missing object. */
  remove(key: string): Promise<void>
  /** Lists all objects below a folder except hidden files, in no particular order, page by page. */
  list(folder: string): AsyncIterable<ListedStorageObject>
  /** Returns the free space in bytes; null without a limit. */
  freeBytes(): Promise<number | null>
}

/** Returns the folder of the playable copies of recordings. */
export const playableCopiesFolderOf = ({ uploadPrefix }: AudioStorage): string => `${uploadPrefix}playable/`

/** Returns true if the key belongs to a playable copy, which we generate for browsers. */
export const isPlayableCopyKey = (storage: AudioStorage, key: string): boolean =>
  key.startsWith(playableCopiesFolderOf(storage))

/** Formats the prefix for keys in the storage of the other kind. No plain key begins with it, because `//` is an empty part. */
export const formatStorageKeyScheme = (kind: AudioStorage['kind']): string => `${kind}://`

/** A Postgres index entry is limited to 2,704 bytes, and some keys also have a scheme. */
const MAX_KEY_BYTES = 2600

/** Returns true if a key is well-formed, short enough, and has no control characters, backslashes, or empty, "." and ".." parts. */
export function isPlainStorageKey(key: string): boolean {
  return (
    key.length <= 1024 &&
    Buffer.byteLength(key) <= MAX_KEY_BYTES &&
    key.isWellFormed() &&
    // oxlint-disable-next-line no-control-regex
    !/[\u0000-\u001f\u007f\\]/.test(key) &&
    key.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  )
}
