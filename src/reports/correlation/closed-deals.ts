import { createHash } from 'node:crypto'

/** Describes a closed deal by its scored calls before it was closed. */
export interface ClosedDeal {
  id: string
  won: boolean
  funnel: string
  /** The id of the manager with the longest talk time; empty for calls without a manager. */
  manager: string
  /** The mean score of the calls, from 0 to 100. */
  score: number
  /** The mean score without the last call; null if the deal had only one call. */
  earlierScore: number | null
  /** The total duration of the calls in seconds. */
  seconds: number
  /** The clients and calls that other deals can share. Deals with a common link are resampled together. */
  links: string[]
  /** True for each judged rule that was met in at least half of the calls in which it was judged. */
  rules: Record<string, boolean>
}

/** The columns have the order in which loadCorrelationData() builds them. */
type DealLine = [
  id: string,
  won: boolean,
  funnel: string,
  manager: string,
  score: number,
  earlierScore: number | null,
  seconds: number,
  company: number | null,
  contacts: number[],
  calls: string[],
  /** Three numbers per rule, separated by spaces: its index, the calls that met it, and the calls in which it was judged. */
  rules: string,
]

/**
 * Parses the text of loadCorrelationData(). The first line is a JSON array of rule keys; each further line is a JSON array with
 * one deal.
 */
export function parseClosedDeals(text: string): ClosedDeal[] {
  const [first, ...lines] = text.split('\n')
  const names = JSON.parse(first!) as string[]
  return lines.map((line) => {
    const [id, won, funnel, manager, score, earlierScore, seconds, company, contacts, calls, rules] = JSON.parse(
      line,
    ) as DealLine
    const clients = [...(company === null ? [] : [`company ${company}`]), ...contacts.map((one) => `contact ${one}`)]
    const links = [...clients, ...calls]
    return { id, won, funnel, manager, score, earlierScore, seconds, links, rules: parseRules(rules, names) }
  })
}

function parseRules(text: string, names: string[]): ClosedDeal['rules'] {
  const rules: ClosedDeal['rules'] = {}
  if (text === '') return rules
  const numbers = text.split(' ').map(Number)
  for (let n = 0; n < numbers.length; n += 3) rules[names[numbers[n]!]!] = 2 * numbers[n + 1]! >= numbers[n + 2]!
  return rules
}

/** Adds the number of the stratum. Only deals of one stratum, which means one manager and one funnel, are compared. */
export interface StratifiedDeal extends ClosedDeal {
  stratum: number
}

/** Assigns deals of the same manager and funnel to one stratum. Strata are numbered from 0. */
export function assignDealStrata(deals: ClosedDeal[]): StratifiedDeal[] {
  const strata = numberValues(deals.map(({ manager, funnel }) => `${manager} ${funnel}`))
  return deals.map((deal, n) => ({ ...deal, stratum: strata[n]! }))
}

/** Numbers distinct values from 0 in the order of their first appearance. */
function numberValues<T>(values: T[]): Int32Array {
  const numbers = new Map([...new Set(values)].map((value, n) => [value, n]))
  return Int32Array.from(values, (value) => numbers.get(value)!)
}

/** Assigns each deal, by its index, to a group of linked deals. `count` is the number of groups. */
export interface LinkedDealGroups {
  group: Int32Array
  count: number
}

/** Groups deals that share a client or a call directly or through other deals, because their outcomes are not independent. */
export function groupLinkedDeals(deals: ClosedDeal[]): LinkedDealGroups {
  const parent = Int32Array.from(deals, (_, n) => n)
  const findRoot = (n: number): number => {
    while (parent[n] !== n) n = parent[n] = parent[parent[n]!]!
    return n
  }
  const firstWith = new Map<string, number>()
  deals.forEach(({ links }, n) => {
    for (const link of links) {
      const other = firstWith.get(link)
      if (other === undefined) firstWith.set(link, n)
      else parent[findRoot(n)] = findRoot(other)
    }
  })
  const group = numberValues(deals.map((_, n) => findRoot(n)))
  return { group, count: new Set(group).size }
}

/** Derives four 32-bit numbers from the SHA-256 hash of `data`, so that the same data gives the same random numbers. */
export function deriveRandomSeed(data: string): Uint32Array {
  const digest = createHash('sha256').update(data).digest()
  return Uint32Array.from([0, 4, 8, 12], (at) => digest.readUInt32LE(at))
}
