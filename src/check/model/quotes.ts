import { analyzeWord, type WordInfo } from '../../platform/lib/morphology.ts'
import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { parseSpokenNumber } from '../../platform/lib/spoken-numbers.ts'
import { estimateSpokenSecond, createEvidence } from '../rules/tokenize.ts'
import type { Dialogue, Evidence, DialogueSegment, SpeakerSide } from '../rules/types.ts'
import { splitWords, type TextWord } from '../rules/words.ts'

/** How many segments the quote can be away from the segment that the model names. */
const MAX_SEGMENT_DISTANCE = 2
/** Quotes with fewer words must match every word. In longer ones, MIN_MATCHED_SHARE of the words must match. */
const MIN_FUZZY_WORDS = 4
const MIN_MATCHED_SHARE = 0.8
/** Longer quotes of a model are truncated. */
const MAX_QUOTE_WORDS = 60
export const MAX_QUOTE_CHARACTERS = 2000

/** A normalized word, or a whole number as `#` with its value, so that «пять» equals 5. */
interface QuoteWord {
  text: string
  from: number
  to: number
}

interface ModelQuote {
  segment: number
  quote: string
}

/** Limits for a valid quote. `exact` requires every word; `from` and `to` limit its start, in seconds of the call. */
interface QuoteConstraints {
  side: SpeakerSide
  exact: boolean
  from?: number
  to?: number
}

/**
 * Finds the quote of a model in the transcript, near the named segment. Call loadMorphology() first.
 * @returns undefined if the transcript does not have the words by that side and in that time
 */
export async function findQuoteEvidence(
  dialogue: Dialogue,
  { segment, quote }: ModelQuote,
  { side, exact, from = -Infinity, to = Infinity }: QuoteConstraints,
): Promise<Evidence | undefined> {
  const quoteWords = (await parseQuoteWords(quote.slice(0, MAX_QUOTE_CHARACTERS))).slice(0, MAX_QUOTE_WORDS)
  if (quoteWords.length === 0) return undefined
  const candidates = dialogue.segments
    .map((_, index) => index)
    .filter((index) => Math.abs(index - segment) <= MAX_SEGMENT_DISTANCE && isSpokenBySide(dialogue, index, side))
    .sort((a, b) => Math.abs(a - segment) - Math.abs(b - segment))
  for (const match of exact || quoteWords.length < MIN_FUZZY_WORDS
    ? [findExactQuote]
    : [findExactQuote, findFuzzyQuote]) {
    for (const index of candidates) {
      const piece = dialogue.segments[index]!
      const isInTime = (position: number): boolean =>
        estimateSpokenSecond(piece, position) >= from && estimateSpokenSecond(piece, position) <= to
      const span = await match(await parseSegmentWords(piece), quoteWords, isInTime)
      if (span) return createEvidence(piece, index, span.from, span.to, resolveSpeakerSide(dialogue, index))
    }
  }
  return undefined
}

/**
 * Returns the speaker of a segment. It is `unknown` with one channel, an unknown agent's channel or an uncertain voice.
 * @param index of the segment
 */
export function resolveSpeakerSide({ segments, channels, agentChannel }: Dialogue, index: number): Evidence['side'] {
  if (channels === 1 || agentChannel === null || segments[index]!.isUncertain) return 'unknown'
  return segments[index]!.channel === agentChannel ? 'agent' : 'client'
}

function isSpokenBySide(dialogue: Dialogue, index: number, side: SpeakerSide): boolean {
  const speaker = resolveSpeakerSide(dialogue, index)
  return side === 'any' || speaker === side || (speaker === 'unknown' && dialogue.channels === 1)
}

const wordCache = new WeakMap<DialogueSegment, Promise<QuoteWord[]>>()

/** Parses the words of a segment once for all quotes. */
function parseSegmentWords(piece: DialogueSegment): Promise<QuoteWord[]> {
  const parts = wordCache.get(piece) ?? parseQuoteWords(piece.text)
  wordCache.set(piece, parts)
  return parts
}

async function parseQuoteWords(text: string): Promise<QuoteWord[]> {
  const words: (TextWord & { info: WordInfo })[] = []
  for (const word of splitWords(text)) {
    words.push({ ...word, info: analyzeWord(word.word) })
    if (shouldYield()) await yieldToEventLoop()
  }
  const parts: QuoteWord[] = []
  for (let at = 0; at < words.length;) {
    const number = parseSpokenNumber(words, at)
    const next = number ? number.next : at + 1
    parts.push({ text: number ? `#${number.value}` : words[at]!.word, from: words[at]!.from, to: words[next - 1]!.to })
    at = next
    if (shouldYield()) await yieldToEventLoop()
  }
  return parts
}

type TextSpan = { from: number; to: number }
type TimeFilter = (position: number) => boolean

async function findExactQuote(
  parts: QuoteWord[],
  quoteWords: QuoteWord[],
  isInTime: TimeFilter,
): Promise<TextSpan | undefined> {
  for (let start = 0; start + quoteWords.length <= parts.length; start++) {
    if (shouldYield()) await yieldToEventLoop()
    if (!isInTime(parts[start]!.from)) continue
    if (quoteWords.every(({ text }, n) => parts[start + n]!.text === text)) {
      return { from: parts[start]!.from, to: parts[start + quoteWords.length - 1]!.to }
    }
  }
  return undefined
}

/** Finds the passage that has most words of the quote in their order. */
async function findFuzzyQuote(
  parts: QuoteWord[],
  quoteWords: QuoteWord[],
  isInTime: TimeFilter,
): Promise<TextSpan | undefined> {
  const needed = Math.ceil(quoteWords.length * MIN_MATCHED_SHARE)
  const width = Math.ceil(quoteWords.length / MIN_MATCHED_SHARE)
  let best: (TextSpan & { count: number }) | undefined
  for (let start = 0; start < parts.length; start++) {
    if (shouldYield()) await yieldToEventLoop()
    if (!isInTime(parts[start]!.from) || !quoteWords.some(({ text }) => text === parts[start]!.text)) continue
    const passage = parts.slice(start, start + width)
    const { count, last } = measureCommonSubsequence(passage, quoteWords)
    if (count >= needed && count > (best?.count ?? 0)) best = { count, from: passage[0]!.from, to: passage[last]!.to }
  }
  return best && { from: best.from, to: best.to }
}

/** Computes the longest common subsequence: its length, and the position of its last word in the passage. */
function measureCommonSubsequence(passage: QuoteWord[], quoteWords: QuoteWord[]): { count: number; last: number } {
  let row = Array<number>(quoteWords.length + 1).fill(0)
  let last = 0
  for (const [n, { text }] of passage.entries()) {
    const next = [...row]
    for (const [m, part] of quoteWords.entries()) {
      next[m + 1] = part.text === text ? row[m]! + 1 : Math.max(row[m + 1]!, next[m]!)
    }
    if (next[quoteWords.length]! > row[quoteWords.length]!) last = n
    row = next
  }
  return { count: row[quoteWords.length]!, last }
}
