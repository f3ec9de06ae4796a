import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { JobFailed } from '../../platform/queue/queue.ts'
import { modelMessages } from './messages.ts'

/** A request of a check, by the bytes that are sent. */
export interface Asked {
  recordingId: string
  analysisId: string | null
  bodySha256: string
}

/** A request whose process died is sent once more, not again and again: its answer may have been paid for each time. */
const UNHEARD_AT_MOST = 2

const DIED = 'the process died before the answer'

/**
 * What the model has answered to an earlier attempt of the same check, where it was asked the same.
 * @throws JobFailed where it was asked so often in vain that it must not be asked again
 */
export async function heardBefore({ pool }: Core, asked: Asked): Promise<string | undefined> {
  const { recordingId, analysisId, bodySha256 } = asked
  if (analysisId === null) return undefined
  const { rows } = await pool.query<{ answer: string | null; unheard: number }>({
    text: `SELECT (SELECT answer FROM model_replies WHERE analysis_id = $1 AND body_sha256 = $2) AS answer,
                  (SELECT count(*)::int FROM model_requests
                    WHERE recording_id = $3 AND analysis_id = $1 AND body_sha256 = $2 AND state = 'sent') AS unheard`,
    values: [analysisId, bodySha256, recordingId],
  })
  const { answer, unheard } = rows[0]!
  if (answer !== null) return answer
  if (unheard < UNHEARD_AT_MOST) return undefined
  // So a person who has the check tried again begins anew.
  await pool.query({
    text: `UPDATE model_requests SET state = 'failed', error = $4
            WHERE recording_id = $3 AND analysis_id = $1 AND body_sha256 = $2 AND state = 'sent'`,
    values: [analysisId, bodySha256, recordingId, DIED],
  })
  throw new JobFailed(modelMessages.unheard(), true)
}

/** What was kept for a check that has ended goes: no text of a model stays but what a finding shows. */
export async function forgetReplies(
  sql: Sql,
  { ANALYSIS_PROVIDER }: Core['config'],
  analysisId: string,
): Promise<void> {
  if (ANALYSIS_PROVIDER !== 'llm-compatible') return
  const text = 'DELETE FROM model_replies WHERE analysis_id = $1'
  await sql.query({ text, values: [analysisId] })
}

/** The same for a call with a new transcript: what was answered about its earlier one is of no use to anybody. */
export async function forgetRepliesOfCall(sql: Sql, recordingId: string): Promise<void> {
  const text = 'DELETE FROM model_replies WHERE analysis_id IN (SELECT id FROM analyses WHERE recording_id = $1)'
  await sql.query({ text, values: [recordingId] })
}

/** Deletes the replies of checks that were cancelled before they ended. */
export async function forgetRepliesOfChecks(sql: Sql, analysisIds: string[]): Promise<void> {
  await sql.query({ text: 'DELETE FROM model_replies WHERE analysis_id = ANY($1::uuid[])', values: [analysisIds] })
}
