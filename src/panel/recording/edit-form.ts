import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { Fields } from '../frame/fields.ts'
import { freshForm, type Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'

/** What can be corrected of a call, by the names of the API. */
export const FIELDS = ['phoneNumber', 'managerName', 'direction', 'callStartedAt', 'externalCallId'] as const
export type Values = Record<(typeof FIELDS)[number], string>

/** The fields of a call as the form holds them. */
export function valuesOf(call: RecordingJson, { format }: Language): Values {
  const { phoneNumber, managerName, direction, callStartedAt, externalCallId } = call
  return {
    phoneNumber: phoneNumber ?? '',
    managerName: managerName ?? '',
    direction: direction ?? '',
    callStartedAt: callStartedAt === null ? '' : format.localTime(callStartedAt),
    externalCallId: externalCallId ?? '',
  }
}

export const editForm = (call: RecordingJson, language: Language): Form =>
  freshForm(Fields.of(valuesOf(call, language)))
