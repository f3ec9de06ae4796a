import { parseJson } from '../../platform/lib/json.ts'
import { toPortalObject } from './client.ts'

/** The fields of a portal event that we use. They are undefined if they are missing or not text. */
export interface PortalEventFields {
  event: string | undefined
  callId: string | undefined
  token: string | undefined
}

export const PORTAL_CALL_ENDED_EVENT = 'ONVOXIMPLANTCALLEND'

/** Parses a portal event from a form or JSON. It ignores other fields. Invalid JSON gives undefined fields. */
export function parsePortalEvent(body: string, contentType: string): PortalEventFields {
  if (/\bjson\b/i.test(contentType)) return parseJsonEvent(body)
  const form = new URLSearchParams(body)
  const field = (name: string) => form.get(name) ?? undefined
  return { event: field('event'), callId: field('data[CALL_ID]'), token: field('auth[application_token]') }
}

function parseJsonEvent(body: string): PortalEventFields {
  let value: unknown
  try {
    value = parseJson(body)
  } catch {
    value = undefined
  }
  const { event, data, auth } = toPortalObject(value)
  const text = (field: unknown) => (typeof field === 'string' ? field : undefined)
  return {
    event: text(event),
    callId: text(toPortalObject(data).CALL_ID),
    token: text(toPortalObject(auth).application_token),
  }
}
