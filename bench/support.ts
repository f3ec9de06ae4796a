import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import type { Config } from '../src/platform/config/config.ts'
import {
  ALLOCATOR,
  freePort,
  runCommand,
  startCommand,
  startPostgres,
  startRedis,
  type Daemon,
} from '../src/app/embedded/index.ts'
import { randomSecret, sha256 } from '../src/platform/lib/crypto.ts'
import { newId } from '../src/platform/lib/ids.ts'

/** The product running on this machine, each part a process of its own, as in production. */
export interface Stack {
  folder: string
  config: Partial<Config> & { DATABASE_URL: string; apiUrl: string; asrUrl: string }
  /** An API key. */
  key: string
  /** Whether its database has just been made. */
  isFresh: boolean
  processes: Partial<Record<'api' | 'asr', Daemon>>
  startApi(): Promise<Daemon>
  /** Starts a panel before the API at `apiUrl`; answers its address. */
  startPanel(apiUrl?: string): Promise<{ url: string; daemon: Daemon }>
  stop(): Promise<void>
}

const BUNDLE = process.env.SVC_BENCH_BUNDLE!
const LIMIT = 120_000

/**
 * Starts Postgres and Redis as durable as `npm start` has them, migrates, and starts the parts that are asked for.
 * @param parts.kept a folder that stays, with its database, for the next run
 */
export async function startStack(
  parts: { api?: boolean; asr?: boolean; connections?: number; kept?: string },
  overrides: Partial<Config> = {},
  bundle = BUNDLE,
): Promise<Stack> {
  const folder = parts.kept ?? mkdtempSync(join(tmpdir(), 'svc-bench-'))
  for (const name of ['models', 'audio']) mkdirSync(join(folder, name), { recursive: true })
  chmodSync(folder, 0o711)
  const [postgres, redis, apiPort, asrPort] = await Promise.all([
    startPostgres({ folder: join(folder, 'postgres'), maxConnections: parts.connections }),
    startRedis({ folder: join(folder, 'redis') }),
    freePort(),
    freePort(),
  ])
  const config = configOf(folder, { postgres: postgres.url, redis: redis.url, apiPort, asrPort }, overrides)
  const command = (name: string, more: Partial<Config> = {}) => ({
    bundle,
    command: name,
    overrides: { ...config, ...more },
    logFile: join(folder, `${name}.log`),
    env: bundle === BUNDLE ? process.env : environmentOf(bundle),
  })
  await runCommand(command('migrate'), LIMIT)
  // Calls that a benchmark seeds have no audio, and a storage without it and without a mark is no one's.
  if (bundle === BUNDLE) await runCommand(command('accept-storage'), LIMIT)
  const stack: Stack = {
    folder,
    config,
    key: await createKey(postgres.url),
    isFresh: postgres.fresh,
    processes: {},
    startApi: () =>
      startCommand(command('api'), { url: `${config.apiUrl}/healthz`, limit: LIMIT, isReady: ({ ok }) => ok }),
    async startPanel(apiUrl = config.apiUrl) {
      const panelPort = await freePort()
      const url = `http://127.0.0.1:${panelPort}`
      const panel = command('dashboard', { panelPort, apiUrl })
      const daemon = await startCommand(panel, { url: `${url}/healthz`, limit: LIMIT, isReady: ({ ok }) => ok })
      return { url, daemon }
    },
    async stop() {
      for (const process of [stack.processes.api, stack.processes.asr, redis, postgres])
        await process?.stop(['SIGTERM', LIMIT])
      if (!parts.kept) rmSync(folder, { recursive: true, force: true })
    },
  }
  if (parts.asr)
    stack.processes.asr = await startCommand(command('asr'), { url: `${config.asrUrl}/readyz`, limit: LIMIT })
  if (parts.api) stack.processes.api = await stack.startApi()
  return stack
}

/** An earlier release starts with glibc's own limits, unless it had these too. */
function environmentOf(bundle: string): NodeJS.ProcessEnv {
  const image = readFileSync(join(dirname(bundle), '..', 'Dockerfile'), 'utf8')
  const unset = Object.keys(ALLOCATOR).filter((name) => !image.includes(name))
  return { ...process.env, ...Object.fromEntries(unset.map((name) => [name, undefined])) }
}

function configOf(
  folder: string,
  at: { postgres: string; redis: string; apiPort: number; asrPort: number },
  overrides: Partial<Config>,
) {
  return {
    DATABASE_URL: at.postgres,
    REDIS_URL: at.redis,
    ASR_API_KEY: randomSecret(),
    SESSION_SECRET: randomSecret(),
    LOG_LEVEL: 'warn' as const,
    ASR_MODEL: 'moonshine-base-en' as const,
    host: '127.0.0.1',
    apiPort: at.apiPort,
    asrPort: at.asrPort,
    metricsPort: 0,
    apiUrl: `http://127.0.0.1:${at.apiPort}`,
    asrUrl: `http://127.0.0.1:${at.asrPort}`,
    audioDir: join(folder, 'audio'),
    modelsDir: join(folder, 'models'),
    ...overrides,
  }
}

async function createKey(url: string): Promise<string> {
  const key = `svc_${randomBytes(32).toString('base64url')}`
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('INSERT INTO api_keys (id, name, prefix, key_hash) VALUES ($1, $2, $3, $4)', [
    newId(),
    'bench',
    key.slice(0, 10),
    sha256(key),
  ])
  await client.end()
  return key
}

/** Logs somebody in; answers the cookie. */
export async function logIn(apiUrl: string, person: { email: string; password: string }): Promise<string> {
  const answer = await fetch(`${apiUrl}/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(person),
  })
  return answer.headers.get('set-cookie')!.split(';')[0]!
}

/** Resident memory of a process in MB: now, and its peak. */
export function memoryOf(pid: number): { rss: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)![1]) / 1024
  return { rss: mb('VmRSS'), peak: mb('VmHWM') }
}

/** Processor time in seconds that a process and its ended children have taken; the fields are in ticks of 10 ms. */
export function processorSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
}

/** Seconds of processor time that a stack's API and its Postgres have taken so far. */
export function processorTimes({ folder, processes }: Stack): { api: number; postgres: number } {
  const stat = (pid: number | string) => {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
      return text
        .slice(text.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number)
    } catch {
      return [] // it has ended meanwhile
    }
  }
  const used = (fields: number[], ended = false) =>
    ((fields[11] ?? 0) + (fields[12] ?? 0) + (ended ? (fields[13] ?? 0) + (fields[14] ?? 0) : 0)) / 100
  const [first] = readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8').split('\n')
  const postmaster = Number(first)
  const children = readdirSync('/proc').filter((name) => Number(name) > 0 && stat(name)[1] === postmaster)
  const postgres = children.reduce((sum, pid) => sum + used(stat(pid)), used(stat(postmaster), true))
  return { api: used(stat(processes.api!.pid!)), postgres }
}

export const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/** Prints a result against its bound and remembers a miss in the exit code. */
export function verdict(what: string, value: number, bound: { atLeast?: number; atMost?: number }, unit = ''): void {
  const holds =
    (bound.atLeast === undefined || value >= bound.atLeast) && (bound.atMost === undefined || value <= bound.atMost)
  const rule = bound.atLeast === undefined ? `at most ${bound.atMost}` : `at least ${bound.atLeast}`
  console.log(`${holds ? 'holds ' : 'MISSES'}  ${what}: ${value.toFixed(2)}${unit} (${rule}${unit})`)
  if (!holds) process.exitCode = 1
}
