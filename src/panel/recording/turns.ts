import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { getSpeaker } from './speakers.ts'

type Segment = NonNullable<RecordingJson['transcript']>['segments'][number]

/** A range of transcript rows, counted from 0; `to` is exclusive. */
export interface TranscriptRowRange {
  from: number
  to: number
}

/** A pause of at least this length ends a turn and can start a chapter. */
export const LONG_PAUSE_SECONDS = 8

/** Each turn shows its time and a link, so longer monologues are split between rows. */
const MAX_TURN_SECONDS = 60

/** Also limits turns in transcripts whose rows have no useful times. */
const MAX_TURN_ROWS = 50

/** Maximum rows of a part. A page opens with one part and loads the others when they come into view. */
export const MAX_TRANSCRIPT_PART_ROWS = 150

/**
 * Joins consecutive rows of one speaker into turns. If the speakers are unknown, each row is a turn.
 * A range that starts with a turn gives the same turns as the whole transcript. @param rows all rows by default
 */
export function groupRowsIntoTurns(
  segments: Segment[],
  areSpeakersKnown: boolean,
  rows?: TranscriptRowRange,
): TranscriptRowRange[] {
  const { from, to } = rows ?? { from: 0, to: segments.length }
  const turns: TranscriptRowRange[] = []
  for (let row = from; row < to; row++) {
    const turn = turns.at(-1)
    if (turn && areSpeakersKnown && continuesTurn(segments, turn, row)) turn.to = row + 1
    else turns.push({ from: row, to: row + 1 })
  }
  return turns
}

function continuesTurn(segments: Segment[], turn: TranscriptRowRange, row: number): boolean {
  const [first, previous, next] = [segments[turn.from]!, segments[row - 1]!, segments[row]!]
  return (
    getSpeaker(next) === getSpeaker(previous) &&
    next.start - previous.end < LONG_PAUSE_SECONDS &&
    next.end - first.start <= MAX_TURN_SECONDS &&
    row - turn.from < MAX_TURN_ROWS
  )
}

/**
 * Splits turns into the parts that a page loads separately. A part has at most MAX_TRANSCRIPT_PART_ROWS rows and does not cross
 * chapters.
 */
export function splitIntoTranscriptParts(
  turns: TranscriptRowRange[],
  chapters: readonly TranscriptRowRange[],
): TranscriptRowRange[] {
  const chapterStarts = new Set(chapters.map(({ from }) => from))
  const parts: TranscriptRowRange[] = []
  for (const { from, to } of turns) {
    const part = parts.at(-1)
    if (part && !chapterStarts.has(from) && to - part.from <= MAX_TRANSCRIPT_PART_ROWS) part.to = to
    else parts.push({ from, to })
  }
  return parts
}

/** Returns true if the row is in the range. */
export const rangeContainsRow = ({ from, to }: TranscriptRowRange, row: number): boolean => from <= row && row < to
