import { QUEUE_JOB_STATES } from '../../calls/jobs/schema.ts'
import { Gauge } from 'prom-client'
import { loadTranscriptReindexProgress } from '../../calls/list/reindex.ts'
import type { AppCore } from '../core.ts'
import { loadQueueStates } from '../../calls/jobs/service.ts'
import { metricsRegistry, formatMetrics } from '../../platform/lib/metrics.ts'
import { loadTranscriptionQueueForecast } from '../../calls/recordings/forecast.ts'
import type { RecognizerStatus } from '../../calls/transcription/recognizers.ts'
import { checkServiceReadiness, resolveWithinResponseLimit } from './service.ts'

const createGauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
  new Gauge({ name, help, labelNames, registers: [metricsRegistry] })

const jobs = createGauge('svc_queue_jobs', 'Jobs of a queue by state', ['queue', 'state'])
const queuePaused = createGauge('svc_queue_paused', 'Whether a queue is paused', ['queue'])
const waitingAudio = createGauge('svc_waiting_audio_seconds', 'Seconds of queued audio, partly estimated')
const oldestWaiting = createGauge(
  'svc_oldest_waiting_timestamp_seconds',
  'When the oldest waiting recording was accepted',
)
const recognitionSpeed = createGauge(
  'svc_recognition_speed',
  'Seconds of audio transcribed per second, by the recordings done last',
)

const oldestDue = createGauge('svc_queue_oldest_due_seconds', 'How long the oldest job that is due has waited', [
  'queue',
])
const recognizers = createGauge('svc_recognizers', 'Recognizers behind the name, by state', ['state'])
const recognizerUp = createGauge('svc_recognizer_up', 'Whether a recognizer is ready', ['address'])
const recognizerSlots = createGauge('svc_recognizer_places', 'How many files a recognizer works on at once', [
  'address',
])
const recognizerLoad = createGauge('svc_recognizer_load', 'Files that a recognizer works on, and that wait there', [
  'address',
  'state',
])
const databaseSeconds = createGauge('svc_database_seconds', 'How long the database took for SELECT 1')
const replicaLag = createGauge(
  'svc_database_replica_lag_seconds',
  'How far the slowest replica of the database is behind',
)
const replicas = createGauge('svc_database_replicas', 'Replicas that the database streams to')
const partUp = createGauge('svc_up', 'Whether a part is up', ['part'])
const unindexedTexts = createGauge('svc_search_unindexed_texts', 'Texts that wait to be indexed for the search')
const freeBytes = createGauge('svc_storage_free_bytes', 'Free bytes where audio is stored')

/**
 * Collects the metrics of this process and of the queues as Prometheus text. Without the database, the metrics of queues are
 * omitted.
 */
export async function collectMetrics(core: AppCore): Promise<{ type: string; text: string }> {
  const queueFigures = resolveWithinResponseLimit(
    Promise.all([loadQueueStates(core, core.queues), loadTranscriptionQueueForecast(core), loadQueueDelays(core)]),
  )
  const [answers, state, free, seen, delays, search] = await Promise.all([
    queueFigures,
    checkServiceReadiness(core),
    resolveWithinResponseLimit(core.storage.freeBytes()),
    core.recognizers.poll(),
    resolveWithinResponseLimit(measureDatabase(core)),
    resolveWithinResponseLimit(loadTranscriptReindexProgress(core)),
  ])
  const [queues, forecast, waited] = answers ?? []
  for (const one of [jobs, queuePaused, waitingAudio, oldestWaiting, recognitionSpeed, oldestDue, partUp]) one.reset()
  updateRecognizerGauges(seen)
  setOrRemove(databaseSeconds, delays?.seconds)
  setOrRemove(replicaLag, delays?.lag)
  setOrRemove(replicas, delays?.replicas)
  for (const part of ['database', 'redis', 'asr', 'storage'] as const)
    partUp.set({ part }, state[part] === 'up' ? 1 : 0)
  for (const { queue, seconds } of waited ?? []) oldestDue.set({ queue }, seconds)
  setOrRemove(freeBytes, free)
  setOrRemove(unindexedTexts, search === null ? 0 : search && search.total - search.indexed)
  for (const queue of queues ?? []) {
    for (const state of QUEUE_JOB_STATES) jobs.set({ queue: queue.name, state }, queue[state])
    queuePaused.set({ queue: queue.name }, queue.paused ? 1 : 0)
  }
  setOrRemove(waitingAudio, forecast?.waitingAudioSeconds)
  setOrRemove(oldestWaiting, forecast?.oldestWaitingSince && forecast.oldestWaitingSince.getTime() / 1000)
  setOrRemove(recognitionSpeed, forecast?.speed)
  return formatMetrics()
}

/** All processes report the same recognizers with the same values. */
function updateRecognizerGauges(seen: RecognizerStatus[]): void {
  for (const one of [recognizers, recognizerUp, recognizerSlots, recognizerLoad]) one.reset()
  for (const state of ['ready', 'loading', 'failed', 'down', 'draining'] as const) {
    recognizers.set({ state }, seen.filter(({ status }) => status === state).length)
  }
  for (const { address, status, slots, state } of seen) {
    recognizerUp.set({ address }, status === 'ready' ? 1 : 0)
    recognizerSlots.set({ address }, slots)
    if (!state?.queue) continue
    for (const name of ['running', 'waiting'] as const) recognizerLoad.set({ address, state: name }, state.queue[name])
  }
}

/**
 * Measures the latency of the database, and the replication lag if the database user can see it. An up-to-date replica has no
 * lag.
 */
async function measureDatabase({ pool }: AppCore): Promise<{ seconds: number } & ReplicaState> {
  const startedAt = performance.now()
  await pool.query({ text: 'SELECT 1' })
  const seconds = (performance.now() - startedAt) / 1000
  const { rows } = await pool.query<ReplicaState>({
    text: `SELECT extract(epoch FROM max(replay_lag))::float AS lag,
                  CASE count(state) WHEN count(*)
                       THEN count(*) FILTER (WHERE state IN ('catchup', 'streaming') AND application_name <> 'pg_basebackup')
                   END::int AS replicas
             FROM pg_stat_replication`,
  })
  return { seconds, ...rows[0]! }
}

interface ReplicaState {
  lag: number | null
  replicas: number | null
}

/** Removes an unknown value, because 0 would be wrong. */
function setOrRemove(gauge: Gauge, value: number | null | undefined): void {
  if (typeof value === 'number') gauge.set(value)
  else gauge.remove()
}

/** Loads for each queue how long the oldest due job has waited; 0 without a due job. */
async function loadQueueDelays(core: AppCore): Promise<{ queue: string; seconds: number }[]> {
  const ages = core.queues.map(
    ({ name, table }) => `
      SELECT '${name}' AS queue, coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0)::float AS seconds
        FROM ${table} WHERE status = 'QUEUED' AND next_attempt_at <= now()`,
  )
  const { rows } = await core.pool.query<{ queue: string; seconds: number }>({ text: ages.join(' UNION ALL ') })
  return rows
}
