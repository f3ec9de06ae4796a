import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { Semaphore, withTimeout } from 'async-mutex'
import { request } from 'undici'
import type { CallsCore } from '../core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { HttpError } from '../../platform/errors.ts'
import { throwMissingObjectAsNotFound } from '../../platform/http/send-file.ts'
import { startLeaseRenewal } from '../../platform/queue/heartbeat.ts'
import { playableCopiesFolderOf, StorageObjectMissingError } from '../../platform/storage/storage.ts'
import { spoolToDisk } from '../../platform/storage/spool-to-disk.ts'
import { discardStoredFile, scheduleFileRemoval, removeFileIfDue } from '../recordings/audio-files.ts'
import { recordingMessages } from '../recordings/messages.ts'
import type { Message } from '../../platform/lib/messages.ts'

/** Further copies in this process wait up to SLOT_WAIT_MS for a slot. */
const MAX_PARALLEL_COPIES = 2
const SLOT_WAIT_MS = 30_000
const DECODE_TIMEOUT_MS = 5 * 60_000
/** The claim on a copy expires if it is not renewed for this time. */
const LEASE_SECONDS = 20
/** A request waits at most this long for a copy that another request makes. */
const MAX_WAIT_MS = 60_000
const POLL_INTERVAL_MS = 500
/** A copy that is not registered after this time is removed. */
const REMOVAL_DELAY_SECONDS = 3600

interface CallAudio {
  id: string
  storageKey: string
}

/**
 * Makes a copy that every browser plays. One request makes the copy of a call, and other requests wait up to a minute.
 * @returns the storage key of the copy
 * @throws HttpError 404 if the audio is missing, 422 if it cannot be decoded, 503 to retry later
 */
export async function ensurePlayableCopy(core: CallsCore, call: CallAudio): Promise<string> {
  const deadline = performance.now() + MAX_WAIT_MS
  while (performance.now() < deadline) {
    const token = randomUUID()
    if (await claimCopy(core, call.id, token)) return createClaimedCopy(core, call, token)
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS))
    const existingKey = await findPlayableCopyKey(core, call.id)
    if (existingKey) return existingKey
  }
  throw retryLaterError(recordingMessages.soundIsPrepared())
}

/** Returns the storage key of the copy if both its row and its file exist. Deletes a row without a file. */
export async function findPlayableCopyKey(core: CallsCore, id: string): Promise<string | undefined> {
  const { rows } = await core.pool.query<{ storage_key: string }>({
    text: 'SELECT storage_key FROM playable_copies WHERE recording_id = $1 AND storage_key IS NOT NULL',
    values: [id],
  })
  const key = rows[0]?.storage_key
  if (key === undefined) return undefined
  try {
    await core.storage.stat(key)
    return key
  } catch (error) {
    if (!(error instanceof StorageObjectMissingError)) throw error
    // Without the row, the next request makes a new copy.
    const text = 'DELETE FROM playable_copies WHERE recording_id = $1 AND storage_key = $2'
    await core.pool.query({ text, values: [id, key] })
    return undefined
  }
}

/** Removes the copies of a deleted recording immediately, instead of in the next scheduled run. */
export async function removePlayableCopies(core: CallsCore, id: string): Promise<void> {
  const { rows } = await core.pool.query<{ storage_key: string }>({
    text: `SELECT storage_key FROM file_removals WHERE starts_with(storage_key, $1) AND due_at <= now()`,
    values: [callCopiesFolderOf(core, id)],
  })
  for (const { storage_key: key } of rows) await removeFileIfDue(core, key)
}

const callCopiesFolderOf = (core: CallsCore, id: string): string =>
  `${playableCopiesFolderOf(core.storage)}${id.toLowerCase()}/`

const retryLaterError = (message: Message) => new HttpError(503, message, { 'Retry-After': '10' })

const copySlots = withTimeout(
  new Semaphore(MAX_PARALLEL_COPIES),
  SLOT_WAIT_MS,
  retryLaterError(recordingMessages.tooManyPrepared()),
)

async function claimCopy(core: CallsCore, id: string, token: string): Promise<boolean> {
  const { rowCount } = await core.pool.query({
    text: `INSERT INTO playable_copies AS c (recording_id, token, lease_until)
           SELECT id, $2, now() + make_interval(secs => $3) FROM recordings WHERE id = $1
           ON CONFLICT (recording_id) DO UPDATE SET token = excluded.token, lease_until = excluded.lease_until
            WHERE c.storage_key IS NULL AND c.lease_until < now()`,
    values: [id, token, LEASE_SECONDS],
  })
  return rowCount === 1
}

/** Makes the copy while renewing the claim. Continues if the client disconnects, so that the next request gets the copy. */
async function createClaimedCopy(core: CallsCore, call: CallAudio, token: string): Promise<string> {
  const heartbeat = startLeaseRenewal(LEASE_SECONDS, {
    renew: () => renewClaim(core, call.id, token),
    onTrouble: ({ message: reason }) =>
      core.log.warn({ recordingId: call.id, reason }, 'the heartbeat of a playable copy failed'),
    lostBy: () => new Error('The claim is lost'),
  })
  try {
    return await copySlots.runExclusive(() => createCopy(core, call, token))
  } catch (error) {
    core.log.warn({ recordingId: call.id, reason: String(error) }, 'a playable copy could not be created')
    const text = 'DELETE FROM playable_copies WHERE recording_id = $1 AND token = $2'
    await core.pool.query({ text, values: [call.id, token] }).catch(() => undefined) // If this fails, the lease expires.
    throw error instanceof HttpError ? error : retryLaterError(recordingMessages.playableLater())
  } finally {
    heartbeat.stop()
  }
}

/** Stores and registers the copy. Even after a crash, each file of a copy has a row or a planned removal. */
async function createCopy(core: CallsCore, { id, storageKey }: CallAudio, token: string): Promise<string> {
  await core.ownership.requireOurs()
  const key = `${callCopiesFolderOf(core, id)}${token}.wav`
  const { samples, channels, sampleRate } = await fetchDecodedAudio(core, storageKey)
  await spoolToDisk(samples, async (spooledSamples, size) => {
    await scheduleFileRemoval(core.pool, key, REMOVAL_DELAY_SECONDS)
    try {
      const wav = Readable.from(prependChunk(createWavHeader(channels, sampleRate, size), spooledSamples), {
        objectMode: false,
      })
      await registerCopy(core, id, token, key, await core.storage.write(key, wav))
    } catch (error) {
      await discardStoredFile(core, key)
      throw error
    }
  })
  return key
}

/**
 * Requests mu-law audio with one byte per sample from the recognizer.
 * @throws HttpError 404 if the file is missing, 422 if it cannot be decoded, 503 if the recognizer fails
 */
async function fetchDecodedAudio({ storage, config, recognizers }: CallsCore, storageKey: string) {
  const audio = await storage.read(storageKey).catch(throwMissingObjectAsNotFound)
  const response = await request(`${await recognizers.pickUrl()}/playable`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${config.ASR_API_KEY}`, 'Content-Type': 'application/octet-stream' },
    body: audio,
    signal: AbortSignal.timeout(DECODE_TIMEOUT_MS),
  }).catch(() => {
    throw retryLaterError(recordingMessages.recognizerAway())
  })
  const [channels, sampleRate] = ['x-channels', 'x-sample-rate'].map((name) => Number(response.headers[name]))
  if (response.statusCode === 200 && channels && sampleRate) return { samples: response.body, channels, sampleRate }
  await response.body.dump()
  if (response.statusCode === 422) throw new HttpError(422, recordingMessages.notPlayable())
  throw retryLaterError(recordingMessages.recognizerFailed())
}

async function* prependChunk(firstChunk: Buffer, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield firstChunk
  yield* chunks
}

const WAV_HEADER_BYTES = 58
const MU_LAW_FORMAT = 7

/** Creates the header of a mu-law WAV: RIFF, "fmt " with an empty extension, "fact" with the number of frames, and "data". */
function createWavHeader(channels: number, sampleRate: number, bytes: number): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES)
  header.write('RIFF', 0)
  header.writeUInt32LE(bytes + WAV_HEADER_BYTES - 8, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(18, 16)
  header.writeUInt16LE(MU_LAW_FORMAT, 20)
  header.writeUInt16LE(channels, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * channels, 28)
  header.writeUInt16LE(channels, 32)
  header.writeUInt16LE(8, 34)
  header.write('fact', 38)
  header.writeUInt32LE(4, 42)
  header.writeUInt32LE(bytes / channels, 46)
  header.write('data', 50)
  header.writeUInt32LE(bytes, 54)
  return header
}

async function registerCopy(core: CallsCore, id: string, token: string, key: string, size: number): Promise<void> {
  await runInTransaction(core.db, async (sql) => {
    const { rowCount } = await sql.query({
      text: `UPDATE playable_copies SET storage_key = $3, size_bytes = $4, token = NULL, lease_until = NULL
              WHERE recording_id = $1 AND token = $2`,
      values: [id, token, key, size],
    })
    const removal = await sql.query({ text: 'DELETE FROM file_removals WHERE storage_key = $1', values: [key] })
    if (rowCount !== 1 || removal.rowCount !== 1) throw new Error('The call was deleted meanwhile, or the claim lost')
  })
}

async function renewClaim(core: CallsCore, id: string, token: string): Promise<boolean> {
  const { rowCount } = await core.pool.query({
    text: `UPDATE playable_copies SET lease_until = now() + make_interval(secs => $3)
            WHERE recording_id = $1 AND token = $2`,
    values: [id, token, LEASE_SECONDS],
  })
  return rowCount === 1
}
