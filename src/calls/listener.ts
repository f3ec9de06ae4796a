import type { Config } from '../platform/config/config.ts'
import type { Sql } from '../platform/db/sql.ts'
import type { Segment } from './transcripts/entity.ts'

/** Corrected fields of a call, as stored: times in ISO 8601, null for a cleared field. */
type CorrectedFields = Partial<
  Record<'externalCallId' | 'phoneNumber' | 'managerName' | 'direction' | 'callStartedAt', string | null>
>

/**
 * A module above that takes part in the transactions of a call. Functions run inside the transaction of the change, except
 * `findAgent`. Functions that queue work return the names of queues to notify after the commit. `app/call-listeners.ts` lists
 * the listeners.
 */
export interface CallListener {
  /** Finds the agent among two voices. Runs outside of any transaction, because it can take a second. */
  findAgent?(sql: Sql, segments: Segment[]): Promise<{ agent: 0 | 1; agentConfidence: number }>
  /** The agent or the speakers of a call changed. The words are the same; `segments`, if given, can be cut. */
  speakersChanged?(
    sql: Sql,
    config: Config,
    recordingId: string,
    segments?: { before: Segment[]; after: Segment[] },
  ): Promise<string[]>
  /** A transcript was stored. */
  transcriptStored?(sql: Sql, config: Config, recordingId: string): Promise<string[]>
  /** A transcript was removed, because its call got other audio. */
  transcriptRemoved?(sql: Sql, recordingId: string): Promise<void>
  /** A person is about to correct a call: takes the locks that come before the lock of its recording. */
  lockForCorrection?(sql: Sql, recordingId: string, wanted: CorrectedFields): Promise<void>
  /** The fields of a call were corrected. */
  callCorrected?(sql: Sql, config: Config, recordingId: string, changes: CorrectedFields): Promise<string[]>
  /** A correction begins, before any field changes. Calls the returned function after the last change of the correction. */
  watchCorrection?(sql: Sql, config: Config, recordingId: string): Promise<() => Promise<string[]>>
}
