import type { Decoder, HeardWord } from '../contract.ts'
import { LONGEST_PHRASE_SECONDS } from '../phrases.ts'
import type { Window } from '../segmenter.ts'
import { FRAME, VAD_RATE } from '../vad.ts'
import type { Piece } from './engine.ts'
import type { Heard, Reading } from './moonshine-model.ts'

/**
 * How many windows are gathered before they are read, and how many seconds of audio: a short call whole, for runs of many rows
 * take the least time for each; of a long one little at first, so that the first text comes soon.
 */
const FIRST_GATHERED = 8
const MOST_GATHERED = 16
const FIRST_SECONDS_GATHERED = 32
/** Rows of one run of the decoder: more gain little. */
const MOST_ROWS = 8
/** Seconds of audio that the rows of a run have together, and the most that is gathered: a bound of memory. */
const MOST_SECONDS_A_RUN = 48
const MOST_SECONDS_GATHERED = 128
/** Runs that may be under way, of which the last one waits. */
const MOST_UNDER_WAY = 2

/** What reads windows: the words of each. */
export interface Model {
  read(heard: Heard[], decoder: Decoder, signal: AbortSignal): Promise<Reading[]>
}

interface OwnWindow extends Window {
  channel: number
}

/**
 * Reads the windows of one file, several at a time, from all of its channels. A window is read the same to the last bit,
 * whichever others are read with it (moonshine-products.ts).
 */
export class WindowReader {
  private gathered: OwnWindow[] = []
  private size = FIRST_GATHERED
  private seconds = FIRST_SECONDS_GATHERED
  /** The run that is being read, then those that wait. */
  private underWay: { windows: OwnWindow[]; done: Promise<void> }[] = []
  private reading: Promise<void> = Promise.resolve()
  private pieces: Piece[] = []
  private readonly model: Model
  private readonly decoder: Decoder
  private readonly signal: AbortSignal
  private failure: { error: unknown } | undefined

  constructor(model: Model, decoder: Decoder, signal: AbortSignal) {
    this.model = model
    this.decoder = decoder
    this.signal = signal
  }

  /** Takes a window; waits where too much is under way. */
  async add(window: Window, channel: number): Promise<void> {
    this.gathered.push({ ...window, channel })
    const seconds = this.gathered.reduce((sum, { samples }) => sum + samples.length, 0) / VAD_RATE
    if (this.gathered.length < this.size && seconds < this.seconds) return
    this.size = Math.min(2 * this.size, MOST_GATHERED)
    this.seconds = Math.min(2 * this.seconds, MOST_SECONDS_GATHERED)
    this.flush()
    while (this.underWay.length >= MOST_UNDER_WAY) await this.underWay[0]!.done
  }

  /** What was read since it was asked last. @throws what went wrong with an earlier window */
  take(): Piece[] {
    if (this.failure) throw this.failure.error
    return this.pieces.splice(0)
  }

  async finish(): Promise<Piece[]> {
    this.flush()
    await this.settle()
    return this.take()
  }

  /** Resolves once nothing is under way. */
  settle(): Promise<void> {
    return this.reading
  }

  /** The beginning of the first window that is not read yet. */
  get unreadFrom(): number | undefined {
    const unread = [...this.underWay.flatMap(({ windows }) => windows), ...this.gathered]
    const starts = unread.map(({ start }) => start)
    return starts.length > 0 ? Math.min(...starts) : undefined
  }

  /** Puts what is gathered on its way: windows of like lengths together. */
  private flush(): void {
    const windows = this.gathered.toSorted((a, b) => a.samples.length - b.samples.length)
    this.gathered = []
    for (const run of runsOf(windows)) {
      this.reading = this.reading.then(async () => {
        await this.read(run)
        this.underWay = this.underWay.filter((one) => one.windows !== run)
      })
      this.underWay.push({ windows: run, done: this.reading })
    }
  }

  /** Never rejects: the first failure is told by the next one who asks, and ends what would come after it. */
  private async read(windows: OwnWindow[]): Promise<void> {
    if (this.failure) return
    try {
      this.keep(windows, await this.model.read(windows, this.decoder, this.signal))
    } catch (error) {
      this.failure ??= { error }
    }
  }

  private keep(windows: OwnWindow[], readings: Reading[]): void {
    windows.forEach((window, index) => {
      const words = inOrder(readings[index]!.map((word) => ({ ...word, ...whereSpoken(window, word) })))
      if (words.length > 0) this.pieces.push({ channel: window.channel, words })
    })
  }
}

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

/** Splits windows, the shortest first, into runs that the decoder takes at once. */
function runsOf(windows: OwnWindow[]): OwnWindow[][] {
  const runs: OwnWindow[][] = []
  for (const window of windows.toReversed()) {
    const run = runs.at(-1)
    // The first of a run is its longest, and all rows take as much room.
    const longest = (run?.[0]!.samples.length ?? 0) / VAD_RATE
    if (run && run.length < MOST_ROWS && (run.length + 1) * longest <= MOST_SECONDS_A_RUN) run.push(window)
    else runs.push([window])
  }
  return runs
}
