import type { Message } from '../../platform/lib/messages.ts'
import { toStoredReason } from '../../platform/lib/stored-reason.ts'
import type { Readable } from 'node:stream'
import type { Core } from '../../platform/core.ts'
import type { CallsCore } from '../core.ts'
import { buildTsvector } from '../../platform/lib/search/terms.ts'
import { retryWhileDatabaseDown, runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { httpMessages } from '../../platform/http/messages.ts'
import type { AttemptOutcome } from '../../platform/lib/metrics.ts'
import { endJob, isLastAttempt, recordJobFailure } from '../../platform/queue/claims.ts'
import {
  JobClaimLostError,
  type JobClaim,
  type Job,
  type JobFailedError,
  type Queue,
} from '../../platform/queue/queue.ts'
import { StorageObjectMissingError, StorageUnavailableError } from '../../platform/storage/storage.ts'
import { storageMessages } from '../../platform/storage/messages.ts'
import { detectAgentSpeaker } from '../speakers/agent.ts'
import { queueCallbackDelivery } from '../callbacks/service.ts'
import type { DecoderName } from '../recordings/entity.ts'
import {
  presentRecording,
  SELECT_RECORDING_WITH_TRANSCRIPT_SQL,
  type RecordingWithTranscriptRow,
} from '../recordings/present.ts'
import { isRecordingRetryableSql, requeueFailedRecordings } from '../recordings/service.ts'
import { transcriptionMessages } from './messages.ts'
import { SEPARATE_SPEAKERS_SQL } from './settings.ts'
import { deletePartialText, PartialTextWriter } from './partial-text.ts'
import type { RecognizerResult } from './recognition.ts'
import { RecognitionFailedError, transcribeWithRecognizer, RecognizerCrashedError } from './recognizer.ts'

/** The queue of calls to transcribe. The row of a recording is its job. */
export const transcriptionQueue: Queue<RecognizerResult> = {
  name: 'transcription',
  table: 'recordings',
  recordingColumn: 'id',
  order: 'priority DESC, created_at, id',
  resetColumns: 'progress_percent = 0',
  progressColumns: ['progress_percent', 'duration_seconds'],
  concurrency: ({ recognizers }: CallsCore) => recognizers.slots,
  attempts: (config) => config.TRANSCRIPTION_ATTEMPTS,
  firstPauseSeconds: (config) => config.TRANSCRIPTION_RETRY_DELAY_SECONDS,
  leaseSeconds: 30,
  startsOver: true,
  heartbeatSeconds: 1, // stores the progress and notices a cancelled recording within about a second
  messages: {
    workerDied: transcriptionMessages.workerDied(),
    broken: transcriptionMessages.broken(),
  },
  isReady: isReadyToTranscribe,
  run: transcribe,
  store: finishTranscription,
  fail: failTranscription,
  // A retry of a recording with missing or faulty audio would fail again.
  retryable: isRecordingRetryableSql('j'),
  retryFailed: (sql, actor) => requeueFailedRecordings(sql, actor, isRecordingRetryableSql('r')),
}

/** Returns true if a recognizer is ready and the audio storage belongs to this database. */
export async function isReadyToTranscribe(core: CallsCore): Promise<boolean> {
  return (await core.recognizers.isReady()) && (await core.ownership.state()) === 'ours'
}

async function transcribe(core: CallsCore, job: Job): Promise<RecognizerResult> {
  const { rows } = await retryWhileDatabaseDown(() =>
    core.pool.query<{ storage_key: string; decoder: DecoderName | null; separateSpeakers: boolean }>({
      text: `SELECT storage_key, decoder, ${SEPARATE_SPEAKERS_SQL} AS "separateSpeakers"
               FROM recordings WHERE id = $1 AND attempt_token = $2`,
      values: [job.id, job.token],
    }),
  )
  if (!rows[0]) throw new JobClaimLostError()
  const { storage_key: key, decoder, separateSpeakers } = rows[0]
  const partial = new PartialTextWriter(core, job)
  const recognition = await core.recognizers
    .use(async (recognizer) => {
      const audio = await openAudio(core, key)
      return transcribeWithRecognizer(core.config, recognizer, {
        audio,
        decoder,
        separateSpeakers,
        onProgress: ({ percent, durationSeconds }) =>
          job.report({ progress_percent: percent, duration_seconds: durationSeconds }),
        onSegments: (segments) => partial.add(segments),
        signal: job.signal,
      })
    })
    .catch(async (error: unknown) => {
      throw error instanceof RecognizerCrashedError ? await recordRecognizerCrash(core, job, error) : error
    })
  core.log.info({ recordingId: job.id, attempt: job.attempt, audioSeconds: recognition.durationSeconds }, 'transcribed')
  return recognition
}

/**
 * Counts a crash of a recognizer during this call. The first crash costs no attempt, because another call can be the cause.
 * @returns the error to throw: a RecognitionFailedError from the second crash on
 */
async function recordRecognizerCrash(
  { pool }: Core,
  { id, token }: Job,
  error: RecognizerCrashedError,
): Promise<Error> {
  const { rows } = await retryWhileDatabaseDown(() =>
    pool.query<{ deaths: number }>({
      text: `UPDATE recordings SET recognizer_deaths = coalesce(recognizer_deaths, 0) + 1
              WHERE id = $1 AND attempt_token = $2 RETURNING recognizer_deaths AS deaths`,
      values: [id, token],
    }),
  )
  return rows[0] && rows[0].deaths > 1 ? new RecognitionFailedError(error.reason) : error
}

/**
 * Opens the audio of a call.
 * @throws RecognitionFailedError if the file is missing, StorageUnavailableError if the storage fails or is not marked as ours
 */
export async function openAudio(core: Core, key: string): Promise<Readable> {
  try {
    return await core.storage.read(key)
  } catch (error) {
    if (!(error instanceof StorageObjectMissingError)) throw error
    if ((await core.ownership.refresh()) === 'ours') {
      throw new RecognitionFailedError(httpMessages.noSound(), 'AUDIO_MISSING')
    }
    throw new StorageUnavailableError(storageMessages.notOurs())
  }
}

/** Stores a transcript, its waveform and the callback delivery in one transaction. Stores nothing if the claim is lost. */
async function finishTranscription(
  core: CallsCore,
  claim: JobClaim,
  { transcript, durationSeconds, peaks, words, audio, speakers }: RecognizerResult,
): Promise<AttemptOutcome> {
  const queues = ['callbacks']
  const terms = await buildTsvector(transcript.text)
  const speakersWithAgent = speakers && (await detectAgentSpeaker(core, claim.id, speakers, transcript.segments))
  const outcome = await runInTransaction(core.db, async (sql) => {
    if (!(await recordAttemptEnd(sql, claim, 'done'))) return 'lost'
    const columns = {
      duration_seconds: durationSeconds,
      progress_percent: 100,
      audio: audio ?? null,
      speakers: speakersWithAgent ?? null,
    }
    if (!(await endJob(sql, claim, 'DONE', columns))) return 'lost'
    const { text, model, decoder, language, timing, segments } = transcript
    await sql.query({
      text: `INSERT INTO transcripts (recording_id, text, model, decoder, language, timing, segments, words, search_terms)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      values: [
        claim.id,
        text,
        model,
        decoder,
        language,
        timing,
        JSON.stringify(segments),
        words ? JSON.stringify(words) : null,
        terms,
      ],
    })
    await deletePartialText(sql, claim.id)
    if (peaks) await insertWaveform(sql, claim.id, durationSeconds, peaks)
    for (const listener of core.callListeners) {
      queues.push(...((await listener.transcriptStored?.(sql, core.config, claim.id)) ?? []))
    }
    await queueCallback(sql, claim.id, 'recording.done')
    return 'done'
  })
  if (outcome === 'done') queues.forEach(core.notify)
  return outcome
}

async function insertWaveform(sql: Sql, id: string, durationSeconds: number, peaks: number[][]): Promise<void> {
  await sql.query({
    text: 'INSERT INTO waveforms (recording_id, duration_seconds, peaks) VALUES ($1, $2, $3)',
    values: [id, durationSeconds, peaks.map((channel) => Buffer.from(channel))],
  })
}

/**
 * Records a failed attempt and queues the recording again after a pause. If no attempt is left or none can help, marks the
 * recording FAILED instead and queues the callback.
 */
async function failTranscription(core: Core, claim: JobClaim, failure: JobFailedError): Promise<AttemptOutcome> {
  const { message } = failure
  const code = failure instanceof RecognitionFailedError ? failure.code : undefined
  const outcome = await runInTransaction(core.db, async (sql) => {
    const kind = isLastAttempt(core.config, claim, failure) ? 'failed' : 'failed_attempt'
    // Runs before recordJobFailure(), which clears the attempt token.
    if (!(await recordAttemptEnd(sql, claim, kind, failure.reason))) return 'lost'
    await deletePartialText(sql, claim.id)
    const recorded = await recordJobFailure(sql, core.config, claim, failure, {
      error_code: code,
      error_message: message,
    })
    if (recorded === 'failed') await queueCallback(sql, claim.id, 'recording.failed')
    return recorded
  })
  if (outcome === 'failed') core.notify('callbacks')
  return outcome
}

/** Queues the callback of a recording, if it has a callbackUrl. The body contains the recording as GET returns it now. */
async function queueCallback(sql: Sql, id: string, event: 'recording.done' | 'recording.failed'): Promise<void> {
  const { rows } = await sql.query<RecordingWithTranscriptRow>({
    text: `${SELECT_RECORDING_WITH_TRANSCRIPT_SQL} WHERE r.id = $1`,
    values: [id],
  })
  const recording = presentRecording(rows[0]!)
  if (recording.callbackUrl) await queueCallbackDelivery(sql, id, event, recording.callbackUrl, { event, recording })
}

/**
 * Records the end of an attempt. Runs first in its transaction, because the statement locks the recording.
 * @returns false if the claim is lost
 */
async function recordAttemptEnd(
  sql: Sql,
  claim: JobClaim,
  kind: 'done' | 'failed_attempt' | 'failed',
  reason?: Message,
): Promise<boolean> {
  const { rowCount } = await sql.query({
    text: `INSERT INTO transcription_history (recording_id, at, kind, attempt, started_at, message, message_json)
           SELECT id, now(), $3, attempts, started_at, $4, $5 FROM recordings
            WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING' FOR NO KEY UPDATE`,
    values: [claim.id, claim.token, kind, reason?.text, reason && toStoredReason(reason)],
  })
  return rowCount === 1
}
