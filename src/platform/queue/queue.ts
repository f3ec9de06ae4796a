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
  /** Whether the jobs API leaves it out: the names of its queues are settled, and the feature shows its work itself. */
  isUnlisted?: boolean
  table: string
  /** The column that names the recording; none if jobs are about no recording. */
  recordingColumn?: string
  /** The column that names the receiver. */
  receiverColumn?: string
  /** The order in which due jobs are claimed, as SQL. */
  order: string
  /** Which due jobs wait all the same, as a condition. */
  blockedWhen?: string
  /** SQL assignments that clear the old result of a job that waits again. */
  resetColumns?: string
  /** Columns that a running job may report; they are stored with its heartbeat. */
  progressColumns?: readonly string[]
  /** Jobs at once in one process, as it is now: it may change while they run. */
  concurrency(core: Core): number
  attempts: (config: Config) => number
  /** Pause after the first attempt; doubled after each further one. */
  firstPauseSeconds: (config: Config) => number
  /** How long a claim stands without a heartbeat. */
  leaseSeconds: number
  /** How soon a running job learns that its claim is lost; a third of the lease unless given. */
  heartbeatSeconds?: number
  /** Whether a stop aborts running jobs at once, because they take too long; others get time to finish. */
  startsOver?: boolean
  /** The reasons of attempts that end without one. */
  messages: { workerDied: Message; broken: Message }
  /** Whether jobs can run now; else they wait as they are. */
  isReady?(core: Core): Promise<boolean>
  /**
   * Does the work of one job, without an effect on its row.
   * @throws JobFailed, NotReady, ClaimLost; anything else is a failed attempt too
   */
  run(core: Core, job: Job): Promise<Result>
  /** Stores what `run` has found, conditional on the claim. It is repeated where the database was away. */
  store(core: Core, claim: Claim, result: Result): Promise<AttemptOutcome>
  /** Records a failed attempt, conditional on the claim; unless given, the row alone is changed (recordFailure). */
  fail?(core: Core, claim: Claim, failure: JobFailed): Promise<AttemptOutcome>
  /** Which failed jobs j retry-failed takes, as a condition; all unless given. */
  retryable?: string
  /** Makes those due again and returns how many; unless given, the rows alone are changed (requeueFailed). */
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

/** `Core` with all that the engine needs to run the jobs of the queues. */
export interface QueueCore extends Core {
  queues: readonly Queue[]
}

/** The claim and limits of a running job. */
export interface Job extends Claim {
  /** Aborted when the claim is lost, and when a stop leaves the job no more time. */
  signal: AbortSignal
  /** Has the next heartbeat store these of the queue's progress columns. */
  report(progress: Record<string, unknown>): void
}

/** An attempt failed; the reason is for whoever reads why. */
export class JobFailed extends Error {
  constructor(
    readonly reason: Message,
    /** Whether no further attempt can mend it. */
    readonly isPermanent = false,
  ) {
    super(String(reason))
  }
}

/** Something that the job needs is away: it waits as it is, and the attempt does not count. */
export class NotReady extends Error {
  /** For how long the job itself waits, and its row says why; unless given, it is due at once and says nothing. */
  readonly laterSeconds: number | undefined
  constructor(
    readonly reason: Message,
    /** How long the queue claims nothing more in this process. */
    readonly restSeconds = 2,
    laterSeconds?: number,
  ) {
    super(reason.text)
    this.laterSeconds = laterSeconds
  }
}

/** Somebody else decided about the job meanwhile: cancelled, deleted, or rescued by another worker. */
export class ClaimLost extends Error {}
