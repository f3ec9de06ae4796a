import { benjaminiHochberg, mantelHaenszel, wilson, type Table } from '../definitions/rates.ts'
import { bootstrap, type Interval } from './bootstrap.ts'
import { concordanceOnce, shareOf, sortDeals } from './concordance.ts'
import { groupsOf, numbered, stratumOf, type ClosedDeal } from './deals.ts'

/** With fewer deals the interval is too wide to answer the question. */
export const LEAST = { deals: 100, won: 20, lost: 20 }
/** A rule needs so many deals with it met, and without. */
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

/** How deals with a rule met ended, against those without, within strata. */
export interface RuleFinding {
  rule: string
  met: number
  unmet: number
  /** Null where either side is too small. */
  difference: number | null
  p: number | null
  q: number | null
  /** Whether q is at most 0.1. */
  notable: boolean
}

/**
 * Compares the scores of won and lost deals of the same manager and funnel, tests how certain the difference is, and what else
 * could explain it. It never says why.
 */
export function analyse(given: ClosedDeal[], replicates: number, seed: Uint32Array): Findings {
  const ordered = given.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  const compared = withBothOutcomes({ deals: ordered, strata: numbered(ordered.map(stratumOf)) })
  const { deals, strata } = compared
  const main = pairsOf(compared)
  const pooled = pairsOf({ deals, strata: new Int32Array(deals.length) })
  const outcomes = countOutcomes(compared)
  const { group, count } = groupsOf(deals)
  const isEnough = areEnough(outcomes)
  const resampled = isEnough ? bootstrap(sortDeals(deals, strata), group, count, replicates, seed) : undefined
  const interval = resampled?.interval ?? null
  return {
    verdict: isEnough ? verdictOf(interval) : 'too-few',
    a: { ...main, low: interval?.low ?? null, high: interval?.high ?? null, level: interval?.level ?? null },
    pooled: {
      ...pooled,
      differs: main.value !== null && pooled.value !== null && Math.abs(main.value - pooled.value) > NOTEWORTHY,
    },
    deals: { used: deals.length, ...outcomes, excluded: { oneSided: given.length - deals.length } },
    managers: managersOf(compared),
    bands: bandsOf(deals),
    rules: rulesOf(compared),
    sensitivity: sensitivityOf(compared),
    bootstrap: { requested: replicates, valid: resampled?.valid ?? 0, void: resampled?.void ?? 0 },
  }
}

/** Deals with the number of the stratum of each. */
interface Stratified {
  deals: ClosedDeal[]
  strata: Int32Array
}

const filterDeals = (
  { deals, strata }: Stratified,
  isChosen: (deal: ClosedDeal, n: number) => boolean,
): Stratified => ({
  deals: deals.filter(isChosen),
  strata: strata.filter((_, n) => isChosen(deals[n]!, n)),
})

/** Deals of strata with won and lost deals: others have nothing to be compared with. */
function withBothOutcomes(stratified: Stratified): Stratified {
  const [won, lost] = [new Set<number>(), new Set<number>()]
  stratified.deals.forEach((deal, n) => (deal.won ? won : lost).add(stratified.strata[n]!))
  const isMixed = (stratum: number) => won.has(stratum) && lost.has(stratum)
  return filterDeals(stratified, (_, n) => isMixed(stratified.strata[n]!))
}

interface Outcomes {
  won: number
  lost: number
}

function countOutcomes(stratified: Stratified): Outcomes {
  const { deals } = withBothOutcomes(stratified)
  const won = deals.filter((deal) => deal.won).length
  return { won, lost: deals.length - won }
}

const areEnough = ({ won, lost }: Outcomes): boolean =>
  won + lost >= LEAST.deals && won >= LEAST.won && lost >= LEAST.lost

const verdictOf = (interval: Interval | null): Findings['verdict'] => {
  if (!interval) return 'no-interval'
  return interval.low > 0.5 ? 'higher' : interval.high < 0.5 ? 'lower' : 'none'
}

function pairsOf({ deals, strata }: Stratified): Pairs {
  const found = concordanceOnce(sortDeals(deals, strata))
  return { value: shareOf(found), pairs: found.pairs }
}

/** Each manager alone, those with most pairs first. */
function managersOf(stratified: Stratified): Findings['managers'] {
  const managers = [...new Set(stratified.deals.map(({ manager }) => manager))]
  return managers
    .map((manager) => {
      const own = filterDeals(stratified, (deal) => deal.manager === manager)
      const won = own.deals.filter((deal) => deal.won).length
      return { manager, ...pairsOf(own), won, lost: own.deals.length - won }
    })
    .sort((a, b) => b.pairs - a.pairs || (a.manager < b.manager ? -1 : 1))
}

/** The share won by score: what people expect to see first. */
function bandsOf(deals: ClosedDeal[]): Findings['bands'] {
  return BANDS.slice(1).map((to, n) => {
    const from = BANDS[n]!
    const inBand = deals.filter(({ score }) => score >= from && (score < to || (to === 100 && score <= to)))
    const won = inBand.filter((deal) => deal.won).length
    const interval = wilson(won, inBand.length)
    return { from, to, won, closed: inBand.length, low: interval?.low ?? null, high: interval?.high ?? null }
  })
}

/** A rule counts as met in a deal where it was met in at least half of the calls in which it was judged. */
const isMet = ([met, judged]: [number, number]): boolean => 2 * met >= judged

function rulesOf(deals: Stratified): RuleFinding[] {
  const byName = [...judgedByRule(deals)].sort(([a], [b]) => (a < b ? -1 : 1))
  const found = byName.map(([rule, { met, unmet, tables }]) => {
    const isEnough = Math.min(met, unmet) >= LEAST_OF_RULE
    return { rule, met, unmet, test: isEnough ? mantelHaenszel([...tables.values()]) : null }
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

/** Deals in which a rule was judged, in all and by stratum. */
interface Judged {
  met: number
  unmet: number
  tables: Map<number, Table>
}

function judgedByRule({ deals, strata }: Stratified): Map<string, Judged> {
  const found = new Map<string, Judged>()
  deals.forEach(({ won, rules }, n) => {
    const stratum = strata[n]!
    for (const rule of Object.keys(rules)) {
      let judged = found.get(rule)
      if (!judged) found.set(rule, (judged = { met: 0, unmet: 0, tables: new Map() }))
      if (rules[rule]![1] === 0) continue
      const met = isMet(rules[rule]!)
      judged[met ? 'met' : 'unmet']++
      let table = judged.tables.get(stratum)
      if (!table) judged.tables.set(stratum, (table = { metWon: 0, metLost: 0, unmetWon: 0, unmetLost: 0 }))
      table[met ? (won ? 'metWon' : 'metLost') : won ? 'unmetWon' : 'unmetLost']++
    }
  })
  return found
}

/** Two other explanations: the last call reveals how the deal ends, and good deals are talked about longer. */
function sensitivityOf(all: Stratified): Findings['sensitivity'] {
  const earlier = filterDeals(all, ({ earlierScore }) => earlierScore !== null)
  const bySeconds = Float64Array.from(all.deals, ({ seconds }) => seconds).sort()
  const [third, twoThirds] = [1, 2].map((n) => bySeconds[Math.floor((n * bySeconds.length) / 3)]!)
  const tertileOf = ({ seconds }: ClosedDeal) => (seconds < third! ? 0 : seconds < twoThirds! ? 1 : 2)
  const compare = (some: Stratified) => ({ ...pairsOf(some), isEnough: areEnough(countOutcomes(some)) })
  return {
    withoutLastCall: compare({
      deals: earlier.deals.map((deal) => ({ ...deal, score: deal.earlierScore! })),
      strata: earlier.strata,
    }),
    sameTalkTime: compare({
      deals: all.deals,
      strata: all.strata.map((stratum, n) => 3 * stratum + tertileOf(all.deals[n]!)),
    }),
  }
}
