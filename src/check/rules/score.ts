import type { Finding, Judgement, RuleSetBody, Verdict } from './types.ts'

type Scores = Pick<Judgement, 'score' | 'scoreBeforeCritical' | 'coverage'>

/**
 * Score = 100 × weight met ÷ weight met or missed. What does not apply or is unknown drops out; where that leaves less than
 * half of the weight, there is no score. A missed critical rule makes it 0, whatever else is known.
 */
export function scoreOf(set: RuleSetBody, findings: Pick<Finding, 'rule' | 'verdict'>[]): Scores {
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

/** Of so much of the weight a score is made. */
const ENOUGH_PERCENT = 50

/** Rounded down, so that less than half is never shown as half; weights with decimals do not add up to the last bit. */
const wholePercent = (part: number, all: number): number => Math.floor((100 * part) / all + 1e-9)
