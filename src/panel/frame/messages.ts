import type { KnownMessage } from '../../platform/lib/message-header.ts'
import type { ApiMessage } from './api-client.ts'
import type { Language } from './i18n.ts'

/** A message of the API in the person's language; one that has no saying here stays as the API says it. */
export const sayMessage = ({ text, known }: ApiMessage, language: Language): string =>
  sayKnown(known, language) ?? sentence(text)

/** The same of what is known by its id; undefined where there is no saying for it, or its values are missing. */
export function sayKnown(known: KnownMessage | undefined, language: Language): string | undefined {
  const saying = known && language.messages[known.id]
  if (typeof saying !== 'function') return saying
  const values = Object.entries(known!.values).map(([name, value]) => {
    return [name, typeof value === 'string' ? value : sayKnown(value, language)] as const
  })
  const isWhole = values.length > 0 && values.every(([, value]) => value !== undefined)
  return isWhole ? saying(Object.fromEntries(values) as Record<string, string>) : undefined
}

/** The field that a message is about, such as departments.0. */
export const fieldOf = ({ known }: ApiMessage): string | undefined => {
  const field = known?.values.field
  return typeof field === 'string' ? field : undefined
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`
}
