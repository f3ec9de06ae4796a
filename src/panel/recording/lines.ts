import type { ExcerptJson } from '../../calls/list/excerpts-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { containsRow, type RowRange } from './turns.ts'

/** A quote in the text: its position, and the rule or label that it belongs to. */
export interface QuoteMark {
  key: string
  from: number
  to: number
  kind: 'met' | 'missed' | 'label'
  rule: string
}

type Transcript = NonNullable<RecordingJson['transcript']>
export type Segment = Transcript['segments'][number]
type Words = NonNullable<Segment['words']>

/** The player starts earlier than a word whose time is estimated from its position in the row. */
export const LEAD_SECONDS = 1.5

/** The same for a word with a time, so that its first sound is heard. */
const WORD_LEAD_SECONDS = 0.25

export interface SearchMatch {
  /** Positions in the whole text; `end` is exclusive. */
  start: number
  end: number
  /** The row in which it begins, and the second at which the player starts. */
  row: number
  at: number
  /** The words of the search that it is a synonym of. */
  synonymOf: string | null
}

interface TextPiece {
  text: string
  /** `number` counts from 1. */
  match: (Pick<SearchMatch, 'at' | 'synonymOf'> & { number: number }) | null
  /** The quotes of the check that it belongs to, and their rules. */
  quote: { keys: string; kind: QuoteMark['kind']; rules: string } | null
  doubtful: boolean
}

export interface TextMarks {
  matches: SearchMatch[]
  /** Of the check, by segment. */
  quotes: Map<number, QuoteMark[]>
  /** Doubtful words, by segment. */
  doubts: Map<number, TextSpan[]>
}

interface TextSpan {
  from: number
  to: number
}

/** One part, with its words if they were loaded. */
export interface PartWithWords {
  part: RowRange
  timedTranscript: Transcript | undefined
}

/** The matches of a search with their times, which are estimated in parts whose words are not loaded. */
export function locateMatches(
  segments: Segment[],
  excerpt: ExcerptJson | undefined,
  channel: number | null,
  { part, timedTranscript }: PartWithWords = { part: { from: 0, to: 0 }, timedTranscript: undefined },
): SearchMatch[] {
  const offsets = computeRowOffsets(segments)
  let row = 0
  const locatedMatches = (excerpt?.matches ?? []).map(([start, end], n) => {
    while (row + 1 < segments.length && offsets[row + 1]! <= start) row++
    const words = timedTranscript?.segments[row - part.from]?.words
    const at = findCharacterTime(segments[row]!, start - offsets[row]!, words)
    return { start, end, row, at, synonymOf: excerpt?.synonymOf[n] ?? null }
  })
  return locatedMatches.filter(({ row }) => channel === null || segments[row]!.channel === channel)
}

/** The start of each row in the searched text: the texts of the segments, joined by line breaks. */
function computeRowOffsets(segments: Segment[]): number[] {
  let at = 0
  return segments.map(({ text }) => {
    const from = at
    at += text.length + 1
    return from
  })
}

/** The time of a character in a row; never before its row. */
function findCharacterTime({ start, end, text }: Segment, character: number, words: Words = []): number {
  const word = locateWords(words).find(({ to }) => to >= character)
  if (word) return Math.round(Math.max(start, word.start - WORD_LEAD_SECONDS) * 100) / 100
  const estimatedTime = start + ((end - start) * character) / Math.max(1, text.length)
  return Math.round(Math.max(start, estimatedTime - LEAD_SECONDS) * 10) / 10
}

function locateWords(words: Words) {
  let at = 0
  return words.map((word) => {
    const from = at
    at += word.text.length + 1
    return { ...word, from, to: from + word.text.length }
  })
}

export interface RequestedPosition {
  /** A moment, in seconds. */
  t: number | null
  /** A row of the transcript, from 0. */
  row: number | null
}

/** The part that the page begins with: that of the moment, else of the requested row, else of the first match. */
export function choosePart(
  segments: Segment[],
  parts: RowRange[],
  { t, row }: RequestedPosition,
  matches: SearchMatch[],
): RowRange {
  const shownRow = t === null ? (row ?? matches[0]?.row ?? 0) : findRowIndex(segments, t)
  return parts.find((part) => containsRow(part, shownRow)) ?? parts.at(-1) ?? { from: 0, to: 0 }
}

function findRowIndex(segments: Segment[], t: number): number {
  const after = segments.findIndex(({ start }) => start > t + 0.05)
  return Math.max(0, (after < 0 ? segments.length : after) - 1)
}

/** Turns of the transcript, each with its rows and their marks. */
export function buildTurns(
  segments: Segment[],
  turns: RowRange[],
  { matches, quotes, doubts }: TextMarks,
  sides: [string, string] | null,
  { format }: Language,
) {
  const offsets = computeRowOffsets(segments)
  const numbered = matches.map((match, index) => ({ ...match, number: index + 1 }))
  const buildRow = ({ start, end, text }: Segment, row: number) => {
    const from = offsets[row]!
    // A match can continue on the next row.
    const own = numbered
      .filter((match) => match.start < from + text.length && match.end > from)
      .map((match) => ({ ...match, from: match.start - from, to: match.end - from }))
    return { start, end, pieces: splitIntoPieces(text, own, quotes.get(row) ?? [], doubts.get(row) ?? []) }
  }
  return turns.map(({ from, to }) => {
    const { start, channel } = segments[from]!
    return {
      start,
      time: format.length(start),
      channel: sides && { kind: `c${channel}`, name: sides[channel === 1 ? 1 : 0] },
      rows: segments.slice(from, to).map((segment, index) => buildRow(segment, from + index)),
    }
  })
}

/** Splits a text at the start and end of each mark. */
function splitIntoPieces(
  text: string,
  matches: (TextSpan & NonNullable<TextPiece['match']>)[],
  quotes: QuoteMark[],
  doubts: TextSpan[],
): TextPiece[] {
  const ends = [...matches, ...quotes, ...doubts].flatMap(({ from, to }) => [from, to])
  const boundaries = [0, ...ends, text.length].map((at) => Math.min(text.length, Math.max(0, at))).sort((a, b) => a - b)
  return boundaries.flatMap((from, n) => {
    const to = boundaries[n + 1] ?? from
    if (to === from) return []
    const coversPiece = (span: TextSpan) => span.from <= from && span.to >= to
    const pieceQuotes = quotes.filter(coversPiece)
    const match = matches.find(coversPiece) ?? null
    const quote = pieceQuotes.length > 0 ? mergeQuotes(pieceQuotes) : null
    return [{ text: text.slice(from, to), match, quote, doubtful: doubts.some(coversPiece) }]
  })
}

const QUOTE_KINDS = ['missed', 'met', 'label'] as const

/** A piece that several rules quote has one mark: missed before met, met before a label. */
function mergeQuotes(pieceQuotes: QuoteMark[]): NonNullable<TextPiece['quote']> {
  return {
    keys: [...new Set(pieceQuotes.map(({ key }) => key))].join(' '),
    kind: QUOTE_KINDS.find((kind) => pieceQuotes.some((quote) => quote.kind === kind))!,
    rules: [...new Set(pieceQuotes.map(({ rule }) => rule))].join(', '),
  }
}

/** Words below this certainty are doubtful, by model: measured by bench/speech.ts. Other models are not measured. */
const DOUBTFUL_BELOW_CERTAINTY: Record<string, number> = { 'moonshine-base-en': 0.72 }

/**
 * The certainty of a word: its own confidence squared, because all of its tokens must be right, and three times that of its
 * segment. The segment weighs more, because a recognizer that misses a sentence is sure of its words. 31 % of the words below
 * the limit are wrong, and 1.2 % of the others.
 */
export const computeCertainty = (word: number, segment: number | null): number =>
  (word ** 2 + 3 * (segment ?? word)) / 4

/** Whether words of a transcript can be doubtful. */
export const canHaveDoubtfulWords = ({ model, timing }: Transcript): boolean =>
  model in DOUBTFUL_BELOW_CERTAINTY && timing !== null

/** Positions of the doubtful words, by the number of the segment in the call. */
export function locateDoubtfulWords(
  part: Transcript | undefined,
  first: number,
): Map<number, { from: number; to: number }[]> {
  const threshold = DOUBTFUL_BELOW_CERTAINTY[part?.model ?? ''] ?? 0
  const doubts = new Map<number, { from: number; to: number }[]>()
  for (const [n, { words = [], confidence: segmentConfidence = null }] of (part?.segments ?? []).entries()) {
    const own = locateWords(words)
      .filter(({ confidence }) => confidence !== null && computeCertainty(confidence, segmentConfidence) < threshold)
      .map(({ from, to }) => ({ from, to }))
    if (own.length > 0) doubts.set(first + n, own)
  }
  return doubts
}
