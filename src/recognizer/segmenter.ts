import { FRAME, VAD_RATE } from './vad.ts'

const frames = (seconds: number) => Math.round((seconds * VAD_RATE) / FRAME)
const seconds = (frames: number) => (frames * FRAME) / VAD_RATE

/** Speech begins at this probability … */
const SPEECH = 0.5
/** … and continues down to this one, so that a weak syllable does not end it. */
const STILL_SPEECH = 0.35
/** Speech of fewer frames is a click or a breath; the shortest words ("no", "ten") have more. */
const SHORTEST = frames(0.1)
/** Audio kept before and after speech: soft beginnings and ends are below the thresholds. */
const PADDING = frames(0.25)
/** The pause that ends a window, by its length: the model needs context, subtitles need short pieces. */
const PAUSES = [
  { upTo: frames(4), pause: frames(0.9) },
  { upTo: frames(8), pause: frames(0.6) },
  { upTo: Infinity, pause: frames(0.4) },
]
/** Speech is split at this length: with 25 s, the peak memory of 20 minutes was 65 MB higher, without fewer errors. */
const LONGEST = frames(20)
/** The split is in the longest pause after this part of the window, if it has at least SHORT_PAUSE … */
const CUT_AFTER = frames(6)
const SHORT_PAUSE = frames(0.16)
/** … else at the quietest moment of the last part. */
const CUT_WITHIN = frames(6)

/** Quieter speech (-45 dB) is skipped: the model completes fragments to words that nobody said. */
const MIN_PEAK = 180 / 32_768

/** A stretch of speech with some audio around it; `start` and `end` (seconds) exclude that audio. */
export interface Window {
  start: number
  end: number
  /** Start of the samples, in seconds. */
  from: number
  /** Seconds that the detector considers speech. */
  speech: number
  samples: Float32Array
  /** For each FRAME of the samples, whether it is speech. */
  speaking: boolean[]
}

interface Frame {
  samples: Float32Array
  probability: number
  speaking: boolean
  power: number
}

/** Splits one channel into windows of speech. Keeps only the window being built. */
export class Segmenter {
  /** The kept frames: the window being built and its padding, or only the padding of a possible one. */
  private kept: Frame[] = []
  /** Number of the first kept frame, from the beginning of the channel. */
  private first = 0
  /** Frame numbers of the window's speech: from `start` to before `end`. */
  private start: number | undefined
  private end = 0
  private speaking = false

  accept(samples: Float32Array, probability: number): Window | undefined {
    const number = this.first + this.kept.length
    this.speaking = probability >= SPEECH || (this.speaking && probability >= STILL_SPEECH)
    let power = 0
    for (let i = 0; i < samples.length; i++) power += samples[i]! * samples[i]!
    this.kept.push({ samples, probability, speaking: this.speaking, power })
    if (this.speaking) {
      this.start ??= number
      this.end = number + 1
    }
    if (this.start === undefined) {
      this.forget(number + 1 - PADDING)
      return undefined
    }
    const length = this.end - this.start
    const pause = number + 1 - this.end
    if (pause >= PAUSES.find(({ upTo }) => length < upTo)!.pause) return this.close(this.start, this.end)
    if (length >= LONGEST) return this.cut(this.start, this.end)
    return undefined
  }

  finish(): Window | undefined {
    return this.start === undefined ? undefined : this.close(this.start, this.end)
  }

  /** Ends the window at its last speech; the audio after it is kept as padding of the next. */
  private close(start: number, end: number): Window | undefined {
    const window = this.window(start, end, PADDING)
    this.start = undefined
    this.forget(Math.max(end, this.first + this.kept.length - PADDING))
    return window
  }

  /** Ends the window in the middle of speech and begins the next one there. */
  private cut(start: number, end: number): Window | undefined {
    const pause = this.longestPause(start + CUT_AFTER, end)
    const [until, from] = pause ?? [this.quietest(end - CUT_WITHIN, end), undefined]
    // Not beyond the pause: the word after it would be recognized twice.
    const window = this.window(start, until, pause ? Math.min(PADDING, from! - until) : 0)
    this.start = from ?? until
    this.forget(pause ? Math.max(until, this.start - PADDING) : until)
    return window
  }

  /** The frames of the longest pause between two frames: its first, and the first after it. */
  private longestPause(from: number, to: number): [number, number] | undefined {
    let longest: [number, number] | undefined
    let begin = from
    for (let number = from; number < to; number++) {
      if (this.frame(number).speaking) begin = number + 1
      else if (number + 1 - begin >= (longest ? longest[1] - longest[0] : SHORT_PAUSE)) longest = [begin, number + 1]
    }
    return longest
  }

  private quietest(from: number, to: number): number {
    const around = (number: number) => [number - 1, number, number + 1].reduce((sum, n) => sum + this.frame(n).power, 0)
    let quietest = from
    for (let number = from + 1; number < to - 1; number++) if (around(number) < around(quietest)) quietest = number
    return quietest
  }

  private frame(number: number): Frame {
    return this.kept[number - this.first]!
  }

  /** The window of the speech from `start` to before `end`, unless it is too short to be speech. */
  private window(start: number, end: number, padding: number): Window | undefined {
    const speech = this.kept.slice(start - this.first, end - this.first)
    const certain = speech.filter(({ probability }) => probability >= SPEECH).length
    if (certain < SHORTEST) return undefined
    const used = this.kept.slice(0, end + padding - this.first)
    const samples = new Float32Array(used.length * FRAME)
    used.forEach((frame, index) => samples.set(frame.samples, index * FRAME))
    if (!isLoudEnough(samples)) return undefined
    const from = seconds(this.first)
    const speaking = used.map((frame) => frame.speaking)
    return { start: seconds(start), end: seconds(end), from, speech: seconds(certain), samples, speaking }
  }

  private forget(number: number): void {
    const count = Math.max(0, number - this.first)
    this.kept.splice(0, count)
    this.first += count
  }
}

function isLoudEnough(samples: Float32Array): boolean {
  return samples.some((sample) => Math.abs(sample) >= MIN_PEAK)
}
