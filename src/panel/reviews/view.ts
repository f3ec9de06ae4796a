import type { AgreementJson, WaitingJson } from '../../check/reviews/schema.ts'
import { VERDICTS } from '../../check/checks/values.ts'
import type { Why } from '../../check/rules/types.ts'
import type { Language } from '../frame/i18n.ts'
import { whyInWords } from '../recording/why.ts'
import { quoteLinks } from '../rule-sets/quotes.ts'

const QUOTES = 3

export function waitingRow(waiting: WaitingJson, language: Language) {
  const { words, format, code } = language
  const t = words.reviews
  const { id, rule, verdict, evidence, whyCode, reason, recording, ruleSet, dispute } = waiting
  const href = `/recordings/${recording.id}`
  const verdicts = words.recording.check.verdicts
  return {
    id,
    action: `/reviews/${recording.id}/${id}`,
    href,
    call: format.phone(recording.phoneNumber) ?? words.recording.title,
    manager: recording.managerName,
    at: { iso: recording.callAt, text: format.shortTime(recording.callAt) },
    rule: rule.name[code],
    ruleSet: ruleSet.name[code],
    reason: { code: reason, text: t.reasons[reason] },
    verdict: { code: verdict, text: verdicts[verdict]! },
    others: VERDICTS.filter((other) => other !== verdict).map((other) => ({ value: other, text: verdicts[other]! })),
    why: whyCode && whyInWords(whyCode as Why, rule.kind, language),
    quotes: quoteLinks(evidence, recording.id, language, QUOTES),
    dispute,
  }
}

export function agreementRow(
  { ruleSet, rule, name, judged, agreed, percent, flagged }: AgreementJson,
  { words, format, code }: Language,
) {
  return {
    rule: name?.[code] ?? rule,
    ruleSet: ruleSet.name[code],
    judged: format.number(judged),
    agreed: format.number(agreed),
    percent: words.common.percent(format.number(percent)),
    flagged,
  }
}
