import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { collectPhraseMatches, type PhraseMatch } from './phrase-matcher.ts'
import { compilePhrases, type CompiledPhrase } from './phrases.ts'
import { estimateSpokenSecond, type ChannelText, type TokenizedDialogue } from './tokenize.ts'
import type { PhrasesByLanguage, Rule, SpeakerSide } from './types.ts'

/** The data for judging a call by the rules of one rule set. */
export interface RuleContext {
  talk: TokenizedDialogue
  /** Returns the matches of another rule for a condition; undefined if its verdict is unknown. */
  searchRuleMatches(key: string): Promise<TimedPhraseMatch[] | undefined>
}

/** A match with the time when it is spoken, in seconds from the start of the call. */
export interface TimedPhraseMatch {
  match: PhraseMatch
  start: number
  end: number
}

const compiledCache = new WeakMap<PhrasesByLanguage, CompiledPhrase[]>()

async function getCompiledPhrases(phrases: PhrasesByLanguage): Promise<CompiledPhrase[]> {
  const cached = compiledCache.get(phrases) ?? (await compilePhrases(phrases))
  compiledCache.set(phrases, cached)
  return cached
}

/** Returns the lines of a side. Undefined if two speakers have unknown sides, or if the rule skips mono calls (`mono`) and the call is one. */
export function selectLinesOfSide(
  { dialogue, lines, sidesKnown }: TokenizedDialogue,
  rule: Rule,
  side: SpeakerSide = 'any',
): ChannelText[] | undefined {
  if (side === 'any') return lines
  if (sidesKnown) return lines.filter((line) => line.side === side)
  return rule.mono === 'skip' || dialogue.channels === 2 ? undefined : lines
}

/** Calculates the part of the call that a rule searches, in seconds. The part starts with the first word, not with the ringing. */
export function calculateRuleWindow(
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
  phrases: PhrasesByLanguage | undefined,
  except: PhrasesByLanguage | undefined,
  negated = true,
): Promise<TimedPhraseMatch[]> {
  const found: TimedPhraseMatch[] = []
  for (const line of lines) {
    const matches = await collectPhraseMatches(line, phrases ? await getCompiledPhrases(phrases) : [], { negated })
    const remaining = except && matches.length > 0 ? await excludeExceptions(line, matches, except) : matches
    for (const match of remaining) found.push(toTimedMatch(talk, match))
    if (shouldYield()) await yieldToEventLoop()
  }
  return found.sort((a, b) => a.start - b.start)
}

function toTimedMatch({ dialogue: { segments } }: TokenizedDialogue, match: PhraseMatch): TimedPhraseMatch {
  const [first, last] = [match.line.tokens[match.first]!, match.line.tokens[match.last]!]
  const start = estimateSpokenSecond(segments[first.segment]!, first.from)
  return { match, start, end: estimateSpokenSecond(segments[last.segment]!, last.to) }
}

async function excludeExceptions(
  line: ChannelText,
  matches: PhraseMatch[],
  except: PhrasesByLanguage,
): Promise<PhraseMatch[]> {
  const excludedPositions = new Set<number>()
  // A longer exception cancels at least as much as a shorter one at the same position.
  const exceptionMatches = await collectPhraseMatches(line, await getCompiledPhrases(except), {
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
export async function searchRuleWindow(
  context: RuleContext,
  rule: Rule,
  lines: ChannelText[],
  phrases: PhrasesByLanguage | undefined,
  negated = true,
): Promise<TimedPhraseMatch[]> {
  const { from, to } = calculateRuleWindow(context.talk, rule)
  const found = await searchLines(context, lines, phrases, rule.except, negated)
  return found.filter(({ start }) => start >= from && start <= to)
}

/** Finds the matches of the condition (`after`) of a rule. @returns undefined if its speaker, or the verdict of its rule, is unknown */
export async function searchRuleAnchors(context: RuleContext, rule: Rule): Promise<TimedPhraseMatch[] | undefined> {
  const { side, any, rule: key } = rule.after ?? {}
  if (key !== undefined) return context.searchRuleMatches(key)
  const lines = selectLinesOfSide(context.talk, rule, side ?? (rule.side === 'agent' ? 'client' : 'any'))
  return lines && searchLines(context, lines, any, rule.except)
}

/**
 * Returns true if a match follows an anchor, in the text if both are in one line, else in time.
 * @param within the maximum number of seconds between them; undefined means no limit
 */
export const isAfterAnchor = (anchor: TimedPhraseMatch, later: TimedPhraseMatch, within: number | undefined): boolean =>
  (later.match.line === anchor.match.line
    ? later.match.first > anchor.match.last
    : later.start >= anchor.start && later !== anchor) && later.start <= anchor.end + (within ?? Infinity)
