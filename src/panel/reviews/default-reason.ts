import type { Language } from '../frame/i18n.ts'
import { reviewWords } from './words.ts'

/** A decision is about a dispute, or follows listening to the call or reading its transcript. */
export const DEFAULT_REASONS = ['disputed', 'heard', 'read'] as const

/**
 * Translates the reason that the panel added to a decision without a comment. It is stored in the language of the reviewer. Other
 * comments stay unchanged.
 */
export function translateDefaultReason(comment: string | null, { words }: Pick<Language, 'words'>): string | null {
  const { en, ru } = reviewWords.defaultReasons
  const name = DEFAULT_REASONS.find((one) => [en[one], ru[one]].includes(comment ?? ''))
  return name ? words.reviews.defaultReasons[name] : comment
}
