import type { IncomingHttpHeaders } from 'node:http'
import { ApiUnavailableError, ApiError } from '../frame/api-client.ts'
import { Fields } from '../frame/fields.ts'
import { createFormWithErrors } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'

export const CALL_FIELDS = [
  'managerName',
  'phoneNumber',
  'direction',
  'callStartedAt',
  'priority',
  'decoder',
  'callbackUrl',
] as const
type CallField = (typeof CALL_FIELDS)[number]

export interface UploadResult {
  name: string
  /** The recording; of a duplicate, the existing one. */
  href: string | null
  /** Why it was rejected; empty if it was accepted. */
  reasons: string[]
  doubts: string[]
  errors: Partial<Record<CallField, string>>
}

const recordingHrefOf = ({ location }: IncomingHttpHeaders): string | null => location?.replace(/^\/v1/, '') ?? null

export const buildAcceptedResult = (name: string, headers: IncomingHttpHeaders): UploadResult => ({
  name,
  href: recordingHrefOf(headers),
  reasons: [],
  doubts: [],
  errors: {},
})

/** @throws errors from other sources than the API */
export function buildRejectedResult(name: string, error: unknown, language: Language): UploadResult {
  const { upload, errors: pages } = language.words
  const buildRejection = (...reasons: string[]): UploadResult => ({ name, href: null, reasons, doubts: [], errors: {} })
  if (error instanceof ApiUnavailableError) return buildRejection(upload.errors.down)
  if (!(error instanceof ApiError)) throw error
  switch (error.status) {
    case 400:
      return buildRejectedCall(name, error, language)
    case 401:
      return buildRejection(upload.errors.session)
    case 409:
      return { ...buildRejection(upload.errors.duplicate), href: recordingHrefOf(error.headers) }
    case 413:
      return buildRejection(...error.messages.map(({ text }) => text))
    case 507:
      return buildRejection(upload.errors.full)
    default:
      return buildRejection(
        error.status >= 502 ? upload.errors.down : (pages.pages[error.status] ?? pages.pages[500]!).join('. '),
      )
  }
}

function buildRejectedCall(name: string, error: ApiError, language: Language): UploadResult {
  const { upload } = language.words
  const form = createFormWithErrors(error, new Fields(), [...CALL_FIELDS, 'file', 'url'], language)
  const { file, url, ...errors } = form.errors
  const fields = Object.entries(errors).map(([field, rule]) => `${upload.fields[field as CallField]}: ${rule}`)
  const fileReasons = [file, url].filter((reason) => reason !== undefined)
  const reasons = [...fileReasons, ...fields]
  return { name, href: null, reasons: reasons.length > 0 ? reasons : [form.error!], doubts: [], errors }
}
