import type { Frame } from '../../analytics/schema.ts'
import type { Language } from '../frame/i18n.ts'

/** On how much a report rests. */
export function coverageOf({ coverage }: Frame, { words, format }: Language): string {
  const { calls, checked, linked } = coverage
  return words.analytics.coverage(format.number(calls), format.number(checked), format.number(linked))
}
