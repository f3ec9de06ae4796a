import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

export const metricsRegistry = new Registry()

let isCollecting = false

/**
 * Formats all metrics for Prometheus. Collects Node's own metrics only from the first scrape on, because many processes are never
 * scraped.
 */
export async function formatMetrics(): Promise<{ type: string; text: string }> {
  if (!isCollecting) collectDefaultMetrics({ register: metricsRegistry })
  isCollecting = true
  return { type: metricsRegistry.contentType, text: await metricsRegistry.metrics() }
}

const runningComponents = new Gauge({
  name: 'svc_component',
  help: 'Components that this process runs: http, queues, recognizer or panel',
  labelNames: ['component'],
  registers: [metricsRegistry],
})

/** Exports that this process runs a component. Alerts fire if no process exports it. */
export function markComponentRunning(component: 'http' | 'queues' | 'recognizer' | 'panel'): void {
  runningComponents.set({ component }, 1)
}

const rejectedFiles = new Counter({
  name: 'svc_ingestion_refused_total',
  help: 'Files that the ingestion rejected, counted once for each file and reason',
  registers: [metricsRegistry],
})

/** Counts a file that the ingestion rejected. Call it once per file and reason. */
export function countRejectedIngestionFile(): void {
  rejectedFiles.inc()
}

const requestDuration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time until a response began, by operation and status',
  labelNames: ['operation', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 300],
  registers: [metricsRegistry],
})

/** Records the seconds until the response to an HTTP request began. */
export function observeHttpRequest(operation: string, status: number, seconds: number): void {
  requestDuration.observe({ operation, status }, seconds)
}

const attemptDuration = new Histogram({
  name: 'svc_attempt_duration_seconds',
  help: 'Time that an attempt took, by queue and outcome',
  labelNames: ['queue', 'outcome'],
  buckets: [0.1, 0.5, 1, 2.5, 5, 15, 30, 60, 120, 300, 600, 1800, 3600],
  registers: [metricsRegistry],
})

/**
 * Describes the end of an attempt. `retry`: the job is requeued; `failed`: it failed for good; `lost`: the claim was lost;
 * `released`: the attempt does not count.
 */
export type AttemptOutcome = 'done' | 'retry' | 'failed' | 'lost' | 'released'

/** Initialises all outcomes of a queue to 0; otherwise increase() misses the first event after a restart. */
export function initializeAttemptCounts(queue: string): void {
  for (const outcome of ['done', 'retry', 'failed', 'lost', 'released'] satisfies AttemptOutcome[]) {
    attemptDuration.zero({ queue, outcome })
  }
}

/** Records the outcome and the duration of an attempt of a job. */
export function observeJobAttempt(queue: string, outcome: AttemptOutcome, seconds: number): void {
  attemptDuration.observe({ queue, outcome }, seconds)
}

const claimDuration = new Histogram({
  name: 'svc_claim_duration_seconds',
  help: 'Time that the database took to give a worker a job, or to find none',
  labelNames: ['queue'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  registers: [metricsRegistry],
})

/** Records the seconds that the database took to claim a job or to find none. */
export function observeClaimDuration(queue: string, seconds: number): void {
  claimDuration.observe({ queue }, seconds)
}

/** Exports the numbers of running and waiting files of the recognizer. @param count called at each scrape */
export function registerRecognizerFilesMetric(count: () => { running: number; waiting: number }): void {
  const files = new Gauge({
    name: 'svc_recognizer_files',
    help: 'Files that the recognizer works on, and that wait there',
    labelNames: ['state'],
    registers: [],
    collect() {
      for (const [state, number] of Object.entries(count())) this.set({ state }, number)
    },
  })
  metricsRegistry.registerMetric(files)
}
