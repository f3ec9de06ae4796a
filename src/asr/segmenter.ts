import { FRAME, VAD_RATE } from './vad.ts'

const frames = (seconds: number) => Math.round((seconds * VAD_RATE) / FRAME)

/** Speech begins at this probability … */
const SPEECH = 0.5
/** … and goes on down to this one, so that a weak syllable does not end it. */
const STILL_SPEECH = 0.35
/** Speech of fewer frames is a click or a breath; the shortest words ("no", "ten") have more. */
const SHORTEST = frames(0.1)
/** Sound kept before and after speech: soft beginnings and ends lie below the thresholds. */
const PADDING = frames(0.3)
/**
 * The recognizer gains from context, subtitles from short pieces. A pause cuts once it is as long as this, by the
 * length of the speech before it: short pieces wait for a real pause, long ones take the next breath.
 */
const PAUSES = [
  { upTo: frames(4), pause: frames(1.2) },
  { upTo: frames(8), pause: frames(0.9) },
  { upTo: frames(13), pause: frames(0.6) },
  { upTo: Infinity, pause: frames(0.35) },
]
/** Speech without any pause is cut at this length: what the model was trained on, and a bound for the memory. */
const LONGEST = frames(18)
/** Where such a cut is looked for: the weakest frame of the last part. */
const CUT_WITHIN = frames(6)

/** A stretch of speech with some sound around it; `start` and `end` (seconds) are those of the speech alone. */
export interface Window {
  start: number
  end: number
  samples: Float32Array
}

interface Frame {
  samples: Float32Array
  probability: number
  power: number
}

/** Cuts one channel into windows of speech. Keeps no more than the window that is being built. */
export class Segmenter {
  /** The frames kept: the window being built and its padding, or only the padding of one that may begin. */
  private kept: Frame[] = []
  /** Number of the first frame kept, counted from the beginning of the channel. */
  private first = 0
  /** Frame numbers of the window's speech: from `start`, up to but without `end`. */
  private start: number | undefined
  private end = 0
  private speaking = false

  /** Takes the next frame with its probability of speech; answers a window when one is complete. */
  accept(samples: Float32Array, probability: number): Window | undefined {
    const number = this.first + this.kept.length
    this.kept.push({ samples, probability, power: samples.reduce((sum, sample) => sum + sample * sample, 0) })
    this.speaking = probability >= SPEECH || (this.speaking && probability >= STILL_SPEECH)
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
    if (pause >= PAUSES.find(({ upTo }) => length < upTo)!.pause) return this.close(this.end, PADDING)
    if (number + 1 - this.start >= LONGEST) return this.cut(this.start, number + 1)
    return undefined
  }

  /** Ends the channel; answers the window that was being built. */
  finish(): Window | undefined {
    return this.start === undefined ? undefined : this.close(this.end, PADDING)
  }

  /** Makes a window of the frames up to `end` (and the padding behind it) and forgets them. */
  private close(end: number, padding: number): Window | undefined {
    const start = this.start!
    const used = this.kept.slice(0, end + padding - this.first)
    const speech = this.kept.slice(start - this.first, end - this.first)
    // The next window may begin at once: its padding then is the sound that closed this one.
    this.forget(Math.max(end, this.first + this.kept.length - PADDING))
    this.start = undefined
    if (speech.filter(({ probability }) => probability >= SPEECH).length < SHORTEST) return undefined
    const samples = new Float32Array(used.length * FRAME)
    used.forEach((frame, index) => samples.set(frame.samples, index * FRAME))
    return { start: (start * FRAME) / VAD_RATE, end: (end * FRAME) / VAD_RATE, samples }
  }

  /** Closes a window in the middle of speech, at its weakest moment, and begins the next one there. */
  private cut(start: number, now: number): Window | undefined {
    const power = (number: number) => this.kept[number - this.first]?.power ?? 0
    let weakest = now - 1
    let least = Infinity
    for (let number = Math.max(start + 1, now - CUT_WITHIN); number < now - 1; number++) {
      const around = power(number - 1) + power(number) + power(number + 1)
      if (around < least) [weakest, least] = [number, around]
    }
    const rest = this.kept.slice(weakest - this.first)
    const window = this.close(Math.min(weakest, this.end), 0)
    this.kept = rest
    this.first = weakest
    const speech = rest.findIndex(({ probability }) => probability >= STILL_SPEECH)
    if (this.end > weakest) this.start = weakest + Math.max(0, speech)
    return window
  }

  /** Drops the frames before `number`. */
  private forget(number: number): void {
    const count = Math.max(0, number - this.first)
    this.kept.splice(0, count)
    this.first += count
  }
}
