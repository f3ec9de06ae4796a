import type { Config } from '../platform/config/config.ts'
import type { Sql } from '../platform/db/sql.ts'
import type { TranscriptSegment } from './transcripts/entity.ts'

/** Corrected fields as they are stored. Times are in ISO 8601, and null clears a field. */
type CorrectedFields = Partial<
  Record<'externalCallId' | 'phoneNumber' | 'managerName' | 'direction' | 'callStartedAt', string | null>
>

/**
 * Functions of a higher module that run in the transactions of a call, except `findAgent`. Some return the names of queues to
 * notify after the commit. `app/call-listeners.ts` lists all listeners.
 */
export interface CallListener {
  /** Finds the agent among two voices. Runs outside of any transaction, because it can take a second. */
  findAgent?(
    sql: Sql,
    recordingId: string,
    segments: TranscriptSegment[],
  ): Promise<{ agent: 0 | 1; agentConfidence: number }>
  /**
   * Runs after the agent or the speakers of a call changed. `segments` is given if the segments were replaced; their words stay
   * the same.
   * @param isUrgent true if a person requested the change
   */
  speakersChanged?(
    sql: Sql,
    config: Config,
    recordingId: string,
    isUrgent: boolean,
    segments?: { before: TranscriptSegment[]; after: TranscriptSegment[] },
  ): Promise<string[]>
  /** Runs after a transcript was stored. */
  transcriptStored?(sql: Sql, config: Config, recordingId: string): Promise<string[]>
  /** Runs after a transcript was removed, because the call got new audio. */
  transcriptRemoved?(sql: Sql, recordingId: string): Promise<void>
  /** Runs before a person corrects a call. Takes the locks that must precede the lock of the recording. */
  lockForCorrection?(sql: Sql, recordingId: string, wanted: CorrectedFields): Promise<void>
  /** Runs after fields of a call were corrected. `changes` has only these fields. */
  callCorrected?(sql: Sql, config: Config, recordingId: string, changes: CorrectedFields): Promise<string[]>
  /** Runs before any field is corrected. The correction calls the returned function after its last change of fields. */
  watchCorrection?(sql: Sql, config: Config, recordingId: string): Promise<() => Promise<string[]>>
}
