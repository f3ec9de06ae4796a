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

/** A line of the text, as Postgres puts a deal together. */
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
  /** Of each rule its number, and the calls in which it was met, and judged, all parted by spaces. */
  rules: string,
]

/**
 * Reads the text of readDeals(): a line of JSON with the names of the rules, and one for each deal. Line by line, and what
 * many deals have alike once, so that little memory is taken beside the text.
 */
export function readClosed(text: string): ClosedDeal[] {
  const deals: ClosedDeal[] = []
  const once = keptOnce()
  let names: string[] | undefined
  for (let [start, end] = [0, 0]; start < text.length; start = end + 1) {
    end = text.indexOf('\n', start)
    if (end === -1) end = text.length
    const line: unknown = JSON.parse(text.slice(start, end))
    if (!names) names = line as string[]
    else deals.push(dealOf(line as Line, names, once))
  }
  return deals
}

/** The code of the digit zero; a space is below it. */
const ZERO = 48

type KeptOnce = ReturnType<typeof keptOnce>

/** The same text, or pair of counts, is the same object each time. */
function keptOnce() {
  const [texts, pairs] = [new Map<string, string>(), new Map<number, [number, number]>()]
  return {
    text(text: string): string {
      if (!texts.has(text)) texts.set(text, text)
      return texts.get(text)!
    },
    pair(met: number, judged: number): [number, number] {
      // Met are at most all: no other pair has this number.
      const key = (judged * (judged + 1)) / 2 + met
      let pair = pairs.get(key)
      if (!pair) pairs.set(key, (pair = [met, judged]))
      return pair
    },
  }
}

function dealOf(
  [id, won, funnel, manager, score, earlierScore, seconds, company, contacts, calls, rules]: Line,
  names: string[],
  once: KeptOnce,
): ClosedDeal {
  const clients = [...(company === null ? [] : [`company ${company}`]), ...contacts.map((one) => `contact ${one}`)]
  const judged: ClosedDeal['rules'] = {}
  const told = numbersIn(rules)
  for (let at = 0; at < told.length; at += 3) judged[names[told[at]!]!] = once.pair(told[at + 1]!, told[at + 2]!)
  const links = [...clients, ...calls]
  return {
    id,
    won,
    funnel: once.text(funnel),
    manager: once.text(manager),
    score,
    earlierScore,
    seconds,
    links,
    rules: judged,
  }
}

/** Whole numbers parted by spaces; read digit by digit, without a text for each. */
function numbersIn(text: string): number[] {
  if (text === '') return []
  const numbers: number[] = []
  let number = 0
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - ZERO
    if (digit >= 0) number = 10 * number + digit
    else {
      numbers.push(number)
      number = 0
    }
  }
  numbers.push(number)
  return numbers
}

/** Chance is not compared across managers and funnels: a deal is compared with those of its own stratum. */
export const stratumOf = ({ manager, funnel }: ClosedDeal): string => `${manager} ${funnel}`

/** The number of each text, from 0 in the order of their first appearance: numbers are told apart faster. */
export function numbered(texts: string[]): Int32Array {
  const numbers = new Map<string, number>()
  return Int32Array.from(texts, (text) => {
    let number = numbers.get(text)
    if (number === undefined) numbers.set(text, (number = numbers.size))
    return number
  })
}

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
  const number = new Int32Array(deals.length).fill(-1)
  let count = 0
  const group = parent.map((_, n) => {
    const root = rootOf(n)
    if (number[root] === -1) number[root] = count++
    return number[root]!
  })
  return { group, count }
}

/** Four numbers that begin a series of random draws: the same data draw the same. */
export function seedOf(data: string): Uint32Array {
  const digest = createHash('sha256').update(data).digest()
  return Uint32Array.from([0, 4, 8, 12], (at) => digest.readUInt32LE(at))
}
