import { endOf } from '../embedded/command.ts'
import { say, seconds } from './progress.ts'

/** The names of the parts, in the order in which they are stopped: each before what it stands on. */
const STOP_ORDER = ['panel', 'API', 'recognizer', 'Redis', 'database'] as const
export type PartName = (typeof STOP_ORDER)[number]

/** A running process of the product. */
export interface Part {
  name: PartName
  logFile: string
  exited: Promise<string>
  /** Ends it in order, with a limit. */
  stop(): Promise<void>
  /** Ends it at once. */
  kill(): Promise<void>
}

/** Everything that runs. */
export class Parts {
  /** Rejects when one of them ends by itself. */
  readonly crashed: Promise<never>
  private readonly running = new Map<PartName, Part>()
  private crash!: (reason: Error) => void
  private stopping = false

  constructor() {
    this.crashed = new Promise((_resolve, reject) => (this.crash = reject))
    // A crash after the race for it is over must not end the process.
    this.crashed.catch(() => {})
  }

  add(part: Part): void {
    this.running.set(part.name, part)
    void part.exited.then((how) => {
      if (this.stopping) return
      this.running.delete(part.name)
      this.crash(new Error(endOf(`The ${part.name}`, how, part.logFile)))
    })
  }

  /** Stops everything in order; when hurried, the rest at once. */
  async stopAll(hurried: AbortSignal): Promise<void> {
    this.stopping = true
    const hurry = new Promise<void>((resolve) => {
      hurried.addEventListener('abort', () => resolve())
    })
    for (const name of STOP_ORDER) {
      const part = this.running.get(name)
      if (!part) continue
      const start = performance.now()
      if (!hurried.aborted) await Promise.race([part.stop(), hurry])
      if (hurried.aborted) await part.kill()
      this.running.delete(name)
      say(`${name} ${hurried.aborted ? 'killed' : 'stopped'} (${seconds(start)})`)
    }
  }
}
