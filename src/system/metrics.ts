import { Gauge } from 'prom-client'
import type { Core } from '../core.ts'
import { describeQueues } from '../queue/service.ts'
import { JOB_STATES } from '../queue/schema.ts'
import { metrics, renderMetrics } from '../lib/metrics.ts'
import { forecastQueue } from '../recordings/forecast.ts'
import { readiness, withinLimit } from './service.ts'

const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
  new Gauge({ name, help, labelNames, registers: [metrics] })

const jobs = gauge('svc_queue_jobs', 'Jobs of a queue by state', ['queue', 'state'])
const paused = gauge('svc_queue_paused', 'Whether a queue is paused', ['queue'])
const waitingAudio = gauge('svc_waiting_audio_seconds', 'Audio that waits for transcription, partly guessed')
const oldest = gauge('svc_oldest_waiting_timestamp_seconds', 'When the oldest waiting recording was accepted')
const speed = gauge('svc_recognition_speed', 'Seconds of audio transcribed per second, by the recordings done last')

const oldestDue = gauge('svc_queue_oldest_due_seconds', 'How long the oldest job that is due has waited', ['queue'])
const up = gauge('svc_up', 'Whether a part answers', ['part'])
const freeBytes = gauge('svc_storage_free_bytes', 'Free bytes where audio is stored')

/** The metrics of this process and of the queues. Without the database those of the queues are left out. */
export async function collectMetrics(core: Core): Promise<{ type: string; text: string }> {
  const asked = withinLimit(Promise.all([describeQueues(core), forecastQueue(core), waits(core)]))
  const [answers, state, free] = await Promise.all([asked, readiness(core), withinLimit(core.storage.freeBytes())])
  const [queues, forecast, waited] = answers ?? []
  for (const one of [jobs, paused, waitingAudio, oldest, speed, oldestDue, up]) one.reset()
  for (const part of ['database', 'redis', 'asr'] as const) up.set({ part }, state[part] === 'up' ? 1 : 0)
  for (const { queue, seconds } of waited ?? []) oldestDue.set({ queue }, seconds)
  setOrRemove(freeBytes, free)
  for (const queue of queues ?? []) {
    for (const state of JOB_STATES) jobs.set({ queue: queue.name, state }, queue[state])
    paused.set({ queue: queue.name }, queue.paused ? 1 : 0)
  }
  setOrRemove(waitingAudio, forecast?.waitingAudioSeconds)
  setOrRemove(oldest, forecast?.oldestWaitingSince && forecast.oldestWaitingSince.getTime() / 1000)
  setOrRemove(speed, forecast?.speed)
  return renderMetrics()
}

/** What is not known is not shown: a zero would be a lie. */
function setOrRemove(gauge: Gauge, value: number | null | undefined): void {
  if (typeof value === 'number') gauge.set(value)
  else gauge.remove()
}

/** How long the oldest job of each queue is due already; 0 where none is. */
async function waits(core: Core): Promise<{ queue: string; seconds: number }[]> {
  const ages = core.queues.map(
    ({ name, table }) => `
      SELECT '${name}' AS queue, coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0)::float AS seconds
        FROM ${table} WHERE status = 'QUEUED' AND next_attempt_at <= now()`,
  )
  const { rows } = await core.pool.query<{ queue: string; seconds: number }>({ text: ages.join(' UNION ALL ') })
  return rows
}
