import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import type { Language } from '../frame/i18n.ts'

type Why = NonNullable<AnalysisJson['findings'][number]['whyCode']>

/** Why a verdict is what it is; null where the quotes beside it say it all. */
export function whyInWords(why: Why, kind: string, { words, format }: Language): string | null {
  const t = words.recording.check.why
  const span = (from: number, to: number) => `${format.length(from)}–${format.length(to)}`
  const and = (text: string, { from, to }: { from?: number; to?: number }) =>
    from === undefined || to === undefined ? text : `${text} ${t.lookedIn(span(from, to))}`
  switch (why.code) {
    case 'found':
    case 'forbidden':
      return null
    case 'notFound':
      return why.needed === undefined
        ? t.notFound(span(why.from, why.to))
        : t.tooFew(format.number(why.found ?? 0), format.number(why.needed), span(why.from, why.to))
    case 'noReply':
      return and(why.within === null ? t.noReply : t.noReplyWithin(format.number(why.within)), why)
    case 'notInOrder':
      return and(t.notInOrder(format.number(why.step)), why)
    case 'measured': {
      const { value, min, max } = why
      const bound = (limit: number | null) => (limit === null ? null : format.number(limit))
      const shown = t.measured(kind, format.number(value))
      return min === null && max === null ? shown : `${shown}; ${t.expected(bound(min), bound(max))}`
    }
    case 'noAnchor':
    case 'speakersUnknown':
    case 'nothingSaid':
    case 'noAnswer':
      return t[why.code]
    default:
      return why.text
  }
}
