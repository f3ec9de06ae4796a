import { shouldYield, yieldToOthers } from '../../platform/lib/yielder.ts'
import { findAll, type Match } from './find.ts'
import { compile, type Phrase } from './phrases.ts'
import { momentOf, type Line, type Talk } from './talk.ts'
import type { Phrases, Rule, Side } from './types.ts'

/** The context for judging by the rules of one set. */
export interface Context {
  talk: Talk
  /** The matches of a rule, for later rules; undefined if its speakers are unknown. */
  matchesOf(key: string): Promise<Timed[] | undefined>
}

/** A match and when it is spoken, in seconds. */
export interface Timed {
  match: Match
  start: number
  end: number
}

const compiled = new WeakMap<Phrases, Phrase[]>()

async function compiledPhrases(phrases: Phrases): Promise<Phrase[]> {
  const known = compiled.get(phrases) ?? (await compile(phrases))
  compiled.set(phrases, known)
  return known
}

/** The lines of a side; undefined if the speakers are unknown and the rule skips such calls. */
export function linesOf({ lines, sidesKnown }: Talk, rule: Rule, side: Side = 'any'): Line[] | undefined {
  if (side === 'any') return lines
  if (sidesKnown) return lines.filter((line) => line.side === side)
  return rule.mono === 'skip' ? undefined : lines
}

/** The seconds that a rule searches: of the talk, without the ringing before and after it. */
export function windowOf({ start, end }: Pick<Talk, 'start' | 'end'>, { window }: Pick<Rule, 'window'>) {
  return {
    from: window?.last === undefined ? start : Math.max(start, end - window.last),
    to: window?.first === undefined ? end : Math.min(end, start + window.first),
  }
}

/** All matches of phrases in the order of time, without those that an exception cancels. */
async function search(
  { talk }: Context,
  lines: Line[],
  phrases: Phrases | undefined,
  except: Phrases | undefined,
  negated = true,
): Promise<Timed[]> {
  const found: Timed[] = []
  for (const line of lines) {
    const matches = await findAll(line, phrases ? await compiledPhrases(phrases) : [], { negated })
    const left = except && matches.length > 0 ? await without(line, matches, except) : matches
    for (const match of left) found.push(timed(talk, match))
    if (shouldYield()) await yieldToOthers()
  }
  return found.sort((a, b) => a.start - b.start)
}

function timed({ dialogue: { segments } }: Talk, match: Match): Timed {
  const [first, last] = [match.line.tokens[match.first]!, match.line.tokens[match.last]!]
  const start = momentOf(segments[first.segment]!, first.from)
  return { match, start, end: momentOf(segments[last.segment]!, last.to) }
}

async function without(line: Line, matches: Match[], except: Phrases): Promise<Match[]> {
  const taken = new Set<number>()
  // Of two exceptions that begin together, the longer one cancels all that the shorter one does.
  const excepted = await findAll(line, await compiledPhrases(except), { negated: false, longer: true })
  for (const { first, last } of excepted) for (let at = first; at <= last; at++) taken.add(at)
  return matches.filter(({ first, last }) => {
    for (let at = first; at <= last; at++) if (taken.has(at)) return false
    return true
  })
}

/** The matches of a rule's phrases in its window; `negated`: without negated ones. */
export async function searchWindow(
  context: Context,
  rule: Rule,
  lines: Line[],
  phrases: Phrases | undefined,
  negated = true,
): Promise<Timed[]> {
  const { from, to } = windowOf(context.talk, rule)
  const found = await search(context, lines, phrases, rule.except, negated)
  return found.filter(({ start }) => start >= from && start <= to)
}

/** The matches of a rule's condition; undefined if the speakers are unknown. */
export async function anchorsOf(context: Context, rule: Rule): Promise<Timed[] | undefined> {
  const { side, any, rule: key } = rule.after ?? {}
  if (key !== undefined) return context.matchesOf(key)
  const lines = linesOf(context.talk, rule, side ?? (rule.side === 'agent' ? 'client' : 'any'))
  return lines && search(context, lines, any, rule.except)
}

/** True if a match follows an anchor within so many seconds. */
export const follows = (anchor: Timed, later: Timed, within: number | undefined): boolean =>
  (later.match.line === anchor.match.line
    ? later.match.first > anchor.match.last
    : later.start >= anchor.start && later !== anchor) && later.start <= anchor.end + (within ?? Infinity)
