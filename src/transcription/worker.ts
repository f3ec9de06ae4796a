import type { Readable } from 'node:stream'
import type { Core } from '../core.ts'
import { persistently, pool } from '../db.ts'
import type { Decoder } from '../recordings/entity.ts'
import { observeAttempt, type AttemptOutcome } from '../lib/metrics.ts'
import type { Next } from '../queue/worker-pool.ts'
import { ObjectMissing, StorageUnavailable } from '../storage/index.ts'
import { claimJob, doubtLongWaits, release, LEASE_SECONDS, rescueExpired, type Claim } from '../queue/claims.ts'
import {
  RecognitionFailed,
  recognize,
  recognizerState,
  RecognizerUnavailable,
  type Recognition,
  type RecognitionProgress,
} from './recognizer.ts'
import { failTranscription, finishTranscription, RECORDING_WORK } from './service.ts'

/** How often a running transcription stores its progress and learns of a cancel, in milliseconds. */
const HEARTBEAT_MS = 1000

/** How long an answer of the recognizer's readiness is believed. */
const READINESS_MS = 2000

/** Somebody else decided about the recording meanwhile: cancelled, deleted, or taken over by another worker. */
class ClaimLost extends Error {}

/** Makes the worker's step: claims the best recording that is due and transcribes it. */
export function createTranscriber(core: Core): Next {
  const readiness = new Readiness(core)
  return async (stopping) => {
    // While the recognizer is away or loading, recordings wait as they are: it is not their fault.
    if (!(await readiness.isReady())) return undefined
    if ((await core.ownership.state()) !== 'ours') return undefined
    const claim = await claimJob(pool(core.db), RECORDING_WORK)
    return claim && ((freeSlot) => transcribe(core, readiness, claim, stopping, freeSlot))
  }
}

/** Whether the recognizer takes work, as it says itself, unless it has just refused some. */
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

  /** Without this a recognizer that says «ready» and refuses would be asked again and again without a pause. */
  distrust(): void {
    this.checkedAt = performance.now()
    this.ready = Promise.resolve(false)
  }
}

/** Transcribes what was claimed. @returns false where the recognizer did not take it */
async function transcribe(
  core: Core,
  readiness: Readiness,
  claim: Claim,
  stopping: AbortSignal,
  freeSlot: () => void,
): Promise<boolean> {
  const log = core.log.child({ recordingId: claim.id, attempt: claim.attempt })
  const heartbeat = startHeartbeat(core, claim)
  const began = performance.now()
  let outcome: AttemptOutcome = 'done'
  try {
    const recognition = await recognizeClaimed(core, claim, heartbeat, AbortSignal.any([stopping, heartbeat.lost]))
    freeSlot() // the recognizer takes the next one while this one is stored
    // A database that is away for a moment must not cost the work of an hour; the heartbeat goes on meanwhile.
    const stored = await persistently(() => finishTranscription(core, claim, recognition))
    if (!stored) outcome = 'lost'
    log.info({ stored, audioSeconds: recognition.durationSeconds }, 'transcribed')
  } catch (error) {
    if (error instanceof ClaimLost) {
      outcome = 'lost'
      log.info('the claim was lost: cancelled, deleted or taken over')
    } else if (stopping.aborted || isAway(error)) {
      outcome = 'released'
      // Before the recording is back in the queue, where another place may take it at once.
      if (isAway(error)) readiness.distrust()
      await persistently(() => release(pool(core.db), RECORDING_WORK, claim))
      log.info({ reason: stopping.aborted ? 'stopping' : (error as Error).message }, 'released')
    } else {
      outcome = isFinal(core, claim, error) ? 'failed' : 'retry'
      await persistently(() => recordFailure(core, claim, error))
    }
    return !isAway(error)
  } finally {
    heartbeat.stop()
    observeAttempt('transcription', outcome, (performance.now() - began) / 1000)
  }
  return true
}

/** Whether a recording is FAILED after this. */
function isFinal({ config }: Core, { attempt }: Claim, error: unknown): boolean {
  const isPermanent = error instanceof ObjectMissing || (error instanceof RecognitionFailed && error.code !== undefined)
  return isPermanent || attempt >= config.TRANSCRIPTION_ATTEMPTS
}

/** Whether what the work needs is away: the recording can wait, and is not to blame. */
const isAway = (error: unknown): boolean =>
  error instanceof RecognizerUnavailable || error instanceof StorageUnavailable

async function recordFailure(core: Core, claim: Claim, error: unknown): Promise<void> {
  const log = core.log.child({ recordingId: claim.id, attempt: claim.attempt })
  if (error instanceof ObjectMissing) {
    await failTranscription(core, claim, 'The audio is not in the storage any more', 'AUDIO_MISSING')
  } else if (error instanceof RecognitionFailed) {
    await failTranscription(core, claim, error.message, error.code)
  } else {
    log.error({ err: error }, 'a transcription broke')
    await failTranscription(core, claim, 'The service could not process the recording')
  }
  log.warn({ reason: (error as Error).message }, 'the attempt failed')
}

async function recognizeClaimed(
  core: Core,
  claim: Claim,
  heartbeat: Heartbeat,
  signal: AbortSignal,
): Promise<Recognition> {
  const { rows } = await persistently(() =>
    pool(core.db).query<{ storage_key: string; decoder: Decoder | null }>({
      name: 'claimed-recording',
      text: 'SELECT storage_key, decoder FROM recordings WHERE id = $1 AND attempt_token = $2',
      values: [claim.id, claim.token],
    }),
  )
  if (!rows[0]) throw new ClaimLost()
  const audio = await readAudio(core, rows[0].storage_key)
  return recognize(core.config, audio, rows[0].decoder, (progress) => (heartbeat.progress = progress), signal)
}

/** @throws StorageUnavailable where the whole storage is another one: that one recording is missing there says nothing */
async function readAudio(core: Core, key: string): Promise<Readable> {
  try {
    return await core.storage.read(key)
  } catch (error) {
    if (!(error instanceof ObjectMissing) || (await core.ownership.look()) === 'ours') throw error
    throw new StorageUnavailable('The storage is not the one of this database')
  }
}

interface Heartbeat {
  /** Stored with the next beat. */
  progress: RecognitionProgress
  /** Aborted when the claim is lost. */
  lost: AbortSignal
  stop(): void
}

/** Keeps the claim alive and stores progress; notices within a beat when somebody took the claim away. */
function startHeartbeat(core: Core, claim: Claim): Heartbeat {
  const lost = new AbortController()
  const progress = { percent: 0, durationSeconds: null }
  const heartbeat: Heartbeat = { progress, lost: lost.signal, stop: () => clearInterval(timer) }
  let beating = false
  const timer = setInterval(() => {
    if (beating) return
    beating = true
    renew(core, claim, heartbeat.progress)
      .then((held) => void (held || lost.abort(new ClaimLost())))
      // A database that does not answer says nothing of the claim; the lease outlasts short faults.
      .catch((error: Error) => core.log.warn({ recordingId: claim.id, reason: error.message }, 'no heartbeat'))
      .finally(() => (beating = false))
  }, HEARTBEAT_MS)
  return heartbeat
}

async function renew(core: Core, claim: Claim, { percent, durationSeconds }: RecognitionProgress): Promise<boolean> {
  const { rowCount } = await pool(core.db).query({
    name: 'transcription-heartbeat',
    text: `UPDATE recordings SET lease_until = now() + make_interval(secs => $4), progress_percent = $3,
                  duration_seconds = coalesce($5, duration_seconds)
            WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
    values: [claim.id, claim.token, percent, LEASE_SECONDS, durationSeconds],
  })
  return rowCount === 1
}

/** Transcriptions whose worker died count as failed attempts: a recording that kills its worker must end some day. */
export async function failExpiredTranscriptions(core: Core): Promise<void> {
  for (const claim of await rescueExpired(pool(core.db), RECORDING_WORK)) {
    const stored = await failTranscription(core, claim, 'The worker stopped in the middle of the transcription')
    if (stored) core.log.warn({ recordingId: claim.id, attempt: claim.attempt }, 'a claim ran out')
  }
}

/** Where the clock of the database was set back, recordings would wait until it is there again. */
export async function doubtWaitsOfTranscriptions({ config, db, log }: Core): Promise<void> {
  const { TRANSCRIPTION_RETRY_DELAY_SECONDS: pause, TRANSCRIPTION_ATTEMPTS: attempts } = config
  const count = await doubtLongWaits(pool(db), RECORDING_WORK, pause, attempts)
  if (count > 0) log.warn({ queue: 'transcription', count }, 'the clock of the database was set back')
}
