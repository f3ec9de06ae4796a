import { parseJson } from '../../platform/lib/json.ts'

/** What matters of an event's body; undefined where it is missing or no text. */
export interface EventFields {
  event: string | undefined
  callId: string | undefined
  token: string | undefined
}

/**
 * Reads the three fields that matter out of a form or of JSON. Nothing else is taken apart: whoever sends a body has not
 * said yet who they are.
 */
export function readEvent(body: string, contentType: string): EventFields {
  if (/\bjson\b/i.test(contentType)) return fieldsOf(parsed(body))
  const form = new URLSearchParams(body)
  const field = (name: string) => form.get(name) ?? undefined
  return { event: field('event'), callId: field('data[CALL_ID]'), token: field('auth[application_token]') }
}

function parsed(body: string): unknown {
  try {
    return parseJson(body)
  } catch {
    return undefined
  }
}

function fieldsOf(value: unknown): EventFields {
  const { event, data, auth } = objectOf(value)
  return {
    event: textOf(event),
    callId: textOf(objectOf(data).CALL_ID),
    token: textOf(objectOf(auth).application_token),
  }
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
