import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import type { Readable } from 'node:stream'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { conflictError, HttpError, notFoundError } from '../../platform/errors.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { isPlayableCopy, ObjectMissingError, type ObjectInfo } from '../../platform/storage/storage.ts'
import { markKeyOf } from '../../platform/storage/ownership.ts'
import { recordingMessages } from './messages.ts'

/** An audio file in the storage. */
export interface StoredAudio {
  storageKey: string
  sizeBytes: number
  fileName: string | null
  /** SHA-256 of the bytes; null for files that others stored, which we do not read. */
  sha256: Buffer | null
  /** Files that we stored are ours to remove; other files belong to whoever stored them. */
  isOurs: boolean
}

/** An upload still running after a day is abandoned. */
const MAX_UPLOAD_SECONDS = 24 * 3600

/** Stores a stream under a new key. @throws StorageUnavailableError */
export async function storeAudio(core: Core, content: Readable, originalName: string): Promise<StoredAudio> {
  await core.ownership.requireOurs()
  const storageKey = `${core.storage.uploadPrefix}${new Date().toISOString().slice(0, 10)}/${generateId()}`
  await scheduleFileRemoval(core.pool, storageKey, MAX_UPLOAD_SECONDS)
  const hash = createHash('sha256')
  const sizeBytes = await core.storage.write(storageKey, content, hash)
  return { storageKey, sizeBytes, fileName: sanitizeFileName(originalName), sha256: hash.digest(), isOurs: true }
}

/** Finds audio that another program put into the storage. @throws HttpError 404, also for files of the service itself */
export async function loadStoredAudio(core: Core, storageKey: string): Promise<StoredAudio> {
  const isOwn = storageKey === markKeyOf(core.storage) || isPlayableCopy(core.storage, storageKey)
  if (isOwn) throw notFoundError(recordingMessages.noFile())
  const { size } = await statFile(core, storageKey)
  return { storageKey, sizeBytes: size, fileName: sanitizeFileName(storageKey), sha256: null, isOurs: false }
}

async function statFile(core: Core, storageKey: string): Promise<ObjectInfo> {
  return core.storage.stat(storageKey).catch((error: unknown) => {
    throw error instanceof ObjectMissingError ? notFoundError(recordingMessages.noFile()) : error
  })
}

/** Runs `use` and removes the file if it fails. After a broken COMMIT the planned removal decides. */
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

/** Keeps a file, in the transaction that registers it. @throws HttpError 404, 409 or 503 if it is gone or has changed */
export async function confirmStoredAudio(core: Core, sql: Sql, audio: StoredAudio): Promise<void> {
  if (audio.isOurs) await cancelFileRemoval(sql, audio)
  else await requireUnchangedFile(core, sql, audio)
}

/** Cancels the planned removal. If the row is missing, the 24-hour grace period expired and the file was deleted. */
async function cancelFileRemoval(sql: Sql, { storageKey }: StoredAudio): Promise<void> {
  const text = 'DELETE FROM file_removals WHERE storage_key = $1'
  const { rowCount } = await sql.query({ text, values: [storageKey] })
  if (rowCount !== 1) throw new HttpError(503, recordingMessages.uploadLate())
}

/** A file with a planned removal cannot be registered, such as that of a recording just deleted. */
async function requireUnchangedFile(core: Core, sql: Sql, { storageKey, sizeBytes }: StoredAudio): Promise<void> {
  const { rows } = await sql.query({ text: 'SELECT FROM file_removals WHERE storage_key = $1', values: [storageKey] })
  if (rows.length > 0) throw notFoundError(recordingMessages.noFile())
  const { size } = await statFile(core, storageKey)
  if (size !== sizeBytes) throw conflictError(recordingMessages.fileGrows())
}

/** The sender's file name without folders and control characters, at most 255 characters long. */
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

/** The beginning of a text; splits no emoji. */
function truncateText(text: string, length: number): string {
  let end = 0
  for (const { index, segment } of new Intl.Segmenter().segment(text.slice(0, length + 64))) {
    if (index + segment.length <= length) end = index + segment.length
  }
  return text.slice(0, end)
}

/** The delay before a failed removal is retried. */
const RETRY_DELAY_SECONDS = 600

const MAX_FILES_PER_RUN = 1000

/** For files that became due while no schedule ran. */
const OVERDUE_GRACE_SECONDS = 24 * 3600

/** Plans to remove a file after a time, or at once: -infinity also works if the clock is set back. */
export async function scheduleFileRemoval(sql: Sql, storageKey: string, afterSeconds?: number): Promise<void> {
  await sql.query({
    text: `INSERT INTO file_removals (storage_key, due_at)
           VALUES ($1, coalesce(now() + make_interval(secs => $2), '-infinity'))
           ON CONFLICT (storage_key) DO UPDATE SET due_at = excluded.due_at`,
    values: [storageKey, afterSeconds],
  })
}

/** Removes a file that is due; if that fails, the schedule does it later. */
export async function removeFile(core: Core, storageKey: string): Promise<void> {
  try {
    await removeNextDueFile(core, 'AND f.storage_key = $1', [storageKey])
  } catch (error) {
    core.log.warn({ reason: (error as Error).message }, 'a file could not be removed yet')
  }
}

/** Removes a file that belongs to no recording, such as a rejected upload. */
export async function discardFile(core: Core, storageKey: string): Promise<void> {
  try {
    await scheduleFileRemoval(core.pool, storageKey)
  } catch (error) {
    core.log.warn({ reason: (error as Error).message }, 'a file could not be removed yet')
    return
  }
  await removeFile(core, storageKey)
}

/** At a start, keeps overdue files for another day, so that `check --keep` can save them after a restore. */
export async function postponeOverdueRemovals(core: Core): Promise<void> {
  const { rowCount } = await core.pool.query({
    text: `UPDATE file_removals SET due_at = now() + make_interval(secs => $1)
            WHERE due_at > '-infinity' AND due_at <= now()`,
    values: [OVERDUE_GRACE_SECONDS],
  })
  if (rowCount) core.log.warn({ files: rowCount }, 'uploads that became no call stay for a day: check names them')
}

/** Removes the files that are due: of deleted recordings, and of abandoned uploads. */
export async function removeDueFiles(core: Core): Promise<void> {
  for (let n = 0; n < MAX_FILES_PER_RUN; n++) {
    if (!(await removeNextDueFile(core, 'ORDER BY f.due_at LIMIT 1', []))) return
  }
}

/** Removes a file that is due and returns whether there was one. Its locked row keeps others from reusing the key. */
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
