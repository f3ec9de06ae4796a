import type { Message, Value } from './messages.ts'

/** The ids of an error's messages, in their order: `people.emailTaken, http.required;field=name`. */
export const ERROR_IDS_HEADER = 'X-Error-Ids'

/** A message as its id and values tell it; a value that is a message too has been read as one. */
export interface KnownMessage {
  id: string
  values: Record<string, string | KnownMessage>
}

/** All headers of an answer must fit into the 4 KB that proxies give them. */
const MAX_BYTES = 2500
const MAX_VALUE_LENGTH = 200

/**
 * Ids with their values, percent-encoded, one for each message. Where they would be too long, the last ones lose their
 * values, and then the ids too.
 */
export function encodeMessages(messages: readonly (Message | string)[]): string {
  const ids = messages.map((message) => (typeof message === 'string' ? '' : message.id))
  let bytes = lengthOf(ids)
  while (bytes > MAX_BYTES) bytes -= lengthOf([ids.pop()!])
  const items = ids.map((id, n) => {
    const message = messages[n]!
    const values = typeof message === 'string' ? '' : encodeValues(message.values)
    bytes += values.length
    return bytes > MAX_BYTES ? id : id + values
  })
  return items.join(', ')
}

const lengthOf = (items: string[]): number => items.reduce((sum, item) => sum + item.length + 2, 0)

const encodeValues = (values: Record<string, Value>): string =>
  Object.entries(values)
    .map(([name, value]) => `;${encodeValue(name, value)}`)
    .join('')

/** The name of a value that is a message ends with a star. */
function encodeValue(name: string, value: Value): string {
  if (typeof value === 'object') return `${name}*=${encodeURIComponent(value.id + encodeValues(value.values))}`
  const text = String(value)
  const cut = text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text
  return `${name}=${encodeURIComponent(cut.toWellFormed())}`
}

/** Reads what encodeMessages() wrote; undefined stands for what is no message. */
export function decodeMessages(header: string): (KnownMessage | undefined)[] {
  return header === '' ? [] : header.split(',').map((item) => decodeMessage(item.trim()))
}

function decodeMessage(item: string): KnownMessage | undefined {
  const [id, ...parts] = item.split(';')
  const values: KnownMessage['values'] = {}
  try {
    for (const part of parts) {
      const [name, text] = part.split('=') as [string, string]
      const value = decodeURIComponent(text)
      if (name.endsWith('*')) values[name.slice(0, -1)] = decodeMessage(value) ?? ''
      else values[name] = value
    }
  } catch {
    return undefined
  }
  return id ? { id, values } : undefined
}
