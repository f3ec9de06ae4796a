import type { Core } from '../../platform/core.ts'
import {
  toPortalObject,
  callPortalBatch,
  callPortalMethod,
  type PortalAccess,
  type PortalBatchCommand,
} from './client.ts'
import { PortalError } from './errors.ts'
import { parsePortalNumber, parsePortalText } from './values.ts'

const FILE_METHOD = 'disk.file.get'

/** Identifies the content of a file, which can change under the same id. */
export interface PortalFileVersion {
  id: string
  size: number
  version: string | null
}

/** The description of a file in the portal. `url` contains a secret and expires. */
export interface PortalFileInfo extends PortalFileVersion {
  name: string
  url: string
}

/**
 * Fetches the description and a fresh download URL of a file.
 * @returns undefined if the file is missing, deleted, or still empty
 * @throws PortalError for other errors, CrmAutomationOffError
 */
export async function fetchPortalFileInfo(
  core: Core,
  access: PortalAccess,
  id: string,
): Promise<PortalFileInfo | undefined> {
  try {
    return parseFile(id, (await callPortalMethod(core, access, FILE_METHOD, { id })).result)
  } catch (error) {
    const isMissing = error instanceof PortalError && (error.verdict === 'item' || error.code === 'ERROR_NOT_FOUND')
    if (isMissing) return undefined
    throw error
  }
}

/**
 * Fetches the descriptions of up to 50 files with one request.
 * @returns in the order of `ids`, with undefined for a missing file or an error
 */
export async function fetchPortalFileInfos(
  core: Core,
  access: PortalAccess,
  ids: string[],
): Promise<(PortalFileInfo | undefined)[]> {
  const commands: Record<string, PortalBatchCommand> = Object.fromEntries(
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
  const file = toPortalObject(result)
  const [url, size] = [parsePortalText(file.DOWNLOAD_URL, MAX_URL_LENGTH), parsePortalNumber(file.SIZE)]
  const isInTrash = (parsePortalNumber(file.DELETED_TYPE) ?? 0) !== 0
  if (url === null || size === 0 || isInTrash) return undefined
  const version = parsePortalText(file.GLOBAL_CONTENT_VERSION) ?? parsePortalText(file.UPDATE_TIME)
  return { id, url, size: Math.max(0, size ?? 0), version, name: parsePortalText(file.NAME) ?? `${id}.mp3` }
}

/** The content from which a call was loaded, as stored in crm_calls. */
export interface LoadedPortalFile {
  fileId: string | null
  size: string | null
  version: string | null
}

/** Returns true if the portal still has the content that was loaded. */
export const isSamePortalFile = (loaded: LoadedPortalFile, { id, size, version }: PortalFileVersion): boolean =>
  loaded.fileId === id && Number(loaded.size) === size && loaded.version === version

/** Returns true if the failed request was for one file or its description. */
export const isPortalFileError = ({ method }: PortalError): boolean => method === 'download' || method === FILE_METHOD
