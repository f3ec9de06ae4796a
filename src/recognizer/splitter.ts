import { BLANK, COLUMNS, rowsOf, SPACE } from './decoders/ctc/alphabet.ts'
import { grown } from './grown.ts'

/** A frame is quiet if space and blank together are more probable than this. */
const QUIET = Math.fround(0.9)
/** Quiet frames that separate two phrases. */
const SEPARATOR = 20
/** Frames added before and after a phrase. */
const MARGIN = 3
/** A phrase is split here even in the middle of speech. */
const LONGEST = 2000

const FRAME_SECONDS = 0.03
/** The delay of the model's output, and the silence before the audio. */
const DELAY_SECONDS = 0.33 + 0.3

/** A stretch of speech. Frames count from the beginning of the stream, 30 ms each. */
export interface Phrase {
  /** First frame, and the frame after the last one; without margins. */
  start: number
  end: number
  firstRow: number
  /** The model's output for the phrase and up to three frames on both sides. */
  rows: Float32Array
}

/** Splits the output of the acoustic model into phrases at pauses, as it arrives. One object per stream. */
export class PhraseSplitter {
  /** First frame of the kept rows. */
  offset = 0
  /** Number of rows kept for later calls. */
  kept = 0
  private rows = new Float32Array(256 * COLUMNS)
  private speech = new Uint8Array(256)

  /** Takes the next rows of 35 log probabilities; returns the complete phrases. `last` ends the stream. */
  push(rows: Float32Array, last: boolean): Phrase[] {
    this.append(rows)
    const phrases = this.findSpans(last).map(([start, end]) => {
      const first = Math.max(0, start - MARGIN)
      return {
        start: this.offset + start,
        end: this.offset + end,
        firstRow: this.offset + first,
        rows: this.rows.slice(first * COLUMNS, Math.min(this.kept, end + MARGIN) * COLUMNS),
      }
    })
    this.cut(phrases.at(-1)?.end ?? this.offset)
    return phrases
  }

  private append(rows: Float32Array): void {
    const count = rowsOf(rows)
    while (this.kept + count > this.speech.length) {
      this.rows = grown(this.rows)
      this.speech = grown(this.speech)
    }
    this.rows.set(rows, this.kept * COLUMNS)
    for (let row = 0; row < count; row++) {
      const space = Math.fround(Math.exp(rows[row * COLUMNS + SPACE]!))
      const blank = Math.fround(Math.exp(rows[row * COLUMNS + BLANK]!))
      this.speech[this.kept + row] = Math.fround(space + blank) <= QUIET ? 1 : 0
    }
    this.kept += count
  }

  /** Complete phrases among the kept rows, as [first row, row after the last]. */
  private findSpans(last: boolean): [number, number][] {
    const spans: [number, number][] = []
    // As if a separator preceded the rows; at the end of the stream, one follows them too.
    let quiet = SEPARATOR
    let start = -1
    for (let row = 0; row < this.kept; row++) {
      if (this.speech[row]) {
        quiet = 0
        if (start < 0) start = row
      } else if (++quiet === SEPARATOR && start >= 0) {
        addSpans(spans, start, row + 1 - SEPARATOR, true)
        start = -1
      }
    }
    if (start >= 0) addSpans(spans, start, last ? this.kept - quiet : this.kept, last)
    return spans
  }

  /** Drops the rows before frame `from`; if only quiet ones remain, all but the margin of the next phrase. */
  private cut(from: number): void {
    let row = from - this.offset
    if (!this.speech.subarray(row, this.kept).includes(1)) row = Math.max(row, this.kept - MARGIN)
    this.rows.copyWithin(0, row * COLUMNS, this.kept * COLUMNS)
    this.speech.copyWithin(0, row, this.kept)
    this.offset += row
    this.kept -= row
  }
}

/** Adds a stretch of speech, split if too long; the rest only when a separator ends it. */
function addSpans(spans: [number, number][], start: number, end: number, ended: boolean): void {
  let from = start
  for (; end - from >= LONGEST; from += LONGEST) spans.push([from, from + LONGEST])
  // After an exact split nothing can remain; the original returns that empty phrase too.
  if (ended) spans.push([from, end])
}

/** Start and end of a phrase in seconds of the audio, rounded to hundredths; never below 0, never reversed. */
export function phraseTimes({ start, end }: Pick<Phrase, 'start' | 'end'>): [start: number, end: number] {
  const from = Math.max(0, frameTime(start))
  return [from, Math.max(from, frameTime(end))]
}

export function frameTime(frame: number): number {
  return Math.round((frame * FRAME_SECONDS - DELAY_SECONDS) * 100) / 100
}
