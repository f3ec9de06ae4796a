import type { Decoder } from '../../contract.ts'
import { VAD_RATE } from '../../vad.ts'
import type { Heard, Reading } from './model.ts'

/** Rows of one run of the decoder: more gain little. */
export const MOST_ROWS = 8
/** Seconds of audio that the rows of a run have together, each as long as the longest: a bound of memory. */
export const MOST_SECONDS_A_RUN = 48

/** What is to be read for a file: by its decoder, until its signal is aborted. */
export interface Row extends Heard {
  decoder: Decoder
  signal: AbortSignal
}

/** What reads rows: the words of each, undefined where its signal was aborted. */
export interface Model {
  read(rows: Row[]): Promise<(Reading | undefined)[]>
}

/** A file among those that share runs. */
export interface Sharer {
  decoder: Decoder
  signal: AbortSignal
  /** Number of the last run that it had a row in, or that had ended when it came. */
  served: number
}

interface Waiting {
  row: Row
  file: Sharer
  /** All that the file asked for in one go. */
  batch: readonly Heard[]
  resolve: (reading: Reading | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Reads what all files of a thread want read, one run of the model after the other, in runs that the files share. A run
 * begins with the file that was served longest ago: so a short call waits for the run under way and once for each file that
 * was served longer ago, however much they have to read.
 */
export class RunQueue {
  private readonly model: Model
  /** In order of arrival. */
  private waiting: Waiting[] = []
  private ended = 0
  private working = false

  constructor(model: Model) {
    this.model = model
  }

  /** Begins a file. */
  join(decoder: Decoder, signal: AbortSignal): Sharer {
    return { decoder, signal, served: this.ended }
  }

  /**
   * Reads some of a file's audio; answers a promise for each. What still waits is dropped as soon as the signal is aborted.
   * @returns undefined where it was dropped, else the words; @throws what went wrong with the run that it was in
   */
  read(file: Sharer, batch: readonly Heard[]): Promise<Reading | undefined>[] {
    const { decoder, signal } = file
    const readings = batch.map(
      (heard) =>
        new Promise<Reading | undefined>((resolve, reject) =>
          this.waiting.push({ row: { ...heard, decoder, signal }, file, batch, resolve, reject }),
        ),
    )
    const drop = () => this.drop(file)
    if (signal.aborted) drop()
    signal.addEventListener('abort', drop)
    void Promise.allSettled(readings).then(() => signal.removeEventListener('abort', drop))
    if (!this.working) void this.work()
    return readings
  }

  /** Lets a file's waiting audio go unread. */
  private drop(file: Sharer): void {
    const dropped = this.waiting.filter((one) => one.file === file)
    this.waiting = this.waiting.filter((one) => one.file !== file)
    for (const { resolve } of dropped) resolve(undefined)
  }

  private async work(): Promise<void> {
    this.working = true
    while (this.waiting.length > 0) {
      const run = chooseRun(this.waiting)
      this.waiting = this.waiting.filter((one) => !run.includes(one))
      await this.readRun(run)
    }
    this.working = false
  }

  /** Reads a run; where it fails, what each file has in it by itself: a file that breaks the model fails alone. */
  private async readRun(run: Waiting[]): Promise<void> {
    const files = [...new Set(run.map(({ file }) => file))]
    try {
      const readings = await this.model.read(run.map(({ row }) => row))
      run.forEach(({ resolve }, index) => resolve(readings[index]))
    } catch (error) {
      if (files.length === 1) this.fail(run, error)
      else for (const file of files) await this.readRun(run.filter((one) => one.file === file))
    }
    this.ended++
    for (const file of files) file.served = this.ended
  }

  private fail(run: Waiting[], error: unknown): void {
    for (const { file, reject } of run) {
      this.drop(file)
      reject(error)
    }
  }
}

const secondsOf = ({ row }: Waiting) => row.samples.length / VAD_RATE

/** What is read next: the longest of what was asked for first by the file whose turn it is, and what is most like it in length. */
function chooseRun(waiting: Waiting[]): Waiting[] {
  const next = waiting.reduce((least, one) => (one.file.served < least.file.served ? one : least))
  const batch = waiting.filter((one) => one.batch === next.batch)
  const first = batch.reduce((longest, one) => (secondsOf(one) > secondsOf(longest) ? one : longest))
  const distance = (one: Waiting) => Math.abs(secondsOf(one) - secondsOf(first))
  const others = waiting.filter((one) => one !== first).toSorted((a, b) => distance(a) - distance(b))
  const run = [first]
  let longest = secondsOf(first)
  for (const one of others) {
    // All rows take as much room as the longest.
    const most = Math.max(longest, secondsOf(one))
    if (run.length === MOST_ROWS || (run.length + 1) * most > MOST_SECONDS_A_RUN) continue
    run.push(one)
    longest = most
  }
  return run
}
