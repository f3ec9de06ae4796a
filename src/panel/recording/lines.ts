import type { TranscriptExcerptJson } from '../../calls/list/excerpts-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { PLAYBACK_LEAD_SECONDS } from '../frame/playback-links.ts'
import { getSpeaker, isSpeakerUncertain, type SpeakerNames } from './speakers.ts'
import { rangeContainsRow, type TranscriptRowRange } from './turns.ts'

/** A quote to mark, with the name of its rule or label. `from` and exclusive `to` are positions in the segment's text. */
export interface QuoteMark {
  key: string
  from: number
  to: number
  kind: 'met' | 'missed' | 'label'
  rule: string
}

type Transcript = NonNullable<RecordingJson['transcript']>
/** One row of a transcript. */
export type TranscriptSegment = Transcript['segments'][number]
type Words = NonNullable<TranscriptSegment['words']>

/** Playback of a word with an exact time starts this much earlier, so that its beginning is audible. */
const WORD_LEAD_SECONDS = 0.25

/** A match of the search in a transcript. */
export interface TranscriptSearchMatch {
  /** Character positions in the whole transcript; `end` is exclusive. */
  start: number
  end: number
  /** The row in which the match starts, and the second from which to play it. */
  row: number
  at: number
  /** The searched words of which the match is a synonym; null for a literal match. */
  synonymOf: string | null
}

interface TextPiece {
  text: string
  /** `number` counts the matches from 1. */
  match: (Pick<TranscriptSearchMatch, 'at' | 'synonymOf'> & { number: number }) | null
  quote: { keys: string; kind: QuoteMark['kind']; rules: string } | null
  doubtful: boolean
}

/** The matches, quotes and doubtful words to mark in a transcript. */
export interface TranscriptMarks {
  matches: TranscriptSearchMatch[]
  /** Quotes of the check, by segment number. */
  quotes: Map<number, QuoteMark[]>
  /** Positions of doubtful words, by segment number. */
  doubts: Map<number, TextSpan[]>
}

interface TextSpan {
  from: number
  to: number
}

/** A part of a transcript. `timedTranscript` has the word timings of this part, if they were fetched. */
export interface TranscriptPartWithWords {
  part: TranscriptRowRange
  timedTranscript: Transcript | undefined
}

/**
 * Computes the row and the second of each match. Times of rows without word timings are estimated. @param speaker only matches
 * that start in a row of this speaker; null for all
 */
export function locateTranscriptMatches(
  segments: TranscriptSegment[],
  excerpt: TranscriptExcerptJson | undefined,
  speaker: number | null,
  { part, timedTranscript }: TranscriptPartWithWords = { part: { from: 0, to: 0 }, timedTranscript: undefined },
): TranscriptSearchMatch[] {
  const offsets = computeRowOffsets(segments)
  let row = 0
  const locatedMatches = (excerpt?.matches ?? []).map(([start, end], n) => {
    while (row + 1 < segments.length && offsets[row + 1]! <= start) row++
    const words = timedTranscript?.segments[row - part.from]?.words
    const at = findCharacterTime(segments[row]!, start - offsets[row]!, words)
    return { start, end, row, at, synonymOf: excerpt?.synonymOf[n] ?? null }
  })
  return locatedMatches.filter(({ row }) => speaker === null || getSpeaker(segments[row]!) === speaker)
}

/** Returns the character position of each row. The API searches the texts of the segments joined by line breaks. */
function computeRowOffsets(segments: TranscriptSegment[]): number[] {
  let at = 0
  return segments.map(({ text }) => {
    const from = at
    at += text.length + 1
    return from
  })
}

/** Returns the second from which to play a character, not before the start of the row. */
function findCharacterTime({ start, end, text }: TranscriptSegment, character: number, words: Words = []): number {
  const word = locateWords(words).find(({ to }) => to >= character)
  if (word) return Math.round(Math.max(start, word.start - WORD_LEAD_SECONDS) * 100) / 100
  const estimatedTime = start + ((end - start) * character) / Math.max(1, text.length)
  return Math.round(Math.max(start, estimatedTime - PLAYBACK_LEAD_SECONDS) * 10) / 10
}

function locateWords(words: Words) {
  let at = 0
  return words.map((word) => {
    const from = at
    at += word.text.length + 1
    return { ...word, from, to: from + word.text.length }
  })
}

/** The position in the address of the page; null values were not requested. */
export interface RequestedTranscriptPosition {
  /** Seconds from the start of the call. */
  t: number | null
  /** Row number of the transcript, from 0. */
  row: number | null
}

/** Chooses the part to show first: by the requested second, else the requested row, else the first match, else row 0. */
export function chooseTranscriptPart(
  segments: TranscriptSegment[],
  parts: TranscriptRowRange[],
  { t, row }: RequestedTranscriptPosition,
  matches: TranscriptSearchMatch[],
): TranscriptRowRange {
  const shownRow = t === null ? (row ?? matches[0]?.row ?? 0) : findRowIndex(segments, t)
  return parts.find((part) => rangeContainsRow(part, shownRow)) ?? parts.at(-1) ?? { from: 0, to: 0 }
}

function findRowIndex(segments: TranscriptSegment[], t: number): number {
  const after = segments.findIndex(({ start }) => start > t + 0.05)
  return Math.max(0, (after < 0 ? segments.length : after) - 1)
}

/** The speakers of a transcript. */
export interface TranscriptSpeakers {
  names: SpeakerNames
  correction: PhraseCorrection | null
}

/** Links and forms with which a person corrects the speaker of a phrase. */
interface PhraseCorrection {
  /** The row whose turn is open for correction; null for none. */
  openRow: number | null
  /** Formats the address of the page that opens the turn of a row; null closes the open turn. */
  formatTurnHref: (row: number | null) => string
  /** Formats the address of the transcript part that opens the turn of a row; null closes the open turn. */
  formatPartHref: (row: number | null) => string
  /** Formats the POST address that assigns a row to a speaker. */
  formatPhraseHref: (row: number, segment: TranscriptSegment, speaker: 0 | 1) => string
}

/** Builds the turns of a transcript with their marked rows. @param speakers null if unknown */
export function buildTranscriptTurns(
  segments: TranscriptSegment[],
  turns: TranscriptRowRange[],
  { matches, quotes, doubts }: TranscriptMarks,
  speakers: TranscriptSpeakers | null,
  language: Language,
) {
  const offsets = computeRowOffsets(segments)
  const numbered = matches.map((match, index) => ({ ...match, number: index + 1 }))
  const buildRow = (segment: TranscriptSegment, row: number, isOpen: boolean) => {
    const { start, end, text } = segment
    const from = offsets[row]!
    // A match can continue in the next row.
    const own = numbered
      .filter((match) => match.start < from + text.length && match.end > from)
      .map((match) => ({ ...match, from: match.start - from, to: match.end - from }))
    const pieces = splitIntoPieces(text, own, quotes.get(row) ?? [], doubts.get(row) ?? [])
    const isUncertain = isSpeakerUncertain(segment)
    return {
      start,
      end,
      pieces,
      isUncertain,
      choices: isOpen ? listSpeakerChoices(segment, row, speakers, language) : [],
    }
  }
  return turns.map(({ from, to }) => {
    const { start } = segments[from]!
    const speaker = getSpeaker(segments[from]!)
    const correction = speakers?.correction
    const openRow = correction?.openRow ?? null
    const isOpen = openRow !== null && rangeContainsRow({ from, to }, openRow)
    const toggledRow = isOpen ? null : from
    return {
      start,
      time: language.format.length(start),
      channel: speakers && { kind: `c${speaker}`, name: speakers.names[speaker] },
      row: from,
      correct: correction && {
        href: correction.formatTurnHref(toggledRow),
        part: correction.formatPartHref(toggledRow),
      },
      isOpen,
      rows: segments.slice(from, to).map((segment, index) => buildRow(segment, from + index, isOpen)),
    }
  })
}

/** Lists the speakers to whom a phrase can be assigned: the other one, and the same one if it is uncertain. */
function listSpeakerChoices(
  segment: TranscriptSegment,
  row: number,
  speakers: TranscriptSpeakers | null,
  { words }: Language,
) {
  if (!speakers?.correction) return []
  const { names, correction } = speakers
  return ([0, 1] as const)
    .filter((speaker) => speaker !== getSpeaker(segment) || isSpeakerUncertain(segment))
    .map((speaker) => ({
      action: correction.formatPhraseHref(row, segment, speaker),
      text: words.recording.assignTo(names[speaker]),
    }))
}

/** Splits a text at the limits of all marks, so that each piece has the same marks throughout. */
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

/** Merges the quotes of a piece into one mark: missed takes precedence over met, and met over labels. */
function mergeQuotes(pieceQuotes: QuoteMark[]): NonNullable<TextPiece['quote']> {
  return {
    keys: [...new Set(pieceQuotes.map(({ key }) => key))].join(' '),
    kind: QUOTE_KINDS.find((kind) => pieceQuotes.some((quote) => quote.kind === kind))!,
    rules: [...new Set(pieceQuotes.map(({ rule }) => rule))].join(', '),
  }
}

/** Words below this certainty are doubtful. bench/speech.ts measures the share of wrong words; other models are not measured. */
const DOUBTFUL_BELOW_CERTAINTY: Record<string, number> = { 'moonshine-base-en': 0.72 }

/**
 * Combines the confidence of a word and of its segment into a certainty from 0 to 1. A null segment counts as the word's own.
 * The segment weighs three times as much, because a recognizer can be sure of the words of a sentence that it misheard.
 */
export const computeWordCertainty = (word: number, segment: number | null): number =>
  (word ** 2 + 3 * (segment ?? word)) / 4

/** Returns true if the model has a limit for doubtful words and the transcript has word timings. */
export const canHaveDoubtfulWords = ({ model, timing }: Transcript): boolean =>
  model in DOUBTFUL_BELOW_CERTAINTY && timing !== null

/**
 * Returns the positions of doubtful words in the text of their segment, by segment number. @param first number of the first segment
 * in `part`
 */
export function locateDoubtfulWords(
  part: Transcript | undefined,
  first: number,
): Map<number, { from: number; to: number }[]> {
  const threshold = DOUBTFUL_BELOW_CERTAINTY[part?.model ?? ''] ?? 0
  const doubts = new Map<number, { from: number; to: number }[]>()
  for (const [n, { words = [], confidence: segmentConfidence = null }] of (part?.segments ?? []).entries()) {
    const own = locateWords(words)
      .filter(
        ({ confidence }) => confidence !== null && computeWordCertainty(confidence, segmentConfidence) < threshold,
      )
      .map(({ from, to }) => ({ from, to }))
    if (own.length > 0) doubts.set(first + n, own)
  }
  return doubts
}
