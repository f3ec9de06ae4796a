import type { RuleFinding, CallJudgement, Rule, RuleSetScope, Verdict } from '../rules/types.ts'
import type { BacktestJson } from './schema.ts'

type VerdictCounts = NonNullable<BacktestJson['rules'][number]['old']>

/** The results of a test run, which grow page by page. */
export interface BacktestFigures extends Pick<BacktestJson, 'skipped' | 'changed' | 'histogram'> {
  calls: number
  /** Scopes of the published score sets before this one when the test run started. Earlier releases do not store them. */
  precedingScopes?: RuleSetScope[]
  /** Calls that a rule set of `precedingScopes` scores instead. */
  scoredByOthers?: number
  /** The words of all calls, estimated from the length of their transcripts. */
  words: number
  rules: Omit<BacktestJson['rules'][number], 'name' | 'oldRate' | 'newRate'>[]
  /** Calls that get the score 0 only with the draft, by the critical rule that causes it or NO_POINTS_KEY. */
  newZeros: { rule: string; calls: number }[]
}

/** Marks calls that score 0 without missing a critical rule. Keys of rules have no capital letters, so it cannot collide. */
const NO_POINTS_KEY = 'noPoints'

const ZERO_COUNTS: VerdictCounts = { met: 0, missed: 0, notApplicable: 0, unknown: 0 }
const HISTOGRAM_BINS = 10

/**
 * Creates figures with zero counts for each rule of the draft and the published version.
 * @param words estimated words in all calls of the test run
 */
export function createEmptyBacktestFigures(
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

/** A verdict that differs between the published version (`old`) and the draft (`new`), with at most two quotes each. */
export interface VerdictChange {
  rule: string
  old: Verdict | null
  new: Verdict | null
  oldEvidence: RuleFinding['evidence']
  newEvidence: RuleFinding['evidence']
}

/**
 * Adds the verdicts and scores of a call to `figures`.
 * @param reviewedVerdicts the last verdicts that people gave, by rule key
 * @returns the changed verdicts, and whether a verdict or the score changed
 */
export function addCallToBacktestFigures(
  figures: BacktestFigures,
  draft: CallJudgement,
  published: CallJudgement | null,
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

function countNewZero(zeros: BacktestFigures['newZeros'], { findings }: CallJudgement): void {
  const isMissed = (key: string) => findings.some(({ rule, verdict }) => rule === key && verdict === 'missed')
  const critical = zeros.filter(({ rule }) => isMissed(rule))
  for (const zero of critical.length > 0 ? critical : zeros.filter(({ rule }) => rule === NO_POINTS_KEY)) zero.calls++
}

const VERDICT_KEYS = { met: 'met', missed: 'missed', not_applicable: 'notApplicable', unknown: 'unknown' } as const

const toVerdictChange = (
  rule: string,
  before: RuleFinding | undefined,
  after: RuleFinding | undefined,
): VerdictChange => ({
  rule,
  old: before?.verdict ?? null,
  new: after?.verdict ?? null,
  oldEvidence: before?.evidence.slice(0, 2) ?? [],
  newEvidence: after?.evidence.slice(0, 2) ?? [],
})

function addScoreToHistogram(histogram: number[], score: number | null): void {
  if (score !== null) histogram[Math.min(HISTOGRAM_BINS - 1, Math.floor(score / HISTOGRAM_BINS))]!++
}

/** Returns the rules of the draft that all judged calls met, or that none of them met. */
export function collectBacktestWarnings({
  rules,
}: BacktestFigures): Pick<BacktestJson['warnings'][number], 'rule' | 'code'>[] {
  const neverMet = rules
    .filter((one) => calculateRuleMetPercent(one.new) === 0)
    .map(({ rule }) => ({ rule, code: 'neverMet' as const }))
  const alwaysMet = rules.filter(({ new: counts }) => counts?.met && !counts.missed)
  return [...neverMet, ...alwaysMet.map(({ rule }) => ({ rule, code: 'alwaysMet' as const }))]
}

/**
 * Returns the share of calls that met a rule among those that met or missed it, in percent with one decimal. Null without such
 * calls.
 */
export function calculateRuleMetPercent(counts: VerdictCounts | null): number | null {
  const judged = (counts?.met ?? 0) + (counts?.missed ?? 0)
  return judged > 0 ? Math.round((1000 * counts!.met) / judged) / 10 : null
}
