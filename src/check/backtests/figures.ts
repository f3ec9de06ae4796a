import type { Finding, Judgement, Rule, Verdict } from '../rules/types.ts'
import type { BacktestJson } from './schema.ts'

/** The verdicts on a rule in the calls of a backtest. */
type Counts = NonNullable<BacktestJson['rules'][number]['old']>

export interface Figures extends Pick<BacktestJson, 'skipped' | 'changed' | 'histogram'> {
  calls: number
  /** The approximate number of words in all its calls. */
  words: number
  rules: Omit<BacktestJson['rules'][number], 'name' | 'oldRate' | 'newRate'>[]
  /** Calls that would newly get 0, by the responsible critical rule or NO_POINTS. */
  newZeros: { rule: string; calls: number }[]
}

/** Replaces the rule if no critical one is missed but no point is left; keys of rules have no capital letters. */
const NO_POINTS = 'noPoints'

const NOBODY: Counts = { met: 0, missed: 0, notApplicable: 0, unknown: 0 }
const TENS = 10

export function emptyFigures(draft: Rule[], published: Rule[] | null, words: number): Figures {
  const has = (rules: Rule[] | null, key: string) => rules?.some((rule) => rule.key === key) === true
  const keys = [...new Set([...draft, ...(published ?? [])].map(({ key }) => key))]
  return {
    calls: 0,
    words,
    skipped: 0,
    changed: 0,
    rules: keys.map((rule) => ({
      rule,
      old: has(published, rule) ? { ...NOBODY } : null,
      new: has(draft, rule) ? { ...NOBODY } : null,
      judged: 0,
      oldAgreed: 0,
      newAgreed: 0,
    })),
    histogram: { old: Array<number>(TENS).fill(0), new: Array<number>(TENS).fill(0) },
    newZeros: [...draft.filter(({ critical }) => critical).map(({ key }) => key), NO_POINTS].map((rule) => ({
      rule,
      calls: 0,
    })),
  }
}

/** A changed verdict with the quotes of both sides. */
export interface Change {
  rule: string
  old: Verdict | null
  new: Verdict | null
  oldEvidence: Finding['evidence']
  newEvidence: Finding['evidence']
}

/** Adds a call to the figures and returns what differs. `people` has the last decisions of people by rule. */
export function addCall(
  figures: Figures,
  draft: Judgement,
  published: Judgement | null,
  people: ReadonlyMap<string, Verdict>,
): { changes: Change[]; hasChanged: boolean } {
  figures.calls++
  const changes: Change[] = []
  for (const of of figures.rules) {
    const [before, after] = [published, draft].map((one) => one?.findings.find(({ rule }) => rule === of.rule))
    if (of.old && before) of.old[NAMES[before.verdict]]++
    if (of.new && after) of.new[NAMES[after.verdict]]++
    const said = people.get(of.rule)
    if (said) {
      of.judged++
      if (before?.verdict === said) of.oldAgreed++
      if (after?.verdict === said) of.newAgreed++
    }
    if (published && before?.verdict !== after?.verdict) changes.push(changeOf(of.rule, before, after))
  }
  addScore(figures.histogram.new, draft.score)
  if (published) addScore(figures.histogram.old, published.score)
  if (published?.score !== 0 && draft.score === 0) addZero(figures.newZeros, draft)
  const hasChanged = changes.length > 0 || (published !== null && published.score !== draft.score)
  if (hasChanged) figures.changed++
  return { changes, hasChanged }
}

function addZero(zeros: Figures['newZeros'], { findings }: Judgement): void {
  const isMissed = (key: string) => findings.some(({ rule, verdict }) => rule === key && verdict === 'missed')
  const critical = zeros.filter(({ rule }) => isMissed(rule))
  for (const zero of critical.length > 0 ? critical : zeros.filter(({ rule }) => rule === NO_POINTS)) zero.calls++
}

const NAMES = { met: 'met', missed: 'missed', not_applicable: 'notApplicable', unknown: 'unknown' } as const

const changeOf = (rule: string, before: Finding | undefined, after: Finding | undefined): Change => ({
  rule,
  old: before?.verdict ?? null,
  new: after?.verdict ?? null,
  oldEvidence: before?.evidence.slice(0, 2) ?? [],
  newEvidence: after?.evidence.slice(0, 2) ?? [],
})

function addScore(histogram: number[], score: number | null): void {
  if (score !== null) histogram[Math.min(TENS - 1, Math.floor(score / TENS))]!++
}

/** Rules of the draft that have the same verdict in all judged calls. */
export function warningsOf({ rules }: Figures): Pick<BacktestJson['warnings'][number], 'rule' | 'code'>[] {
  const never = rules.filter((one) => rateOf(one.new) === 0).map(({ rule }) => ({ rule, code: 'neverMet' as const }))
  const always = rules.filter(({ new: counts }) => counts?.met && !counts.missed)
  return [...never, ...always.map(({ rule }) => ({ rule, code: 'alwaysMet' as const }))]
}

/** The percentage of judged calls that met a rule; null without judged calls. */
export function rateOf(counts: Counts | null): number | null {
  const judged = (counts?.met ?? 0) + (counts?.missed ?? 0)
  return judged > 0 ? Math.round((1000 * counts!.met) / judged) / 10 : null
}
