import { setTimeout as pause } from 'node:timers/promises'
import { endOf } from '../embedded/command.ts'
import { isDiskFull, retryWhileFull } from './full-disk.ts'
import { say, seconds } from './progress.ts'

/** Each part is stopped before those that it needs. */
const STOP_ORDER = ['panel', 'API', 'recognizer', 'Redis', 'database'] as const
export type PartName = (typeof STOP_ORDER)[number]

export interface Part {
  name: PartName
  logFile: string
  exited: Promise<string>
  stop(): Promise<void>
  kill(): Promise<void>
  restart(): Promise<Part>
}

const RESTART_PAUSE = 2000

export class Parts {
  /** Rejects when a part ends by itself, unless the cause is a full disk: then it is restarted. */
  readonly crashed: Promise<never>
  private readonly running = new Map<PartName, Part>()
  private crash!: (reason: Error) => void
  private stopping = false
  private readonly restarts = new Set<Promise<void>>()

  /** @param giveUp aborted when everything stops */
  constructor(
    private readonly folder: string,
    private readonly giveUp: AbortSignal,
    private readonly pauseMs = RESTART_PAUSE,
  ) {
    this.crashed = new Promise((_resolve, reject) => (this.crash = reject))
    // A crash that nobody awaits must not end the process.
    this.crashed.catch(() => {})
  }

  add(part: Part): void {
    this.running.set(part.name, part)
    void part.exited.then((how) => this.ended(part, how))
  }

  private ended(part: Part, how: string): void {
    if (this.stopping) return
    this.running.delete(part.name)
    const reason = new Error(endOf(part.name, how, part.logFile))
    if (!isDiskFull(this.folder, reason)) return this.crash(reason)
    say(`${part.name} ${how}, because the disk is full`)
    const restarted = this.restart(part).finally(() => this.restarts.delete(restarted))
    this.restarts.add(restarted)
  }

  private async restart(part: Part): Promise<void> {
    try {
      await pause(this.pauseMs, undefined, { signal: this.giveUp })
      this.add(await retryWhileFull(this.folder, this.giveUp, () => part.restart()))
      say(`${part.name} started again`)
    } catch (error) {
      if (!this.stopping) this.crash(error as Error)
    }
  }

  async stopAll(hurried: AbortSignal): Promise<void> {
    this.stopping = true
    await Promise.all(this.restarts)
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
