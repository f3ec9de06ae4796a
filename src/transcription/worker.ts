import type { Readable } from 'node:stream'
import type { Core } from '../core.ts'
import { persistently } from '../db.ts'
import { ClaimLost, type Job } from '../queue/queue.ts'
import type { Decoder } from '../recordings/entity.ts'
import { ObjectMissing, StorageUnavailable } from '../storage/index.ts'
import {
  RecognitionFailed,
  recognize,
  recognizerState,
  type Recognition,
  type RecognitionProgress,
} from './recognizer.ts'

/** How long an answer of the recognizer's readiness is believed. */
const READINESS_MS = 2000

/** While the recognizer is away or loading, or the storage is another one, recordings wait: it is not their fault. */
export async function isReadyToTranscribe(core: Core): Promise<boolean> {
  const readiness = READINESS.get(core) ?? new Readiness(core)
  READINESS.set(core, readiness)
  return (await readiness.isReady()) && (await core.ownership.state()) === 'ours'
}

/** Whether the recognizer takes work, as it says itself. */
class Readiness {
  private checkedAt = -Infinity
  private ready: Promise<boolean> = Promise.resolve(false)
  private lastLogged = true
  private readonly core: Core

  constructor(core: Core) {
    this.core = core
  }

  async isReady(): Promise<boolean> {
    if (performance.now() - this.checkedAt > READINESS_MS) {
      this.checkedAt = performance.now()
      this.ready = recognizerState(this.core.config).then((state) => state?.status === 'ready')
    }
    const answer = await this.ready
    if (answer !== this.lastLogged) {
      this.core.log.info(answer ? 'the recognizer is ready' : 'the recognizer is not ready; recordings wait')
    }
    this.lastLogged = answer
    return answer
  }
}

/** One for each API in this process. */
const READINESS = new WeakMap<Core, Readiness>()

/** Transcribes a claimed recording. */
export async function transcribe(core: Core, job: Job): Promise<Recognition> {
  const { rows } = await persistently(() =>
    core.pool.query<{ storage_key: string; decoder: Decoder | null }>({
      name: 'claimed-recording',
      text: 'SELECT storage_key, decoder FROM recordings WHERE id = $1 AND attempt_token = $2',
      values: [job.id, job.token],
    }),
  )
  if (!rows[0]) throw new ClaimLost()
  const { storage_key: key, decoder } = rows[0]
  const audio = await readAudio(core, key)
  const recognition = await recognize(
    core.config,
    audio,
    decoder,
    (progress) => job.report(asColumns(progress)),
    job.signal,
  )
  core.log.info({ recordingId: job.id, attempt: job.attempt, audioSeconds: recognition.durationSeconds }, 'transcribed')
  return recognition
}

const asColumns = ({ percent, durationSeconds }: RecognitionProgress) => ({
  progress_percent: percent,
  duration_seconds: durationSeconds,
})

/** @throws StorageUnavailable where the whole storage is another one: that one recording is missing there says nothing */
async function readAudio(core: Core, key: string): Promise<Readable> {
  try {
    return await core.storage.read(key)
  } catch (error) {
    if (!(error instanceof ObjectMissing)) throw error
    if ((await core.ownership.look()) === 'ours') {
      throw new RecognitionFailed('The audio is not in the storage any more', 'AUDIO_MISSING')
    }
    throw new StorageUnavailable('The storage is not the one of this database')
  }
}
