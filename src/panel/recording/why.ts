import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import type { Kind } from '../../check/rules/types.ts'
import type { Language } from '../frame/i18n.ts'
import { KIND_VIEWS } from '../rule-sets/kind-views.ts'

type Why = NonNullable<AnalysisJson['findings'][number]['whyCode']>

/** The reason of a verdict; null if the quotes beside it suffice. */
export function formatVerdictReason(why: Why, kind: Kind, { words, format, code }: Language): string | null {
  const t = words.recording.check.why
  const span = ({ from, to }: { from: number; to: number }) => `${format.length(from)}–${format.length(to)}`
  switch (why.code) {
    case 'found':
    case 'forbidden':
      return null
    case 'notFound':
      return why.needed === undefined
        ? t.notFound(span(why))
        : t.tooFew(format.number(why.found ?? 0), format.number(why.needed), span(why))
    case 'noReply':
      return `${why.within === null ? t.noReply : t.noReplyWithin(format.number(why.within))} ${t.lookedIn(span(why))}`
    case 'notInOrder':
      return `${t.notInOrder(format.number(why.step))} ${t.lookedIn(span(why))}`
    case 'measured': {
      const { value, min, max } = why
      const bound = (limit: number | null) => (limit === null ? null : format.number(limit))
      const { measured } = KIND_VIEWS[kind]
      const shown = measured ? measured[code](format.number(value)) : format.number(value)
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
