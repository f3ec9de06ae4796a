import { createHash } from 'node:crypto'

/** A closed deal with its calls before it was closed. */
export interface ClosedDeal {
  id: string
  won: boolean
  funnel: string
  /** The manager who talked most with the client. */
  manager: string
  /** Mean score of its calls. */
  score: number
  /** The same without its last call; null if it had only one. */
  earlierScore: number | null
  /** The length of all calls together. */
  seconds: number
  /** Clients and calls, which deals can share. */
  links: string[]
  /** For each rule, the calls in which it was met and those in which it was judged. */
  rules: Record<string, [met: number, judged: number]>
}

/** A deal in the text of readDeals(). */
type Line = [
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

/** Parses the text of readDeals(): a line of JSON with the names of the rules, then a line per deal. */
export function parseDeals(text: string): ClosedDeal[] {
  const [names, ...lines] = text.split('\n').map((line): unknown => JSON.parse(line)) as [string[], ...Line[]]
  return lines.map(([id, won, funnel, manager, score, earlierScore, seconds, company, contacts, calls, rules]) => ({
    id,
    won,
    funnel,
    manager,
    score,
    earlierScore,
    seconds,
    links: [...(company === null ? [] : [`company ${company}`]), ...contacts.map((one) => `contact ${one}`), ...calls],
    rules: parseRules(rules, names),
  }))
}

function parseRules(text: string, names: string[]): ClosedDeal['rules'] {
  const rules: ClosedDeal['rules'] = {}
  if (text === '') return rules
  const numbers = text.split(' ').map(Number)
  for (let n = 0; n < numbers.length; n += 3) rules[names[numbers[n]!]!] = [numbers[n + 1]!, numbers[n + 2]!]
  return rules
}

/** Only deals of the same manager and funnel are compared. */
export const stratumOf = ({ manager, funnel }: ClosedDeal): string => `${manager} ${funnel}`

/** Numbers values from 0 in the order of their first appearance. */
export function numbered<T>(values: T[]): Int32Array {
  const numbers = new Map([...new Set(values)].map((value, n) => [value, n]))
  return Int32Array.from(values, (value) => numbers.get(value)!)
}

/**
 * Finds the group of each deal. Deals that share a client or a call are not independent, so they are drawn together. Groups are
 * numbered in the order of the deals.
 */
export function groupsOf(deals: ClosedDeal[]): { group: Int32Array; count: number } {
  const parent = Int32Array.from(deals, (_, n) => n)
  const rootOf = (n: number): number => {
    while (parent[n] !== n) n = parent[n] = parent[parent[n]!]!
    return n
  }
  const firstWith = new Map<string, number>()
  deals.forEach(({ links }, n) => {
    for (const link of links) {
      const other = firstWith.get(link)
      if (other === undefined) firstWith.set(link, n)
      else parent[rootOf(n)] = rootOf(other)
    }
  })
  const group = numbered(deals.map((_, n) => rootOf(n)))
  return { group, count: new Set(group).size }
}

/** A seed of random numbers that follows from the data alone. */
export function seedOf(data: string): Uint32Array {
  const digest = createHash('sha256').update(data).digest()
  return Uint32Array.from([0, 4, 8, 12], (at) => digest.readUInt32LE(at))
}
