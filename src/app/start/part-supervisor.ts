import { setTimeout as pause } from 'node:timers/promises'
import { formatProcessExit } from '../embedded/command.ts'
import { isDiskFullError, retryWhileDiskFull } from './full-disk.ts'
import { printTerminalLine, formatSecondsSince } from './progress.ts'

/** Each part stops before the parts that it needs. */
const STOP_ORDER = ['panel', 'API', 'recognizer', 'Redis', 'database'] as const
export type ServicePartName = (typeof STOP_ORDER)[number]

/** A process of the service, with functions to stop and restart it. */
export interface ServicePart {
  name: ServicePartName
  logFile: string
  exited: Promise<string>
  stop(): Promise<void>
  kill(): Promise<void>
  restart(): Promise<ServicePart>
}

const RESTART_PAUSE_MS = 2000

/** Watches the parts of the service. It restarts a part that exits because of a full disk, and stops all parts in order. */
export class ServicePartSupervisor {
  /** Rejects when a part exits for any reason except a full disk, or when its restart fails. */
  readonly crashed: Promise<never>
  private readonly running = new Map<ServicePartName, ServicePart>()
  private crash!: (reason: Error) => void
  private stopping = false
  private readonly restarts = new Set<Promise<void>>()

  /** @param giveUp aborted when the whole service stops */
  constructor(
    private readonly folder: string,
    private readonly giveUp: AbortSignal,
    private readonly pauseMs = RESTART_PAUSE_MS,
  ) {
    this.crashed = new Promise((_resolve, reject) => (this.crash = reject))
    // Without this handler, a crash that nobody awaits would end the process.
    this.crashed.catch(() => {})
  }

  add(part: ServicePart): void {
    this.running.set(part.name, part)
    void part.exited.then((outcome) => this.handleExit(part, outcome))
  }

  private handleExit(part: ServicePart, outcome: string): void {
    if (this.stopping) return
    this.running.delete(part.name)
    const reason = new Error(formatProcessExit(part.name, outcome, part.logFile))
    if (!isDiskFullError(this.folder, reason)) return this.crash(reason)
    printTerminalLine(`${part.name} ${outcome}, because the disk is full`)
    const restarted = this.restart(part).finally(() => this.restarts.delete(restarted))
    this.restarts.add(restarted)
  }

  private async restart(part: ServicePart): Promise<void> {
    try {
      await pause(this.pauseMs, undefined, { signal: this.giveUp })
      this.add(await retryWhileDiskFull(this.folder, this.giveUp, () => part.restart()))
      printTerminalLine(`${part.name} started again`)
    } catch (error) {
      if (!this.stopping) this.crash(error as Error)
    }
  }

  async stopAll(hurried: AbortSignal): Promise<void> {
    this.stopping = true
    await Promise.all(this.restarts)
    const hurryRequested = new Promise<void>((resolve) => {
      hurried.addEventListener('abort', () => resolve())
    })
    for (const name of STOP_ORDER) {
      const part = this.running.get(name)
      if (!part) continue
      const start = performance.now()
      if (!hurried.aborted) await Promise.race([part.stop(), hurryRequested])
      if (hurried.aborted) await part.kill()
      this.running.delete(name)
      printTerminalLine(`${name} ${hurried.aborted ? 'killed' : 'stopped'} (${formatSecondsSince(start)})`)
    }
  }
}
