import { infoOf, type WordInfo } from '../../platform/lib/morphology.ts'
import { shouldYield, yieldToOthers } from '../../platform/lib/yielder.ts'
import { readNumber } from '../../platform/lib/spoken-numbers.ts'
import { momentOf, quoteAt } from '../rules/talk.ts'
import type { Dialogue, Evidence, Piece, Side } from '../rules/types.ts'
import { wordsOf, type Word } from '../rules/words.ts'

/** The maximum distance between the named segment and the quote. */
const NEAR = 2
/** Longer quotes can miss some of their words. */
const FORGIVEN_FROM = 4
const FORGIVEN_SHARE = 0.8
/** The maximum number of words of a quote, and of letters. */
const LONGEST = 60
export const LONGEST_QUOTE = 2000

/** A word for comparing quotes: folded, with numbers by value. */
interface Part {
  text: string
  from: number
  to: number
}

interface Quote {
  segment: number
  quote: string
}

/** Where a quote must be to count: `exact` requires every word, `from` and `to` limit its start in seconds. */
interface Asked {
  side: Side
  exact: boolean
  from?: number
  to?: number
}

/** Finds a model's quote in the words of the transcript, of the same side and time. Lemmas must be loaded. */
export async function findQuote(
  dialogue: Dialogue,
  { segment, quote }: Quote,
  { side, exact, from = -Infinity, to = Infinity }: Asked,
): Promise<Evidence | undefined> {
  const wanted = (await partsOf(quote.slice(0, LONGEST_QUOTE))).slice(0, LONGEST)
  if (wanted.length === 0) return undefined
  const near = dialogue.segments
    .map((_, index) => index)
    .filter((index) => Math.abs(index - segment) <= NEAR && isSide(dialogue, index, side))
    .sort((a, b) => Math.abs(a - segment) - Math.abs(b - segment))
  for (const match of exact || wanted.length < FORGIVEN_FROM ? [wordForWord] : [wordForWord, mostWords]) {
    for (const index of near) {
      const piece = dialogue.segments[index]!
      const inTime = (position: number): boolean => momentOf(piece, position) >= from && momentOf(piece, position) <= to
      const found = await match(await partsOfPiece(piece), wanted, inTime)
      if (found) return quoteAt(piece, index, found.from, found.to, sideOf(dialogue, index))
    }
  }
  return undefined
}

/** The speaker of a segment; unknown if it cannot be determined. */
export function sideOf({ segments, channels, agentChannel }: Dialogue, index: number): Evidence['side'] {
  if (channels === 1 || agentChannel === null) return 'unknown'
  return segments[index]!.channel === agentChannel ? 'agent' : 'client'
}

function isSide(dialogue: Dialogue, index: number, side: Side): boolean {
  const said = sideOf(dialogue, index)
  return side === 'any' || said === 'unknown' || said === side
}

const kept = new WeakMap<Piece, Promise<Part[]>>()

/** The segments of one speaker, parsed once for all quotes. */
function partsOfPiece(piece: Piece): Promise<Part[]> {
  const parts = kept.get(piece) ?? partsOf(piece.text)
  kept.set(piece, parts)
  return parts
}

async function partsOf(text: string): Promise<Part[]> {
  const words: (Word & { info: WordInfo })[] = []
  for (const word of wordsOf(text)) {
    words.push({ ...word, info: infoOf(word.word) })
    if (shouldYield()) await yieldToOthers()
  }
  const parts: Part[] = []
  for (let at = 0; at < words.length;) {
    const number = readNumber(words, at)
    const next = number ? number.next : at + 1
    parts.push({ text: number ? `#${number.value}` : words[at]!.word, from: words[at]!.from, to: words[next - 1]!.to })
    at = next
    if (shouldYield()) await yieldToOthers()
  }
  return parts
}

type Found = { from: number; to: number }
type InTime = (position: number) => boolean

async function wordForWord(parts: Part[], wanted: Part[], inTime: InTime): Promise<Found | undefined> {
  for (let start = 0; start + wanted.length <= parts.length; start++) {
    if (shouldYield()) await yieldToOthers()
    if (!inTime(parts[start]!.from)) continue
    if (wanted.every(({ text }, n) => parts[start + n]!.text === text)) {
      return { from: parts[start]!.from, to: parts[start + wanted.length - 1]!.to }
    }
  }
  return undefined
}

/** The passage with most of the words in order. */
async function mostWords(parts: Part[], wanted: Part[], inTime: InTime): Promise<Found | undefined> {
  const needed = Math.ceil(wanted.length * FORGIVEN_SHARE)
  const width = Math.ceil(wanted.length / FORGIVEN_SHARE)
  let best: (Found & { count: number }) | undefined
  for (let start = 0; start < parts.length; start++) {
    if (shouldYield()) await yieldToOthers()
    if (!inTime(parts[start]!.from) || !wanted.some(({ text }) => text === parts[start]!.text)) continue
    const stretch = parts.slice(start, start + width)
    const { count, last } = inOrder(stretch, wanted)
    if (count >= needed && count > (best?.count ?? 0)) best = { count, from: stretch[0]!.from, to: stretch[last]!.to }
  }
  return best && { from: best.from, to: best.to }
}

/** The length of the longest common subsequence of the words, and the position of its last word. */
function inOrder(stretch: Part[], wanted: Part[]): { count: number; last: number } {
  let row = Array<number>(wanted.length + 1).fill(0)
  let last = 0
  for (const [n, { text }] of stretch.entries()) {
    const next = [...row]
    for (const [m, part] of wanted.entries()) {
      next[m + 1] = part.text === text ? row[m]! + 1 : Math.max(row[m + 1]!, next[m]!)
    }
    if (next[wanted.length]! > row[wanted.length]!) last = n
    row = next
  }
  return { count: row[wanted.length]!, last }
}
