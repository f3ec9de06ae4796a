import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import type { RecordingJson } from '../src/calls/recordings/schema.ts'
import type { Config } from '../src/platform/config/config.ts'
import { findFreePort, runCommand, startCommand, startPostgres, startRedis } from '../src/app/embedded/index.ts'
import type { Daemon } from '../src/app/embedded/process.ts'
import { generateSecret } from '../src/platform/lib/crypto.ts'
import { insertApiKey } from './database.ts'

const BUNDLE_PATH = process.env.SVC_BENCH_BUNDLE!
const START_LIMIT_MS = 120_000
const WARM_UP_ROUNDS = 30
export const OWNER_CREDENTIALS = { email: 'owner@example.com', password: 'a sparrow on the roof' }
/** Configures the first owner, so that openOwnerSession() can log in. */
export const BENCH_OWNER_CONFIG = {
  COOKIE_SECURE: false,
  BOOTSTRAP_ADMIN_EMAIL: OWNER_CREDENTIALS.email,
  BOOTSTRAP_ADMIN_PASSWORD: OWNER_CREDENTIALS.password,
}

/** A running service with its configuration and process ids, and functions that start further processes. */
export type BenchStack = Awaited<ReturnType<typeof startStack>>

/** Starts Postgres and Redis as durable as `npm start` does, and the requested parts of the service in separate processes. */
export async function startStack(
  overrides: Partial<Config> = {},
  parts: { api?: boolean; asr?: boolean; connections?: number } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  for (const name of ['models', 'audio']) mkdirSync(join(folder, name))
  chmodSync(folder, 0o711)
  const [postgres, redis, apiPort, asrPort] = await Promise.all([
    startPostgres({ folder: join(folder, 'postgres'), maxConnections: parts.connections }),
    startRedis({ folder: join(folder, 'redis') }),
    findFreePort(),
    findFreePort(),
  ])
  const config = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    ASR_API_KEY: generateSecret(),
    SESSION_SECRET: generateSecret(),
    LOG_LEVEL: 'warn' as const,
    ASR_MODEL: 'moonshine-base-en' as const,
    host: '127.0.0.1',
    apiPort,
    asrPort,
    metricsPort: 0,
    apiUrl: `http://127.0.0.1:${apiPort}`,
    asrUrl: `http://127.0.0.1:${asrPort}`,
    audioDir: join(folder, 'audio'),
    modelsDir: join(folder, 'models'),
    ...overrides,
  }
  const daemons: Daemon[] = [postgres, redis]
  const command = (name: string, more: Partial<Config> = {}) => ({
    bundle: BUNDLE_PATH,
    command: name,
    overrides: { ...config, ...more },
    logFile: join(folder, `${name}.log`),
  })
  const start = async (name: string, url: string, more?: Partial<Config>) => {
    const daemon = await startCommand(command(name, more), { url, limit: START_LIMIT_MS, isReady: ({ ok }) => ok })
    daemons.unshift(daemon)
    return daemon
  }
  await runCommand(command('migrate'), START_LIMIT_MS)
  // Seeded calls have no audio, so without this mark the API would reject the storage.
  await runCommand(command('accept-storage'), START_LIMIT_MS)
  const stack = {
    folder,
    config,
    headers: { 'X-API-Key': await insertApiKey(postgres.url) },
    pids: { api: 0, asr: 0 },
    async startApi() {
      const api = await start('api', `${config.apiUrl}/healthz`)
      stack.pids.api = api.pid!
      return api
    },
    async startWorker() {
      const metricsPort = await findFreePort()
      return start('api', `http://127.0.0.1:${metricsPort}/metrics`, { API_RUN_MODE: 'worker', metricsPort })
    },
    /** Starts a panel in front of the API at `apiUrl`. */
    async startPanel(apiUrl = config.apiUrl) {
      const panelPort = await findFreePort()
      const url = `http://127.0.0.1:${panelPort}`
      const { pid } = await start('dashboard', `${url}/healthz`, { panelPort, apiUrl })
      return { url, pid: pid! }
    },
    async stop() {
      for (const daemon of daemons) await daemon.stop(['SIGTERM', START_LIMIT_MS])
      rmSync(folder, { recursive: true, force: true })
    },
  }
  if (parts.asr) stack.pids.asr = (await start('asr', `${config.asrUrl}/readyz`)).pid!
  if (parts.api) await stack.startApi()
  return stack
}

/**
 * Uploads a file to the API.
 * @returns the id of the recording
 */
export async function uploadCall(
  { config, headers }: BenchStack,
  file: Buffer,
  name: string,
  fields = {},
): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([new Uint8Array(file)]), name)
  for (const [field, value] of Object.entries(fields)) body.append(field, String(value))
  const response = await fetch(`${config.apiUrl}/v1/recordings`, { method: 'POST', headers, body })
  if (response.status !== 201) throw new Error(`upload: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { id: string }).id
}

/**
 * Fetches a recording from the API.
 * @throws Error if its transcription failed
 */
export async function fetchRecording({ config, headers }: BenchStack, id: string): Promise<RecordingJson> {
  const response = await fetch(`${config.apiUrl}/v1/recordings/${id}`, { headers })
  const recording = (await response.json()) as RecordingJson
  if (recording.status === 'FAILED') throw new Error(`${id} failed: ${recording.errorMessage}`)
  return recording
}

/**
 * Polls a recording until it is DONE.
 * @throws Error if its transcription failed
 */
export async function waitForTranscription(stack: BenchStack, id: string, pollMs: number): Promise<RecordingJson> {
  for (;;) {
    const recording = await fetchRecording(stack, id)
    if (recording.status === 'DONE') return recording
    await pause(pollMs)
  }
}

/** The session cookie of the owner, and functions that send requests with it. */
export type OwnerSession = Awaited<ReturnType<typeof openOwnerSession>>

/** Logs the owner in through the API. */
export async function openOwnerSession({ config }: BenchStack) {
  const send = async (url: string, method: 'GET' | 'POST' | 'PUT', body?: string, headers = {}) => {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const response = await request(url, { method, body, headers: { ...headers, ...type } })
    const text = await response.body.text()
    if (response.statusCode < 200 || response.statusCode > 299)
      throw new Error(`${url}: ${response.statusCode} ${text}`)
    return { text, cookie: String(response.headers['set-cookie']).split(';')[0]! }
  }
  const { cookie } = await send(`${config.apiUrl}/v1/auth/login`, 'POST', JSON.stringify(OWNER_CREDENTIALS))
  return {
    cookie,
    get: async (url: string) => (await send(url, 'GET', undefined, { Cookie: cookie })).text,
    send: async (url: string, method: 'POST' | 'PUT', body?: string) =>
      (await send(url, method, body, { Cookie: cookie })).text,
  }
}

/**
 * Loads a page through a separate panel and reports the ratio of its time to the time of its API calls.
 * @param atMost maximum ratio
 */
export async function measurePageOverhead(
  stack: BenchStack,
  session: OwnerSession,
  page: string,
  rounds: number,
  atMost: number,
) {
  let [running, since, inCalls] = [0, 0, 0]
  // A proxy in front of the API sums the time in which at least one call runs.
  const proxy = http.createServer((incoming, response) => {
    if (running++ === 0) since = performance.now()
    response.once('close', () => {
      if (--running === 0) inCalls += performance.now() - since
    })
    const { url, method, headers } = incoming
    const outgoing = http.request(stack.config.apiUrl + url, { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    incoming.pipe(outgoing)
  })
  const agent = new http.Agent({ keepAlive: true })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { url } = await stack.startPanel(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  const [pageTimes, calls]: [number[], number[]] = [[], []]
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    inCalls = 0
    const ms = await measureMs(() => session.get(url + page))
    if (round < 0) continue
    pageTimes.push(ms)
    calls.push(inCalls)
  }
  reportFigure(
    `the page ${page.split('?')[0]} against its API calls`,
    computeMedian(pageTimes) / computeMedian(calls),
    { atMost },
  )
  proxy.close()
}

/** Measures the elapsed time of some work in milliseconds. */
export async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** Measures the processor time of this process during some work, in milliseconds. */
export async function measureCpuMs(work: () => Promise<unknown>): Promise<number> {
  const cpuBefore = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(cpuBefore)
  return (user + system) / 1000
}

/** Returns the upper median of the values, without averaging the two middle ones. */
export const computeMedian = (values: number[]): number => computePercentile(values, 0.5)

/**
 * Returns the value at a percentile: the sorted value at the index ⌊share × count⌋, at most the last one.
 * @param share 0 to 1
 */
export function computePercentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}

/** Reads the current and the peak resident memory of a process, in MB. */
export function readProcessMemoryMb(pid: number): { rss: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)![1]) / 1024
  return { rss: mb('VmRSS'), peak: mb('VmHWM') }
}

/**
 * Samples the resident memory of a process every 20 ms.
 * @returns a function that stops the sampling and returns the maximum growth in MB
 */
export function watchMemoryGrowth(pid: number, base = readProcessMemoryMb(pid).rss): () => number {
  let peak = base
  const sample = () => (peak = Math.max(peak, readProcessMemoryMb(pid).rss))
  const timer = setInterval(sample, 20)
  return () => {
    clearInterval(timer)
    return sample() - base
  }
}

/**
 * Runs the requests alternately, so that other load affects all of them.
 * @param shouldContinue decides before each round
 * @returns the milliseconds of each request
 */
export async function measureRequestsInTurns<K extends string>(
  requests: Record<K, () => Promise<unknown>>,
  pauseMs: number,
  shouldContinue: (round: number) => boolean,
): Promise<Record<K, number[]>> {
  const names = Object.keys(requests) as K[]
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>
  for (let round = 0; shouldContinue(round); round++)
    for (const name of names) {
      times[name].push(await measureMs(requests[name]))
      await pause(pauseMs)
    }
  return times
}

/**
 * Measures the longest turn of the event loop during some work.
 * @param clock returns milliseconds, for example of processor time
 */
export async function measureLongestEventLoopTurn(work: () => unknown, clock: () => number): Promise<number> {
  let [last, longest, isRunning] = [clock(), 0, true]
  const sample = (): void => {
    const now = clock()
    longest = Math.max(longest, now - last)
    last = now
    if (isRunning) setImmediate(sample)
  }
  setImmediate(sample)
  await work()
  isRunning = false
  await new Promise((resolve) => setImmediate(resolve))
  return longest
}

/** Reads the processor seconds of the API and Postgres, including ended child processes. The kernel counts in ticks of 10 ms. */
export function readStackCpuSeconds({ folder, pids }: BenchStack): number {
  const postmaster = readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]!
  const backends = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').split(' ').filter(Boolean)
  const ticks = [String(pids.api), postmaster, ...backends].flatMap((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return fields.slice(11, 15).map(Number)
  })
  return ticks.reduce((sum, one) => sum + one, 0) / 100
}

/** Prints a measured figure with its bound. If the figure misses the bound, sets the exit code of the process to 1. */
export function reportFigure(
  what: string,
  value: number,
  bound: { atLeast?: number; atMost?: number },
  unit = '',
): void {
  const { atLeast = -Infinity, atMost = Infinity } = bound
  const isMet = value >= atLeast && value <= atMost
  const rule = bound.atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`
  console.log(`${isMet ? 'holds ' : 'MISSES'}  ${what}: ${value.toFixed(2)}${unit} (${rule}${unit})`)
  if (!isMet) process.exitCode = 1
}

/** Returns the first and the last of the given number of days up to yesterday, as YYYY-MM-DD in UTC. */
export function formatLastDays(days: number): { from: string; to: string } {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  return { from: day(days), to: day(1) }
}
