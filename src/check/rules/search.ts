import { timesOf } from './evidence.ts'
import { findAll, type Match } from './find.ts'
import type { Pace } from './pace.ts'
import { compile, type Phrase } from './phrases.ts'
import type { Line, Talk } from './talk.ts'
import type { Phrases, Rule, Side } from './types.ts'

/** What the rules of one set are judged with. */
export interface Context {
  talk: Talk
  pace: Pace
  /** What a rule has found, for those that come after it. */
  matchesOf(key: string): Promise<Match[] | undefined>
}

/** A match and when it is spoken. */
export interface Timed {
  match: Match
  start: number
  end: number
}

const compiled = new WeakMap<Phrases, Phrase[]>()

async function phrasesOf(phrases: Phrases, pace: Pace): Promise<Phrase[]> {
  const known = compiled.get(phrases) ?? (await compile(phrases, pace))
  compiled.set(phrases, known)
  return known
}

/** Kinds that say something of one side only: where nobody knows who speaks they are unknown, unless the rule says otherwise. */
const NEED_SIDES = new Set(['notSaid', 'reply'])

/** Where a side speaks; undefined where one cannot tell and the rule does not want all to be searched. */
export function linesOf({ lines, sidesKnown }: Talk, rule: Rule, side: Side = 'any'): Line[] | undefined {
  if (side === 'any') return lines
  if (sidesKnown) return lines.filter((line) => line.side === side)
  return (rule.mono ?? (NEED_SIDES.has(rule.kind) ? 'skip' : 'search')) === 'search' ? lines : undefined
}

/** The seconds in which a rule looks: of the talk, not of the ringing before and after it. */
export function windowOf(
  { start, end }: Pick<Talk, 'start' | 'end'>,
  { window }: Pick<Rule, 'window'>,
): { from: number; to: number } {
  return {
    from: window?.last === undefined ? start : Math.max(start, end - window.last),
    to: window?.first === undefined ? end : Math.min(end, start + window.first),
  }
}

/** All positions where phrases are said, in the order of time, without those that an exception takes away. */
export async function search(
  { talk, pace }: Context,
  lines: Line[],
  phrases: Phrases | undefined,
  { except, negated = true }: { except?: Phrases | undefined; negated?: boolean } = {},
): Promise<Timed[]> {
  const found: Timed[] = []
  for (const line of lines) {
    const matches = await findAll(line, phrases ? await phrasesOf(phrases, pace) : [], pace, { negated })
    const left = except && matches.length > 0 ? await without(line, matches, except, pace) : matches
    for (const match of left) found.push({ match, ...timesOf(talk.dialogue, match) })
    if (pace.due()) await pace.rest()
  }
  return found.sort((a, b) => a.start - b.start)
}

/** The matches that share no word with an exception. */
async function without(line: Line, matches: Match[], except: Phrases, pace: Pace): Promise<Match[]> {
  const taken = new Set<number>()
  // Of two exceptions that begin together the longer one takes all that the shorter one takes.
  const excepted = await findAll(line, await phrasesOf(except, pace), pace, { negated: false, longer: true })
  for (const { first, last } of excepted) for (let at = first; at <= last; at++) taken.add(at)
  return matches.filter(({ first, last }) => {
    for (let at = first; at <= last; at++) if (taken.has(at)) return false
    return true
  })
}

/** The positions in the window of a rule where its phrases are said. */
export async function searchWindow(
  context: Context,
  rule: Rule,
  lines: Line[],
  phrases: Phrases | undefined,
): Promise<Timed[]> {
  const { from, to } = windowOf(context.talk, rule)
  const found = await search(context, lines, phrases, { except: rule.except, negated: rule.kind !== 'asked' })
  return found.filter(({ start }) => start >= from && start <= to)
}

/** What a rule wants to have been said before; undefined where one cannot tell who said it. */
export async function anchorsOf(context: Context, rule: Rule): Promise<Timed[] | undefined> {
  const { side, any, rule: key } = rule.after ?? {}
  if (key !== undefined) {
    const matches = await context.matchesOf(key)
    return matches?.map((match) => ({ match, ...timesOf(context.talk.dialogue, match) }))
  }
  const lines = linesOf(context.talk, rule, side ?? (rule.side === 'agent' ? 'client' : 'any'))
  return lines && search(context, lines, any, { except: rule.except })
}

/** Whether something is said after an anchor, soon enough. */
export const follows = (anchor: Timed, later: Timed, within: number | undefined): boolean =>
  (later.match.line === anchor.match.line
    ? later.match.first > anchor.match.last
    : later.start >= anchor.start && later !== anchor) && later.start <= anchor.end + (within ?? Infinity)

/** Those that follow one of the anchors, soon enough, in their order; the time is that of sorting them. */
export function afterOneOf(anchors: Timed[], found: Timed[], within = Infinity): Timed[] {
  const ends = [...new Set(anchors.map(({ match }) => match.line))].map((line) => {
    const own = anchors.filter(({ match }) => match.line === line)
    return {
      line,
      byWord: latestEnd(own, ({ match }) => match.last + 1),
      bySecond: latestEnd(own, ({ start }) => start),
    }
  })
  return found.filter(({ match, start }) =>
    ends.some(({ line, byWord, bySecond }) => {
      const end = match.line === line ? byWord(match.first) : bySecond(start)
      return end !== undefined && start <= end + within
    }),
  )
}

/** Tells when the last one ends of those whose key is not above what is asked. */
function latestEnd(anchors: Timed[], keyOf: (anchor: Timed) => number): (key: number) => number | undefined {
  const sorted = anchors.toSorted((a, b) => keyOf(a) - keyOf(b))
  let latest = -Infinity
  const ends = sorted.map(({ end }) => (latest = Math.max(latest, end)))
  return (key) => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (keyOf(sorted[middle]!) <= key) low = middle + 1
      else high = middle
    }
    return ends[low - 1]
  }
}
