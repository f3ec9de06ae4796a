import type { Sql } from '../../platform/db/sql.ts'
import type { AppCore } from '../core.ts'
import { loadTranscriptReindexProgress } from '../../calls/list/reindex.ts'
import { hasDemoData } from '../demo/marker.ts'
import { STORAGE_OWNERSHIP_ERRORS, type StorageOwnershipState } from '../../platform/storage/ownership.ts'
import type { RecognizerStatus } from '../../calls/transcription/recognizers.ts'
import { loadLastEmailFailure } from '../../work/email/plan.ts'
import { isEmailOn } from '../../work/email/values.ts'
import { systemMessages } from './messages.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { getCurrentLanguage } from '../../platform/lib/log.ts'

/** A part that does not respond within this time counts as down. */
const RESPONSE_LIMIT_MS = 2000

const BYTES_PER_MB = 1024 * 1024

/** The page warns about low disk space if fewer uploads of maximum size fit. */
const MIN_UPLOADS_LEFT = 10

/** Checks whether database, Redis, recognizer and storage are up, for GET /readyz. */
export async function checkServiceReadiness(core: AppCore) {
  const [database, store, asr, storage] = await Promise.all([
    isUp(core.pool.query({ text: 'SELECT 1' })),
    isUp(core.redis.ping()),
    core.recognizers.poll(),
    canStoreUpload(core),
  ])
  const parts = {
    database: formatState(database),
    redis: formatState(store),
    asr: formatState(asr.some(({ status }) => status === 'ready')),
    storage: formatState(storage),
  }
  const ready = Object.values(parts).every((state) => state === 'up')
  return { status: ready ? ('ready' as const) : ('degraded' as const), ...parts }
}

/** Checks whether the storage belongs to this database and has space for an upload of maximum size. */
async function canStoreUpload(core: AppCore): Promise<boolean> {
  const [belonging, freeBytes] = await Promise.all([loadBelonging(core), core.storage.freeBytes().catch(() => null)])
  return belonging === 'ours' && (freeBytes === null || freeBytes >= core.config.MAX_UPLOAD_MB * BYTES_PER_MB)
}

/** During a database outage, the last known owner of the storage is used. */
const loadBelonging = async (core: AppCore): Promise<StorageOwnershipState> =>
  (await resolveWithinResponseLimit(core.ownership.state())) ?? core.ownership.last

const formatState = (up: boolean): 'up' | 'down' => (up ? 'up' : 'down')

async function isUp(request: Promise<unknown>): Promise<boolean> {
  return (await resolveWithinResponseLimit(request)) !== undefined
}

/** Resolves with the result of `request`, or with undefined if it fails or takes longer than two seconds. */
export async function resolveWithinResponseLimit<T>(request: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), RESPONSE_LIMIT_MS)
  })
  return Promise.race([request.catch(() => undefined), limit]).finally(() => clearTimeout(timer))
}

/** Loads versions, model, storage and warnings of the installation, for GET /v1/system. */
export async function loadSystemState(core: AppCore) {
  const [database, store, asr, freeBytes, belonging, demo, search, lastEmailFailure] = await Promise.all([
    resolveWithinResponseLimit(loadDatabaseFacts(core)),
    resolveWithinResponseLimit(loadRedisFacts(core)),
    core.recognizers.poll(),
    core.storage.freeBytes().catch(() => null),
    loadBelonging(core),
    demoWarnings(core.pool),
    resolveWithinResponseLimit(loadTranscriptReindexProgress(core)),
    resolveWithinResponseLimit(loadLastEmailFailure(core)),
  ])
  return {
    version: SVC_VERSION,
    releaseDate: SVC_RELEASE_DATE,
    commit: SVC_COMMIT,
    node: process.versions.node,
    database: database ?? { version: null, schema: null },
    redis: store ?? { version: null, persistence: null, evictionPolicy: null },
    asr: formatRecognizers(asr),
    storage: { kind: core.storage.kind, freeBytes },
    search: search ?? null,
    email: { on: isEmailOn(core.config), lastFailure: lastEmailFailure ?? null },
    ...formatWarnings([
      ...demo,
      ...(core.config.ownerPasswordGiven ? [systemMessages.bootstrapPassword()] : []),
      ...storageWarnings(belonging, freeBytes, core.config.MAX_UPLOAD_MB),
      ...recognizerWarnings(asr),
      ...(store ? redisWarnings(store) : [systemMessages.redisAway()]),
    ]),
  }
}

/** `status` and the model come from the recognizer with the best status. */
function formatRecognizers(seen: RecognizerStatus[]) {
  const byReadiness = (['ready', 'loading', 'failed', 'draining'] as const).flatMap((status) =>
    seen.filter((one) => one.status === status),
  )
  const best = byReadiness[0]
  const status = best?.status === 'draining' ? 'down' : (best?.status ?? 'down')
  return { status, ...modelFactsOf(best), recognizers: seen.map(formatRecognizer) }
}

function formatRecognizer(one: RecognizerStatus) {
  const { address, status, state, slots } = one
  const { running, waiting } = state?.queue ?? { running: null, waiting: null }
  return { address, status, ...modelFactsOf(one), places: slots, running, waiting }
}

const modelFactsOf = (one: RecognizerStatus | undefined) => ({
  model: one?.state?.model ?? null,
  version: one?.state?.version ?? null,
  decoder: one?.state?.decoder ?? null,
  precision: one?.state?.precision ?? null,
})

/** With one recognizer, its status shows a failure. With several, working ones would mask the failing ones. */
function recognizerWarnings(seen: RecognizerStatus[]): Message[] {
  const failing = seen.filter(({ status }) => status === 'down' || status === 'failed')
  if (seen.length < 2 || failing.length === 0) return []
  const names = failing.map(({ address, status }) => `${address} (${status})`)
  return [systemMessages.recognizers({ names: names.join(', ') })]
}

/**
 * Loads warnings about the storage and demo data. Every page of the panel requests them, so the last known owner of the storage
 * is used, without a wait.
 */
export async function loadStorageWarnings({ config, pool, storage, ownership }: AppCore) {
  const [demo, free] = await Promise.all([demoWarnings(pool), storage.freeBytes().catch(() => null)])
  return formatWarnings([...demo, ...storageWarnings(ownership.getLastKnown() ?? 'ours', free, config.MAX_UPLOAD_MB)])
}

const demoWarnings = async (sql: Sql): Promise<Message[]> =>
  (await resolveWithinResponseLimit(hasDemoData(sql))) ? [systemMessages.demo()] : []

const formatWarnings = (warnings: Message[]) => ({
  warnings: warnings.map((warning) => warning.format(getCurrentLanguage())),
  warningIds: warnings.map(({ id }) => id),
})

function storageWarnings(belonging: StorageOwnershipState, freeBytes: number | null, maxUploadMb: number): Message[] {
  const warnings = belonging === 'ours' ? [] : [STORAGE_OWNERSHIP_ERRORS[belonging]]
  if (freeBytes === null || freeBytes >= MIN_UPLOADS_LEFT * maxUploadMb * BYTES_PER_MB) return warnings
  const formatWarning = freeBytes < maxUploadMb * BYTES_PER_MB ? systemMessages.diskFull : systemMessages.diskFills
  return [...warnings, formatWarning({ free: Math.floor(freeBytes / BYTES_PER_MB), call: maxUploadMb })]
}

async function loadDatabaseFacts(core: AppCore) {
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

async function loadRedisFacts({ redis }: AppCore): Promise<RedisFacts> {
  const info = await redis.info()
  const fact = (name: string): string | null => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? null
  // Only CONFIG shows whether snapshots are enabled, and managed Redis services can reject it.
  const snapshots = await redis.config('GET', 'save').then(
    (answer) => (answer as string[])[1] !== '',
    () => null,
  )
  const persistence = fact('aof_enabled') === '1' ? 'aof' : snapshots === null ? null : snapshots ? 'rdb' : 'off'
  return { version: fact('redis_version'), persistence, evictionPolicy: fact('maxmemory_policy') }
}

function redisWarnings({ persistence, evictionPolicy }: RedisFacts): Message[] {
  const warnings: Message[] = []
  if (persistence === 'off') warnings.push(systemMessages.redisForgets())
  if (evictionPolicy !== null && evictionPolicy !== 'noeviction') {
    warnings.push(systemMessages.redisDrops({ policy: evictionPolicy }))
  }
  return warnings
}
