import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { collectMatches, type PhraseMatch } from './phrase-matcher.ts'
import { compilePhrases, type Phrase } from './phrases.ts'
import { estimateSecond, type ChannelText, type TokenizedDialogue } from './tokenize.ts'
import type { Phrases, Rule, SpeakerSide } from './types.ts'

/** The data for judging a call by the rules of one rule set. */
export interface RuleContext {
  talk: TokenizedDialogue
  /** Returns the matches of another rule for a condition; undefined if its verdict is unknown. */
  searchRuleMatches(key: string): Promise<TimedMatch[] | undefined>
}

/** A match with the time when it is spoken, in seconds from the start of the call. */
export interface TimedMatch {
  match: PhraseMatch
  start: number
  end: number
}

const compiledCache = new WeakMap<Phrases, Phrase[]>()

async function getCompiledPhrases(phrases: Phrases): Promise<Phrase[]> {
  const cached = compiledCache.get(phrases) ?? (await compilePhrases(phrases))
  compiledCache.set(phrases, cached)
  return cached
}

/** Returns the lines of a side. If the speakers are unknown, it returns all lines, or undefined if the rule skips such calls. */
export function selectLines(
  { lines, sidesKnown }: TokenizedDialogue,
  rule: Rule,
  side: SpeakerSide = 'any',
): ChannelText[] | undefined {
  if (side === 'any') return lines
  if (sidesKnown) return lines.filter((line) => line.side === side)
  return rule.mono === 'skip' ? undefined : lines
}

/** Calculates the part of the call that a rule searches, in seconds. It begins with the first word, not with the ringing. */
export function calculateWindow(
  { start, end }: Pick<TokenizedDialogue, 'start' | 'end'>,
  { window }: Pick<Rule, 'window'>,
) {
  return {
    from: window?.last === undefined ? start : Math.max(start, end - window.last),
    to: window?.first === undefined ? end : Math.min(end, start + window.first),
  }
}

/** Finds phrases in time order, without the matches that an exception cancels. */
async function searchLines(
  { talk }: RuleContext,
  lines: ChannelText[],
  phrases: Phrases | undefined,
  except: Phrases | undefined,
  negated = true,
): Promise<TimedMatch[]> {
  const found: TimedMatch[] = []
  for (const line of lines) {
    const matches = await collectMatches(line, phrases ? await getCompiledPhrases(phrases) : [], { negated })
    const remaining = except && matches.length > 0 ? await excludeExceptions(line, matches, except) : matches
    for (const match of remaining) found.push(toTimedMatch(talk, match))
    if (shouldYield()) await yieldToEventLoop()
  }
  return found.sort((a, b) => a.start - b.start)
}

function toTimedMatch({ dialogue: { segments } }: TokenizedDialogue, match: PhraseMatch): TimedMatch {
  const [first, last] = [match.line.tokens[match.first]!, match.line.tokens[match.last]!]
  const start = estimateSecond(segments[first.segment]!, first.from)
  return { match, start, end: estimateSecond(segments[last.segment]!, last.to) }
}

async function excludeExceptions(line: ChannelText, matches: PhraseMatch[], except: Phrases): Promise<PhraseMatch[]> {
  const excludedPositions = new Set<number>()
  // A longer exception cancels at least as much as a shorter one at the same position.
  const exceptionMatches = await collectMatches(line, await getCompiledPhrases(except), {
    negated: false,
    longer: true,
  })
  for (const { first, last } of exceptionMatches) for (let at = first; at <= last; at++) excludedPositions.add(at)
  return matches.filter(({ first, last }) => {
    for (let at = first; at <= last; at++) if (excludedPositions.has(at)) return false
    return true
  })
}

/**
 * Finds phrases in the window of a rule, in time order.
 * @param negated false also returns negated matches
 */
export async function searchWindow(
  context: RuleContext,
  rule: Rule,
  lines: ChannelText[],
  phrases: Phrases | undefined,
  negated = true,
): Promise<TimedMatch[]> {
  const { from, to } = calculateWindow(context.talk, rule)
  const found = await searchLines(context, lines, phrases, rule.except, negated)
  return found.filter(({ start }) => start >= from && start <= to)
}

/** Finds the matches of the condition (`after`) of a rule. @returns undefined if the speakers are unknown */
export async function searchAnchors(context: RuleContext, rule: Rule): Promise<TimedMatch[] | undefined> {
  const { side, any, rule: key } = rule.after ?? {}
  if (key !== undefined) return context.searchRuleMatches(key)
  const lines = selectLines(context.talk, rule, side ?? (rule.side === 'agent' ? 'client' : 'any'))
  return lines && searchLines(context, lines, any, rule.except)
}

/**
 * Returns true if a match follows an anchor, in the text if both are in one line, else in time.
 * @param within the maximum number of seconds between them; undefined means no limit
 */
export const isAfterAnchor = (anchor: TimedMatch, later: TimedMatch, within: number | undefined): boolean =>
  (later.match.line === anchor.match.line
    ? later.match.first > anchor.match.last
    : later.start >= anchor.start && later !== anchor) && later.start <= anchor.end + (within ?? Infinity)
