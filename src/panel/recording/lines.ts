import type { ExcerptJson } from '../../calls/list/excerpts-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { Language } from '../frame/i18n.ts'

/** A quote in the text: its position there, and the rules that it bears out, or speaks against. */
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

/** Rows that are sent at once. A call of hours opens with those that one came for; the others follow as they are needed. */
export const PART = 150

/** The player begins so much before a word of which nobody tells the time: it is guessed from the position in the row. */
export const LEAD_SECONDS = 1.5

/** And so much before one whose time the recognizer tells, so that its first sound is heard. */
const WORD_LEAD_SECONDS = 0.25

/** Something that was searched for. */
export interface Match {
  /** From the first to behind the last character of the whole text. */
  start: number
  end: number
  /** The row in which it begins, and the second from which it is to be heard. */
  row: number
  at: number
}

/** A piece of a line, and what it is marked as. */
interface Piece {
  text: string
  /** The match that it belongs to: its number, from 1, and the second from which it is to be heard. */
  match: { number: number; at: number } | null
  /** What the check has found in it: the quotes that it is a part of, and the rules that they are about. */
  quote: { keys: string; kind: Quoted['kind']; rules: string } | null
  /** Whether the recognizer is not sure of it. */
  doubtful: boolean
}

/** What is marked in a text. */
export interface Marks {
  matches: Match[]
  /** What the check quotes, by segment. */
  quotes: Map<number, Quoted[]>
  /** What the recognizer is not sure of, by segment. */
  doubts: Map<number, Span[]>
}

/** A position in the text of a segment. */
interface Span {
  from: number
  to: number
}

/** The rows of one part with their words, where these were asked for. */
export interface SpokenPart {
  part: number
  spoken: Transcript | undefined
}

/**
 * What was searched for in a transcript, with its moments in the audio; with a channel only what is said there. The words of
 * hours are not asked for: moments in the rows of other parts are guessed, and told anew with these rows.
 */
export function locateMatches(
  segments: Segment[],
  found: ExcerptJson | undefined,
  channel: number | null,
  { part, spoken }: SpokenPart = { part: 0, spoken: undefined },
): Match[] {
  const offsets = offsetsOf(segments)
  let row = 0
  const located = (found?.matches ?? []).map(([start, end]) => {
    while (row + 1 < segments.length && offsets[row + 1]! <= start) row++
    const words = spoken?.segments[row - part * PART]?.words
    return { start, end, row, at: momentOf(segments[row]!, start - offsets[row]!, words) }
  })
  return located.filter(({ row }) => channel === null || segments[row]!.channel === channel)
}

/** Where each row begins in the text that was searched: the segments' texts, joined by line breaks. */
function offsetsOf(segments: Segment[]): number[] {
  let at = 0
  return segments.map(({ text }) => {
    const from = at
    at += text.length + 1
    return from
  })
}

/** From when a character of a row is to be heard: never before the row, which would be marked then as another one. */
function momentOf({ start, end, text }: Segment, character: number, words: Words = []): number {
  const word = placesOf(words).find(({ to }) => to >= character)
  if (word) return Math.round(Math.max(start, word.start - WORD_LEAD_SECONDS) * 100) / 100
  const said = start + ((end - start) * character) / Math.max(1, text.length)
  return Math.round(Math.max(start, said - LEAD_SECONDS) * 10) / 10
}

/** The words of a row, each with its position in the text. */
export function placesOf(words: Words) {
  let at = 0
  return words.map((word) => {
    const from = at
    at += word.text.length + 1
    return { ...word, from, to: from + word.text.length }
  })
}

/** What one asked for in the address of a call. */
export interface Wanted {
  /** A moment, in seconds. */
  t: number | null
  /** A part of the transcript, from 0. */
  part: number | null
}

/** The part of the rows that is sent with the page: that of the moment, else the one asked for, else that of the first match. */
export function partAt(segments: Segment[], { t, part }: Wanted, matches: Match[]): number {
  const last = Math.max(0, Math.ceil(segments.length / PART) - 1)
  if (t !== null) return Math.floor(rowAt(segments, t) / PART)
  return Math.min(last, part ?? Math.floor((matches[0]?.row ?? 0) / PART))
}

/** The row that is heard at a moment: the last one that has begun. */
function rowAt(segments: Segment[], t: number): number {
  const after = segments.findIndex(({ start }) => start > t + 0.05)
  return Math.max(0, (after < 0 ? segments.length : after) - 1)
}

/** The parts of a transcript: where each stands in the call, and the rows of those that are shown. */
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

/** The rows of one part, with what is marked in them. */
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
    // A match may go over the end of a line.
    const own = numbered
      .filter((match) => match.start < from + text.length && match.end > from)
      .map(({ start, end, number, at }) => ({ from: start - from, to: end - from, number, at }))
    return {
      start,
      end,
      time: format.length(start),
      channel: sides && { kind: `c${channel}`, name: sides[channel === 1 ? 1 : 0] },
      pieces: piecesOf(text, own, quotes.get(row) ?? [], doubts.get(row) ?? []),
    }
  })
}

/** A text in pieces, each of which is marked in one way: it is cut wherever a mark begins or ends. */
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

/** One piece that several rules quote is marked as what is missed, if it is that for one of them. */
function quoteOf(quoted: Quoted[]): NonNullable<Piece['quote']> {
  return {
    keys: [...new Set(quoted.map(({ key }) => key))].join(' '),
    kind: quoted.some(({ kind }) => kind === 'missed') ? 'missed' : 'met',
    rules: [...new Set(quoted.map(({ rule }) => rule))].join(', '),
  }
}
