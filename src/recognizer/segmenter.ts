import { VAD_FRAME_SAMPLES, VAD_SAMPLE_RATE } from './vad.ts'

const frames = (seconds: number) => Math.round((seconds * VAD_SAMPLE_RATE) / VAD_FRAME_SAMPLES)
const seconds = (frames: number) => (frames * VAD_FRAME_SAMPLES) / VAD_SAMPLE_RATE

/** Speech starts at this probability. */
const SPEECH_PROBABILITY = 0.5
/** Speech continues down to this probability, so that a weak syllable does not end it. */
const CONTINUED_SPEECH_PROBABILITY = 0.35
/** Shorter speech is a click or a breath. Even the shortest words ("no", "ten") have more frames. */
const MIN_SPEECH_FRAMES = frames(0.1)
/** Audio included before and after speech, because soft beginnings and ends are below the thresholds. */
const PADDING_FRAMES = frames(0.25)
/** The longer a window is, the shorter a pause ends it. The model needs context, but subtitles need short pieces. */
const WINDOW_PAUSES = [
  { upTo: frames(4), pause: frames(0.9) },
  { upTo: frames(8), pause: frames(0.6) },
  { upTo: Infinity, pause: frames(0.4) },
]
/** Longer speech is split. With 25 s, 20 minutes of audio needed 65 MB more memory without fewer errors. */
const MAX_WINDOW_FRAMES = frames(20)
/** The split is in the longest pause after this length, if the pause has at least MIN_CUT_PAUSE_FRAMES. */
const CUT_AFTER_FRAMES = frames(6)
const MIN_CUT_PAUSE_FRAMES = frames(0.16)
/** Without such a pause, the split is at the quietest frame within this length from the end. */
const CUT_WITHIN_FRAMES = frames(6)

/** We skip windows with a lower peak (-45 dB), because the model completes fragments of speech to words that nobody spoke. */
const MIN_PEAK_LEVEL = 180 / 32_768

/** A stretch of speech with some audio around it. `start` and `end` of the speech are seconds from the start of the channel. */
export interface DetectedSpeechWindow {
  start: number
  end: number
  /** Start of the samples, in seconds from the start of the channel. */
  from: number
  /** Total seconds of frames with at least SPEECH_PROBABILITY. */
  speech: number
  samples: Float32Array
  /** For each frame of VAD_FRAME_SAMPLES samples, true if it is speech. */
  speaking: boolean[]
}

interface DetectedFrame {
  samples: Float32Array
  probability: number
  speaking: boolean
  power: number
}

/** Splits one channel into windows of speech. Stores only the frames of the current window and its padding. */
export class SpeechSegmenter {
  /** Frames of the current window and its padding. Without speech, only the padding of the next window. */
  private bufferedFrames: DetectedFrame[] = []
  /** Number of the first stored frame, counted from the start of the channel. */
  private first = 0
  /** First frame of the current window's speech. `end` is the frame after its last one. */
  private start: number | undefined
  private end = 0
  private speaking = false

  accept(samples: Float32Array, probability: number): DetectedSpeechWindow | undefined {
    const number = this.first + this.bufferedFrames.length
    this.speaking = probability >= SPEECH_PROBABILITY || (this.speaking && probability >= CONTINUED_SPEECH_PROBABILITY)
    let power = 0
    for (let i = 0; i < samples.length; i++) power += samples[i]! * samples[i]!
    this.bufferedFrames.push({ samples, probability, speaking: this.speaking, power })
    if (this.speaking) {
      this.start ??= number
      this.end = number + 1
    }
    if (this.start === undefined) {
      this.dropFrames(number + 1 - PADDING_FRAMES)
      return undefined
    }
    const length = this.end - this.start
    const pause = number + 1 - this.end
    if (pause >= WINDOW_PAUSES.find(({ upTo }) => length < upTo)!.pause) return this.close(this.start, this.end)
    if (length >= MAX_WINDOW_FRAMES) return this.cut(this.start, this.end)
    return undefined
  }

  finish(): DetectedSpeechWindow | undefined {
    return this.start === undefined ? undefined : this.close(this.start, this.end)
  }

  /** Ends the window after its last speech. Keeps the audio after it as padding of the next window. */
  private close(start: number, end: number): DetectedSpeechWindow | undefined {
    const window = this.buildWindow(start, end, PADDING_FRAMES)
    this.start = undefined
    this.dropFrames(Math.max(end, this.first + this.bufferedFrames.length - PADDING_FRAMES))
    return window
  }

  /** Ends a window that is too long, in a pause if possible. The next window starts there, or after the pause. */
  private cut(start: number, end: number): DetectedSpeechWindow | undefined {
    const pause = this.findLongestPause(start + CUT_AFTER_FRAMES, end)
    const [until, from] = pause ?? [this.findQuietestFrame(end - CUT_WITHIN_FRAMES, end), undefined]
    // The padding ends with the pause at the latest, otherwise the next word would be recognized twice.
    const window = this.buildWindow(start, until, pause ? Math.min(PADDING_FRAMES, from! - until) : 0)
    this.start = from ?? until
    this.dropFrames(pause ? Math.max(until, this.start - PADDING_FRAMES) : until)
    return window
  }

  /** Returns the longest pause between two frames as [first frame, frame after the last], or undefined if all are too short. */
  private findLongestPause(from: number, to: number): [number, number] | undefined {
    let longest: [number, number] | undefined
    let begin = from
    for (let number = from; number < to; number++) {
      if (this.frameAt(number).speaking) begin = number + 1
      else if (number + 1 - begin >= (longest ? longest[1] - longest[0] : MIN_CUT_PAUSE_FRAMES))
        longest = [begin, number + 1]
    }
    return longest
  }

  private findQuietestFrame(from: number, to: number): number {
    const powerAround = (number: number) =>
      [number - 1, number, number + 1].reduce((sum, n) => sum + this.frameAt(n).power, 0)
    let quietest = from
    for (let number = from + 1; number < to - 1; number++)
      if (powerAround(number) < powerAround(quietest)) quietest = number
    return quietest
  }

  private frameAt(number: number): DetectedFrame {
    return this.bufferedFrames[number - this.first]!
  }

  /**
   * Builds the window of the speech from frame `start` to before `end`. Returns undefined if the speech is too short or too
   * quiet.
   */
  private buildWindow(start: number, end: number, padding: number): DetectedSpeechWindow | undefined {
    const speech = this.bufferedFrames.slice(start - this.first, end - this.first)
    const certain = speech.filter(({ probability }) => probability >= SPEECH_PROBABILITY).length
    if (certain < MIN_SPEECH_FRAMES) return undefined
    const used = this.bufferedFrames.slice(0, end + padding - this.first)
    const samples = new Float32Array(used.length * VAD_FRAME_SAMPLES)
    used.forEach((frame, index) => samples.set(frame.samples, index * VAD_FRAME_SAMPLES))
    if (!isLoudEnough(samples)) return undefined
    const from = seconds(this.first)
    const speaking = used.map((frame) => frame.speaking)
    return { start: seconds(start), end: seconds(end), from, speech: seconds(certain), samples, speaking }
  }

  private dropFrames(number: number): void {
    const count = Math.max(0, number - this.first)
    this.bufferedFrames.splice(0, count)
    this.first += count
  }
}

function isLoudEnough(samples: Float32Array): boolean {
  return samples.some((sample) => Math.abs(sample) >= MIN_PEAK_LEVEL)
}
