import type { IncomingHttpHeaders } from 'node:http'
import { ApiDown, ApiError } from '../frame/api-client.ts'
import { Fields } from '../frame/fields.ts'
import { formWithErrors } from '../frame/form.ts'
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

export interface Result {
  name: string
  /** The recording; of a duplicate, the existing one. */
  href: string | null
  /** Why it was rejected; empty if it was accepted. */
  reasons: string[]
  doubts: string[]
  errors: Partial<Record<CallField, string>>
}

const hrefOf = ({ location }: IncomingHttpHeaders): string | null => location?.replace(/^\/v1/, '') ?? null

export const taken = (name: string, headers: IncomingHttpHeaders): Result => ({
  name,
  href: hrefOf(headers),
  reasons: [],
  doubts: [],
  errors: {},
})

/** @throws errors from other sources than the API */
export function refused(name: string, error: unknown, language: Language): Result {
  const { upload, errors: pages } = language.words
  const failed = (...reasons: string[]): Result => ({ name, href: null, reasons, doubts: [], errors: {} })
  if (error instanceof ApiDown) return failed(upload.errors.down)
  if (!(error instanceof ApiError)) throw error
  switch (error.status) {
    case 400:
      return refusedCall(name, error, language)
    case 401:
      return failed(upload.errors.session)
    case 409:
      return { ...failed(upload.errors.duplicate), href: hrefOf(error.headers) }
    case 413:
      return failed(...error.messages.map(({ text }) => text))
    case 507:
      return failed(upload.errors.full)
    default:
      return failed(
        error.status >= 502 ? upload.errors.down : (pages.pages[error.status] ?? pages.pages[500]!).join('. '),
      )
  }
}

function refusedCall(name: string, error: ApiError, language: Language): Result {
  const { upload } = language.words
  const form = formWithErrors(error, new Fields(), [...CALL_FIELDS, 'file', 'url'], language)
  const { file, url, ...errors } = form.errors
  const fields = Object.entries(errors).map(([field, rule]) => `${upload.fields[field as CallField]}: ${rule}`)
  const own = [file, url].filter((reason) => reason !== undefined)
  const reasons = [...own, ...fields]
  return { name, href: null, reasons: reasons.length > 0 ? reasons : [form.error!], doubts: [], errors }
}
