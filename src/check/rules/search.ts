import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { collectMatches, type PhraseMatch } from './phrase-matcher.ts'
import { compilePhrases, type Phrase } from './phrases.ts'
import { estimateSecond, type ChannelText, type TokenizedDialogue } from './tokenize.ts'
import type { Phrases, Rule, SpeakerSide } from './types.ts'

/** The context for judging by the rules of one set. */
export interface RuleContext {
  talk: TokenizedDialogue
  /** The matches of a rule, for later rules; undefined if its speakers are unknown. */
  searchRuleMatches(key: string): Promise<TimedMatch[] | undefined>
}

/** A match and when it is spoken, in seconds. */
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

/** The lines of a side; undefined if the side of each speaker is uncertain, or unknown and the rule skips such calls. */
export function selectLines(
  { dialogue, lines, sidesKnown }: TokenizedDialogue,
  rule: Rule,
  side: SpeakerSide = 'any',
): ChannelText[] | undefined {
  if (side === 'any') return lines
  if (sidesKnown) return lines.filter((line) => line.side === side)
  return rule.mono === 'skip' || dialogue.channels === 2 ? undefined : lines
}

/** The seconds that a rule searches: of the talk, without the ringing before and after it. */
export function calculateWindow(
  { start, end }: Pick<TokenizedDialogue, 'start' | 'end'>,
  { window }: Pick<Rule, 'window'>,
) {
  return {
    from: window?.last === undefined ? start : Math.max(start, end - window.last),
    to: window?.first === undefined ? end : Math.min(end, start + window.first),
  }
}

/** All matches of phrases in the order of time, without those that an exception cancels. */
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
  // Of two exceptions that begin together, the longer one cancels all that the shorter one does.
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

/** The matches of a rule's phrases in its window; `negated`: without negated ones. */
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

/** The matches of a rule's condition; undefined if the speakers are unknown. */
export async function searchAnchors(context: RuleContext, rule: Rule): Promise<TimedMatch[] | undefined> {
  const { side, any, rule: key } = rule.after ?? {}
  if (key !== undefined) return context.searchRuleMatches(key)
  const lines = selectLines(context.talk, rule, side ?? (rule.side === 'agent' ? 'client' : 'any'))
  return lines && searchLines(context, lines, any, rule.except)
}

/** True if a match follows an anchor within so many seconds. */
export const isAfterAnchor = (anchor: TimedMatch, later: TimedMatch, within: number | undefined): boolean =>
  (later.match.line === anchor.match.line
    ? later.match.first > anchor.match.last
    : later.start >= anchor.start && later !== anchor) && later.start <= anchor.end + (within ?? Infinity)
