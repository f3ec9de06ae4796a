import { runInTransaction } from '../../platform/db/db.ts'
import type { AttemptOutcome } from '../../platform/lib/metrics.ts'
import { endJob } from '../../platform/queue/claims.ts'
import { JobClaimLostError, type JobClaim, type Job, type Queue } from '../../platform/queue/queue.ts'
import type { CallsCore } from '../core.ts'
import type { AudioProperties, CallSpeakers } from '../recordings/entity.ts'
import { isReadyToTranscribe, openAudio } from '../transcription/queue.ts'
import { separateSpeakersWithRecognizer } from '../transcription/recognizer.ts'
import type { TranscriptSegment, SegmentWordTimes } from '../transcripts/entity.ts'
import { detectAgentSpeaker } from './agent.ts'
import { speakerMessages } from './messages.ts'
import { replaceSegments } from './segments.ts'

interface SeparatedCall {
  /** True if a person requested this call; false if it belongs to a run over a period. */
  isUrgent: boolean
  before: TranscriptSegment[]
  segments: TranscriptSegment[]
  words: SegmentWordTimes[] | null
  speakers: CallSpeakers
  audio?: AudioProperties | undefined
}

/**
 * The queue that separates the speakers of calls on one channel, without a new transcription. A job has the id of its recording.
 */
export const separationQueue: Queue<SeparatedCall> = {
  name: 'separation',
  isUnlisted: true,
  table: 'separations',
  recordingColumn: 'id',
  order: 'priority DESC, created_at, id',
  // One at a time, because the recognizers also transcribe new calls.
  concurrency: () => 1,
  attempts: (config) => config.TRANSCRIPTION_ATTEMPTS,
  firstPauseSeconds: (config) => config.TRANSCRIPTION_RETRY_DELAY_SECONDS,
  leaseSeconds: 30,
  startsOver: true,
  messages: { workerDied: speakerMessages.workerDied(), broken: speakerMessages.broken() },
  isReady: isReadyToTranscribe,
  run: separateCall,
  store: storeSeparation,
}

interface CallRow {
  isUrgent: boolean
  key: string
  segments: TranscriptSegment[]
  words: SegmentWordTimes[] | null
}

async function separateCall(core: CallsCore, { id, token, signal }: Job): Promise<SeparatedCall> {
  const { rows } = await core.pool.query<CallRow>({
    text: `SELECT r.storage_key AS key, t.segments, t.words, s.run_id IS NULL AS "isUrgent"
             FROM separations s JOIN recordings r ON r.id = s.id JOIN transcripts t ON t.recording_id = r.id
            WHERE s.id = $1 AND s.attempt_token = $2`,
    values: [id, token],
  })
  if (!rows[0]) throw new JobClaimLostError()
  const { key, segments: before, words, isUrgent } = rows[0]
  if (!words) return { isUrgent, before, segments: before, words, speakers: { method: 'none', confidence: null } }
  const separation = await core.recognizers.use(async (recognizer) => {
    const audio = await openAudio(core, key)
    return separateSpeakersWithRecognizer(core.config, recognizer, { audio, segments: before, words, signal })
  })
  const speakers = await detectAgentSpeaker(core, id, separation.speakers, separation.segments)
  return { isUrgent, before, ...separation, speakers }
}

/** Stores the speakers. Clears a person's choice of the agent, because a separation numbers the voices again. */
async function storeSeparation(core: CallsCore, claim: JobClaim, result: SeparatedCall): Promise<AttemptOutcome> {
  const { isUrgent, before, segments, words, speakers, audio } = result
  const queues: string[] = []
  const outcome = await runInTransaction(core.db, async (sql) => {
    // Lock the recording before its separation, as corrections do.
    await sql.query({ text: 'SELECT FROM recordings WHERE id = $1 FOR NO KEY UPDATE', values: [claim.id] })
    if (!(await endJob(sql, claim, 'DONE'))) return 'lost'
    await sql.query({
      text: `UPDATE recordings SET speakers = $2, agent_channel = NULL, audio = coalesce(audio, $3) WHERE id = $1`,
      values: [claim.id, JSON.stringify(speakers), audio ? JSON.stringify(audio) : null],
    })
    if (JSON.stringify(before) !== JSON.stringify(segments))
      queues.push(...(await replaceSegments(core, sql, claim.id, { before, segments, words, isUrgent })))
    return 'done'
  })
  if (outcome === 'done') queues.forEach(core.notify)
  return outcome
}
