import type { RecognizedWord } from '../../contract.ts'
import { MAX_SUBTITLE_SECONDS } from '../../phrases.ts'
import type { DetectedSpeechWindow } from '../../segmenter.ts'
import { VAD_FRAME_SAMPLES, VAD_SAMPLE_RATE } from '../../vad.ts'
import type { RecognizedPiece } from '../engine.ts'
import {
  MAX_WINDOWS_PER_MODEL_RUN,
  MAX_AUDIO_SECONDS_PER_MODEL_RUN,
  type QueuedFileHandle,
  type ModelRunQueue,
} from './run-queue.ts'
import type { SpeechWindowText } from './speech-window.ts'

/**
 * Limits of a batch in windows and seconds of audio. The first batch is small, so that a long call soon has text. The limits then
 * double up to a maximum, because a run combines windows of similar length. The maximum keeps the windows of a file below 13 MB.
 */
const INITIAL_BATCH_WINDOWS = 8
const MAX_BATCH_WINDOWS = 16
const INITIAL_BATCH_SECONDS = 32
const MAX_BATCH_SECONDS = 128

interface ChannelWindow extends DetectedSpeechWindow {
  channel: number
}

/**
 * Recognizes the windows of one file in runs shared with other files. The other files do not change the text, see
 * graph/product-writer.ts.
 */
export class SpeechWindowReader {
  private batch: ChannelWindow[] = []
  private size = INITIAL_BATCH_WINDOWS
  private seconds = INITIAL_BATCH_SECONDS
  private readonly pendingReads = new Map<ChannelWindow, Promise<void>>()
  private pieces: RecognizedPiece[] = []
  private failure: { error: unknown } | undefined

  constructor(
    private readonly queue: ModelRunQueue,
    private readonly file: QueuedFileHandle,
  ) {}

  /** Adds a window to the current batch. Queues a full batch, then waits while more windows are pending than fit into one run. */
  async add(window: DetectedSpeechWindow, channel: number): Promise<void> {
    this.batch.push({ ...window, channel })
    if (this.batch.length < this.size && secondsOf(this.batch) < this.seconds) return
    this.size = Math.min(2 * this.size, MAX_BATCH_WINDOWS)
    this.seconds = Math.min(2 * this.seconds, MAX_BATCH_SECONDS)
    this.flush()
    const { pendingReads: underWay } = this
    while (
      underWay.size > MAX_WINDOWS_PER_MODEL_RUN ||
      secondsOf([...underWay.keys()]) > MAX_AUDIO_SECONDS_PER_MODEL_RUN
    ) {
      await Promise.race(underWay.values())
    }
  }

  /**
   * Returns the pieces recognized since the previous call.
   * @throws the first error of a run, or the abort reason of the file
   */
  take(): RecognizedPiece[] {
    this.file.signal.throwIfAborted()
    if (this.failure) throw this.failure.error
    return this.pieces.splice(0)
  }

  async finish(): Promise<RecognizedPiece[]> {
    this.flush()
    await this.settle()
    return this.take()
  }

  drop(): void {
    this.batch = []
    this.queue.drop(this.file)
  }

  async settle(): Promise<void> {
    await Promise.all(this.pendingReads.values())
  }

  get unreadFrom(): number | undefined {
    const starts = [...this.pendingReads.keys(), ...this.batch].map(({ start }) => start)
    return starts.length > 0 ? Math.min(...starts) : undefined
  }

  private flush(): void {
    const windows = this.batch
    this.batch = []
    if (this.failure) return
    const readings = this.queue.read(this.file, windows)
    for (const [index, window] of windows.entries())
      this.pendingReads.set(window, this.storeWords(window, readings[index]!))
  }

  /** Never rejects. `take()` throws the first failure. */
  private async storeWords(window: ChannelWindow, reading: Promise<SpeechWindowText | undefined>): Promise<void> {
    try {
      const read = (await reading) ?? []
      const words = removeOverlaps(read.map((word) => ({ ...word, ...locateWord(window, word) })))
      if (words.length > 0) this.pieces.push({ channel: window.channel, words })
    } catch (error) {
      this.failure ??= { error }
    } finally {
      this.pendingReads.delete(window)
    }
  }
}

const secondsOf = (windows: ChannelWindow[]) =>
  windows.reduce((sum, { samples }) => sum + samples.length, 0) / VAD_SAMPLE_RATE

/** Returns the times of a word in seconds of the file, shrunk to the frames with detected speech if there are any. */
function locateWord(
  { from, start, end, speaking }: ChannelWindow,
  word: RecognizedWord,
): { start: number; end: number } {
  const frames = (seconds: number) => Math.round((seconds * VAD_SAMPLE_RATE) / VAD_FRAME_SAMPLES)
  const [first, last] = [frames(word.start), frames(word.end)]
  const spokenFrames = speaking.slice(Math.max(0, first), Math.max(0, last))
  const begin = spokenFrames.indexOf(true)
  const afterSpeech = spokenFrames.lastIndexOf(true) + 1
  const within = (seconds: number) => Math.min(end, Math.max(start, seconds))
  if (begin < 0) return { start: within(from + word.start), end: within(from + word.end) }
  const seconds = (frame: number) => from + ((Math.max(0, first) + frame) * VAD_FRAME_SAMPLES) / VAD_SAMPLE_RATE
  return { start: within(seconds(begin)), end: within(seconds(afterSpeech)) }
}

/** Moves starts and ends so that words do not overlap and take at most MAX_SUBTITLE_SECONDS each. */
function removeOverlaps(words: RecognizedWord[]): RecognizedWord[] {
  let earliest = 0
  return words.map((word) => {
    const start = Math.max(word.start, earliest)
    earliest = Math.max(start, Math.min(word.end, start + MAX_SUBTITLE_SECONDS))
    return { ...word, start, end: earliest }
  })
}
