import type { Core } from '../../app/core.ts'
import { IS_DUE } from '../../platform/queue/claims.ts'
import { storeAudio, type StoredAudio } from '../../calls/recordings/audio-files.ts'
import { asObject, callPortal, type Asking } from './client.ts'
import { openPortalFile } from './download.ts'
import { PortalError } from './errors.ts'
import { numberOf, textOf } from './values.ts'

/** Tells a file from the one that was there before. */
export interface FileMark {
  id: string
  size: number
  version: string | null
}

/** A file as the portal describes it; `url` is a secret. */
export interface DescribedFile extends FileMark {
  name: string
  url: string
}

/** Asks for a call's file, its address fresh each time. @returns undefined where it is not there, or is empty as yet */
export async function findFile(core: Core, asking: Asking, id: string): Promise<DescribedFile | undefined> {
  let result: unknown
  try {
    ;({ result } = await callPortal(core, asking, 'disk.file.get', { id }))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
  return describedBy(id, result)
}

const LONGEST_URL = 8192

/** Bytes of a file; null if the portal does not say. */
export function sizeOf(value: unknown): number | null {
  const size = numberOf(value)
  return size !== null && size >= 0 ? size : null
}

/** A file as an answer of disk.file.get describes it. */
export function describedBy(id: string, result: unknown): DescribedFile | undefined {
  const file = asObject(result)
  const [url, size] = [textOf(file.DOWNLOAD_URL, LONGEST_URL), sizeOf(file.SIZE)]
  const isInTrash = (numberOf(file.DELETED_TYPE) ?? 0) !== 0
  if (url === null || size === 0 || isInTrash) return undefined
  const version = textOf(file.GLOBAL_CONTENT_VERSION) ?? textOf(file.UPDATE_TIME)
  return { id, url, size: size ?? 0, version, name: textOf(file.NAME) ?? `${id}.mp3` }
}

export const isSameFile = (
  loaded: { fileId: string; size: string | null; version: string | null },
  { id, size, version }: FileMark,
): boolean => loaded.fileId === id && Number(loaded.size) === size && loaded.version === version

const isMissing = (error: unknown): boolean =>
  error instanceof PortalError && (error.verdict === 'item' || error.code === 'ERROR_NOT_FOUND')

/** Whether a call that just ended waits for a worker. */
async function isNewCallWaiting({ pool }: Core): Promise<boolean> {
  const { rowCount } = await pool.query({
    text: `SELECT FROM crm_sync_jobs WHERE ${IS_DUE} AND attempts = 0 LIMIT 1`,
  })
  return rowCount === 1
}

/** Brings a file into the storage. @throws PortalError */
export async function fetchFile(
  core: Core,
  asking: Asking,
  { url, name }: DescribedFile,
  maxBytes: number,
): Promise<StoredAudio> {
  const isWanted = () => (asking.lane === 'live' ? isNewCallWaiting(core) : Promise.resolve(false))
  const file = await openPortalFile(core, asking, url, maxBytes, isWanted)
  try {
    return await storeAudio(core, file.body, name)
  } finally {
    await file.close()
  }
}
