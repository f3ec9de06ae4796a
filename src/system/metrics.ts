import { Gauge } from 'prom-client'
import type { Core } from '../core.ts'
import { describeQueues } from '../jobs/service.ts'
import { JOB_STATES } from '../jobs/schema.ts'
import { metrics, renderMetrics } from '../lib/metrics.ts'
import { forecastQueue } from '../recordings/forecast.ts'
import { withinLimit } from './service.ts'

const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
  new Gauge({ name, help, labelNames, registers: [metrics] })

const jobs = gauge('svc_queue_jobs', 'Jobs of a queue by state', ['queue', 'state'])
const paused = gauge('svc_queue_paused', 'Whether a queue is paused', ['queue'])
const waitingAudio = gauge('svc_waiting_audio_seconds', 'Audio that waits for transcription, partly guessed')
const oldest = gauge('svc_oldest_waiting_timestamp_seconds', 'When the oldest waiting recording was accepted')
const speed = gauge('svc_recognition_speed', 'Seconds of audio transcribed per second, by the recordings done last')

/** The metrics of this process and of the queues. Without the database those of the queues are left out. */
export async function collectMetrics(core: Core): Promise<{ type: string; text: string }> {
  const [queues, forecast] = (await withinLimit(Promise.all([describeQueues(core), forecastQueue(core)]))) ?? []
  for (const one of [jobs, paused, waitingAudio, oldest, speed]) one.reset()
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
