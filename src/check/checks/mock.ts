import { sha256 } from '../../platform/lib/crypto.ts'
import { scoreOf } from '../rules/score.ts'
import type { Finding, Judgement, RuleSetBody, Verdict } from '../rules/types.ts'

/** What stands by every verdict that nobody has reached. */
const INVENTED = 'Invented for a demonstration'

/** Of 16 verdicts: mostly good ones, as a demonstration likes them. */
const VERDICTS: Verdict[] = [...Array<Verdict>(11).fill('met'), ...Array<Verdict>(4).fill('missed'), 'not_applicable']

/** An invented judgement: always the same of a call, and nothing of what was said. */
export function invent(set: RuleSetBody, recordingId: string): Judgement {
  const bytes = sha256(`${recordingId} ${set.key}`)
  const findings = set.rules.map(({ key, critical }, n): Finding => {
    const verdict = critical ? 'met' : set.mode === 'label' ? 'missed' : VERDICTS[bytes[n % bytes.length]! % 16]!
    return { rule: key, verdict, decidedBy: 'rules', evidence: [], why: { code: 'model', text: INVENTED } }
  })
  return { ...scoreOf(set, findings), findings, labels: [] }
}
