/**
 * Workers and recognizers by the dozen on one database with a million calls that wait: how many calls a second are claimed
 * and done, how long a claim takes, whether none is done twice, and how that grows with the workers. The recognizers are
 * simulated: the real protocol, an address each behind one name, and an answer after a fixed time.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import dns from 'node:dns/promises'
import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startApi, type RunningApi } from '../src/app/commands/api.ts'
import type { Config } from '../src/platform/config/config.ts'
import { readConfig } from '../src/platform/config/config.ts'
import { freePort } from '../src/app/embedded/index.ts'
import { createLog } from '../src/platform/lib/log.ts'
import { metrics, renderMetrics } from '../src/platform/lib/metrics.ts'
import { claimJob } from '../src/platform/queue/claims.ts'
import { transcriptionQueue } from '../src/calls/transcription/queue.ts'
import { startStack, verdict, type Stack } from './support.ts'

const STEPS = [1, 4, 16, 64]
const RECOGNIZERS = 64
const ANSWER_MS = 200
/** Processes that the workers of a step share: 64 of their own would measure the start of processes. */
const PROCESSES = 4
const WARM_SECONDS = 6
const NAME = 'svc-asr.bench'
const HOST = (n: number) => `127.0.2.${n + 1}`

const [role, ...given] = process.argv.slice(2)
if (role === 'recognizers') serveRecognizers(Number(given[0]))
else if (role === 'workers') serveWorkers()
else await main(Number(role ?? 1_000_000), Number(given[0] ?? 20))

// ---- the simulated recognizers, in a process of their own -----------------------------------------------------------

interface Seen {
  done: number
  /** Calls that were sent again after they had been answered, or while they were still in work. */
  twice: number
}

function serveRecognizers(port: number): void {
  const seen: Seen = { done: 0, twice: 0 }
  const inWork = new Set<string>()
  const answered = new Set<string>()
  for (let n = 0; n < RECOGNIZERS; n++) {
    let running = 0
    http
      .createServer((request, response) => {
        if (request.url === '/readyz') {
          const queue = { running: Math.min(2, running), waiting: Math.max(0, running - 2), places: 2 }
          response.end(
            JSON.stringify({
              status: 'ready',
              model: 'simulated',
              version: '1',
              decoder: 'greedy',
              precision: '-',
              queue,
            }),
          )
          return
        }
        let id = ''
        request.setEncoding('utf8').on('data', (text: string) => (id += text))
        request.on('end', () => {
          running++
          if (inWork.has(id) || answered.has(id)) seen.twice++
          inWork.add(id)
          response.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
          response.write('{"type":"progress","processedSeconds":0,"totalSeconds":60}\n')
          const timer = setTimeout(() => {
            const segments = [{ start: 0, end: 1, channel: 0, text: 'Добрый день' }]
            const transcript = { text: 'Добрый день', model: 'simulated', decoder: 'greedy', language: 'ru', segments }
            response.end(`${JSON.stringify({ type: 'result', transcript, durationSeconds: 60 })}\n`)
            seen.done++
            answered.add(id)
          }, ANSWER_MS)
          response.once('close', () => {
            clearTimeout(timer)
            running--
            inWork.delete(id)
          })
        })
      })
      .listen(port, HOST(n))
  }
  process.on('message', () => process.send!(seen))
  process.once('disconnect', () => process.exit())
  process.send!('ready')
}

// ---- some of the workers: each with connections and places of its own, as in a process of its own ----------------------

interface Claims {
  /** How many claims took at most so many seconds. */
  buckets: [atMost: number, count: number][]
  count: number
}

function serveWorkers(): void {
  const lookup = dns.lookup
  const addresses = Array.from({ length: RECOGNIZERS }, (_, n) => ({ address: HOST(n), family: 4 }))
  dns.lookup = ((name: string, options: object) =>
    name === NAME ? Promise.resolve(addresses) : lookup(name, options)) as unknown as typeof dns.lookup
  let workers: RunningApi[] = []
  process.on('message', (order: { start: Partial<Config>; count: number } | 'claims' | 'stop') => {
    void (async () => {
      if (order === 'claims') {
        process.send!(await readClaims())
      } else if (order === 'stop') {
        await Promise.all(workers.map((worker) => worker.stop()))
        process.exit()
      } else {
        const config = readConfig('api', {}, order.start)
        const log = createLog(config.LOG_LEVEL, 'bench')
        workers = await Promise.all(Array.from({ length: order.count }, () => startApi(config, log)))
        process.send!('ready')
      }
    })()
  })
}

async function readClaims(): Promise<Claims> {
  await renderMetrics()
  const { values } = await metrics.getSingleMetric('svc_claim_duration_seconds')!.get()
  const ours = values.filter(({ labels }) => labels.queue === 'transcription')
  const counted = (end: string) => ours.filter((one) => (one as { metricName?: string }).metricName?.endsWith(end))
  return {
    buckets: counted('_bucket').map(({ labels, value }) => [
      Number(labels.le === '+Inf' ? Infinity : labels.le),
      value,
    ]),
    count: counted('_count')[0]?.value ?? 0,
  }
}

// ---- the measurement ------------------------------------------------------------------------------------------------

async function main(waiting: number, seconds: number): Promise<void> {
  const stack = await startStack({ connections: 1200 }, { LOG_LEVEL: 'error' })
  const asrPort = await freePort()
  try {
    const began = performance.now()
    await seed(stack, waiting, Math.min(waiting, 800 * (seconds + WARM_SECONDS) * STEPS.length))
    console.log(`${waiting} calls wait (made in ${((performance.now() - began) / 1000).toFixed(0)} s)`)
    await claimsAlone(stack, Math.min(10, seconds))
    await wholeCalls(stack, asrPort, seconds)
  } finally {
    await stack.stop()
  }
  process.exit()
}

/** Calls in the order in which they are taken; those that can be reached in the time have their sound. */
async function seed({ config }: Stack, count: number, withSound: number): Promise<void> {
  const client = new pg.Client({ connectionString: config.DATABASE_URL })
  await client.connect()
  for (let done = 0; done < count; done += 100_000) {
    await client.query(
      `INSERT INTO recordings (id, source, storage_key, size_bytes, created_at, manager_name)
       SELECT id, 'upload', 'inserted/' || id, 36, timestamptz '2026-01-01' + n * interval '1 second', 'Manager ' || n % 50
         FROM (SELECT gen_random_uuid() AS id, n FROM generate_series($1::int, $2::int) AS n) AS calls`,
      [done + 1, Math.min(count, done + 100_000)],
    )
  }
  await client.query('SELECT add_up_recording_counts()')
  await client.query('VACUUM ANALYZE')
  const { rows } = await client.query<{ id: string }>({
    text: `SELECT id FROM recordings WHERE status = 'QUEUED' ORDER BY priority DESC, created_at, id LIMIT $1`,
    values: [withSound],
  })
  await client.end()
  const folder = join(config.audioDir!, 'inserted')
  mkdirSync(folder, { recursive: true })
  for (let at = 0; at < rows.length; at += 200) {
    await Promise.all(rows.slice(at, at + 200).map(({ id }) => writeFile(join(folder, id), id)))
  }
}

/** What the database alone can do: claims as fast as they are answered, given back at the end. */
async function claimsAlone({ config }: Stack, seconds: number): Promise<void> {
  console.log(
    '\nclaims alone\n\n| connections | claims/s | median ms | 95 % ms | twice |\n| --: | --: | --: | --: | --: |',
  )
  for (const connections of STEPS) {
    const pool = new pg.Pool({ connectionString: config.DATABASE_URL, max: connections })
    const took: number[] = []
    const ids: string[] = []
    const until = performance.now() + seconds * 1000
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (performance.now() < until) {
          const began = performance.now()
          ids.push((await claimJob(pool, transcriptionQueue))!.id)
          took.push(performance.now() - began)
        }
      }),
    )
    const sorted = took.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor(sorted.length * share)]!.toFixed(1)
    const twice = ids.length - new Set(ids).size
    console.log(`| ${connections} | ${(ids.length / seconds).toFixed(0)} | ${at(0.5)} | ${at(0.95)} | ${twice} |`)
    await pool.query(
      `UPDATE recordings SET status = 'QUEUED', attempts = 0, started_at = NULL, attempt_token = NULL, lease_until = NULL
        WHERE status = 'PROCESSING'`,
    )
    await pool.query('VACUUM recordings')
    await pool.end()
  }
}

async function wholeCalls(stack: Stack, asrPort: number, seconds: number): Promise<void> {
  const recognizers = fork(fileURLToPath(import.meta.url), ['recognizers', String(asrPort)])
  await once(recognizers, 'message')
  console.log(
    `\nwhole calls, ${RECOGNIZERS} recognizers of 2 places, an answer after ${ANSWER_MS} ms\n\n` +
      '| workers | calls/s | claims within 50 ms | twice |\n| --: | --: | --: | --: |',
  )
  let last: Step | undefined
  for (const workers of STEPS) {
    last = await measure(stack, asrPort, recognizers, workers, seconds)
    const { rate, within50, twice } = last
    console.log(`| ${workers} | ${rate.toFixed(0)} | ${(100 * within50).toFixed(1)} % | ${twice} |`)
  }
  recognizers.disconnect()
  console.log('')
  verdict('calls a second with 64 workers', last!.rate, { atLeast: 300 })
  verdict('of their claims within 50 ms', 100 * last!.within50, { atLeast: 95 }, ' %')
  verdict('calls done twice', last!.twice, { atMost: 0 })
  console.log(`that is ${((last!.rate * 86_400) / 1e6).toFixed(1)} million calls a day`)
}

interface Step {
  rate: number
  within50: number
  twice: number
}

async function measure(
  { config }: Stack,
  asrPort: number,
  recognizers: ChildProcess,
  workers: number,
  seconds: number,
): Promise<Step> {
  const start = { ...config, API_RUN_MODE: 'worker' as const, asrUrl: `http://${NAME}:${asrPort}` }
  const processes = Math.min(PROCESSES, workers)
  const children = await Promise.all(
    Array.from({ length: processes }, async (_, n) => {
      const child = fork(fileURLToPath(import.meta.url), ['workers'])
      const count = Math.floor(workers / processes) + (n < workers % processes ? 1 : 0)
      child.send({ start, count })
      await once(child, 'message')
      return child
    }),
  )
  await pause(WARM_SECONDS)
  const before = await snapshot(recognizers, children)
  await pause(seconds)
  const after = await snapshot(recognizers, children)
  await Promise.all(
    children.map(async (child) => {
      child.send('stop')
      await once(child, 'exit')
    }),
  )
  const claims = after.claims - before.claims
  return {
    rate: (after.seen.done - before.seen.done) / seconds,
    within50: (after.within50 - before.within50) / claims,
    twice: after.seen.twice,
  }
}

async function snapshot(recognizers: ChildProcess, children: ChildProcess[]) {
  const seen = (await ask(recognizers, 'seen')) as Seen
  const all = (await Promise.all(children.map((child) => ask(child, 'claims')))) as Claims[]
  const total = (of: (claims: Claims) => number) => all.reduce((sum, claims) => sum + of(claims), 0)
  const within = (claims: Claims) => claims.buckets.find(([atMost]) => atMost === 0.05)?.[1] ?? 0
  return { seen: { ...seen }, claims: total(({ count }) => count), within50: total(within) }
}

async function ask(child: ChildProcess, question: string): Promise<unknown> {
  child.send(question)
  const [answer] = (await once(child, 'message')) as [unknown]
  return answer
}

/** A declaration: main() runs before the constants below it have their values. */
function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
