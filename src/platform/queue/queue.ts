import type { Sql } from '../db/sql.ts'
import type { Actor } from '../http/actor.ts'
import type { Config } from '../config/config.ts'
import type { Core, QueueInfo } from '../core.ts'
import type { Message } from '../lib/messages.ts'
import type { AttemptOutcome } from '../lib/metrics.ts'

/**
 * Declares a queue of background work. Its jobs are the rows of a table with JobColumns.
 * The code in this folder claims, retries, rescues, pauses and measures the jobs. The functions can require a larger core such as
 * CallsCore, because the app passes one core for all modules.
 */
export interface Queue<Result = unknown> extends QueueInfo {
  /** True if /v1/queues omits the queue, because the feature shows its jobs itself. */
  isUnlisted?: boolean
  table: string
  /** Column with the recording id; undefined if jobs concern no recording. */
  recordingColumn?: string
  /** Column with the receiver of a callback. */
  receiverColumn?: string
  /** ORDER BY expression for claims of due jobs. */
  order: string
  /** SQL condition for due jobs that cannot run yet. */
  blockedWhen?: string
  /** SQL assignments that clear the old result of a requeued job. */
  resetColumns?: string
  /** Columns that a running job can report with its heartbeats. */
  progressColumns?: readonly string[]
  /** Maximum number of parallel jobs in one process. It can change while jobs run. */
  concurrency(core: Core): number
  attempts: (config: Config) => number
  /** Pause after the first attempt; it doubles after each further attempt. */
  firstPauseSeconds: (config: Config) => number
  /** Seconds that a claim stays valid without a heartbeat. */
  leaseSeconds: number
  /** Seconds between heartbeats; a third of the lease by default. A running job notices a lost claim after at most this time. */
  heartbeatSeconds?: number
  /** True if a stop aborts running jobs at once, because they take too long. Other jobs get time to finish. */
  startsOver?: boolean
  /** Messages for a crashed worker and for an unexpected error. */
  messages: { workerDied: Message; broken: Message }
  /** Returns false if jobs cannot run now; they then wait unchanged. */
  isReady?(core: Core): Promise<boolean>
  /**
   * Does the work of one job without changing its row.
   * @throws JobFailedError, JobNotReadyError, JobClaimLostError. StorageUnavailableError counts as not ready, any other error as
   * a failed attempt
   */
  run(core: Core, job: Job): Promise<Result>
  /** Stores the result of run() if the claim is valid. Can run again after an outage of the database. */
  store(core: Core, claim: JobClaim, result: Result): Promise<AttemptOutcome>
  /** Records a failed attempt if the claim is valid. By default, only the row changes (recordJobFailure). */
  fail?(core: Core, claim: JobClaim, failure: JobFailedError): Promise<AttemptOutcome>
  /** SQL condition for the failed jobs j that retry-failed requeues; all by default. */
  retryable?: string
  /** Requeues these jobs and returns their number. By default, only the rows change (requeueFailedJobs). */
  retryFailed?(sql: Sql, actor: Actor): Promise<number>
}

/** Represents a job that a worker claimed. Writes check the token, so a lost claim writes nothing. */
export interface JobClaim {
  queue: Queue
  id: string
  token: string
  /** Number of the attempt, from 1. */
  attempt: number
  /** True if the job probes an automatically paused queue. */
  isProbe?: boolean
}

/** Extends `Core` with the full queues, which running jobs requires. */
export interface QueueCore extends Core {
  queues: readonly Queue[]
}

/** Represents a running job with its abort signal and progress report. */
export interface Job extends JobClaim {
  /** Aborts when the claim is lost or a stop ends the grace time. */
  signal: AbortSignal
  /** Stores these progress columns with the next heartbeat. */
  report(progress: Record<string, unknown>): void
}

/** Signals a failed attempt. People see the reason. */
export class JobFailedError extends Error {
  constructor(
    readonly reason: Message,
    /** True if no further attempt can succeed. */
    readonly isPermanent = false,
  ) {
    super(String(reason))
  }
}

/** Signals that a dependency of the job is down. The job is requeued, and the attempt does not count. */
export class JobNotReadyError extends Error {
  /** Seconds that the job waits, with the reason in its row. Without them, it is due at once and has no reason. */
  readonly delaySeconds: number | undefined
  constructor(
    readonly reason: Message,
    /** Seconds in which this process claims no job of the queue. */
    readonly pauseSeconds = 2,
    delaySeconds?: number,
  ) {
    super(reason.text)
    this.delaySeconds = delaySeconds
  }
}

/** Signals that the claim is no longer valid: the job was cancelled, deleted, or rescued by another worker. */
export class JobClaimLostError extends Error {}
