import type { Finding, Judgement, Rule, RuleSetScope, Verdict } from '../rules/types.ts'
import type { BacktestJson } from './schema.ts'

/** The verdicts on a rule in the calls of a backtest. */
type VerdictCounts = NonNullable<BacktestJson['rules'][number]['old']>

/** The figures of a test run, added up batch by batch. */
export interface BacktestFigures extends Pick<BacktestJson, 'skipped' | 'changed' | 'histogram'> {
  calls: number
  /** The scopes of the score sets that came first at the start; absent in backtests of earlier releases. */
  precedingScopes?: RuleSetScope[]
  /** Calls that these sets get. */
  scoredByOthers?: number
  /** The approximate number of words in all its calls. */
  words: number
  rules: Omit<BacktestJson['rules'][number], 'name' | 'oldRate' | 'newRate'>[]
  /** Calls that would newly get 0, by the responsible critical rule or NO_POINTS_KEY. */
  newZeros: { rule: string; calls: number }[]
}

/** Replaces the rule if no critical one is missed but no point is left; keys of rules have no capital letters. */
const NO_POINTS_KEY = 'noPoints'

const ZERO_COUNTS: VerdictCounts = { met: 0, missed: 0, notApplicable: 0, unknown: 0 }
const HISTOGRAM_BINS = 10

/** Figures before the first batch. */
export function createEmptyFigures(
  draft: Rule[],
  published: Rule[] | null,
  words: number,
  precedingScopes: RuleSetScope[],
): BacktestFigures {
  const has = (rules: Rule[] | null, key: string) => rules?.some((rule) => rule.key === key) === true
  const keys = [...new Set([...draft, ...(published ?? [])].map(({ key }) => key))]
  return {
    calls: 0,
    words,
    precedingScopes,
    scoredByOthers: 0,
    skipped: 0,
    changed: 0,
    rules: keys.map((rule) => ({
      rule,
      old: has(published, rule) ? { ...ZERO_COUNTS } : null,
      new: has(draft, rule) ? { ...ZERO_COUNTS } : null,
      judged: 0,
      oldAgreed: 0,
      newAgreed: 0,
    })),
    histogram: { old: Array<number>(HISTOGRAM_BINS).fill(0), new: Array<number>(HISTOGRAM_BINS).fill(0) },
    newZeros: [...draft.filter(({ critical }) => critical).map(({ key }) => key), NO_POINTS_KEY].map((rule) => ({
      rule,
      calls: 0,
    })),
  }
}

/** A changed verdict with the quotes of both sides. */
export interface VerdictChange {
  rule: string
  old: Verdict | null
  new: Verdict | null
  oldEvidence: Finding['evidence']
  newEvidence: Finding['evidence']
}

/** Adds a call to the figures and returns what differs. `people` has the last decisions of people by rule. */
export function addCallToFigures(
  figures: BacktestFigures,
  draft: Judgement,
  published: Judgement | null,
  reviewedVerdicts: ReadonlyMap<string, Verdict>,
): { changes: VerdictChange[]; hasChanged: boolean } {
  figures.calls++
  const changes: VerdictChange[] = []
  for (const ruleFigures of figures.rules) {
    const [before, after] = [published, draft].map((one) => one?.findings.find(({ rule }) => rule === ruleFigures.rule))
    if (ruleFigures.old && before) ruleFigures.old[VERDICT_KEYS[before.verdict]]++
    if (ruleFigures.new && after) ruleFigures.new[VERDICT_KEYS[after.verdict]]++
    const reviewedVerdict = reviewedVerdicts.get(ruleFigures.rule)
    if (reviewedVerdict) {
      ruleFigures.judged++
      if (before?.verdict === reviewedVerdict) ruleFigures.oldAgreed++
      if (after?.verdict === reviewedVerdict) ruleFigures.newAgreed++
    }
    if (published && before?.verdict !== after?.verdict) changes.push(toVerdictChange(ruleFigures.rule, before, after))
  }
  addScoreToHistogram(figures.histogram.new, draft.score)
  if (published) addScoreToHistogram(figures.histogram.old, published.score)
  if (published?.score !== 0 && draft.score === 0) countNewZero(figures.newZeros, draft)
  const hasChanged = changes.length > 0 || (published !== null && published.score !== draft.score)
  if (hasChanged) figures.changed++
  return { changes, hasChanged }
}

function countNewZero(zeros: BacktestFigures['newZeros'], { findings }: Judgement): void {
  const isMissed = (key: string) => findings.some(({ rule, verdict }) => rule === key && verdict === 'missed')
  const critical = zeros.filter(({ rule }) => isMissed(rule))
  for (const zero of critical.length > 0 ? critical : zeros.filter(({ rule }) => rule === NO_POINTS_KEY)) zero.calls++
}

const VERDICT_KEYS = { met: 'met', missed: 'missed', not_applicable: 'notApplicable', unknown: 'unknown' } as const

const toVerdictChange = (rule: string, before: Finding | undefined, after: Finding | undefined): VerdictChange => ({
  rule,
  old: before?.verdict ?? null,
  new: after?.verdict ?? null,
  oldEvidence: before?.evidence.slice(0, 2) ?? [],
  newEvidence: after?.evidence.slice(0, 2) ?? [],
})

function addScoreToHistogram(histogram: number[], score: number | null): void {
  if (score !== null) histogram[Math.min(HISTOGRAM_BINS - 1, Math.floor(score / HISTOGRAM_BINS))]!++
}

/** Rules of the draft that have the same verdict in all judged calls. */
export function collectWarnings({ rules }: BacktestFigures): Pick<BacktestJson['warnings'][number], 'rule' | 'code'>[] {
  const neverMet = rules
    .filter((one) => calculateMetPercent(one.new) === 0)
    .map(({ rule }) => ({ rule, code: 'neverMet' as const }))
  const alwaysMet = rules.filter(({ new: counts }) => counts?.met && !counts.missed)
  return [...neverMet, ...alwaysMet.map(({ rule }) => ({ rule, code: 'alwaysMet' as const }))]
}

/** The percentage of judged calls that met a rule; null without judged calls. */
export function calculateMetPercent(counts: VerdictCounts | null): number | null {
  const judged = (counts?.met ?? 0) + (counts?.missed ?? 0)
  return judged > 0 ? Math.round((1000 * counts!.met) / judged) / 10 : null
}
