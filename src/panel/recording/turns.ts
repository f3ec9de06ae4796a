import type { RecordingJson } from '../../calls/recordings/schema.ts'

type Segment = NonNullable<RecordingJson['transcript']>['segments'][number]

/** Rows of the text, by their number in the call; `to` is exclusive. */
export interface RowRange {
  from: number
  to: number
}

/** A pause from this length on, in seconds, ends a turn and can end a chapter. */
export const LONG_PAUSE_SECONDS = 8

/** A monologue shows its time, and a link to it, at least this often. */
const MAX_TURN_SECONDS = 60

/** The length of a turn in a text without time. */
const MAX_TURN_ROWS = 50

/** Rows of one part: a call of hours opens with one part, and the others are loaded when they come into view. */
export const MAX_PART_ROWS = 150

/**
 * Joins consecutive rows of one speaker into turns. In a call of one channel the speaker is unknown, so each row is a turn.
 * The rows of a range that begins with a turn give the same turns as the whole text.
 */
export function groupTurns(segments: Segment[], areSpeakersKnown: boolean, rows?: RowRange): RowRange[] {
  const { from, to } = rows ?? { from: 0, to: segments.length }
  const turns: RowRange[] = []
  for (let row = from; row < to; row++) {
    const turn = turns.at(-1)
    if (turn && areSpeakersKnown && continuesTurn(segments, turn, row)) turn.to = row + 1
    else turns.push({ from: row, to: row + 1 })
  }
  return turns
}

function continuesTurn(segments: Segment[], turn: RowRange, row: number): boolean {
  const [first, previous, next] = [segments[turn.from]!, segments[row - 1]!, segments[row]!]
  return (
    next.channel === previous.channel &&
    next.start - previous.end < LONG_PAUSE_SECONDS &&
    next.end - first.start <= MAX_TURN_SECONDS &&
    row - turn.from < MAX_TURN_ROWS
  )
}

/** Splits a text into the parts that are loaded at once. Parts end with a turn, and where a chapter ends. */
export function splitIntoParts(turns: RowRange[], chapters: readonly RowRange[]): RowRange[] {
  const chapterStarts = new Set(chapters.map(({ from }) => from))
  const parts: RowRange[] = []
  for (const { from, to } of turns) {
    const part = parts.at(-1)
    if (part && !chapterStarts.has(from) && to - part.from <= MAX_PART_ROWS) part.to = to
    else parts.push({ from, to })
  }
  return parts
}

export const containsRow = ({ from, to }: RowRange, row: number): boolean => from <= row && row < to
