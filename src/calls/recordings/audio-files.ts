import type { Sql } from '../../platform/db/sql.ts'
import { extname } from 'node:path'
import type { Readable } from 'node:stream'
import type { Core } from '../../platform/core.ts'
import { conflict, HttpError, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/lib/ids.ts'
import { isCopy, ObjectMissing, type ObjectInfo } from '../../platform/storage/index.ts'
import { markKey } from '../../platform/storage/ownership.ts'
import { discardFile, planRemoval } from './removals.ts'
import { recordingMessages } from './messages.ts'

/** Audio that lies in the storage. */
export interface StoredAudio {
  storageKey: string
  sizeBytes: number
  fileName: string | null
  /** It came here by us, so it goes where no recording needs it; otherwise somebody else put it into the storage. */
  isOurs: boolean
}

/** An upload that has not ended after a day never will: its file may go. */
const UPLOAD_LIMIT_SECONDS = 24 * 3600

/** Stores audio that arrives, under a name of ours: what its sender calls it never becomes a path. */
export async function storeAudio(core: Core, content: Readable, originalName: string): Promise<StoredAudio> {
  const storageKey = `${core.storage.uploadPrefix}${new Date().toISOString().slice(0, 10)}/${newId()}`
  await planRemoval(core.pool, storageKey, UPLOAD_LIMIT_SECONDS)
  const sizeBytes = await core.storage.write(storageKey, content)
  return { storageKey, sizeBytes, fileName: shownName(originalName), isOurs: true }
}

/** Audio that somebody else put into the storage; what the service keeps there for itself is none. @throws HttpError 404 */
export async function findAudioFile(core: Core, storageKey: string): Promise<StoredAudio> {
  const isOwn = storageKey === markKey(core.storage) || isCopy(core.storage, storageKey)
  if (isOwn) throw notFound(recordingMessages.noFile())
  const { size } = await statFile(core, storageKey)
  return { storageKey, sizeBytes: size, fileName: shownName(storageKey), isOurs: false }
}

async function statFile(core: Core, storageKey: string): Promise<ObjectInfo> {
  return core.storage.stat(storageKey).catch((error: unknown) => {
    throw error instanceof ObjectMissing ? notFound(recordingMessages.noFile()) : error
  })
}

/**
 * Runs `work`, which makes a recording of stored audio, and removes the file where that is refused. Where the connection
 * broke at the COMMIT, it is unknown whether a row needs the file: then the removal that was planned before its first byte
 * decides, which looks for the row first.
 */
export async function withStoredAudio<T>(
  core: Core,
  audio: StoredAudio,
  use: (audio: StoredAudio) => Promise<T>,
): Promise<T> {
  try {
    return await use(audio)
  } catch (error) {
    if (audio.isOurs && error instanceof HttpError) await discardFile(core, audio.storageKey)
    throw error
  }
}

/** Keeps a file, in the transaction that registers it. @throws HttpError 404, 409 or 503 where it is not there as it was */
export async function keepAudio(core: Core, sql: Sql, audio: StoredAudio): Promise<void> {
  if (audio.isOurs) await keepUpload(sql, audio)
  else await refuseFileGone(core, sql, audio)
}

/** Takes back the note that an upload may go. Where it is gone, so is the file: the clock has passed its day. */
async function keepUpload(sql: Sql, { storageKey }: StoredAudio): Promise<void> {
  const text = 'DELETE FROM file_removals WHERE storage_key = $1'
  const { rowCount } = await sql.query({ text, values: [storageKey] })
  if (rowCount !== 1) throw new HttpError(503, recordingMessages.uploadLate())
}

/**
 * A file on its way here or out, such as that of a recording just deleted, is nobody's to register. It may have gone
 * between the look at it and the row: from the row on nobody removes it, so what is there now stays.
 */
async function refuseFileGone(core: Core, sql: Sql, { storageKey, sizeBytes }: StoredAudio): Promise<void> {
  const { rows } = await sql.query({ text: 'SELECT FROM file_removals WHERE storage_key = $1', values: [storageKey] })
  if (rows.length > 0) throw notFound(recordingMessages.noFile())
  const { size } = await statFile(core, storageKey)
  if (size !== sizeBytes) throw conflict(recordingMessages.fileGrows())
}

/** The sender's file name as text to show: no folders, no control characters, at most 255 characters. */
export function shownName(originalName: string): string | null {
  const name = originalName
    .split(/[/\\]/)
    .pop()!
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f]/g, '')
    .toWellFormed()
  if (name.length <= 255) return name || null
  const extension = begin(extname(name), 20)
  return begin(name, 255 - extension.length) + extension
}

/** The beginning of a text, in whole characters as people see them: no emoji is cut in two. */
function begin(text: string, length: number): string {
  let end = 0
  for (const { index, segment } of new Intl.Segmenter().segment(text.slice(0, length + 64))) {
    if (index + segment.length <= length) end = index + segment.length
  }
  return text.slice(0, end)
}
