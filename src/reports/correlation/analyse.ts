import { total } from '../definitions/figures.ts'
import { benjaminiHochberg, mantelHaenszel, wilson, type Table } from '../definitions/rates.ts'
import { bootstrap, type Interval } from './bootstrap.ts'
import { concordanceOnce, shareOf, sortDeals } from './concordance.ts'
import { groupDeals, withStrata, type ClosedDeal, type StratifiedDeal } from './deals.ts'

/** With fewer deals the interval is too wide to answer the question. */
const LEAST = { deals: 100, won: 20, lost: 20 }
/** A rule needs this many deals that met it, and this many that did not. */
const LEAST_OF_RULE = 20
/** If the pooled share differs by more, the mix of managers explains a part. */
const NOTEWORTHY = 0.1
const BANDS = [0, 40, 60, 80, 100]

/** Pairs of a won and a lost deal, and the share in which the won one has the higher score. */
export interface Pairs {
  value: number | null
  pairs: number
}

export interface Findings {
  /** too-few: not enough deals; no-interval: too many resamples were void; else what the interval says of ½. */
  verdict: 'too-few' | 'no-interval' | 'higher' | 'none' | 'lower'
  a: Pairs & { low: number | null; high: number | null; level: number | null }
  pooled: Pairs & { differs: boolean }
  deals: { used: number; won: number; lost: number; excluded: { oneSided: number } }
  managers: (Pairs & { manager: string; won: number; lost: number })[]
  bands: { from: number; to: number; won: number; closed: number; low: number | null; high: number | null }[]
  rules: RuleFinding[]
  sensitivity: Record<'withoutLastCall' | 'sameTalkTime', Pairs & { isEnough: boolean }>
  bootstrap: { requested: number; valid: number; void: number }
}

/** The outcome of deals that met a rule, against others, within strata. */
interface RuleFinding {
  rule: string
  met: number
  unmet: number
  /** Null if either side is too small. */
  difference: number | null
  p: number | null
  q: number | null
  /** Whether q is at most 0.1. */
  notable: boolean
}

/** Compares won and lost deals of the same manager and funnel: how certain a difference is, never why. */
export function analyse(given: ClosedDeal[], replicates: number, seed: Uint32Array): Findings {
  const ordered = given.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  const deals = withBothOutcomes(withStrata(ordered))
  const main = pairsOf(deals)
  const pooled = pairsOf(deals.map((deal) => ({ ...deal, stratum: 0 })))
  const isEnough = areEnough(deals)
  const resampled = isEnough ? bootstrap(sortDeals(deals), groupDeals(deals), replicates, seed) : undefined
  const interval = resampled?.interval ?? null
  return {
    verdict: isEnough ? verdictOf(interval) : 'too-few',
    a: { ...main, low: interval?.low ?? null, high: interval?.high ?? null, level: interval?.level ?? null },
    pooled: {
      ...pooled,
      differs: main.value !== null && pooled.value !== null && Math.abs(main.value - pooled.value) > NOTEWORTHY,
    },
    deals: { used: deals.length, ...countOutcomes(deals), excluded: { oneSided: given.length - deals.length } },
    managers: managersOf(deals),
    bands: bandsOf(deals),
    rules: rulesOf(deals),
    sensitivity: sensitivityOf(deals),
    bootstrap: { requested: replicates, valid: resampled?.valid ?? 0, void: resampled?.void ?? 0 },
  }
}

/** Deals of strata with won and lost deals: others have no comparison. */
function withBothOutcomes(deals: StratifiedDeal[]): StratifiedDeal[] {
  const [won, lost] = [new Set<number>(), new Set<number>()]
  for (const deal of deals) (deal.won ? won : lost).add(deal.stratum)
  return deals.filter(({ stratum }) => won.has(stratum) && lost.has(stratum))
}

function countOutcomes(deals: StratifiedDeal[]): { won: number; lost: number } {
  const won = deals.filter((deal) => deal.won).length
  return { won, lost: deals.length - won }
}

function areEnough(deals: StratifiedDeal[]): boolean {
  const { won, lost } = countOutcomes(withBothOutcomes(deals))
  return won + lost >= LEAST.deals && won >= LEAST.won && lost >= LEAST.lost
}

const verdictOf = (interval: Interval | null): Findings['verdict'] => {
  if (!interval) return 'no-interval'
  return interval.low > 0.5 ? 'higher' : interval.high < 0.5 ? 'lower' : 'none'
}

function pairsOf(deals: StratifiedDeal[]): Pairs {
  const found = concordanceOnce(sortDeals(deals))
  return { value: shareOf(found), pairs: found.pairs }
}

/** Each manager separately, those with most pairs first. */
function managersOf(deals: StratifiedDeal[]): Findings['managers'] {
  const byManager = new Map<string, StratifiedDeal[]>()
  for (const deal of deals) {
    const own = byManager.get(deal.manager)
    if (own) own.push(deal)
    else byManager.set(deal.manager, [deal])
  }
  return [...byManager]
    .map(([manager, own]) => ({ manager, ...pairsOf(own), ...countOutcomes(own) }))
    .sort((a, b) => b.pairs - a.pairs || (a.manager < b.manager ? -1 : 1))
}

/** The share of won deals by score, which readers look for first. */
function bandsOf(deals: StratifiedDeal[]): Findings['bands'] {
  return BANDS.slice(1).map((to, n) => {
    const from = BANDS[n]!
    const inBand = deals.filter(({ score }) => score >= from && (score < to || (to === 100 && score <= to)))
    const { won } = countOutcomes(inBand)
    const interval = wilson(won, inBand.length)
    return { from, to, won, closed: inBand.length, low: interval?.low ?? null, high: interval?.high ?? null }
  })
}

function rulesOf(deals: StratifiedDeal[]): RuleFinding[] {
  const byName = [...tablesByRule(deals)].sort(([a], [b]) => (a < b ? -1 : 1))
  const found = byName.map(([rule, byStratum]) => {
    const tables = [...byStratum.values()]
    const met = total(tables, 'metWon') + total(tables, 'metLost')
    const unmet = total(tables, 'unmetWon') + total(tables, 'unmetLost')
    return { rule, met, unmet, test: Math.min(met, unmet) >= LEAST_OF_RULE ? mantelHaenszel(tables) : null }
  })
  const tested = found.filter(({ test }) => test !== null)
  const qs = benjaminiHochberg(tested.map(({ test }) => test!.p))
  return found
    .map(({ test, ...sides }) => {
      const q = test ? qs[tested.findIndex(({ rule }) => rule === sides.rule)]! : null
      return { ...sides, difference: test?.difference ?? null, p: test?.p ?? null, q, notable: q !== null && q <= 0.1 }
    })
    .sort((a, b) => (a.q ?? 2) - (b.q ?? 2) || (a.rule < b.rule ? -1 : 1))
}

/** Counts the deals in which each rule was judged, by stratum. */
function tablesByRule(deals: StratifiedDeal[]): Map<string, Map<number, Table>> {
  const found = new Map<string, Map<number, Table>>()
  for (const { stratum, won, rules } of deals) {
    for (const [rule, isMet] of Object.entries(rules)) {
      const tables = found.get(rule) ?? new Map<number, Table>()
      found.set(rule, tables)
      const table = tables.get(stratum) ?? { metWon: 0, metLost: 0, unmetWon: 0, unmetLost: 0 }
      table[isMet ? (won ? 'metWon' : 'metLost') : won ? 'unmetWon' : 'unmetLost']++
      tables.set(stratum, table)
    }
  }
  return found
}

/** Two other explanations: the last call reveals how the deal ends, and good deals are talked about longer. */
function sensitivityOf(deals: StratifiedDeal[]): Findings['sensitivity'] {
  const bySeconds = Float64Array.from(deals, ({ seconds }) => seconds).sort()
  const [third, twoThirds] = [1, 2].map((n) => bySeconds[Math.floor((n * bySeconds.length) / 3)]!)
  const tertileOf = ({ seconds }: ClosedDeal) => (seconds < third! ? 0 : seconds < twoThirds! ? 1 : 2)
  const compare = (some: StratifiedDeal[]) => ({ ...pairsOf(some), isEnough: areEnough(some) })
  return {
    withoutLastCall: compare(
      deals.flatMap((deal) => (deal.earlierScore === null ? [] : [{ ...deal, score: deal.earlierScore }])),
    ),
    sameTalkTime: compare(deals.map((deal) => ({ ...deal, stratum: 3 * deal.stratum + tertileOf(deal) }))),
  }
}
