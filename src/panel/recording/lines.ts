import type { ExcerptJson } from '../../calls/list/excerpts-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { Language } from '../frame/i18n.ts'

/** A quote in the text: its position, and the rules that it supports or contradicts. */
export interface Quoted {
  key: string
  from: number
  to: number
  kind: 'met' | 'missed'
  rule: string
}

type Transcript = NonNullable<RecordingJson['transcript']>
export type Segment = Transcript['segments'][number]
type Words = NonNullable<Segment['words']>

/** Rows of one part: a call of hours opens with one part, and the others are loaded when they come into view. */
export const PART = 150

/** The player starts earlier than a word whose time is estimated from its position in the row. */
export const LEAD_SECONDS = 1.5

/** The same for a word with a time, so that its first sound is heard. */
const WORD_LEAD_SECONDS = 0.25

export interface Match {
  /** Positions in the whole text; `end` is exclusive. */
  start: number
  end: number
  /** The row in which it begins, and the second at which the player starts. */
  row: number
  at: number
  /** The words of the search that it is a synonym of. */
  synonymOf: string | null
}

interface Piece {
  text: string
  /** `number` counts from 1. */
  match: (Pick<Match, 'at' | 'synonymOf'> & { number: number }) | null
  /** The quotes of the check that it belongs to, and their rules. */
  quote: { keys: string; kind: Quoted['kind']; rules: string } | null
  doubtful: boolean
}

interface Marks {
  matches: Match[]
  /** Of the check, by segment. */
  quotes: Map<number, Quoted[]>
  /** Doubtful words, by segment. */
  doubts: Map<number, Span[]>
}

interface Span {
  from: number
  to: number
}

/** One part, with its words if they were loaded. */
export interface SpokenPart {
  part: number
  spoken: Transcript | undefined
}

/** The matches of a search with their times, which are estimated in parts whose words are not loaded. */
export function locateMatches(
  segments: Segment[],
  found: ExcerptJson | undefined,
  channel: number | null,
  { part, spoken }: SpokenPart = { part: 0, spoken: undefined },
): Match[] {
  const offsets = offsetsOf(segments)
  let row = 0
  const located = (found?.matches ?? []).map(([start, end], n) => {
    while (row + 1 < segments.length && offsets[row + 1]! <= start) row++
    const words = spoken?.segments[row - part * PART]?.words
    const at = momentOf(segments[row]!, start - offsets[row]!, words)
    return { start, end, row, at, synonymOf: found?.synonymOf[n] ?? null }
  })
  return located.filter(({ row }) => channel === null || segments[row]!.channel === channel)
}

/** The start of each row in the searched text: the texts of the segments, joined by line breaks. */
function offsetsOf(segments: Segment[]): number[] {
  let at = 0
  return segments.map(({ text }) => {
    const from = at
    at += text.length + 1
    return from
  })
}

/** The time of a character in a row; never before its row. */
function momentOf({ start, end, text }: Segment, character: number, words: Words = []): number {
  const word = placesOf(words).find(({ to }) => to >= character)
  if (word) return Math.round(Math.max(start, word.start - WORD_LEAD_SECONDS) * 100) / 100
  const said = start + ((end - start) * character) / Math.max(1, text.length)
  return Math.round(Math.max(start, said - LEAD_SECONDS) * 10) / 10
}

function placesOf(words: Words) {
  let at = 0
  return words.map((word) => {
    const from = at
    at += word.text.length + 1
    return { ...word, from, to: from + word.text.length }
  })
}

export interface Wanted {
  /** A moment, in seconds. */
  t: number | null
  /** A part of the transcript, from 0. */
  part: number | null
}

/** The first part that the page shows: that of the moment, else the requested one, else that of the first match. */
export function partAt(segments: Segment[], { t, part }: Wanted, matches: Match[]): number {
  const last = Math.max(0, Math.ceil(segments.length / PART) - 1)
  if (t !== null) return Math.floor(rowAt(segments, t) / PART)
  return Math.min(last, part ?? Math.floor((matches[0]?.row ?? 0) / PART))
}

function rowAt(segments: Segment[], t: number): number {
  const after = segments.findIndex(({ start }) => start > t + 0.05)
  return Math.max(0, (after < 0 ? segments.length : after) - 1)
}

/** The parts of a transcript, with the rows of the one that is shown. */
export function partsOf(
  { segments }: Transcript,
  marks: Marks,
  shown: number,
  sides: [string, string] | null,
  language: Language,
) {
  const { format, words } = language
  const count = Math.ceil(segments.length / PART)
  return Array.from({ length: count }, (_, number) => {
    const own = segments.slice(number * PART, (number + 1) * PART)
    const start = number === 0 ? 0 : own[0]!.start
    const end = segments[(number + 1) * PART]?.start ?? Number.MAX_SAFE_INTEGER
    const name = words.recording.part(format.length(own[0]!.start), format.length(own.at(-1)!.end))
    const lines = number === shown ? linesOf(segments, number, marks, sides, language) : null
    return { number, start, end, name, lines }
  })
}

export function linesOf(
  segments: Segment[],
  part: number,
  { matches, quotes, doubts }: Marks,
  sides: [string, string] | null,
  { format }: Language,
) {
  const offsets = offsetsOf(segments)
  const numbered = matches.map((match, index) => ({ ...match, number: index + 1 }))
  return segments.slice(part * PART, (part + 1) * PART).map(({ start, end, channel, text }, index) => {
    const row = part * PART + index
    const from = offsets[row]!
    // A match can continue on the next line.
    const own = numbered
      .filter((match) => match.start < from + text.length && match.end > from)
      .map((match) => ({ ...match, from: match.start - from, to: match.end - from }))
    return {
      start,
      end,
      time: format.length(start),
      channel: sides && { kind: `c${channel}`, name: sides[channel === 1 ? 1 : 0] },
      pieces: piecesOf(text, own, quotes.get(row) ?? [], doubts.get(row) ?? []),
    }
  })
}

/** Splits a text at the start and end of each mark. */
function piecesOf(
  text: string,
  matches: (Span & NonNullable<Piece['match']>)[],
  quotes: Quoted[],
  doubts: Span[],
): Piece[] {
  const ends = [...matches, ...quotes, ...doubts].flatMap(({ from, to }) => [from, to])
  const cuts = [0, ...ends, text.length].map((at) => Math.min(text.length, Math.max(0, at))).sort((a, b) => a - b)
  return cuts.flatMap((from, n) => {
    const to = cuts[n + 1] ?? from
    if (to === from) return []
    const holds = (span: Span) => span.from <= from && span.to >= to
    const quoted = quotes.filter(holds)
    const match = matches.find(holds) ?? null
    const quote = quoted.length > 0 ? quoteOf(quoted) : null
    return [{ text: text.slice(from, to), match, quote, doubtful: doubts.some(holds) }]
  })
}

/** A piece that several rules quote is marked as missed if one of them missed it. */
function quoteOf(quoted: Quoted[]): NonNullable<Piece['quote']> {
  return {
    keys: [...new Set(quoted.map(({ key }) => key))].join(' '),
    kind: quoted.some(({ kind }) => kind === 'missed') ? 'missed' : 'met',
    rules: [...new Set(quoted.map(({ rule }) => rule))].join(', '),
  }
}

/** Words below this certainty are doubtful, by model: measured by bench/speech.ts. Other models are not measured. */
const DOUBTFUL_BELOW: Record<string, number> = { 'moonshine-base-en': 0.72 }

/**
 * The certainty of a word: its own confidence squared, because all of its tokens must be right, and three times that of its
 * segment. The segment weighs more, because a recognizer that misses a sentence is sure of its words. 31 % of the words below
 * the limit are wrong, and 1.2 % of the others.
 */
export const certaintyOf = (word: number, segment: number | null): number => (word ** 2 + 3 * (segment ?? word)) / 4

/** Whether words of a transcript can be doubtful. */
export const mayDoubt = ({ model, timing }: Transcript): boolean => model in DOUBTFUL_BELOW && timing !== null

/** Positions of the doubtful words, by the number of the segment in the call. */
export function doubtsOf(part: Transcript | undefined, first: number): Map<number, { from: number; to: number }[]> {
  const below = DOUBTFUL_BELOW[part?.model ?? ''] ?? 0
  const doubts = new Map<number, { from: number; to: number }[]>()
  for (const [n, { words = [], confidence: whole = null }] of (part?.segments ?? []).entries()) {
    const own = placesOf(words)
      .filter(({ confidence }) => confidence !== null && certaintyOf(confidence, whole) < below)
      .map(({ from, to }) => ({ from, to }))
    if (own.length > 0) doubts.set(first + n, own)
  }
  return doubts
}
