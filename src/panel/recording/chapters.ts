import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { LONG_PAUSE_SECONDS, rangeContainsRow, type TranscriptRowRange } from './turns.ts'

type Segment = NonNullable<RecordingJson['transcript']>['segments'][number]

/** The row of a transcript in which a label was found. */
export interface LabelPosition {
  name: string
  row: number
}

/** A section of a long call: its rows, its time and its labels. */
export interface CallChapter extends TranscriptRowRange {
  /** `start` and `end` are seconds from the start of the call. */
  start: number
  end: number
  /** The label that starts the chapter; null at the start of the call and after a pause. */
  label: string | null
  /** Seconds of silence before the chapter; null if a pause does not start it. */
  pauseSeconds: number | null
  /** Names of all labels found in the chapter. */
  labels: string[]
}

/** Calls up to this length have no chapters. */
const MIN_CALL_SECONDS = 600
const MIN_CHAPTER_SECONDS = 60
const MAX_CHAPTERS = 12

type ChapterStart = TranscriptRowRange & Pick<CallChapter, 'start' | 'label' | 'pauseSeconds'>

/**
 * Divides a call of over ten minutes into chapters. A chapter starts with the turn of a label or after a long pause. Labels take
 * precedence over pauses.
 * Except for the last one, a chapter lasts at least one minute or a twelfth of the call, whichever is longer.
 * @returns an empty list for shorter calls and for calls that no label or pause divides
 */
export function buildCallChapters(
  segments: Segment[],
  turns: TranscriptRowRange[],
  labelPlaces: LabelPosition[],
  durationSeconds: number | null,
): CallChapter[] {
  const length = durationSeconds ?? segments.at(-1)?.end ?? 0
  if (length <= MIN_CALL_SECONDS || turns.length === 0) return []
  const minLength = Math.max(MIN_CHAPTER_SECONDS, length / MAX_CHAPTERS)
  const starts: ChapterStart[] = [{ ...turns[0]!, start: 0, label: null, pauseSeconds: null }]
  for (const candidate of [...listLabelStarts(segments, turns, labelPlaces), ...listPauseStarts(segments, turns)]) {
    if (starts.every(({ start }) => Math.abs(candidate.start - start) >= minLength)) starts.push(candidate)
  }
  if (starts.length === 1) return []
  starts.sort((a, b) => a.from - b.from)
  return starts.map(({ from, start, label, pauseSeconds }, index) => {
    const next = starts[index + 1]
    const rows = { from, to: next?.from ?? segments.length }
    const labels = [...new Set(labelPlaces.filter(({ row }) => rangeContainsRow(rows, row)).map(({ name }) => name))]
    return { ...rows, start, end: next?.start ?? length, label, pauseSeconds, labels }
  })
}

/** Returns the turns in which a label was found. A label that repeats the previous one starts no chapter. */
function listLabelStarts(
  segments: Segment[],
  turns: TranscriptRowRange[],
  labelPlaces: LabelPosition[],
): ChapterStart[] {
  const places = labelPlaces.toSorted((a, b) => a.row - b.row)
  return places.flatMap(({ name, row }, index) => {
    const turn = turns.find((one) => rangeContainsRow(one, row))
    if (!turn || places[index - 1]?.name === name) return []
    return [{ ...turn, start: segments[turn.from]!.start, label: name, pauseSeconds: null }]
  })
}

/** Returns the turns after a long pause, longest pause first. */
function listPauseStarts(segments: Segment[], turns: TranscriptRowRange[]): ChapterStart[] {
  let silentFrom = 0
  const starts = turns.flatMap((turn) => {
    const { start } = segments[turn.from]!
    const pauseSeconds = start - silentFrom
    for (let row = turn.from; row < turn.to; row++) silentFrom = Math.max(silentFrom, segments[row]!.end)
    return pauseSeconds >= LONG_PAUSE_SECONDS ? [{ ...turn, start, label: null, pauseSeconds }] : []
  })
  return starts.sort((a, b) => b.pauseSeconds - a.pauseSeconds)
}
