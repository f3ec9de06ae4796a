import type { Sql } from '../db/sql.ts'
import type { Actor } from '../http/actor.ts'
import type { Config } from '../config/config.ts'
import type { Core, QueueInfo } from '../core.ts'
import type { Message } from '../lib/messages.ts'
import type { AttemptOutcome } from '../lib/metrics.ts'

/**
 * A queue of background work, as its feature describes it. Its jobs are the rows of a table with the job columns
 * (job-columns.ts). The engine claims, keeps alive, retries, rescues, pauses, lists and measures them. Its functions can
 * require a larger core, such as CallsCore: the app passes one for all modules.
 */
export interface Queue<Result = unknown> extends QueueInfo {
  /** Whether the jobs API leaves it out: its list of queues is fixed, and the feature shows its work itself. */
  isUnlisted?: boolean
  table: string
  /** The column that names the recording; none if jobs are about no recording. */
  recordingColumn?: string
  /** The column that names the receiver. */
  receiverColumn?: string
  /** SQL of the order in which due jobs are claimed. */
  order: string
  /** A condition of due jobs that must wait nevertheless. */
  blockedWhen?: string
  /** SQL assignments that clear the old result of a job that waits again. */
  resetColumns?: string
  /** Columns that a running job can report; stored with its heartbeat. */
  progressColumns?: readonly string[]
  /** Parallel jobs in one process now: it can change while they run. */
  concurrency(core: Core): number
  attempts: (config: Config) => number
  /** Pause after the first attempt; doubled after each further one. */
  firstPauseSeconds: (config: Config) => number
  /** How long a claim is valid without a heartbeat. */
  leaseSeconds: number
  /** How soon a running job learns that its claim is lost; a third of the lease by default. */
  heartbeatSeconds?: number
  /** Whether a stop aborts running jobs at once, because they take too long; others get time to finish. */
  startsOver?: boolean
  /** The reasons of attempts that end without one. */
  messages: { workerDied: Message; broken: Message }
  /** Whether jobs can run now; otherwise they wait unchanged. */
  isReady?(core: Core): Promise<boolean>
  /**
   * Does the work of one job, without changing its row.
   * @throws JobFailedError, NotReadyError, ClaimLostError; anything else is a failed attempt too
   */
  run(core: Core, job: Job): Promise<Result>
  /** Stores the result of `run`, conditional on the claim. It is repeated after an outage of the database. */
  store(core: Core, claim: Claim, result: Result): Promise<AttemptOutcome>
  /** Records a failed attempt, conditional on the claim; by default only changes the row (recordFailure). */
  fail?(core: Core, claim: Claim, failure: JobFailedError): Promise<AttemptOutcome>
  /** A condition of the failed jobs j that retry-failed includes; all by default. */
  retryable?: string
  /** Makes those due again and returns their number; by default only changes the rows (requeueFailedJobs). */
  retryFailed?(sql: Sql, actor: Actor): Promise<number>
}

/** A job that a worker claimed. Writes are conditional on the attempt's token, so a lost claim writes nothing. */
export interface Claim {
  queue: Queue
  id: string
  token: string
  /** Number of this attempt, from 1. */
  attempt: number
  /** Whether the job probes an automatically paused queue. */
  isProbe?: boolean
}

/** `Core` with everything that the engine needs to run the jobs of the queues. */
export interface QueueCore extends Core {
  queues: readonly Queue[]
}

/** The claim and limits of a running job. */
export interface Job extends Claim {
  /** Aborted when the claim is lost, and when a stop leaves no more time. */
  signal: AbortSignal
  /** Stores these progress columns with the next heartbeat. */
  report(progress: Record<string, unknown>): void
}

/** An attempt failed, with the reason for people. */
export class JobFailedError extends Error {
  constructor(
    readonly reason: Message,
    /** Whether no further attempt can succeed. */
    readonly isPermanent = false,
  ) {
    super(String(reason))
  }
}

/** A dependency of the job is down: it waits unchanged, and the attempt does not count. */
export class NotReadyError extends Error {
  /** How long the job itself waits, with the reason in its row; by default it is due at once, without a reason. */
  readonly delaySeconds: number | undefined
  constructor(
    readonly reason: Message,
    /** How long this process claims nothing more from the queue. */
    readonly pauseSeconds = 2,
    delaySeconds?: number,
  ) {
    super(reason.text)
    this.delaySeconds = delaySeconds
  }
}

/** The job was changed meanwhile: cancelled, deleted, or rescued by another worker. */
export class ClaimLostError extends Error {}
