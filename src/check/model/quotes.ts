import { analyzeWord, type WordInfo } from '../../platform/lib/morphology.ts'
import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { parseSpokenNumber } from '../../platform/lib/spoken-numbers.ts'
import { estimateSecond, createEvidence } from '../rules/tokenize.ts'
import type { Dialogue, Evidence, DialogueSegment, SpeakerSide } from '../rules/types.ts'
import { splitWords, type Word } from '../rules/words.ts'

/** The maximum distance between the named segment and the quote. */
const MAX_SEGMENT_DISTANCE = 2
/** Longer quotes can miss some of their words. */
const MIN_FUZZY_WORDS = 4
const MIN_MATCHED_SHARE = 0.8
/** The maximum number of words of a quote, and of letters. */
const MAX_QUOTE_WORDS = 60
export const MAX_QUOTE_LENGTH = 2000

/** A word for comparing quotes: folded, with numbers by value. */
interface QuoteWord {
  text: string
  from: number
  to: number
}

interface ModelQuote {
  segment: number
  quote: string
}

/** Where a quote must be to count: `exact` requires every word, `from` and `to` limit its start in seconds. */
interface QuoteConstraints {
  side: SpeakerSide
  exact: boolean
  from?: number
  to?: number
}

/** Finds a model's quote in the words of the transcript, of the same side and time. Lemmas must be loaded. */
export async function findQuote(
  dialogue: Dialogue,
  { segment, quote }: ModelQuote,
  { side, exact, from = -Infinity, to = Infinity }: QuoteConstraints,
): Promise<Evidence | undefined> {
  const quoteWords = (await parseQuoteWords(quote.slice(0, MAX_QUOTE_LENGTH))).slice(0, MAX_QUOTE_WORDS)
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
        estimateSecond(piece, position) >= from && estimateSecond(piece, position) <= to
      const span = await match(await parseSegmentWords(piece), quoteWords, isInTime)
      if (span) return createEvidence(piece, index, span.from, span.to, resolveSpeakerSide(dialogue, index))
    }
  }
  return undefined
}

/** The speaker of a segment; unknown if it cannot be determined. */
export function resolveSpeakerSide({ segments, channels, agentChannel }: Dialogue, index: number): Evidence['side'] {
  if (channels === 1 || agentChannel === null || segments[index]!.isUncertain) return 'unknown'
  return segments[index]!.channel === agentChannel ? 'agent' : 'client'
}

function isSpokenBySide(dialogue: Dialogue, index: number, side: SpeakerSide): boolean {
  const speaker = resolveSpeakerSide(dialogue, index)
  return side === 'any' || speaker === side || (speaker === 'unknown' && dialogue.channels === 1)
}

const wordCache = new WeakMap<DialogueSegment, Promise<QuoteWord[]>>()

/** The segments of one speaker, parsed once for all quotes. */
function parseSegmentWords(piece: DialogueSegment): Promise<QuoteWord[]> {
  const parts = wordCache.get(piece) ?? parseQuoteWords(piece.text)
  wordCache.set(piece, parts)
  return parts
}

async function parseQuoteWords(text: string): Promise<QuoteWord[]> {
  const words: (Word & { info: WordInfo })[] = []
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

/** The passage with most of the words in order. */
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

/** The length of the longest common subsequence of the words, and the position of its last word. */
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
