import type { StoredReason } from '../lib/stored-reason.ts'

/** The columns of every table whose rows are jobs of a queue; `status` is the table's own, with QUEUED, PROCESSING and FAILED. */
export interface JobColumns {
  id: string
  /** 0 to 10; a larger one is earlier. */
  priority: number
  /** Attempts begun so far. */
  attempts: number
  nextAttemptAt: Date
  /** Of the claim that stands; whoever holds another one writes nothing. */
  attemptToken: string | null
  leaseUntil: Date | null
  lastError: string | null
  /** The message of `last_error`, as stored-reason.ts describes it. */
  messageJson: StoredReason | null
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}
