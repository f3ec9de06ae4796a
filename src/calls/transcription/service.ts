import type { Sql } from '../../platform/db/sql.ts'
import type { CallsCore } from '../core.ts'
import type { Core } from '../../platform/core.ts'
import { planDelivery } from '../callbacks/service.ts'
import { transaction } from '../../platform/db/db.ts'
import type { AttemptOutcome } from '../../platform/lib/metrics.ts'
import { endJob, isLastAttempt, recordFailure } from '../../platform/queue/claims.ts'
import type { Claim, JobFailed } from '../../platform/queue/queue.ts'
import { recordAttemptEnd } from '../timeline/history.ts'
import {
  presentRecording,
  SELECT_RECORDING_WITH_TRANSCRIPT,
  type RecordingWithTranscriptRow,
} from '../recordings/present.ts'
import { forgetPartialText } from './partial-text.ts'
import { RecognitionFailed, type Recognition } from './recognizer.ts'

/**
 * Stores a transcript: DONE, the transcript, the waveform and the callback's delivery in one transaction, or, where the
 * claim is lost, nothing.
 */
export async function finishTranscription(
  core: CallsCore,
  claim: Claim,
  { transcript, durationSeconds, peaks, words, audio }: Recognition,
): Promise<AttemptOutcome> {
  const queues = ['callbacks']
  const outcome = await transaction(core.db, async (sql) => {
    if (!(await recordAttemptEnd(sql, claim, 'done'))) return 'lost'
    const columns = { duration_seconds: durationSeconds, progress_percent: 100, audio: audio ?? null }
    if (!(await endJob(sql, claim, 'DONE', columns))) return 'lost'
    const { text, model, decoder, language, timing, segments } = transcript
    await sql.query({
      text: `INSERT INTO transcripts (recording_id, text, model, decoder, language, timing, segments, words)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      values: [
        claim.id,
        text,
        model,
        decoder,
        language,
        timing,
        JSON.stringify(segments),
        words ? JSON.stringify(words) : null,
      ],
    })
    await forgetPartialText(sql, claim.id)
    if (peaks) await storeWaveform(sql, claim.id, durationSeconds, peaks)
    for (const { transcriptStored } of core.callListeners) {
      queues.push(...((await transcriptStored?.(sql, core.config, claim.id)) ?? []))
    }
    await announce(sql, claim.id, 'recording.done')
    return 'done'
  })
  if (outcome === 'done') queues.forEach(core.notify)
  return outcome
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
 */
export async function failTranscription(core: Core, claim: Claim, failure: JobFailed): Promise<AttemptOutcome> {
  const { message } = failure
  const code = failure instanceof RecognitionFailed ? failure.code : undefined
  const outcome = await transaction(core.db, async (sql) => {
    const kind = isLastAttempt(core.config, claim, failure) ? 'failed' : 'failed_attempt'
    // Before the start of the attempt is forgotten.
    if (!(await recordAttemptEnd(sql, claim, kind, message))) return 'lost'
    await forgetPartialText(sql, claim.id)
    const recorded = await recordFailure(sql, core.config, claim, failure, { error_code: code, error_message: message })
    if (recorded === 'failed') await announce(sql, claim.id, 'recording.failed')
    return recorded
  })
  if (outcome === 'failed') core.notify('callbacks')
  return outcome
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
