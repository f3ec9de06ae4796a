import type { HeardWord } from '../../contract.ts'
import { LONGEST_PHRASE_SECONDS } from '../../phrases.ts'
import type { Window } from '../../segmenter.ts'
import { FRAME, VAD_RATE } from '../../vad.ts'
import type { Piece } from '../engine.ts'
import { MOST_ROWS, MOST_SECONDS_A_RUN, type FileHandle, type RunQueue } from './run-queue.ts'
import type { WindowText } from './window.ts'

/**
 * Limits of a batch: windows and seconds of audio. Batches start small, so that a long call soon has text, and double: runs
 * of many rows take the least time per row. They bound the memory for windows to 12 MB.
 */
const FIRST_GATHERED = 8
const MOST_GATHERED = 16
const FIRST_SECONDS_GATHERED = 32
const MOST_SECONDS_GATHERED = 128

interface OwnWindow extends Window {
  channel: number
}

/** Reads the windows of one file in shared runs; texts do not depend on the others (graph/products.ts). */
export class WindowReader {
  private gathered: OwnWindow[] = []
  private size = FIRST_GATHERED
  private seconds = FIRST_SECONDS_GATHERED
  private readonly underWay = new Map<OwnWindow, Promise<void>>()
  private pieces: Piece[] = []
  private failure: { error: unknown } | undefined

  constructor(
    private readonly queue: RunQueue,
    private readonly file: FileHandle,
  ) {}

  /** Takes a window; waits while more than one run is queued. */
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

  /** Returns the pieces read since the last call. @throws the error of an earlier window */
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

  drop(): void {
    this.gathered = []
    this.queue.drop(this.file)
  }

  async settle(): Promise<void> {
    await Promise.all(this.underWay.values())
  }

  get unreadFrom(): number | undefined {
    const starts = [...this.underWay.keys(), ...this.gathered].map(({ start }) => start)
    return starts.length > 0 ? Math.min(...starts) : undefined
  }

  private flush(): void {
    const windows = this.gathered
    this.gathered = []
    if (this.failure) return
    const readings = this.queue.read(this.file, windows)
    for (const [index, window] of windows.entries()) this.underWay.set(window, this.keep(window, readings[index]!))
  }

  /** Never rejects: `take` throws the first failure. */
  private async keep(window: OwnWindow, reading: Promise<WindowText | undefined>): Promise<void> {
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

/** Times of a word in the file, limited to the frames with detected speech. */
function whereSpoken({ from, start, end, speaking }: OwnWindow, word: HeardWord): { start: number; end: number } {
  const frames = (seconds: number) => Math.round((seconds * VAD_RATE) / FRAME)
  const [first, last] = [frames(word.start), frames(word.end)]
  const stretch = speaking.slice(Math.max(0, first), Math.max(0, last))
  const begin = stretch.indexOf(true)
  const behind = stretch.lastIndexOf(true) + 1
  const within = (seconds: number) => Math.min(end, Math.max(start, seconds))
  if (begin < 0) return { start: within(from + word.start), end: within(from + word.end) }
  const seconds = (frame: number) => from + ((Math.max(0, first) + frame) * FRAME) / VAD_RATE
  return { start: within(seconds(begin)), end: within(seconds(behind)) }
}

/** Removes overlaps, and limits words to the longest phrase. */
function inOrder(words: HeardWord[]): HeardWord[] {
  let earliest = 0
  return words.map((word) => {
    const start = Math.max(word.start, earliest)
    earliest = Math.max(start, Math.min(word.end, start + LONGEST_PHRASE_SECONDS))
    return { ...word, start, end: earliest }
  })
}
