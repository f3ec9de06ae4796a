import type { DecoderName } from '../../contract.ts'
import { VAD_SAMPLE_RATE } from '../../vad.ts'
import type { SpeechWindowRow, SpeechWindow, SpeechWindowText } from './speech-window.ts'

/** The maximum number of windows in one run of the model. Larger runs hardly save more time per window. */
export const MAX_WINDOWS_PER_MODEL_RUN = 8
/** The maximum seconds of audio in one run, with each window padded to the longest one. Limits the memory. */
export const MAX_AUDIO_SECONDS_PER_MODEL_RUN = 48

/** A model that recognizes windows of several files in one run. */
export interface SpeechWindowModel {
  /** Returns the text of each row, or undefined if the row was aborted. */
  read(rows: SpeechWindowRow[]): Promise<(SpeechWindowText | undefined)[]>
}

/** A file with windows in the queue. Create it with `join()`. */
export interface QueuedFileHandle {
  decoder: DecoderName
  signal: AbortSignal
  /** Number of the last run that included the file. At first, the number of runs that had ended when the file joined. */
  served: number
}

interface QueuedWindow {
  row: SpeechWindowRow
  file: QueuedFileHandle
  /** All windows of the same call to `read`. */
  batch: readonly SpeechWindow[]
  resolve: (text: SpeechWindowText | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Recognizes the windows of all files of a thread in shared runs. Each run starts with the file that has waited longest since its
 * last run. So a short call waits only for the current run and one run of each earlier file.
 */
export class ModelRunQueue {
  /** In order of arrival. */
  private waiting: QueuedWindow[] = []
  private ended = 0
  private working = false

  constructor(private readonly model: SpeechWindowModel) {}

  join(decoder: DecoderName, signal: AbortSignal): QueuedFileHandle {
    return { decoder, signal, served: this.ended }
  }

  /**
   * Queues the windows of a file and returns a promise for the text of each. The text is undefined if the file was aborted, or
   * dropped before the run.
   */
  read(file: QueuedFileHandle, batch: readonly SpeechWindow[]): Promise<SpeechWindowText | undefined>[] {
    const { decoder, signal } = file
    const readings = batch.map(
      (window) =>
        new Promise<SpeechWindowText | undefined>((resolve, reject) =>
          this.waiting.push({ row: { ...window, decoder, signal }, file, batch, resolve, reject }),
        ),
    )
    const drop = () => this.drop(file)
    if (signal.aborted) drop()
    signal.addEventListener('abort', drop)
    void Promise.allSettled(readings).then(() => signal.removeEventListener('abort', drop))
    if (!this.working) void this.processQueue()
    return readings
  }

  drop(file: QueuedFileHandle): void {
    const dropped = this.waiting.filter((one) => one.file === file)
    this.waiting = this.waiting.filter((one) => one.file !== file)
    for (const { resolve } of dropped) resolve(undefined)
  }

  private async processQueue(): Promise<void> {
    this.working = true
    while (this.waiting.length > 0) {
      const run = chooseRun(this.waiting)
      this.waiting = this.waiting.filter((one) => !run.includes(one))
      await this.readRun(run)
    }
    this.working = false
  }

  /** If a shared run fails, repeats the run for each file alone, so that only the file that breaks the model fails. */
  private async readRun(run: QueuedWindow[]): Promise<void> {
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

  private fail(run: QueuedWindow[], error: unknown): void {
    for (const { file, reject } of run) {
      this.drop(file)
      reject(error)
    }
  }
}

const secondsOf = ({ row }: QueuedWindow) => row.samples.length / VAD_SAMPLE_RATE

/**
 * Selects the windows of the next run. Starts with the longest window in the first batch of the file that is next. Adds windows
 * of any file, those of the most similar length first.
 */
function chooseRun(waiting: QueuedWindow[]): QueuedWindow[] {
  const next = waiting.reduce((least, one) => (one.file.served < least.file.served ? one : least))
  const batch = waiting.filter((one) => one.batch === next.batch)
  const first = batch.reduce((longest, one) => (secondsOf(one) > secondsOf(longest) ? one : longest))
  const distance = (one: QueuedWindow) => Math.abs(secondsOf(one) - secondsOf(first))
  const others = waiting.filter((one) => one !== first).toSorted((a, b) => distance(a) - distance(b))
  const run = [first]
  let longest = secondsOf(first)
  for (const one of others) {
    // Every row needs as much memory as the longest row.
    const maxSeconds = Math.max(longest, secondsOf(one))
    if (run.length === MAX_WINDOWS_PER_MODEL_RUN || (run.length + 1) * maxSeconds > MAX_AUDIO_SECONDS_PER_MODEL_RUN)
      continue
    run.push(one)
    longest = maxSeconds
  }
  return run
}
