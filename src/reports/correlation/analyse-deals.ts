import { sumField } from '../definitions/figures.ts'
import {
  computeQValues,
  computeMantelHaenszelTest,
  computeWilsonInterval,
  type RuleOutcomeTable,
} from '../definitions/statistics.ts'
import { computeBootstrapInterval, type ConfidenceInterval } from './bootstrap.ts'
import { countUnweightedConcordantPairs, computeConcordantShare, sortDealsByStratumAndScore } from './concordance.ts'
import { groupLinkedDeals, assignDealStrata, type ClosedDeal, type StratifiedDeal } from './closed-deals.ts'

/** With fewer deals, the confidence interval is too wide for a verdict. */
const MIN_DEALS = { deals: 100, won: 20, lost: 20 }
/** A rule is tested only if at least this many deals met it and at least this many did not. */
const MIN_DEALS_PER_SIDE = 20
/** If the pooled share differs from `a` by more than this, the mix of managers and funnels explains a part of it. */
const NOTABLE_DIFFERENCE = 0.1
const SCORE_BANDS = [0, 40, 60, 80, 100]

/**
 * Counts the pairs of a won and a lost deal. `value` is the share of pairs in which the won deal has the higher score; a tie
 * counts half. Null without pairs.
 */
export interface ConcordantPairShare {
  value: number | null
  pairs: number
}

/**
 * Contains the statistics that analyseScoreCorrelation() computes. `a` compares deals of the same manager and funnel, `pooled`
 * the same deals across managers and funnels.
 */
export interface CorrelationFindings {
  /** Compares the interval with ½. `too-few` means too few deals, `no-interval` too many resamples without a pair. */
  verdict: 'too-few' | 'no-interval' | 'higher' | 'none' | 'lower'
  a: ConcordantPairShare & { low: number | null; high: number | null; level: number | null }
  pooled: ConcordantPairShare & { differs: boolean }
  deals: { used: number; won: number; lost: number; excluded: { oneSided: number } }
  managers: (ConcordantPairShare & { manager: string; won: number; lost: number })[]
  bands: { from: number; to: number; won: number; closed: number; low: number | null; high: number | null }[]
  rules: RuleFinding[]
  sensitivity: Record<'withoutLastCall' | 'sameTalkTime', ConcordantPairShare & { isEnough: boolean }>
  bootstrap: { requested: number; valid: number; void: number }
}

/** Compares the outcomes of deals that met a rule with the outcomes of the others, within strata. */
interface RuleFinding {
  rule: string
  met: number
  unmet: number
  /** Null if fewer than MIN_DEALS_PER_SIDE deals met the rule or did not meet it, or if no stratum allows a comparison. */
  difference: number | null
  p: number | null
  q: number | null
  /** True if q is at most 0.1. */
  notable: boolean
}

/**
 * Compares the scores of won and lost deals of the same manager and funnel. The result shows a correlation, not its cause.
 * @param replicates number of bootstrap resamples
 * @param seed four 32-bit numbers; the same seed gives the same result
 */
export function analyseScoreCorrelation(
  closedDeals: ClosedDeal[],
  replicates: number,
  seed: Uint32Array,
): CorrelationFindings {
  const ordered = closedDeals.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  const deals = selectComparable(assignDealStrata(ordered))
  const main = comparePairs(deals)
  const pooled = comparePairs(deals.map((deal) => ({ ...deal, stratum: 0 })))
  const isEnough = hasEnoughDeals(deals)
  const resampling = isEnough
    ? computeBootstrapInterval(sortDealsByStratumAndScore(deals), groupLinkedDeals(deals), replicates, seed)
    : undefined
  const interval = resampling?.interval ?? null
  return {
    verdict: isEnough ? judgeInterval(interval) : 'too-few',
    a: { ...main, low: interval?.low ?? null, high: interval?.high ?? null, level: interval?.level ?? null },
    pooled: {
      ...pooled,
      differs: main.value !== null && pooled.value !== null && Math.abs(main.value - pooled.value) > NOTABLE_DIFFERENCE,
    },
    deals: { used: deals.length, ...countOutcomes(deals), excluded: { oneSided: closedDeals.length - deals.length } },
    managers: compareManagers(deals),
    bands: countByBand(deals),
    rules: testRules(deals),
    sensitivity: analyseSensitivity(deals),
    bootstrap: { requested: replicates, valid: resampling?.valid ?? 0, void: resampling?.void ?? 0 },
  }
}

/** Drops deals of strata with only won or only lost deals, because nothing can be compared with them. */
function selectComparable(deals: StratifiedDeal[]): StratifiedDeal[] {
  const [won, lost] = [new Set<number>(), new Set<number>()]
  for (const deal of deals) (deal.won ? won : lost).add(deal.stratum)
  return deals.filter(({ stratum }) => won.has(stratum) && lost.has(stratum))
}

function countOutcomes(deals: StratifiedDeal[]): { won: number; lost: number } {
  const won = deals.filter((deal) => deal.won).length
  return { won, lost: deals.length - won }
}

function hasEnoughDeals(deals: StratifiedDeal[]): boolean {
  const { won, lost } = countOutcomes(selectComparable(deals))
  return won + lost >= MIN_DEALS.deals && won >= MIN_DEALS.won && lost >= MIN_DEALS.lost
}

const judgeInterval = (interval: ConfidenceInterval | null): CorrelationFindings['verdict'] => {
  if (!interval) return 'no-interval'
  return interval.low > 0.5 ? 'higher' : interval.high < 0.5 ? 'lower' : 'none'
}

function comparePairs(deals: StratifiedDeal[]): ConcordantPairShare {
  const found = countUnweightedConcordantPairs(sortDealsByStratumAndScore(deals))
  return { value: computeConcordantShare(found), pairs: found.pairs }
}

/** Compares the deals of each manager separately. Managers with the most pairs come first. */
function compareManagers(deals: StratifiedDeal[]): CorrelationFindings['managers'] {
  const byManager = new Map<string, StratifiedDeal[]>()
  for (const deal of deals) {
    const own = byManager.get(deal.manager)
    if (own) own.push(deal)
    else byManager.set(deal.manager, [deal])
  }
  return [...byManager]
    .map(([manager, own]) => ({ manager, ...comparePairs(own), ...countOutcomes(own) }))
    .sort((a, b) => b.pairs - a.pairs || (a.manager < b.manager ? -1 : 1))
}

function countByBand(deals: StratifiedDeal[]): CorrelationFindings['bands'] {
  return SCORE_BANDS.slice(1).map((to, n) => {
    const from = SCORE_BANDS[n]!
    const inBand = deals.filter(({ score }) => score >= from && (score < to || (to === 100 && score <= to)))
    const { won } = countOutcomes(inBand)
    const interval = computeWilsonInterval(won, inBand.length)
    return { from, to, won, closed: inBand.length, low: interval?.low ?? null, high: interval?.high ?? null }
  })
}

function testRules(deals: StratifiedDeal[]): RuleFinding[] {
  const byName = [...buildRuleTables(deals)].sort(([a], [b]) => (a < b ? -1 : 1))
  const found = byName.map(([rule, byStratum]) => {
    const tables = [...byStratum.values()]
    const met = sumField(tables, 'metWon') + sumField(tables, 'metLost')
    const unmet = sumField(tables, 'unmetWon') + sumField(tables, 'unmetLost')
    return {
      rule,
      met,
      unmet,
      test: Math.min(met, unmet) >= MIN_DEALS_PER_SIDE ? computeMantelHaenszelTest(tables) : null,
    }
  })
  const tested = found.filter(({ test }) => test !== null)
  const qs = computeQValues(tested.map(({ test }) => test!.p))
  return found
    .map(({ test, ...sides }) => {
      const q = test ? qs[tested.findIndex(({ rule }) => rule === sides.rule)]! : null
      return { ...sides, difference: test?.difference ?? null, p: test?.p ?? null, q, notable: q !== null && q <= 0.1 }
    })
    .sort((a, b) => (a.q ?? 2) - (b.q ?? 2) || (a.rule < b.rule ? -1 : 1))
}

function buildRuleTables(deals: StratifiedDeal[]): Map<string, Map<number, RuleOutcomeTable>> {
  const found = new Map<string, Map<number, RuleOutcomeTable>>()
  for (const { stratum, won, rules } of deals) {
    for (const [rule, isMet] of Object.entries(rules)) {
      const tables = found.get(rule) ?? new Map<number, RuleOutcomeTable>()
      found.set(rule, tables)
      const table = tables.get(stratum) ?? { metWon: 0, metLost: 0, unmetWon: 0, unmetLost: 0 }
      table[isMet ? (won ? 'metWon' : 'metLost') : won ? 'unmetWon' : 'unmetLost']++
      tables.set(stratum, table)
    }
  }
  return found
}

/** Tests two alternative explanations: the last call reveals the outcome, or deals with longer calls are won more often. */
function analyseSensitivity(deals: StratifiedDeal[]): CorrelationFindings['sensitivity'] {
  const bySeconds = Float64Array.from(deals, ({ seconds }) => seconds).sort()
  const [third, twoThirds] = [1, 2].map((n) => bySeconds[Math.floor((n * bySeconds.length) / 3)]!)
  const tertileOf = ({ seconds }: ClosedDeal) => (seconds < third! ? 0 : seconds < twoThirds! ? 1 : 2)
  const compare = (some: StratifiedDeal[]) => ({ ...comparePairs(some), isEnough: hasEnoughDeals(some) })
  return {
    withoutLastCall: compare(
      deals.flatMap((deal) => (deal.earlierScore === null ? [] : [{ ...deal, score: deal.earlierScore }])),
    ),
    sameTalkTime: compare(deals.map((deal) => ({ ...deal, stratum: 3 * deal.stratum + tertileOf(deal) }))),
  }
}
