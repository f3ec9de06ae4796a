import { shouldYield, yieldToOthers } from '../../platform/lib/yielder.ts'
import * as kinds from './kinds/index.ts'
import type { Outcome, RuleKind } from './kind.ts'
import { loadLemmas } from '../../platform/lib/morphology.ts'
import type { Context, Timed } from './search.ts'
import { quoteAt, talkOf } from './talk.ts'
import type { Dialogue, Evidence, Finding, Judgement, Kind, ModelAnswers, Rule, RuleSetBody, Verdict } from './types.ts'

export const KINDS: Record<Kind, RuleKind> = kinds

/** Judges a call, yielding to the event loop. Reuse `dialogue` and `set` objects: their words and phrases are cached. */
export async function judge(set: RuleSetBody, dialogue: Dialogue, answers: ModelAnswers = {}): Promise<Judgement> {
  await loadLemmas()
  const talk = await talkOf(dialogue)
  const outcomes = new Map<string, Outcome>()
  const begun = new Set<string>()
  const outcomeOf = async (rule: Rule): Promise<Outcome | undefined> => {
    // If rules refer to each other in a circle, the one that began it is not judged twice.
    if (begun.has(rule.key)) return outcomes.get(rule.key)
    begun.add(rule.key)
    const kind = KINDS[rule.kind]
    const made = await kind.judge(context, { ...rule, mono: rule.mono ?? kind.mono })
    outcomes.set(rule.key, made)
    return made
  }
  const context: Context = {
    talk,
    async matchesOf(key) {
      const rule = set.rules.find((other) => other.key === key)
      const known = rule && (await outcomeOf(rule))
      return known?.verdict === 'unknown' ? undefined : (known?.found ?? [])
    },
  }
  const findings: Finding[] = []
  for (const rule of set.rules) {
    findings.push(byModel(rule, answers) ?? byRule(dialogue, rule, (await outcomeOf(rule))!))
    if (shouldYield()) await yieldToOthers()
  }
  const labels = findings
    .filter(({ verdict }) => set.mode === 'label' && verdict === 'met')
    .map(({ rule, evidence }) => ({ rule, evidence }))
  return { ...scoreOf(set, findings), findings, labels }
}

function byModel({ key }: Rule, answers: ModelAnswers): Finding | undefined {
  if (!Object.hasOwn(answers, key)) return undefined
  const { verdict, evidence, why } = answers[key]!
  return { rule: key, verdict, decidedBy: 'model', evidence, why: { code: 'model', text: why } }
}

const QUOTES = 10

function byRule(dialogue: Dialogue, { key }: Rule, { verdict, why, found }: Outcome): Finding {
  const quotes = found.slice(0, QUOTES).flatMap((match) => quotesOf(dialogue, match))
  return { rule: key, verdict, decidedBy: 'rules', evidence: quotes.slice(0, QUOTES), why }
}

/** The quotes of a match: one of each of its segments. */
function quotesOf({ segments }: Dialogue, { match: { line, first, last } }: Timed): Evidence[] {
  const quotes = new Map<number, Evidence>()
  for (const { segment, from, to } of line.tokens.slice(first, last + 1)) {
    const begin = Math.min(from, quotes.get(segment)?.from ?? from)
    const end = Math.max(to, quotes.get(segment)?.to ?? to)
    quotes.set(segment, quoteAt(segments[segment]!, segment, begin, end, line.side))
  }
  return [...quotes.values()]
}

type Scores = Pick<Judgement, 'score' | 'scoreBeforeCritical' | 'coverage'>

/** Score = 100 × weight met ÷ weight met or missed. None below half of the weight, 0 for a missed critical rule. */
export function scoreOf(
  set: Pick<RuleSetBody, 'mode' | 'rules'>,
  findings: Pick<Finding, 'rule' | 'verdict'>[],
): Scores {
  if (set.mode === 'label') return { score: null, scoreBeforeCritical: null, coverage: null }
  const verdicts = new Map(findings.map(({ rule, verdict }) => [rule, verdict]))
  const weight = (...counted: Verdict[]) =>
    set.rules
      .filter(({ key }) => counted.includes(verdicts.get(key) ?? 'unknown'))
      .reduce((sum, rule) => sum + (rule.weight ?? 0), 0)
  const [met, judged] = [weight('met'), weight('met', 'missed')]
  const all = weight('met', 'missed', 'not_applicable', 'unknown')
  const coverage = all > 0 ? wholePercent(judged, all) : 0
  const known = coverage >= ENOUGH_PERCENT
  const scoreBeforeCritical = known ? Math.round((100 * met) / judged) : null
  const failed = set.rules.some(({ key, critical }) => critical && verdicts.get(key) === 'missed')
  return {
    score: failed ? 0 : scoreBeforeCritical,
    scoreBeforeCritical,
    coverage,
  }
}

/** The minimum share of the weight for a score. */
const ENOUGH_PERCENT = 50

/** Rounded down, so that less than half never shows as half; decimal weights are not exact. */
const wholePercent = (part: number, all: number): number => Math.floor((100 * part) / all + 1e-9)
