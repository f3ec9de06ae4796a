import { randomUUID } from 'node:crypto'
import { Semaphore, withTimeout } from 'async-mutex'
import { Agent, request } from 'undici'
import type { CallsCore } from '../core.ts'
import { transaction } from '../../platform/db/db.ts'
import { HttpError, notFound } from '../../platform/errors.ts'
import { copiesFolder, ObjectMissing } from '../../platform/storage/index.ts'
import { GrowingWav } from './making.ts'
import { discardFile, planRemoval, removeFile } from '../recordings/removals.ts'
import { recordingMessages } from '../recordings/messages.ts'
import { httpMessages } from '../../platform/http/messages.ts'
import type { Message } from '../../platform/lib/messages.ts'

/** Copies made at once by this process. */
const AT_ONCE = 2
const SLOT_WAIT_MS = 30_000
/** A copy that takes longer is given up. */
const MAKING_MS = 5 * 60_000
/** The claim on a copy ends so long after the last sign of life of whoever makes it. */
const LEASE_SECONDS = 20
const HEARTBEAT_MS = 5000
/** How long a request waits for a copy that another process makes. */
const WAIT_MS = 60_000
const WAIT_STEP_MS = 500
/** A file that was not registered after an hour never will be. */
const REMOVAL_SECONDS = 3600
/** Three hours of two channels at 16,000 samples a second, and a header. */
const MOST_BYTES = 3 * 3600 * 16_000 * 2 + 64 * 1024

/** What this process makes now, by recording. */
const making = new Map<string, Promise<Making>>()

/** A call whose copy is asked for. */
export interface PlayedCall {
  id: string
  storageKey: string
  /** Its true length; null until it was decoded. */
  durationSeconds: number | null
}

/** A copy that is being written; `stored` when it is in the storage. */
interface Making {
  growing: GrowingWav
  stored: Promise<void>
}

/** A copy in the storage, or one that is still being written. */
export type Playable = { storageKey: string } | Making

/**
 * The copy of a call that every browser plays: the one that is there, or one that is made now, once for everybody who
 * asks, in whatever process.
 * @throws HttpError 404, 422, 503
 */
export async function playableCopy(core: CallsCore, call: PlayedCall): Promise<Playable> {
  const deadline = performance.now() + WAIT_MS
  while (performance.now() < deadline) {
    const mine = making.get(call.id)
    if (mine) return mine
    const stored = await findCopy(core, call.id)
    if (stored) return { storageKey: stored }
    const token = randomUUID()
    if (await claim(core, call.id, token)) return startMaking(core, call, token)
    await new Promise((resolve) => setTimeout(resolve, WAIT_STEP_MS))
  }
  throw later(recordingMessages.soundIsPrepared())
}

/** The key of the copy, if there is one and its file. */
export async function findCopy(core: CallsCore, id: string): Promise<string | undefined> {
  const { rows } = await core.pool.query<{ storage_key: string }>({
    name: 'find-playable-copy',
    text: 'SELECT storage_key FROM playable_copies WHERE recording_id = $1 AND storage_key IS NOT NULL',
    values: [id],
  })
  const key = rows[0]?.storage_key
  if (key === undefined) return undefined
  try {
    await core.storage.stat(key)
    return key
  } catch (error) {
    if (!(error instanceof ObjectMissing)) throw error
    // Somebody removed it from the storage: it can be made again.
    const text = 'DELETE FROM playable_copies WHERE recording_id = $1 AND storage_key = $2'
    await core.pool.query({ text, values: [id, key] })
    return undefined
  }
}

/** Removes the files of a deleted recording's copies now rather than with the next round of the schedule. */
export async function removeCopies(core: CallsCore, id: string): Promise<void> {
  const { rows } = await core.pool.query<{ storage_key: string }>({
    text: `SELECT storage_key FROM file_removals WHERE starts_with(storage_key, $1) AND due_at <= now()`,
    values: [folderOf(core, id)],
  })
  for (const { storage_key: key } of rows) await removeFile(core, key)
}

const folderOf = (core: CallsCore, id: string): string => `${copiesFolder(core.storage)}${id.toLowerCase()}/`

const later = (message: Message) => new HttpError(503, message, { 'Retry-After': '10' })

const slots = withTimeout(new Semaphore(AT_ONCE), SLOT_WAIT_MS, later(recordingMessages.tooManyPrepared()))

async function claim(core: CallsCore, id: string, token: string): Promise<boolean> {
  const { rowCount } = await core.pool.query({
    text: `INSERT INTO playable_copies AS c (recording_id, token, lease_until)
           SELECT id, $2, now() + make_interval(secs => $3) FROM recordings WHERE id = $1
           ON CONFLICT (recording_id) DO UPDATE SET token = excluded.token, lease_until = excluded.lease_until
            WHERE c.storage_key IS NULL AND c.lease_until < now()`,
    values: [id, token, LEASE_SECONDS],
  })
  return rowCount === 1
}

/** Resolves as soon as the first sound can be heard; the rest goes on by itself, whoever listens. */
function startMaking(core: CallsCore, call: PlayedCall, token: string): Promise<Making> {
  const made = make(core, call, token)
  making.set(call.id, made)
  void forgetOnceStored(core, call.id, made)
  return made
}

async function forgetOnceStored(core: CallsCore, id: string, made: Promise<Making>): Promise<void> {
  let growing: GrowingWav | undefined
  try {
    const copy = await made
    growing = copy.growing
    await copy.stored
  } catch (error) {
    core.log.warn({ recordingId: id, reason: String(error) }, 'no copy was made')
  }
  making.delete(id)
  // Not at once: a request that has just found the copy in `making` still has to open it.
  setImmediate(() => void growing?.release())
}

async function make(core: CallsCore, call: PlayedCall, token: string): Promise<Making> {
  const heartbeat = setInterval(() => void keepClaim(core, call.id, token), HEARTBEAT_MS)
  const agent = new Agent({ connect: { timeout: 5000 }, headersTimeout: MAKING_MS, bodyTimeout: MAKING_MS })
  const end = async () => {
    clearInterval(heartbeat)
    await agent.destroy().catch(() => undefined)
    await giveUpClaim(core, call.id, token).catch(() => undefined)
  }
  try {
    const [, release] = await slots.acquire()
    try {
      const { sound, format } = await decodeByRecognizer(core, call, agent)
      const growing = await GrowingWav.create(core.config.audioDir, format, call.durationSeconds)
      const stored = store(core, call, token, growing, sound)
      void stored.then(release, release).then(end)
      return { growing, stored }
    } catch (error) {
      release()
      throw error
    }
  } catch (error) {
    await end()
    throw error
  }
}

async function decodeByRecognizer(
  { storage, config, recognizers }: CallsCore,
  { storageKey }: PlayedCall,
  dispatcher: Agent,
) {
  const audio = await storage.read(storageKey).catch((error: unknown) => {
    throw error instanceof ObjectMissing ? notFound(httpMessages.noSound()) : error
  })
  const answer = await request(`${await recognizers.anyUrl()}/playable`, {
    method: 'POST',
    dispatcher,
    headers: { Authorization: `Bearer ${config.ASR_API_KEY}`, 'Content-Type': 'application/octet-stream' },
    body: audio,
    signal: AbortSignal.timeout(MAKING_MS),
  }).catch(() => {
    throw later(recordingMessages.recognizerAway())
  })
  const [channels, sampleRate] = ['x-channels', 'x-sample-rate'].map((name) => Number(answer.headers[name]))
  if (answer.statusCode === 422) {
    await answer.body.dump()
    throw new HttpError(422, recordingMessages.notPlayable())
  }
  if (answer.statusCode !== 200 || !channels || !sampleRate) {
    await answer.body.dump()
    throw later(recordingMessages.recognizerFailed())
  }
  return { sound: atMost(answer.body, MOST_BYTES), format: { channels, sampleRate } }
}

async function* atMost(chunks: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > most) throw new Error('the sound is longer than any call may be')
    yield chunk
  }
}

/** Writes the copy to its end, then into the storage, and registers it: no row without its file, no file without a row or a note. */
async function store(
  core: CallsCore,
  { id }: PlayedCall,
  token: string,
  growing: GrowingWav,
  sound: AsyncIterable<Buffer>,
): Promise<void> {
  const key = `${folderOf(core, id)}${token}.wav`
  try {
    await growing.fill(sound)
    await planRemoval(core.pool, key, REMOVAL_SECONDS)
    await core.storage.write(key, growing.read(0, growing.size - 1))
    await register(core, id, token, key, growing.size)
  } catch (error) {
    growing.break()
    await discardFile(core, key)
    throw error
  }
}

async function register(core: CallsCore, id: string, token: string, key: string, size: number): Promise<void> {
  await transaction(core.db, async (sql) => {
    const { rowCount } = await sql.query({
      text: `UPDATE playable_copies SET storage_key = $3, size_bytes = $4, token = NULL, lease_until = NULL
              WHERE recording_id = $1 AND token = $2`,
      values: [id, token, key, size],
    })
    const note = await sql.query({ text: 'DELETE FROM file_removals WHERE storage_key = $1', values: [key] })
    if (rowCount !== 1 || note.rowCount !== 1) throw new Error('the call was deleted meanwhile, or the claim lost')
  })
}

async function keepClaim(core: CallsCore, id: string, token: string): Promise<void> {
  await core.pool
    .query({
      text: `UPDATE playable_copies SET lease_until = now() + make_interval(secs => $3)
              WHERE recording_id = $1 AND token = $2`,
      values: [id, token, LEASE_SECONDS],
    })
    .catch((error: Error) => core.log.warn({ recordingId: id, reason: error.message }, 'no heartbeat of a copy'))
}

/** A claim that was registered has no token any more. */
async function giveUpClaim(core: CallsCore, id: string, token: string): Promise<void> {
  const text = 'DELETE FROM playable_copies WHERE recording_id = $1 AND token = $2'
  await core.pool.query({ text, values: [id, token] })
}
