import { evidenceOf } from './evidence.ts'
import { judgeNotSaid, judgeNumber, judgeOrder, judgeReply, judgeSaid, outcome, type Outcome } from './kinds.ts'
import { loadLemmas } from './lemmas.ts'
import { judgeMeasure } from './measures.ts'
import { Pace } from './pace.ts'
import { scoreOf } from './score.ts'
import type { Context } from './search.ts'
import { talkOf } from './talk.ts'
import type { Dialogue, Finding, Judgement, ModelAnswers, Rule, RuleSetBody } from './types.ts'

/**
 * Judges a call by a rule set that has no violations. It lets others work every 5 ms, however long the call is. Give the
 * same `dialogue` and `set` objects again where several sets or calls are judged: what is made of them is kept with them.
 */
export async function judge(set: RuleSetBody, dialogue: Dialogue, answers: ModelAnswers = {}): Promise<Judgement> {
  await loadLemmas()
  const pace = new Pace()
  const talk = await talkOf(dialogue, pace)
  const outcomes = new Map<string, Outcome>()
  const begun = new Set<string>()
  const outcomeOf = async (rule: Rule): Promise<Outcome | undefined> => {
    // Rules that refer to each other in a circle: the one that began the circle is not judged twice.
    if (begun.has(rule.key)) return outcomes.get(rule.key)
    begun.add(rule.key)
    const made = await judgeRule(context, rule)
    outcomes.set(rule.key, made)
    return made
  }
  const context: Context = {
    talk,
    pace,
    async matchesOf(key) {
      const rule = set.rules.find((other) => other.key === key)
      const known = rule && (await outcomeOf(rule))
      return known?.verdict === 'unknown' ? undefined : (known?.found ?? []).map(({ match }) => match)
    },
  }
  const findings: Finding[] = []
  for (const rule of set.rules) {
    findings.push(answered(rule, answers) ?? found(dialogue, rule, (await outcomeOf(rule))!))
    if (pace.due()) await pace.rest()
  }
  const labels = findings
    .filter(({ verdict }) => set.mode === 'label' && verdict === 'met')
    .map(({ rule, evidence }) => ({ rule, evidence }))
  return { ...scoreOf(set, findings), findings, labels }
}

function answered({ key }: Rule, answers: ModelAnswers): Finding | undefined {
  if (!Object.hasOwn(answers, key)) return undefined
  const { verdict, evidence, why } = answers[key]!
  return { rule: key, verdict, decidedBy: 'model', evidence, why: { code: 'model', text: why } }
}

const found = (dialogue: Dialogue, { key }: Rule, { verdict, why, found: matches }: Outcome): Finding => ({
  rule: key,
  verdict,
  decidedBy: 'rules',
  evidence: evidenceOf(
    dialogue,
    matches.map(({ match }) => match),
  ),
  why,
})

async function judgeRule(context: Context, rule: Rule): Promise<Outcome> {
  switch (rule.kind) {
    case 'said':
    case 'asked':
      return judgeSaid(context, rule)
    case 'notSaid':
      return judgeNotSaid(context, rule)
    case 'reply':
      return judgeReply(context, rule)
    case 'order':
      return judgeOrder(context, rule)
    case 'number':
      return judgeNumber(context, rule)
    case 'model':
      return outcome('unknown', { code: 'noAnswer' })
    default:
      return judgeMeasure(context, rule)
  }
}
