import { getCurrentLanguage } from './log.ts'
import { Message, messageTemplates, type MessageValue, type MessageValues } from './messages.ts'

/**
 * Represents a message in a column `message_json`, beside its English text in a text column.
 * Older releases write only the text column. `text` repeats that text, so that an outdated `message_json` is recognized.
 */
export interface StoredReason {
  id: string
  values: Record<string, unknown>
  text: string
}

/** Converts a message for a column `message_json`. */
export const toStoredReason = (reason: Message): StoredReason => ({
  id: reason.id,
  values: reason.values,
  text: reason.text,
})

/**
 * Formats a stored reason in the language of the request. Falls back to the English text if `stored` is missing, outdated or
 * unknown.
 */
export function formatReason<T extends string | null>(text: T, stored: StoredReason | null | undefined): string | T {
  if (text === null || stored?.text !== text) return text
  return parseMessage(stored)?.format(getCurrentLanguage()) ?? text
}

/** Restores a message; undefined if this release does not define one of the ids. */
function parseMessage({ id, values }: Pick<StoredReason, 'id' | 'values'>): Message | undefined {
  if (!messageTemplates.has(id)) return undefined
  const parsed: MessageValues = {}
  for (const [name, value] of Object.entries(values)) {
    const isMessage = typeof value === 'object' && value !== null && 'id' in value
    const resolved = isMessage ? parseMessage(value as StoredReason) : (value as MessageValue)
    if (resolved === undefined) return undefined
    parsed[name] = resolved
  }
  return new Message(id, parsed)
}
