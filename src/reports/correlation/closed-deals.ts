import { createHash } from 'node:crypto'

/** A closed deal with the scores of its calls. */
export interface ClosedDeal {
  id: string
  won: boolean
  funnel: string
  /** The manager with the longest talk time. */
  manager: string
  /** Mean score of its calls. */
  score: number
  /** The same without its last call; null if it had only one. */
  earlierScore: number | null
  /** The total length of the calls. */
  seconds: number
  /** Clients and calls, which deals can share. */
  links: string[]
  /** Each judged rule, true if it was met in at least half of the calls in which it was judged. */
  rules: Record<string, boolean>
}

/** A deal in the text of loadCorrelationData(). */
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
  /** For each rule its number, the calls in which it was met, and those in which it was judged; separated by spaces. */
  rules: string,
]

/** Parses the text of loadCorrelationData(): a line of JSON with the names of the rules, then a line per deal. */
export function parseDeals(text: string): ClosedDeal[] {
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

/** A deal with the number of its stratum. Only deals of the same manager and funnel are compared. */
export interface StratifiedDeal extends ClosedDeal {
  stratum: number
}

/** Numbers the strata: deals of one manager in one funnel are compared with each other only. */
export function assignStrata(deals: ClosedDeal[]): StratifiedDeal[] {
  const strata = numberValues(deals.map(({ manager, funnel }) => `${manager} ${funnel}`))
  return deals.map((deal, n) => ({ ...deal, stratum: strata[n]! }))
}

/** Numbers values from 0 in the order of their first appearance. */
function numberValues<T>(values: T[]): Int32Array {
  const numbers = new Map([...new Set(values)].map((value, n) => [value, n]))
  return Int32Array.from(values, (value) => numbers.get(value)!)
}

/** The number of the group of each deal, and how many groups there are. */
export interface DealGroups {
  group: Int32Array
  count: number
}

/** Finds groups, numbered in the order of the deals. Deals that share a client or a call are not independent. */
export function groupLinkedDeals(deals: ClosedDeal[]): DealGroups {
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

/** A random seed that depends only on the data. */
export function deriveSeed(data: string): Uint32Array {
  const digest = createHash('sha256').update(data).digest()
  return Uint32Array.from([0, 4, 8, 12], (at) => digest.readUInt32LE(at))
}
