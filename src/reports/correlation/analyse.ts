import { benjaminiHochberg, mantelHaenszel, wilson, type Table } from '../definitions/rates.ts'
import { bootstrap, type Interval } from './bootstrap.ts'
import { concordanceOnce, shareOf, sortByScore, sortInStrata, type ByScore, type Concordance } from './concordance.ts'
import { groupsOf, inOrder, numbered, stratumOf, type ClosedDeal } from './deals.ts'

/** Fewer deals, won or lost, and the interval would be as wide as the question. */
export const LEAST = { deals: 100, won: 20, lost: 20 }
/** Fewer deals with a rule met, or without, say nothing of the rule. */
const LEAST_OF_RULE = 20
/** Where pooled and compared within strata differ by more, the mix of managers explains something. */
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
 * Whether won deals had higher-scored calls than lost ones of the same manager and funnel, how surely, and what else
 * might explain it. It never says why.
 */
export function analyse(given: ClosedDeal[], replicates: number, seed: Uint32Array): Findings {
  const stratified = inStrataOfBoth(inOrder(given))
  const { deals, strata } = stratified
  const outcomes = deals.map((deal) => deal.won)
  const byScore = sortByScore(
    deals.map(({ score }) => score),
    outcomes,
  )
  const sorted = sortInStrata(byScore, strata)
  const found = concordanceOnce(sorted)
  const pooled = pairsIn(byScore, new Int32Array(deals.length))
  const ends = endsOf(outcomes, strata)
  const { group, count } = groupsOf(deals)
  const resampled = areEnough(ends) ? bootstrap(sorted, group, count, replicates, seed) : undefined
  const interval = resampled?.interval ?? null
  const value = shareOf(found)
  return {
    verdict: areEnough(ends) ? verdictOf(interval) : 'too-few',
    a: { ...shown(found), low: interval?.low ?? null, high: interval?.high ?? null, level: interval?.level ?? null },
    pooled: {
      ...pooled,
      differs: value !== null && pooled.value !== null && Math.abs(value - pooled.value) > NOTEWORTHY,
    },
    deals: {
      used: deals.length,
      won: ends.won,
      lost: ends.lost,
      excluded: { oneSided: given.length - deals.length },
    },
    managers: managersOf(stratified),
    bands: bandsOf(deals),
    rules: rulesOf(stratified),
    sensitivity: sensitivityOf(stratified, byScore),
    bootstrap: { requested: replicates, valid: resampled?.valid ?? 0, void: resampled?.void ?? 0 },
  }
}

/** Deals with the number of the stratum of each: numbers are told apart faster than texts. */
interface Stratified {
  deals: ClosedDeal[]
  strata: Int32Array
}

/** Deals of strata in which some were won and some lost: others have nothing to be compared with. */
function inStrataOfBoth(all: ClosedDeal[]): Stratified {
  const strata = numbered(all.map(stratumOf))
  const { isMixed } = endsOf(
    all.map(({ won }) => won),
    strata,
  )
  const isCompared = (_: unknown, n: number) => isMixed(strata[n]!)
  return { deals: all.filter(isCompared), strata: strata.filter(isCompared) }
}

/** How deals ended that have others of their stratum to be compared with. */
interface Ends {
  won: number
  lost: number
  /** Whether deals of a stratum were won and others lost. */
  isMixed: (stratum: number) => boolean
}

function endsOf(won: readonly boolean[], strata: Int32Array): Ends {
  const most = strata.reduce((most, stratum) => Math.max(most, stratum), 0)
  const [wonIn, lostIn] = [new Int32Array(most + 1), new Int32Array(most + 1)]
  strata.forEach((stratum, n) => (won[n] ? wonIn : lostIn)[stratum]!++)
  const isMixed = (stratum: number) => wonIn[stratum]! > 0 && lostIn[stratum]! > 0
  const total = (counts: Int32Array) => counts.reduce((sum, count, stratum) => sum + (isMixed(stratum) ? count : 0), 0)
  return { won: total(wonIn), lost: total(lostIn), isMixed }
}

const areEnough = ({ won, lost }: Ends): boolean => won + lost >= LEAST.deals && won >= LEAST.won && lost >= LEAST.lost

const verdictOf = (interval: Interval | null): Findings['verdict'] => {
  if (!interval) return 'no-interval'
  return interval.low > 0.5 ? 'higher' : interval.high < 0.5 ? 'lower' : 'none'
}

const shown = (found: Concordance): Pairs => ({ value: shareOf(found), pairs: found.pairs })

const pairsIn = (byScore: ByScore, strata: Int32Array): Pairs => shown(concordanceOnce(sortInStrata(byScore, strata)))

/** Each manager by themselves, those with most pairs first. */
function managersOf({ deals, strata }: Stratified): Findings['managers'] {
  const manager = numbered(deals.map((deal) => deal.manager))
  const dealsOf: number[][] = []
  manager.forEach((number, n) => (dealsOf[number] ??= []).push(n))
  return dealsOf
    .map((own) => {
      const outcomes = own.map((n) => deals[n]!.won)
      const byScore = sortByScore(
        own.map((n) => deals[n]!.score),
        outcomes,
      )
      const pairs = pairsIn(
        byScore,
        Int32Array.from(own, (n) => strata[n]!),
      )
      const won = outcomes.filter(Boolean).length
      return { manager: deals[own[0]!]!.manager, ...pairs, won, lost: own.length - won }
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

/** All rules in one pass: each deal is looked at once, not once a rule. */
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

/** Two other explanations: the last call knows how the deal ends, and deals that go well are talked about longer. */
function sensitivityOf({ deals, strata }: Stratified, byScore: ByScore): Findings['sensitivity'] {
  const hasEarlier = (_: unknown, n: number) => deals[n]!.earlierScore !== null
  const earlier = deals.filter(hasEarlier)
  const byEarlier = sortByScore(
    earlier.map(({ earlierScore }) => earlierScore!),
    earlier.map(({ won }) => won),
  )
  const bySeconds = Float64Array.from(deals, ({ seconds }) => seconds).sort()
  const [third, twoThirds] = [1, 2].map((n) => bySeconds[Math.floor((n * bySeconds.length) / 3)]!)
  const tertile = ({ seconds }: ClosedDeal) => (seconds < third! ? 0 : seconds < twoThirds! ? 1 : 2)
  const compared = (sorted: ByScore, within: Int32Array) => ({
    ...pairsIn(sorted, within),
    isEnough: areEnough(endsOf(sorted.won, within)),
  })
  return {
    withoutLastCall: compared(byEarlier, strata.filter(hasEarlier)),
    sameTalkTime: compared(
      byScore,
      strata.map((stratum, n) => 3 * stratum + tertile(deals[n]!)),
    ),
  }
}
