import type { IncomingHttpHeaders } from 'node:http'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { ApiUnavailableError, ApiError } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import { FormValues } from '../frame/fields.ts'
import { createFormWithErrors } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { buildUploadedCallState, type UploadedCallState } from './call-states.ts'

export const UPLOAD_CALL_FIELDS = [
  'managerName',
  'phoneNumber',
  'direction',
  'callStartedAt',
  'priority',
  'decoder',
  'callbackUrl',
] as const
type CallField = (typeof UPLOAD_CALL_FIELDS)[number]

/** The result of one uploaded file or link, for its row. */
export interface UploadResult {
  name: string
  /** Address of the accepted call, or of the existing call if the external call id is already used; null otherwise. */
  href: string | null
  /** State of the accepted call; null if the upload was rejected. */
  call: UploadedCallState | null
  /** An earlier call with the same audio; null if there is none. */
  duplicate: { href: string; text: string } | null
  /** Reasons of the rejection; empty for an accepted upload. */
  reasons: string[]
  doubts: string[]
  errors: Partial<Record<CallField, string>>
}

const recordingHrefOf = ({ location }: IncomingHttpHeaders): string | null => location?.replace(/^\/v1/, '') ?? null

/** Builds the row of an accepted upload. @param doubts warnings about its fields */
export const buildAcceptedUploadResult = (
  name: string,
  recording: RecordingJson,
  doubts: string[],
  context: PageContext,
): UploadResult => ({
  name,
  href: `/recordings/${recording.id}`,
  call: buildUploadedCallState(recording, undefined, context),
  duplicate: buildDuplicateLink(recording, context.language),
  reasons: [],
  doubts,
  errors: {},
})

/** Builds the row of a call that was uploaded before the page was reloaded. */
export const buildReloadedUploadResult = (
  recording: RecordingJson,
  call: UploadedCallState,
  { words }: Language,
): UploadResult => ({
  name: recording.fileName ?? words.upload.unnamed,
  href: `/recordings/${recording.id}`,
  call,
  duplicate: null,
  reasons: [],
  doubts: [],
  errors: {},
})

function buildDuplicateLink({ duplicateOf }: RecordingJson, { format }: Language): UploadResult['duplicate'] {
  if (!duplicateOf) return null
  const { id, fileName, createdAt } = duplicateOf
  return { href: `/recordings/${id}`, text: [fileName, format.shortTime(createdAt)].filter(Boolean).join(', ') }
}

const buildRejection = (name: string, reasons: string[]): UploadResult => {
  return { name, href: null, call: null, duplicate: null, reasons, doubts: [], errors: {} }
}

/** Builds the row of a rejected upload. @throws `error` unless it is an ApiError or an ApiUnavailableError */
export function buildRejectedUploadResult(name: string, error: unknown, language: Language): UploadResult {
  const { upload, errors: pages } = language.words
  if (error instanceof ApiUnavailableError) return buildRejection(name, [upload.errors.down])
  if (!(error instanceof ApiError)) throw error
  switch (error.status) {
    case 400:
      return buildRejectedCall(name, error, language)
    case 401:
      return buildRejection(name, [upload.errors.session])
    case 409:
      return { ...buildRejection(name, [upload.errors.duplicate]), href: recordingHrefOf(error.headers) }
    case 413:
      return buildRejection(
        name,
        error.messages.map(({ text }) => text),
      )
    case 507:
      return buildRejection(name, [upload.errors.full])
    default:
      return buildRejection(name, [
        error.status >= 502 ? upload.errors.down : (pages.pages[error.status] ?? pages.pages[500]!).join('. '),
      ])
  }
}

function buildRejectedCall(name: string, error: ApiError, language: Language): UploadResult {
  const { upload } = language.words
  const form = createFormWithErrors(error, new FormValues(), [...UPLOAD_CALL_FIELDS, 'file', 'url'], language)
  const { file, url, ...errors } = form.errors
  const fields = Object.entries(errors).map(([field, rule]) => `${upload.fields[field as CallField]}: ${rule}`)
  const fileReasons = [file, url].filter((reason) => reason !== undefined)
  const reasons = [...fileReasons, ...fields]
  return { ...buildRejection(name, reasons.length > 0 ? reasons : [form.error!]), errors }
}
