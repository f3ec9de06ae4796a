import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import type { Readable } from 'node:stream'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { conflictError, HttpError, notFoundError } from '../../platform/errors.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { isPlayableCopyKey, StorageObjectMissingError, type StorageObjectInfo } from '../../platform/storage/storage.ts'
import { ownershipMarkKeyOf } from '../../platform/storage/ownership.ts'
import { recordingMessages } from './messages.ts'

/** The stored file of a call: its storage key, its size and the name that the sender gave it. */
export interface StoredAudio {
  storageKey: string
  sizeBytes: number
  fileName: string | null
  /** SHA-256 of the bytes. Null if another program stored the file, because we do not read such files. */
  sha256: Buffer | null
  /** True if the service stored the file. Other files belong to the program that stored them, until a call is registered. */
  isOurs: boolean
}

/** An upload that still runs after a day counts as abandoned. */
const MAX_UPLOAD_SECONDS = 24 * 3600

/**
 * Stores a stream under a new key. Plans the removal of the file after a day, in case no call is registered.
 * @throws StorageUnavailableError if the storage fails or is not marked as ours
 */
export async function storeAudio(core: Core, content: Readable, originalName: string): Promise<StoredAudio> {
  await core.ownership.requireOurs()
  const storageKey = `${core.storage.uploadPrefix}${new Date().toISOString().slice(0, 10)}/${generateId()}`
  await scheduleFileRemoval(core.pool, storageKey, MAX_UPLOAD_SECONDS)
  const hash = createHash('sha256')
  const sizeBytes = await core.storage.write(storageKey, content, hash)
  return { storageKey, sizeBytes, fileName: sanitizeFileName(originalName), sha256: hash.digest(), isOurs: true }
}

/**
 * Returns an audio file that another program stored.
 * @throws HttpError 404 if there is no such file, or the service stored it for its own use
 */
export async function requireForeignAudio(core: Core, storageKey: string): Promise<StoredAudio> {
  const isOwn = storageKey === ownershipMarkKeyOf(core.storage) || isPlayableCopyKey(core.storage, storageKey)
  if (isOwn) throw notFoundError(recordingMessages.noFile())
  const { size } = await statFile(core, storageKey)
  return { storageKey, sizeBytes: size, fileName: sanitizeFileName(storageKey), sha256: null, isOurs: false }
}

async function statFile(core: Core, storageKey: string): Promise<StorageObjectInfo> {
  return core.storage.stat(storageKey).catch((error: unknown) => {
    throw error instanceof StorageObjectMissingError ? notFoundError(recordingMessages.noFile()) : error
  })
}

/**
 * Runs `use` and removes our file if `use` throws an HttpError. After any other error, the call can be registered nevertheless,
 * so the file stays until its planned removal.
 */
export async function withStoredAudio<T>(
  core: Core,
  audio: StoredAudio,
  use: (audio: StoredAudio) => Promise<T>,
): Promise<T> {
  try {
    return await use(audio)
  } catch (error) {
    if (audio.isOurs && error instanceof HttpError) await discardStoredFile(core, audio.storageKey)
    throw error
  }
}

/**
 * Cancels the planned removal of our file, or checks that a file of another program is unchanged. Run this in the transaction
 * that registers the call.
 * @throws HttpError 404 if the file is missing or planned for removal
 * @throws HttpError 409 if its size has changed
 * @throws HttpError 503 if the upload took too long
 */
export async function confirmStoredAudio(core: Core, sql: Sql, audio: StoredAudio): Promise<void> {
  if (audio.isOurs) await cancelFileRemoval(sql, audio)
  else await requireUnchangedFile(core, sql, audio)
}

/**
 * Cancels the planned removal of a file.
 * @throws HttpError 503 if the removal has already run, because the upload took longer than a day
 */
async function cancelFileRemoval(sql: Sql, { storageKey }: StoredAudio): Promise<void> {
  const text = 'DELETE FROM file_removals WHERE storage_key = $1'
  const { rowCount } = await sql.query({ text, values: [storageKey] })
  if (rowCount !== 1) throw new HttpError(503, recordingMessages.uploadLate())
}

/** Checks a file of another program. Rejects a file with a planned removal, because its recording was deleted. */
async function requireUnchangedFile(core: Core, sql: Sql, { storageKey, sizeBytes }: StoredAudio): Promise<void> {
  const { rows } = await sql.query({ text: 'SELECT FROM file_removals WHERE storage_key = $1', values: [storageKey] })
  if (rows.length > 0) throw notFoundError(recordingMessages.noFile())
  const { size } = await statFile(core, storageKey)
  if (size !== sizeBytes) throw conflictError(recordingMessages.fileGrows())
}

/**
 * Removes folders and control characters from a file name and limits it to 255 characters. Keeps at most 20 characters
 * of the extension.
 * @returns null if nothing remains
 */
export function sanitizeFileName(originalName: string): string | null {
  const name = originalName
    .split(/[/\\]/)
    .pop()!
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f]/g, '')
    .toWellFormed()
  if (name.length <= 255) return name || null
  const extension = truncateText(extname(name), 20)
  return truncateText(name, 255 - extension.length) + extension
}

/** Truncates a text to at most `length` UTF-16 units without splitting a visible character such as an emoji. */
function truncateText(text: string, length: number): string {
  let end = 0
  for (const { index, segment } of new Intl.Segmenter().segment(text.slice(0, length + 64))) {
    if (index + segment.length <= length) end = index + segment.length
  }
  return text.slice(0, end)
}

/** Pause before the retry of a failed removal. */
const RETRY_DELAY_SECONDS = 600

const MAX_FILES_PER_RUN = 1000

/** Extra time for files that became due while the service was not running. */
const OVERDUE_GRACE_SECONDS = 24 * 3600

/**
 * Plans the removal of a file.
 * @param afterSeconds without it, the file is due immediately, even if the clock is set back
 */
export async function scheduleFileRemoval(sql: Sql, storageKey: string, afterSeconds?: number): Promise<void> {
  await sql.query({
    text: `INSERT INTO file_removals (storage_key, due_at)
           VALUES ($1, coalesce(now() + make_interval(secs => $2), '-infinity'))
           ON CONFLICT (storage_key) DO UPDATE SET due_at = excluded.due_at`,
    values: [storageKey, afterSeconds],
  })
}

/** Removes a file if its removal is due. Logs failures; the scheduled run then tries again. */
export async function removeFileIfDue(core: Core, storageKey: string): Promise<void> {
  try {
    await removeNextDueFile(core, 'AND f.storage_key = $1', [storageKey])
  } catch (error) {
    core.log.warn({ reason: (error as Error).message }, 'a file could not be removed yet')
  }
}

/** Removes a file that belongs to no recording, such as a rejected upload. Logs failures instead of throwing. */
export async function discardStoredFile(core: Core, storageKey: string): Promise<void> {
  try {
    await scheduleFileRemoval(core.pool, storageKey)
  } catch (error) {
    core.log.warn({ reason: (error as Error).message }, 'a file could not be removed yet')
    return
  }
  await removeFileIfDue(core, storageKey)
}

/** Postpones overdue removals by a day. Runs when workers start, so that `check --keep` can save the files after a restore. */
export async function postponeOverdueFileRemovals(core: Core): Promise<void> {
  const { rowCount } = await core.pool.query({
    text: `UPDATE file_removals SET due_at = now() + make_interval(secs => $1)
            WHERE due_at > '-infinity' AND due_at <= now()`,
    values: [OVERDUE_GRACE_SECONDS],
  })
  if (rowCount) core.log.warn({ files: rowCount }, 'uploads that became no call stay for a day: check names them')
}

/** Removes at most 1,000 files whose removal is due, such as those of deleted recordings and abandoned uploads. */
export async function removeDueFiles(core: Core): Promise<void> {
  for (let n = 0; n < MAX_FILES_PER_RUN; n++) {
    if (!(await removeNextDueFile(core, 'ORDER BY f.due_at LIMIT 1', []))) return
  }
}

/**
 * Removes the next file that is due and belongs to no recording. A failed removal is postponed. The row lock makes transactions
 * that cancel the removal wait.
 * @returns false if there is no such file
 */
async function removeNextDueFile(core: Core, filterSql: string, values: string[]): Promise<boolean> {
  return runInTransaction(core.db, async (sql) => {
    const { rows } = await sql.query<{ key: string }>({
      text: `SELECT f.storage_key AS key FROM file_removals f
              WHERE f.due_at <= now() AND NOT EXISTS (SELECT FROM recordings r WHERE r.storage_key = f.storage_key)
                AND NOT EXISTS (SELECT FROM playable_copies c WHERE c.storage_key = f.storage_key)
              ${filterSql} FOR UPDATE OF f SKIP LOCKED`,
      values,
    })
    if (!rows[0]) return false
    const { key } = rows[0]
    try {
      await core.storage.remove(key)
      await sql.query({ text: 'DELETE FROM file_removals WHERE storage_key = $1', values: [key] })
    } catch (error) {
      core.log.warn({ storageKey: key, reason: (error as Error).message }, 'a file could not be removed yet')
      await sql.query({
        text: 'UPDATE file_removals SET due_at = now() + make_interval(secs => $2) WHERE storage_key = $1',
        values: [key, RETRY_DELAY_SECONDS],
      })
    }
    return true
  })
}
