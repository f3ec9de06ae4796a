import type { Language } from '../frame/i18n.ts'
import { reviewWords } from './words.ts'

const DEFAULT_REASONS = ['reasonOfDispute', 'reasonOfListening'] as const

/**
 * Translates the reason that the panel added to a decision without a comment. It is stored in the language of the reviewer. Other
 * comments stay unchanged.
 */
export function translateDefaultReason(comment: string | null, { words }: Pick<Language, 'words'>): string | null {
  const name = DEFAULT_REASONS.find((one) =>
    [reviewWords[one].en, reviewWords[one].ru].some((text) => text === comment),
  )
  return name ? words.reviews[name] : comment
}
