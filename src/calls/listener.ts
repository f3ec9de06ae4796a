import type { Config } from '../platform/config/config.ts'
import type { Sql } from '../platform/db/sql.ts'

/** Corrected fields as they are stored. Times are in ISO 8601, and null clears a field. */
type CorrectedFields = Partial<
  Record<'externalCallId' | 'phoneNumber' | 'managerName' | 'direction' | 'callStartedAt', string | null>
>

/**
 * Callbacks of a higher module in the transactions of a call. Some return the names of queues to notify after the commit.
 * `app/call-listeners.ts` lists all listeners.
 */
export interface CallListener {
  /** Runs after a transcript was stored. */
  transcriptStored?(sql: Sql, config: Config, recordingId: string): Promise<string[]>
  /** Runs after a transcript was removed, because the call got new audio. */
  transcriptRemoved?(sql: Sql, recordingId: string): Promise<void>
  /** Runs before a person corrects a call. Takes the locks that must precede the lock of the recording. */
  lockForCorrection?(sql: Sql, recordingId: string, wanted: CorrectedFields): Promise<void>
  /** Runs after fields of a call were corrected. `changes` has only these fields. */
  callCorrected?(sql: Sql, config: Config, recordingId: string, changes: CorrectedFields): Promise<string[]>
  /** Runs before any field is corrected. The correction calls the returned function after its last change. */
  watchCorrection?(sql: Sql, config: Config, recordingId: string): Promise<() => Promise<string[]>>
}
