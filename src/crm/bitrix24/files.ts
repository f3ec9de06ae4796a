import type { Core } from '../../platform/core.ts'
import { toObject, callPortalBatch, callPortal, type PortalAccess, type BatchCommand } from './client.ts'
import { PortalError } from './errors.ts'
import { parseNumber, parseText } from './values.ts'

const FILE_METHOD = 'disk.file.get'

/** Distinguishes a file from its predecessor. */
export interface FileVersion {
  id: string
  size: number
  version: string | null
}

/** A file as the portal describes it; `url` is a secret. */
export interface PortalFileInfo extends FileVersion {
  name: string
  url: string
}

/** Fetches the description of a file with a fresh address; undefined if it is missing, or empty for now. */
export async function fetchFileInfo(core: Core, access: PortalAccess, id: string): Promise<PortalFileInfo | undefined> {
  try {
    return parseFile(id, (await callPortal(core, access, FILE_METHOD, { id })).result)
  } catch (error) {
    const isMissing = error instanceof PortalError && (error.verdict === 'item' || error.code === 'ERROR_NOT_FOUND')
    if (isMissing) return undefined
    throw error
  }
}

/** The same for up to 50 files with one request, in their order. Files whose description fails are undefined. */
export async function fetchFileInfos(
  core: Core,
  access: PortalAccess,
  ids: string[],
): Promise<(PortalFileInfo | undefined)[]> {
  const commands: Record<string, BatchCommand> = Object.fromEntries(
    ids.map((id, n) => [`f${n}`, { method: FILE_METHOD, params: { id } }]),
  )
  const responses = await callPortalBatch(core, access, commands)
  return ids.map((id, n) => {
    const response = responses[`f${n}`]!
    return response instanceof PortalError ? undefined : parseFile(id, response.result)
  })
}

const MAX_URL_LENGTH = 8192

function parseFile(id: string, result: unknown): PortalFileInfo | undefined {
  const file = toObject(result)
  const [url, size] = [parseText(file.DOWNLOAD_URL, MAX_URL_LENGTH), parseNumber(file.SIZE)]
  const isInTrash = (parseNumber(file.DELETED_TYPE) ?? 0) !== 0
  if (url === null || size === 0 || isInTrash) return undefined
  const version = parseText(file.GLOBAL_CONTENT_VERSION) ?? parseText(file.UPDATE_TIME)
  return { id, url, size: Math.max(0, size ?? 0), version, name: parseText(file.NAME) ?? `${id}.mp3` }
}

/** The file that a call was loaded from, as stored. */
export interface LoadedFile {
  fileId: string | null
  size: string | null
  version: string | null
}

/** Whether the portal still has the content that was loaded. */
export const isSameFile = (loaded: LoadedFile, { id, size, version }: FileVersion): boolean =>
  loaded.fileId === id && Number(loaded.size) === size && loaded.version === version

/** Whether an error concerns only one file, not the portal. */
export const isFileError = ({ method }: PortalError): boolean => method === 'download' || method === FILE_METHOD
