import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import type { RuleKindName } from '../../check/rules/types.ts'
import type { Language } from '../frame/i18n.ts'
import { RULE_KIND_VIEWS } from '../rule-sets/kind-views.ts'

type VerdictReason = NonNullable<AnalysisJson['findings'][number]['whyCode']>

/** Explains a verdict in the language of the page; null if the quotes suffice. Returns the text of a model unchanged. */
export function formatVerdictReason(
  reason: VerdictReason,
  kind: RuleKindName,
  { words, format, code }: Language,
): string | null {
  const t = words.recording.check.why
  const formatSpan = ({ from, to }: { from: number; to: number }) => `${format.length(from)}–${format.length(to)}`
  switch (reason.code) {
    case 'found':
    case 'forbidden':
      return null
    case 'notFound':
      return reason.needed === undefined
        ? t.notFound(formatSpan(reason))
        : t.tooFew(format.number(reason.found ?? 0), format.number(reason.needed), formatSpan(reason))
    case 'noReply':
      return `${reason.within === null ? t.noReply : t.noReplyWithin(format.number(reason.within))} ${t.lookedIn(formatSpan(reason))}`
    case 'notInOrder':
      return `${t.notInOrder(format.number(reason.step))} ${t.lookedIn(formatSpan(reason))}`
    case 'measured': {
      const { value, min, max } = reason
      const formatBound = (limit: number | null) => (limit === null ? null : format.number(limit))
      const { measured } = RULE_KIND_VIEWS[kind]
      const shown = measured ? measured[code](format.number(value)) : format.number(value)
      return min === null && max === null ? shown : `${shown}; ${t.expected(formatBound(min), formatBound(max))}`
    }
    case 'noAnchor':
    case 'speakersUnknown':
    case 'nothingSaid':
    case 'noAnswer':
      return t[reason.code]
    default:
      return reason.text
  }
}
