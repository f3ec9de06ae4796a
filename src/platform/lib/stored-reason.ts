import { getCurrentLanguage } from './log.ts'
import { Message, messageTemplates, type MessageValue, type MessageValues } from './messages.ts'

/**
 * A stored reason beside the English text, in a column `message_json`. Releases before that column read and write only the
 * text. `text` is that text, so a reason that belongs to an earlier text is recognized.
 */
export interface StoredReason {
  id: string
  values: Record<string, unknown>
  text: string
}

/** The stored fields of a reason besides its text. */
export const toStoredReason = (reason: Message): StoredReason => ({
  id: reason.id,
  values: reason.values,
  text: reason.text,
})

/** A stored reason in the language of the request; the English text if nothing else is known. */
export function formatReason<T extends string | null>(text: T, stored: StoredReason | null | undefined): string | T {
  if (text === null || stored?.text !== text) return text
  return parseMessage(stored)?.format(getCurrentLanguage()) ?? text
}

/** The message with this id and these values; undefined if this release does not have one of the ids. */
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
