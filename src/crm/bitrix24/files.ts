import type { Core } from '../../platform/core.ts'
import { asObject, callBatch, callPortal, type Asking, type Command } from './client.ts'
import { PortalError } from './errors.ts'
import { numberOf, textOf } from './values.ts'

const METHOD = 'disk.file.get'

/** Distinguishes a file from its predecessor. */
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

/** Fetches the description of a file with a fresh address; undefined if it is missing, or empty for now. */
export async function findFile(core: Core, asking: Asking, id: string): Promise<DescribedFile | undefined> {
  try {
    return parseFile(id, (await callPortal(core, asking, METHOD, { id })).result)
  } catch (error) {
    const isMissing = error instanceof PortalError && (error.verdict === 'item' || error.code === 'ERROR_NOT_FOUND')
    if (isMissing) return undefined
    throw error
  }
}

/** The same for up to 50 files with one request, in their order. Files whose description fails are undefined. */
export async function findFiles(core: Core, asking: Asking, ids: string[]): Promise<(DescribedFile | undefined)[]> {
  const commands: Record<string, Command> = Object.fromEntries(
    ids.map((id, n) => [`f${n}`, { method: METHOD, params: { id } }]),
  )
  const answers = await callBatch(core, asking, commands)
  return ids.map((id, n) => {
    const answer = answers[`f${n}`]!
    return answer instanceof PortalError ? undefined : parseFile(id, answer.result)
  })
}

const LONGEST_URL = 8192

function parseFile(id: string, result: unknown): DescribedFile | undefined {
  const file = asObject(result)
  const [url, size] = [textOf(file.DOWNLOAD_URL, LONGEST_URL), numberOf(file.SIZE)]
  const isInTrash = (numberOf(file.DELETED_TYPE) ?? 0) !== 0
  if (url === null || size === 0 || isInTrash) return undefined
  const version = textOf(file.GLOBAL_CONTENT_VERSION) ?? textOf(file.UPDATE_TIME)
  return { id, url, size: Math.max(0, size ?? 0), version, name: textOf(file.NAME) ?? `${id}.mp3` }
}

export interface LoadedFile {
  fileId: string | null
  size: string | null
  version: string | null
}

export const isSameFile = (loaded: LoadedFile, { id, size, version }: FileMark): boolean =>
  loaded.fileId === id && Number(loaded.size) === size && loaded.version === version

/** Whether an error concerns only one file, not the portal. */
export const isOfFile = ({ method }: PortalError): boolean => method === 'download' || method === METHOD
