import { JOB_STATES } from '../../calls/jobs/schema.ts'
import { Gauge } from 'prom-client'
import { countReindexed } from '../../calls/list/reindex.ts'
import type { AppCore } from '../core.ts'
import { describeQueues } from '../../calls/jobs/service.ts'
import { metrics, renderMetrics } from '../../platform/lib/metrics.ts'
import { forecastQueue } from '../../calls/recordings/forecast.ts'
import type { SeenRecognizer } from '../../calls/transcription/recognizers.ts'
import { readiness, withinLimit } from './service.ts'

const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
  new Gauge({ name, help, labelNames, registers: [metrics] })

const jobs = gauge('svc_queue_jobs', 'Jobs of a queue by state', ['queue', 'state'])
const paused = gauge('svc_queue_paused', 'Whether a queue is paused', ['queue'])
const waitingAudio = gauge('svc_waiting_audio_seconds', 'Audio that waits for transcription, partly guessed')
const oldest = gauge('svc_oldest_waiting_timestamp_seconds', 'When the oldest waiting recording was accepted')
const speed = gauge('svc_recognition_speed', 'Seconds of audio transcribed per second, by the recordings done last')

const oldestDue = gauge('svc_queue_oldest_due_seconds', 'How long the oldest job that is due has waited', ['queue'])
const recognizers = gauge('svc_recognizers', 'Recognizers behind the name, by state', ['state'])
const recognizerUp = gauge('svc_recognizer_up', 'Whether a recognizer is ready', ['address'])
const recognizerSlots = gauge('svc_recognizer_places', 'How many files a recognizer works on at once', ['address'])
const recognizerLoad = gauge('svc_recognizer_load', 'Files that a recognizer works on, and that wait there', [
  'address',
  'state',
])
const databaseSeconds = gauge('svc_database_seconds', 'How long the database took for the smallest question')
const replicaLag = gauge('svc_database_replica_lag_seconds', 'How far the slowest replica of the database is behind')
const replicas = gauge('svc_database_replicas', 'Replicas that the database streams to')
const up = gauge('svc_up', 'Whether a part answers', ['part'])
const unindexed = gauge('svc_search_unindexed_texts', 'Texts that wait to be indexed for the search')
const freeBytes = gauge('svc_storage_free_bytes', 'Free bytes where audio is stored')

/** The metrics of this process and of the queues. Without the database, those of the queues are omitted. */
export async function collectMetrics(core: AppCore): Promise<{ type: string; text: string }> {
  const asked = withinLimit(Promise.all([describeQueues(core, core.queues), forecastQueue(core), waits(core)]))
  const [answers, state, free, seen, delays, search] = await Promise.all([
    asked,
    readiness(core),
    withinLimit(core.storage.freeBytes()),
    core.recognizers.look(),
    withinLimit(databaseDelays(core)),
    withinLimit(countReindexed(core)),
  ])
  const [queues, forecast, waited] = answers ?? []
  for (const one of [jobs, paused, waitingAudio, oldest, speed, oldestDue, up]) one.reset()
  showRecognizers(seen)
  setOrRemove(databaseSeconds, delays?.seconds)
  setOrRemove(replicaLag, delays?.lag)
  setOrRemove(replicas, delays?.replicas)
  for (const part of ['database', 'redis', 'asr', 'storage'] as const) up.set({ part }, state[part] === 'up' ? 1 : 0)
  for (const { queue, seconds } of waited ?? []) oldestDue.set({ queue }, seconds)
  setOrRemove(freeBytes, free)
  setOrRemove(unindexed, search === null ? 0 : search && search.total - search.indexed)
  for (const queue of queues ?? []) {
    for (const state of JOB_STATES) jobs.set({ queue: queue.name, state }, queue[state])
    paused.set({ queue: queue.name }, queue.paused ? 1 : 0)
  }
  setOrRemove(waitingAudio, forecast?.waitingAudioSeconds)
  setOrRemove(oldest, forecast?.oldestWaitingSince && forecast.oldestWaitingSince.getTime() / 1000)
  setOrRemove(speed, forecast?.speed)
  return renderMetrics()
}

/** Every recognizer that this process knows; all processes report the same values. */
function showRecognizers(seen: SeenRecognizer[]): void {
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

/** The latency of the database, and its replicas if this user can see them; an up-to-date one has no lag. */
async function databaseDelays({ pool }: AppCore): Promise<{ seconds: number } & Replicas> {
  const began = performance.now()
  await pool.query({ text: 'SELECT 1' })
  const seconds = (performance.now() - began) / 1000
  const { rows } = await pool.query<Replicas>({
    text: `SELECT extract(epoch FROM max(replay_lag))::float AS lag,
                  CASE count(state) WHEN count(*)
                       THEN count(*) FILTER (WHERE state IN ('catchup', 'streaming') AND application_name <> 'pg_basebackup')
                   END::int AS replicas
             FROM pg_stat_replication`,
  })
  return { seconds, ...rows[0]! }
}

interface Replicas {
  lag: number | null
  replicas: number | null
}

/** Removes unknown values: a zero would be wrong. */
function setOrRemove(gauge: Gauge, value: number | null | undefined): void {
  if (typeof value === 'number') gauge.set(value)
  else gauge.remove()
}

/** How long the oldest due job of each queue has been waiting; 0 without one. */
async function waits(core: AppCore): Promise<{ queue: string; seconds: number }[]> {
  const ages = core.queues.map(
    ({ name, table }) => `
      SELECT '${name}' AS queue, coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0)::float AS seconds
        FROM ${table} WHERE status = 'QUEUED' AND next_attempt_at <= now()`,
  )
  const { rows } = await core.pool.query<{ queue: string; seconds: number }>({ text: ages.join(' UNION ALL ') })
  return rows
}
