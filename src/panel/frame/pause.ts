import type { QueuePauseJson } from '../../platform/queue/schema.ts'
import type { Language } from './i18n.ts'

/** Formats since when and why work is paused, and when the service retries. */
export function formatPauseReason({ since, reason, retryAt }: QueuePauseJson, language: Language): string {
  const { words, format } = language
  const t = words.common.pause
  if (reason === null) return t.byPerson(format.shortTime(since))
  const retry = retryAt && t.retry(format.shortTime(retryAt))
  return [t.byService(format.shortTime(since), reason), retry].filter(Boolean).join(' ')
}
