import type { Core } from '../core.ts'
import { BELONGING_FAULTS, type Belonging } from '../storage/ownership.ts'
import { recognizerState } from '../transcription/recognizer.ts'

/** A part that does not answer within this time counts as down. */
const TIME_LIMIT_MS = 2000

const MB = 1024 * 1024

/** With less free space than this many of the largest uploads, the disk is about to be full. */
const UPLOADS_LEFT = 10

/** Whether database, key-value store and recognizer are up. */
export async function readiness(core: Core) {
  const [database, store, asr, storage] = await Promise.all([
    isUp(core.pool.query({ text: 'SELECT 1' })),
    isUp(core.redis.ping()),
    recognizerState(core.config),
    takesUploads(core),
  ])
  const parts = {
    database: upOrDown(database),
    redis: upOrDown(store),
    asr: upOrDown(asr?.status === 'ready'),
    storage: upOrDown(storage),
  }
  const ready = Object.values(parts).every((state) => state === 'up')
  return { status: ready ? 'ready' : 'degraded', ...parts }
}

/** Whether an upload of the largest size would be stored. */
async function takesUploads(core: Core): Promise<boolean> {
  const [belonging, freeBytes] = await Promise.all([belongingOf(core), core.storage.freeBytes().catch(() => null)])
  return belonging === 'ours' && (freeBytes === null || freeBytes >= core.config.MAX_UPLOAD_MB * MB)
}

/** Whose the storage is; a database that hangs says nothing of it, so what was known stands. */
const belongingOf = async (core: Core): Promise<Belonging> =>
  (await withinLimit(core.ownership.state())) ?? core.ownership.last

const upOrDown = (up: boolean): 'up' | 'down' => (up ? 'up' : 'down')

async function isUp(question: Promise<unknown>): Promise<boolean> {
  return (await withinLimit(question)) !== undefined
}

/** The answer, or undefined when there is none in time. */
export async function withinLimit<T>(question: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), TIME_LIMIT_MS)
  })
  return Promise.race([question.catch(() => undefined), limit]).finally(() => clearTimeout(timer))
}

/** Versions, model, storage, and what an operator should mend. */
export async function describeSystem(core: Core) {
  const [database, store, asr, freeBytes, belonging] = await Promise.all([
    withinLimit(describeDatabase(core)),
    withinLimit(describeRedis(core)),
    recognizerState(core.config),
    core.storage.freeBytes().catch(() => null),
    belongingOf(core),
  ])
  return {
    version: SVC_VERSION,
    commit: SVC_COMMIT,
    node: process.versions.node,
    database: database ?? { version: null, schema: null },
    redis: store ?? { version: null, persistence: null, evictionPolicy: null },
    asr: {
      status: asr?.status ?? 'down',
      model: asr?.model ?? null,
      version: asr?.version ?? null,
      decoder: asr?.decoder ?? null,
      precision: asr?.precision ?? null,
    },
    storage: { kind: core.storage.kind, freeBytes },
    warnings: [
      ...storageWarnings(belonging, freeBytes, core.config.MAX_UPLOAD_MB),
      ...(store
        ? redisWarnings(store)
        : ['The key-value store does not answer: new work starts about a second later.']),
    ],
  }
}

/** What is wrong with the storage, by what is known of it: pages ask for this with every call, and wait for no storage. */
export async function describeStorageProblems({ config, storage, ownership }: Core) {
  const free = await storage.freeBytes().catch(() => null)
  return { warnings: storageWarnings(ownership.known() ?? 'ours', free, config.MAX_UPLOAD_MB) }
}

function storageWarnings(belonging: Belonging, freeBytes: number | null, maxUploadMb: number): string[] {
  const warnings = belonging === 'ours' ? [] : [BELONGING_FAULTS[belonging]]
  if (freeBytes === null || freeBytes >= UPLOADS_LEFT * maxUploadMb * MB) return warnings
  const left = `${Math.floor(freeBytes / MB)} MB are free, and one call may take ${maxUploadMb} MB.`
  const fault =
    freeBytes < maxUploadMb * MB ? 'The disk of the audio storage is full' : 'The disk of the audio storage fills'
  return [...warnings, `${fault}: ${left} Delete recordings or give it more room.`]
}

async function describeDatabase(core: Core) {
  const { rows } = await core.pool.query<{ version: string; schema: string }>({
    text: `SELECT current_setting('server_version') AS version,
                  (SELECT name FROM schema_migrations ORDER BY id DESC LIMIT 1) AS schema`,
  })
  return rows[0]!
}

interface RedisFacts {
  version: string | null
  persistence: 'aof' | 'rdb' | 'off' | null
  evictionPolicy: string | null
}

async function describeRedis({ redis }: Core): Promise<RedisFacts> {
  const info = await redis.info()
  const fact = (name: string): string | null => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? null
  // Whether snapshots are on is told by CONFIG alone, which managed stores may refuse.
  const snapshots = await redis.config('GET', 'save').then(
    (answer) => (answer as string[])[1] !== '',
    () => null,
  )
  const persistence = fact('aof_enabled') === '1' ? 'aof' : snapshots === null ? null : snapshots ? 'rdb' : 'off'
  return { version: fact('redis_version'), persistence, evictionPolicy: fact('maxmemory_policy') }
}

function redisWarnings({ persistence, evictionPolicy }: RedisFacts): string[] {
  const warnings: string[] = []
  if (persistence === 'off') warnings.push('The key-value store keeps nothing on disk: switch on its persistence.')
  if (evictionPolicy !== null && evictionPolicy !== 'noeviction') {
    warnings.push(`The key-value store may drop entries (${evictionPolicy}): set maxmemory-policy to noeviction.`)
  }
  return warnings
}
