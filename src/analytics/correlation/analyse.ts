import { benjaminiHochberg, mantelHaenszel, wilson, type Table } from '../definitions/rates.ts'
import { bootstrap, type Interval } from './bootstrap.ts'
import { concordance, once, shareOf, sortDeals, type Concordance } from './concordance.ts'
import { groupsOf, inOrder, stratumOf, type ClosedDeal } from './deals.ts'

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
  const deals = inStrataOfBoth(placed(inOrder(given)))
  const sorted = sortBy(deals, ({ stratum }) => stratum)
  const found = concordance(sorted, once(sorted))
  const pooled = pairsOf(deals, () => '')
  const won = deals.filter((deal) => deal.won).length
  const { group, count } = groupsOf(deals)
  const resampled = areEnough(deals) ? bootstrap(sorted, group, count, replicates, seed) : undefined
  const interval = resampled?.interval ?? null
  const value = shareOf(found)
  return {
    verdict: areEnough(deals) ? verdictOf(interval) : 'too-few',
    a: { ...shown(found), low: interval?.low ?? null, high: interval?.high ?? null, level: interval?.level ?? null },
    pooled: {
      ...pooled,
      differs: value !== null && pooled.value !== null && Math.abs(value - pooled.value) > NOTEWORTHY,
    },
    deals: {
      used: deals.length,
      won,
      lost: deals.length - won,
      excluded: { oneSided: given.length - deals.length },
    },
    managers: managersOf(deals),
    bands: bandsOf(deals),
    rules: rulesOf(deals),
    sensitivity: sensitivityOf(deals),
    bootstrap: { requested: replicates, valid: resampled?.valid ?? 0, void: resampled?.void ?? 0 },
  }
}

/** A deal with its stratum, worked out once: it is asked for again and again. */
interface Placed extends ClosedDeal {
  stratum: string
}

/** Deals of one stratum share one text: the same texts are told from others at once. */
function placed(deals: ClosedDeal[]): Placed[] {
  const texts = new Map<string, string>()
  return deals.map((deal) => {
    const stratum = stratumOf(deal)
    if (!texts.has(stratum)) texts.set(stratum, stratum)
    return { ...deal, stratum: texts.get(stratum)! }
  })
}

/** Deals of strata in which some were won and some lost: others have nothing to be compared with. */
function inStrataOfBoth(deals: Placed[]): Placed[] {
  const outcomes = new Map<string, Set<boolean>>()
  for (const { stratum, won } of deals) outcomes.set(stratum, (outcomes.get(stratum) ?? new Set()).add(won))
  return deals.filter(({ stratum }) => outcomes.get(stratum)!.size === 2)
}

function areEnough(deals: Placed[]): boolean {
  const won = deals.filter((deal) => deal.won).length
  return deals.length >= LEAST.deals && won >= LEAST.won && deals.length - won >= LEAST.lost
}

const verdictOf = (interval: Interval | null): Findings['verdict'] => {
  if (!interval) return 'no-interval'
  return interval.low > 0.5 ? 'higher' : interval.high < 0.5 ? 'lower' : 'none'
}

const sortBy = (deals: Placed[], stratum: (deal: Placed) => string) =>
  sortDeals(
    deals.map(({ score }) => score),
    deals.map(({ won }) => won),
    deals.map(stratum),
  )

function pairsOf(deals: Placed[], stratum: (deal: Placed) => string): Pairs {
  const sorted = sortBy(deals, stratum)
  return shown(concordance(sorted, once(sorted)))
}

const shown = (found: Concordance): Pairs => ({ value: shareOf(found), pairs: found.pairs })

/** Each manager by themselves, those with most pairs first. */
function managersOf(deals: Placed[]): Findings['managers'] {
  return Array.from(
    groupBy(deals, ({ manager }) => manager),
    ([manager, own]) => {
      const won = own.filter((deal) => deal.won).length
      return { manager, ...pairsOf(own, ({ stratum }) => stratum), won, lost: own.length - won }
    },
  ).sort((a, b) => b.pairs - a.pairs || (a.manager < b.manager ? -1 : 1))
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

function rulesOf(deals: Placed[]): RuleFinding[] {
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
  tables: Map<string, Table>
}

/** All rules in one pass: each deal is looked at once, not once a rule. */
function judgedByRule(deals: Placed[]): Map<string, Judged> {
  const found = new Map<string, Judged>()
  for (const { stratum, won, rules } of deals) {
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
  }
  return found
}

/** Two other explanations: the last call knows how the deal ends, and deals that go well are talked about longer. */
function sensitivityOf(deals: Placed[]): Findings['sensitivity'] {
  const earlier = deals.flatMap((deal) => (deal.earlierScore === null ? [] : [{ ...deal, score: deal.earlierScore }]))
  const bySeconds = deals.map(({ seconds }) => seconds).sort((a, b) => a - b)
  const [third, twoThirds] = [1, 2].map((n) => bySeconds[Math.floor((n * bySeconds.length) / 3)]!)
  const tertile = ({ seconds }: ClosedDeal) => (seconds < third! ? 0 : seconds < twoThirds! ? 1 : 2)
  const compared = (given: Placed[]) => {
    const both = inStrataOfBoth(given)
    return { ...pairsOf(both, ({ stratum }) => stratum), isEnough: areEnough(both) }
  }
  return {
    withoutLastCall: compared(earlier),
    sameTalkTime: compared(deals.map((deal) => ({ ...deal, stratum: `${deal.stratum} ${tertile(deal)}` }))),
  }
}

function groupBy<T>(items: T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}
