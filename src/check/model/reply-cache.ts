import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { JobFailedError } from '../../platform/queue/queue.ts'
import { modelMessages } from './messages.ts'

interface CachedModelRequest {
  recordingId: string
  analysisId: string | null
  bodySha256: string
}

/** A model can charge for each request without a known response, so two of them fail the check. */
const MAX_UNANSWERED_REQUESTS = 2

const PROCESS_DIED_ERROR = 'the process died before the answer'

/**
 * Finds the stored response to the same request of an earlier attempt.
 * @throws JobFailedError if two such requests got no response because their processes died
 */
export async function findCachedModelReply({ pool }: Core, request: CachedModelRequest): Promise<string | undefined> {
  const { recordingId, analysisId, bodySha256 } = request
  if (analysisId === null) return undefined
  const { rows } = await pool.query<{ answer: string | null; unanswered: number }>({
    text: `SELECT (SELECT answer FROM model_replies WHERE analysis_id = $1 AND body_sha256 = $2) AS answer,
                  (SELECT count(*)::int FROM model_requests
                    WHERE recording_id = $3 AND analysis_id = $1 AND body_sha256 = $2 AND state = 'sent') AS unanswered`,
    values: [analysisId, bodySha256, recordingId],
  })
  const { answer, unanswered } = rows[0]!
  if (answer !== null) return answer
  if (unanswered < MAX_UNANSWERED_REQUESTS) return undefined
  // Reset the count, so that the check can run again when a person retries it.
  await pool.query({
    text: `UPDATE model_requests SET state = 'failed', error = $4
            WHERE recording_id = $3 AND analysis_id = $1 AND body_sha256 = $2 AND state = 'sent'`,
    values: [analysisId, bodySha256, recordingId, PROCESS_DIED_ERROR],
  })
  throw new JobFailedError(modelMessages.unheard(), true)
}

/** Deletes the cached replies of checks that have ended, because findings store the parts that are needed. */
export async function deleteCachedModelReplies(sql: Sql, analysisIds: string[]): Promise<void> {
  await sql.query({ text: 'DELETE FROM model_replies WHERE analysis_id = ANY($1::uuid[])', values: [analysisIds] })
}
