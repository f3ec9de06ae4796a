import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** The metrics of this process. */
export const metrics = new Registry()

let collecting = false

/** Every metric as Prometheus reads it. Those of Node are begun with the first question: most processes are never asked. */
export async function renderMetrics(): Promise<{ type: string; text: string }> {
  if (!collecting) collectDefaultMetrics({ register: metrics })
  collecting = true
  return { type: metrics.contentType, text: await metrics.metrics() }
}

const requests = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time until an answer began, by operation of the description and status',
  labelNames: ['operation', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 300],
  registers: [metrics],
})

/** Counts a request that was answered. */
export function observeRequest(operation: string, status: number, seconds: number): void {
  requests.observe({ operation, status }, seconds)
}
