import type { HeardWord } from '../../contract.ts'
import { LONGEST_PHRASE_SECONDS } from '../../phrases.ts'
import type { Window } from '../../segmenter.ts'
import { FRAME, VAD_RATE } from '../../vad.ts'
import type { Piece } from '../engine.ts'
import type { Reading } from './model.ts'
import { MOST_ROWS, MOST_SECONDS_A_RUN, type RunQueue, type Sharer } from './run-queue.ts'

/**
 * How many windows are gathered before they are read, and how many seconds of audio: a short call whole, for runs of many rows
 * take the least time for each; of a long one little at first, so that the first text comes soon. A thread's memory for windows
 * is this bound, and that of what is under way, for each of its files: 12 MB at most.
 */
const FIRST_GATHERED = 8
const MOST_GATHERED = 16
const FIRST_SECONDS_GATHERED = 32
const MOST_SECONDS_GATHERED = 128

interface OwnWindow extends Window {
  channel: number
}

/**
 * Has the windows of one file read, from all of its channels, in runs that it shares with other files. A window is read the
 * same to the last bit, whichever others are read with it (moonshine-products.ts).
 */
export class WindowReader {
  private gathered: OwnWindow[] = []
  private size = FIRST_GATHERED
  private seconds = FIRST_SECONDS_GATHERED
  /** Windows that are being read or wait for it. */
  private readonly underWay = new Map<OwnWindow, Promise<void>>()
  private pieces: Piece[] = []
  private readonly queue: RunQueue
  private readonly file: Sharer
  private failure: { error: unknown } | undefined

  constructor(queue: RunQueue, file: Sharer) {
    this.queue = queue
    this.file = file
  }

  /** Takes a window; waits where more than a run is under way. */
  async add(window: Window, channel: number): Promise<void> {
    this.gathered.push({ ...window, channel })
    if (this.gathered.length < this.size && secondsOf(this.gathered) < this.seconds) return
    this.size = Math.min(2 * this.size, MOST_GATHERED)
    this.seconds = Math.min(2 * this.seconds, MOST_SECONDS_GATHERED)
    this.flush()
    const { underWay } = this
    while (underWay.size > MOST_ROWS || secondsOf([...underWay.keys()]) > MOST_SECONDS_A_RUN) {
      await Promise.race(underWay.values())
    }
  }

  /** What was read since it was asked last. @throws what went wrong with an earlier window */
  take(): Piece[] {
    this.file.signal.throwIfAborted()
    if (this.failure) throw this.failure.error
    return this.pieces.splice(0)
  }

  async finish(): Promise<Piece[]> {
    this.flush()
    await this.settle()
    return this.take()
  }

  /** Resolves once nothing is under way. */
  async settle(): Promise<void> {
    await Promise.all(this.underWay.values())
  }

  /** The beginning of the first window that is not read yet. */
  get unreadFrom(): number | undefined {
    const starts = [...this.underWay.keys(), ...this.gathered].map(({ start }) => start)
    return starts.length > 0 ? Math.min(...starts) : undefined
  }

  /** Puts what is gathered on its way, unless something went wrong before. */
  private flush(): void {
    const windows = this.gathered
    this.gathered = []
    if (this.failure) return
    const readings = this.queue.read(this.file, windows)
    for (const [index, window] of windows.entries()) this.underWay.set(window, this.keep(window, readings[index]!))
  }

  /** Never rejects: the first failure is told by the next one who asks. */
  private async keep(window: OwnWindow, reading: Promise<Reading | undefined>): Promise<void> {
    try {
      const read = (await reading) ?? []
      const words = inOrder(read.map((word) => ({ ...word, ...whereSpoken(window, word) })))
      if (words.length > 0) this.pieces.push({ channel: window.channel, words })
    } catch (error) {
      this.failure ??= { error }
    } finally {
      this.underWay.delete(window)
    }
  }
}

const secondsOf = (windows: OwnWindow[]) => windows.reduce((sum, { samples }) => sum + samples.length, 0) / VAD_RATE

/** The position of a word in the file: where, in its stretch of the window, somebody speaks. */
function whereSpoken({ from, start, end, speaking }: OwnWindow, word: HeardWord): { start: number; end: number } {
  const frames = (seconds: number) => Math.round((seconds * VAD_RATE) / FRAME)
  const [first, last] = [frames(word.start), frames(word.end)]
  const stretch = speaking.slice(Math.max(0, first), Math.max(0, last))
  const begin = stretch.indexOf(true)
  const behind = stretch.lastIndexOf(true) + 1
  const within = (seconds: number) => Math.min(end, Math.max(start, seconds))
  // Where the detector hears nobody, the model is believed.
  if (begin < 0) return { start: within(from + word.start), end: within(from + word.end) }
  const seconds = (frame: number) => from + ((Math.max(0, first) + frame) * FRAME) / VAD_RATE
  return { start: within(seconds(begin)), end: within(seconds(behind)) }
}

/** Words of which none begins before the one in front of it ends, and none lasts longer than a phrase may. */
function inOrder(words: HeardWord[]): HeardWord[] {
  let earliest = 0
  return words.map((word) => {
    const start = Math.max(word.start, earliest)
    earliest = Math.max(start, Math.min(word.end, start + LONGEST_PHRASE_SECONDS))
    return { ...word, start, end: earliest }
  })
}
