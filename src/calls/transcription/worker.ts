import type { Readable } from 'node:stream'
import type { CallsCore } from '../core.ts'
import { persistently } from '../../platform/db/db.ts'
import { httpMessages } from '../../platform/http/messages.ts'
import { ClaimLost, type Job } from '../../platform/queue/queue.ts'
import type { Decoder } from '../recordings/entity.ts'
import { ObjectMissing, StorageUnavailable } from '../../platform/storage/index.ts'
import { storageMessages } from '../../platform/storage/messages.ts'
import { PartialText } from './partial-text.ts'
import {
  RecognitionFailed,
  recognize,
  RecognizerDied,
  type Recognition,
  type RecognitionProgress,
} from './recognizer.ts'

/** While no recognizer is ready, or the storage is another one, recordings wait: it is not their fault. */
export async function isReadyToTranscribe(core: CallsCore): Promise<boolean> {
  return (await core.recognizers.isReady()) && (await core.ownership.state()) === 'ours'
}

/** Transcribes a claimed recording. */
export async function transcribe(core: CallsCore, job: Job): Promise<Recognition> {
  const { rows } = await persistently(() =>
    core.pool.query<{ storage_key: string; decoder: Decoder | null }>({
      text: 'SELECT storage_key, decoder FROM recordings WHERE id = $1 AND attempt_token = $2',
      values: [job.id, job.token],
    }),
  )
  if (!rows[0]) throw new ClaimLost()
  const { storage_key: key, decoder } = rows[0]
  const onProgress = (progress: RecognitionProgress) => job.report(asColumns(progress))
  const partial = new PartialText(core, job)
  const recognition = await core.recognizers
    .use(async (recognizer) => {
      const audio = await readAudio(core, key)
      return recognize(core.config, recognizer, {
        audio,
        decoder,
        onProgress,
        onSegments: (segments) => partial.add(segments),
        signal: job.signal,
      })
    })
    .catch(async (error: unknown) => {
      throw error instanceof RecognizerDied ? await afterDeath(core, job, error) : error
    })
  core.log.info({ recordingId: job.id, attempt: job.attempt, audioSeconds: recognition.durationSeconds }, 'transcribed')
  return recognition
}

/**
 * A recognizer that dies takes along what it works on, and of these one call may have killed it. So the first death costs
 * no attempt: the call goes to another recognizer. If that dies under it too, it is counted, and there is an end to it.
 */
async function afterDeath({ pool }: CallsCore, { id, token }: Job, error: RecognizerDied): Promise<Error> {
  const { rows } = await persistently(() =>
    pool.query<{ deaths: number }>({
      text: `UPDATE recordings SET recognizer_deaths = coalesce(recognizer_deaths, 0) + 1
              WHERE id = $1 AND attempt_token = $2 RETURNING recognizer_deaths AS deaths`,
      values: [id, token],
    }),
  )
  return rows[0] && rows[0].deaths > 1 ? new RecognitionFailed(error.reason) : error
}

const asColumns = ({ percent, durationSeconds }: RecognitionProgress) => ({
  progress_percent: percent,
  duration_seconds: durationSeconds,
})

/** @throws StorageUnavailable where the whole storage is another one: that one recording is missing there says nothing */
async function readAudio(core: CallsCore, key: string): Promise<Readable> {
  try {
    return await core.storage.read(key)
  } catch (error) {
    if (!(error instanceof ObjectMissing)) throw error
    if ((await core.ownership.look()) === 'ours') {
      throw new RecognitionFailed(httpMessages.noSound(), 'AUDIO_MISSING')
    }
    throw new StorageUnavailable(storageMessages.notOurs())
  }
}
