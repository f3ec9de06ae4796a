import { parseJson } from '../../platform/lib/json.ts'
import { asObject } from './client.ts'

/** The fields of an event that we use; undefined if they are missing or not text. */
export interface EventFields {
  event: string | undefined
  callId: string | undefined
  token: string | undefined
}

export const CALL_ENDED = 'ONVOXIMPLANTCALLEND'

/** Parses only the fields that we use, of a form or of JSON, because the sender is not yet authenticated. */
export function parseEvent(body: string, contentType: string): EventFields {
  if (/\bjson\b/i.test(contentType)) return parseJsonEvent(body)
  const form = new URLSearchParams(body)
  const field = (name: string) => form.get(name) ?? undefined
  return { event: field('event'), callId: field('data[CALL_ID]'), token: field('auth[application_token]') }
}

function parseJsonEvent(body: string): EventFields {
  let value: unknown
  try {
    value = parseJson(body)
  } catch {
    value = undefined
  }
  const { event, data, auth } = asObject(value)
  const text = (field: unknown) => (typeof field === 'string' ? field : undefined)
  return {
    event: text(event),
    callId: text(asObject(data).CALL_ID),
    token: text(asObject(auth).application_token),
  }
}
