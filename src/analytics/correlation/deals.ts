import { createHash } from 'node:crypto'

/** A closed deal as the correlation sees it: its calls before the end, put together. */
export interface ClosedDeal {
  id: string
  won: boolean
  funnel: string
  /** Whoever talked most with the client. */
  manager: string
  /** Mean score of its calls. */
  score: number
  /** The same without its last call; null where it had only one. */
  earlierScore: number | null
  /** How long people talked, all calls together. */
  seconds: number
  /** What makes deals one: the clients and the calls that they share. */
  links: string[]
  /** Of each rule the calls in which it was met, and those in which it was judged. */
  rules: Record<string, [met: number, judged: number]>
}

/** Chance is not compared across managers and funnels: a deal is compared with those of its own stratum. */
export const stratumOf = ({ manager, funnel }: ClosedDeal): string => `${manager} ${funnel}`

/** The deals in one order, whatever order they came in. */
export const inOrder = (deals: ClosedDeal[]): ClosedDeal[] =>
  deals.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))

/**
 * Which group of deals each belongs to: deals of one client or of one call are no independent witnesses, so they are
 * drawn together. Groups are numbered in the order of the deals.
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
  const numbers = new Map<number, number>()
  const group = Int32Array.from(deals, (_, n) => {
    const root = rootOf(n)
    if (!numbers.has(root)) numbers.set(root, numbers.size)
    return numbers.get(root)!
  })
  return { group, count: numbers.size }
}

/** Four numbers that begin a series of random draws: the same data draw the same. */
export function seedOf(data: string): Uint32Array {
  const digest = createHash('sha256').update(data).digest()
  return Uint32Array.from([0, 4, 8, 12], (at) => digest.readUInt32LE(at))
}
