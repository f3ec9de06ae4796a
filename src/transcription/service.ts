import type { Core } from '../core.ts'
import { planDelivery } from '../callbacks/service.ts'
import { transaction, type Sql } from '../db.ts'
import type { AudioError } from '../recordings/entity.ts'
import { recordAttemptEnd } from '../recordings/history.ts'
import {
  presentRecording,
  SELECT_RECORDING_WITH_TRANSCRIPT,
  type RecordingWithTranscriptRow,
} from '../recordings/present.ts'
import { retryLater, type Claim, type WorkTable } from '../queue/claims.ts'
import type { Recognition } from './recognizer.ts'

export const RECORDING_WORK: WorkTable = {
  table: 'recordings',
  queue: 'transcription',
  order: 'priority DESC, created_at, id',
  resetColumns: 'progress_percent = 0',
}

/**
 * Stores a transcript: DONE, the transcript, the waveform and the callback's delivery in one transaction, or, where the
 * claim is lost, nothing.
 * @returns whether it was stored
 */
export async function finishTranscription(
  core: Core,
  claim: Claim,
  { transcript, durationSeconds, peaks }: Recognition,
): Promise<boolean> {
  const finished = await transaction(core.db, async (sql) => {
    if (!(await recordAttemptEnd(sql, claim, 'done'))) return false
    const { rowCount } = await sql.query({
      text: `UPDATE recordings SET status = 'DONE', finished_at = now(), duration_seconds = $3, progress_percent = 100,
                    attempt_token = NULL, lease_until = NULL, last_error = NULL
              WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
      values: [claim.id, claim.token, durationSeconds],
    })
    if (rowCount !== 1) return false
    const { text, model, decoder, language, segments } = transcript
    await sql.query({
      text: `INSERT INTO transcripts (recording_id, text, model, decoder, language, segments) VALUES ($1, $2, $3, $4, $5, $6)`,
      values: [claim.id, text, model, decoder, language, JSON.stringify(segments)],
    })
    if (peaks) await storeWaveform(sql, claim.id, durationSeconds, peaks)
    await announce(sql, claim.id, 'recording.done')
    return true
  })
  if (finished) core.notify('callbacks')
  return finished
}

async function storeWaveform(sql: Sql, id: string, durationSeconds: number, peaks: number[][]): Promise<void> {
  await sql.query({
    text: 'INSERT INTO waveforms (recording_id, duration_seconds, peaks) VALUES ($1, $2, $3)',
    values: [id, durationSeconds, peaks.map((channel) => Buffer.from(channel))],
  })
}

/**
 * Records that an attempt failed: back into the queue after its pause, or, when the attempts are used up or the
 * audio cannot be mended, FAILED with the callback's delivery.
 * @returns whether anything was stored (not where the claim is lost)
 */
export async function failTranscription(
  core: Core,
  claim: Claim,
  message: string,
  code?: AudioError,
): Promise<boolean> {
  const { TRANSCRIPTION_ATTEMPTS, TRANSCRIPTION_RETRY_DELAY_SECONDS } = core.config
  if (!code && claim.attempt < TRANSCRIPTION_ATTEMPTS) {
    return transaction(core.db, async (sql) => {
      // Before the start of the attempt is forgotten.
      const held = await recordAttemptEnd(sql, claim, 'failed_attempt', message)
      return held && retryLater(sql, RECORDING_WORK, claim, TRANSCRIPTION_RETRY_DELAY_SECONDS, message)
    })
  }
  const failed = await transaction(core.db, async (sql) => {
    if (!(await recordAttemptEnd(sql, claim, 'failed', message))) return false
    const { rowCount } = await sql.query({
      text: `UPDATE recordings SET status = 'FAILED', finished_at = now(), error_code = $3, error_message = $4, last_error = $4,
                    attempt_token = NULL, lease_until = NULL
              WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
      values: [claim.id, claim.token, code, message],
    })
    if (rowCount !== 1) return false
    await announce(sql, claim.id, 'recording.failed')
    return true
  })
  if (failed) core.notify('callbacks')
  return failed
}

/** Writes the callback's delivery, with the recording exactly as GET would answer it now. */
async function announce(sql: Sql, id: string, event: 'recording.done' | 'recording.failed'): Promise<void> {
  const { rows } = await sql.query<RecordingWithTranscriptRow>({
    text: `${SELECT_RECORDING_WITH_TRANSCRIPT} WHERE r.id = $1`,
    values: [id],
  })
  const recording = presentRecording(rows[0]!)
  if (recording.callbackUrl) await planDelivery(sql, id, event, recording.callbackUrl, { event, recording })
}
