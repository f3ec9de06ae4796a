import { CTC_BLANK_TOKEN, CTC_TOKEN_COUNT, countTokenRows, CTC_SPACE_TOKEN } from './decoders/ctc/alphabet.ts'
import { doubleCapacity } from './double-capacity.ts'

/** A frame is quiet if the probabilities of space and blank together exceed this value. */
const QUIET_PROBABILITY = Math.fround(0.9)
/** Number of consecutive quiet frames that separates two phrases. */
const SEPARATOR_FRAMES = 20
/** Frames included before and after a phrase. */
const MARGIN_FRAMES = 3
/** Longer phrases are split at this length, even in the middle of speech. */
const MAX_PHRASE_FRAMES = 2000

const FRAME_SECONDS = 0.03
/** The delay of the model's output (0.33 s) plus the silence before the audio (0.3 s). */
const DELAY_SECONDS = 0.33 + 0.3

/** A phrase in the output of the acoustic model. Frames of 30 ms are counted from the start of the stream. */
export interface AcousticPhrase {
  /** First frame of the phrase without margin. `end` is the frame after its last one. */
  start: number
  end: number
  /** Frame of the first row. */
  firstRow: number
  /** The model's output for the phrase and up to three frames before and after it. */
  rows: Float32Array
}

/** Splits the output of the acoustic model into phrases at pauses, while it arrives. Each stream needs its own object. */
export class AcousticPhraseSplitter {
  /** Number of the first kept frame. */
  offset = 0
  rowCount = 0
  private rows = new Float32Array(256 * CTC_TOKEN_COUNT)
  private speech = new Uint8Array(256)

  /**
   * Adds the next rows of 35 log probabilities and returns the phrases that they complete.
   * @param last true to end the stream
   */
  push(rows: Float32Array, last: boolean): AcousticPhrase[] {
    this.append(rows)
    const phrases = this.findSpans(last).map(([start, end]) => {
      const first = Math.max(0, start - MARGIN_FRAMES)
      return {
        start: this.offset + start,
        end: this.offset + end,
        firstRow: this.offset + first,
        rows: this.rows.slice(first * CTC_TOKEN_COUNT, Math.min(this.rowCount, end + MARGIN_FRAMES) * CTC_TOKEN_COUNT),
      }
    })
    this.dropRows(phrases.at(-1)?.end ?? this.offset)
    return phrases
  }

  private append(rows: Float32Array): void {
    const count = countTokenRows(rows)
    while (this.rowCount + count > this.speech.length) {
      this.rows = doubleCapacity(this.rows)
      this.speech = doubleCapacity(this.speech)
    }
    this.rows.set(rows, this.rowCount * CTC_TOKEN_COUNT)
    for (let row = 0; row < count; row++) {
      const space = Math.fround(Math.exp(rows[row * CTC_TOKEN_COUNT + CTC_SPACE_TOKEN]!))
      const blank = Math.fround(Math.exp(rows[row * CTC_TOKEN_COUNT + CTC_BLANK_TOKEN]!))
      this.speech[this.rowCount + row] = Math.fround(space + blank) <= QUIET_PROBABILITY ? 1 : 0
    }
    this.rowCount += count
  }

  /** Returns the complete phrases among the kept rows, as [first row, row after the last]. */
  private findSpans(last: boolean): [number, number][] {
    const spans: [number, number][] = []
    // A phrase can start at the first row, as if a separator preceded it. The end of the stream ends a phrase like a separator.
    let quiet = SEPARATOR_FRAMES
    let start = -1
    for (let row = 0; row < this.rowCount; row++) {
      if (this.speech[row]) {
        quiet = 0
        if (start < 0) start = row
      } else if (++quiet === SEPARATOR_FRAMES && start >= 0) {
        addSpans(spans, start, row + 1 - SEPARATOR_FRAMES, true)
        start = -1
      }
    }
    if (start >= 0) addSpans(spans, start, last ? this.rowCount - quiet : this.rowCount, last)
    return spans
  }

  /** Drops the rows before frame `from`. If all rows after it are quiet, keeps only the margin of the next phrase. */
  private dropRows(from: number): void {
    let row = from - this.offset
    if (!this.speech.subarray(row, this.rowCount).includes(1)) row = Math.max(row, this.rowCount - MARGIN_FRAMES)
    this.rows.copyWithin(0, row * CTC_TOKEN_COUNT, this.rowCount * CTC_TOKEN_COUNT)
    this.speech.copyWithin(0, row, this.rowCount)
    this.offset += row
    this.rowCount -= row
  }
}

/**
 * Adds a phrase to `spans`, split if it is too long.
 * @param ended false to omit the last part, because more speech can follow
 */
function addSpans(spans: [number, number][], start: number, end: number, ended: boolean): void {
  let from = start
  for (; end - from >= MAX_PHRASE_FRAMES; from += MAX_PHRASE_FRAMES) spans.push([from, from + MAX_PHRASE_FRAMES])
  // If the length is a multiple of the maximum, this phrase is empty. T-one returns it too.
  if (ended) spans.push([from, end])
}

/**
 * Returns the start and end of a phrase in seconds, rounded to hundredths. The start is at least 0, and the end is not before the
 * start.
 */
export function computePhraseTimes({
  start,
  end,
}: Pick<AcousticPhrase, 'start' | 'end'>): [start: number, end: number] {
  const from = Math.max(0, acousticFrameToSeconds(start))
  return [from, Math.max(from, acousticFrameToSeconds(end))]
}

/** Returns the time of a frame in the audio in seconds, rounded to hundredths. It can be negative. */
export function acousticFrameToSeconds(frame: number): number {
  return Math.round((frame * FRAME_SECONDS - DELAY_SECONDS) * 100) / 100
}
