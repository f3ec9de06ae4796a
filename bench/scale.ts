/** Measures lists, search, overviews and exports, by default over 10,000 and 1,000,000 calls. */
import { readFileSync } from 'node:fs'
import { request } from 'undici'
import { SELECT_RECORDING_WITH_TRANSCRIPT_SQL } from '../src/calls/recordings/present.ts'
import { connectToDatabase, seedCalls, startPsql } from './database.ts'
import {
  computeMedian,
  computePercentile,
  startStack,
  measureMs,
  reportFigure,
  watchMemoryGrowth,
  type BenchStack,
} from './support.ts'

const CLIENT_COUNT = 10
/** Each client sends this many requests per round. */
const REQUEST_COUNT = 20
const ROUNDS = 3
const EXPORT_ROWS = 50_000
/** The minimum speed of an export, as a share of the speed of \copy in psql. */
const EXPORT_BOUNDS = { jsonl: 0.4, csv: 0.3, zip: 0.08 }

/**
 * A kind of request in data/lists.json. {days:N} is replaced with the time N days ago, {far} with a late page. {call:X} and
 * {number:X} are replaced with the number of a call at the share X of all calls.
 */
interface QueryCase {
  name: string
  /** The path; by default /v1/recordings. */
  path?: string
  queries: Record<string, string>[]
  /** Limits the 95th percentile in milliseconds. */
  p95: number
}

const sizes = process.argv.slice(3).map(Number)
for (const calls of sizes.length > 0 ? sizes : [10_000, 1_000_000]) await measureSize(calls)
process.exit()

async function measureSize(calls: number): Promise<void> {
  const stack = await startStack({ API_RUN_MODE: 'api' })
  await seedCalls(stack.config.DATABASE_URL, calls)
  console.log(`\n### ${calls.toLocaleString('en')} calls, ${CLIENT_COUNT} clients at once\n`)
  await compareIndexes(stack.config.DATABASE_URL)
  await stack.startApi()
  await measureLists(stack, calls)
  await measureExports(stack)
  await stack.stop()
}

async function compareIndexes(databaseUrl: string): Promise<void> {
  const client = await connectToDatabase(databaseUrl)
  const { rows } = await client.query(
    `SELECT pg_relation_size('transcripts_search_terms') / pg_relation_size('transcripts_search')::float AS ratio`,
  )
  reportFigure('size of the index of terms against that of stems', rows[0].ratio, { atMost: 2.5 })
  await client.end()
}

function loadCases(calls: number): (Omit<QueryCase, 'queries'> & { paths: string[] })[] {
  const numbers: Record<string, (given: string) => string | number> = {
    days: (days) => new Date(Date.now() - Number(days) * 86_400_000).toISOString(),
    call: (share) => Math.floor(calls * Number(share)),
    number: (share) => 1_000_000 + Math.floor(calls * Number(share)),
    far: () => Math.min(1001, Math.floor((calls * 0.9) / 25)),
  }
  const text = readFileSync('bench/data/lists.json', 'utf8').replace(/\{(days|call|number|far):?([\d.]*)\}/g, (_, kind: string, given: string) => String(numbers[kind]!(given))) // prettier-ignore
  return (JSON.parse(text) as QueryCase[]).map(({ queries, ...one }) => ({
    ...one,
    paths: queries.map((query) => `${one.path ?? '/v1/recordings'}?${new URLSearchParams(query).toString()}`),
  }))
}

async function measureLists(stack: BenchStack, calls: number): Promise<void> {
  const cases = loadCases(calls)
  for (let n = 0; n < 4; n++) await measureRequests(stack, cases[0]!.paths, 50) // The first requests warm up the server.
  for (const { name, paths, p95 } of cases) {
    await measureRequests(stack, paths, 2)
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) times.push(...(await measureRequests(stack, paths)))
    reportFigure(`${name}, p95`, computePercentile(times, 0.95), { atMost: p95 }, ' ms')
  }
}

/**
 * Measures parallel clients, each of which requests the paths one after another.
 * @returns the milliseconds of each request
 */
async function measureRequests(
  { config, headers }: BenchStack,
  paths: string[],
  count = REQUEST_COUNT,
): Promise<number[]> {
  const times: number[] = []
  await Promise.all(
    Array.from({ length: CLIENT_COUNT }, async (_, client) => {
      for (let n = 0; n < count; n++)
        times.push(await measureMs(() => fetchBody(config.apiUrl + paths[(client + n) % paths.length]!, headers)))
    }),
  )
  return times
}

/** Fetches a response and passes the length of each chunk to `onData`, without storing the body. */
async function fetchBody(url: string, headers: BenchStack['headers'], onData = (_bytes: number) => {}): Promise<void> {
  const { statusCode, body } = await request(url, { headers })
  if (statusCode !== 200) throw new Error(`${url}: ${statusCode}`)
  for await (const chunk of body) onData((chunk as Buffer).length)
}

async function measureExports(stack: BenchStack): Promise<void> {
  await exportTranscripts(stack, 'jsonl') // The first export warms up the server.
  for (const [format, share] of Object.entries(EXPORT_BOUNDS)) {
    const [ratios, firstBytes, growths]: [number[], number[], number[]] = [[], [], []]
    for (let round = 0; round < ROUNDS; round++) {
      const copySpeed = await measureCopySpeed(stack.config.DATABASE_URL)
      const stopWatch = watchMemoryGrowth(stack.pids.api)
      const { bytes, firstByteMs, ms } = await exportTranscripts(stack, format)
      growths.push(stopWatch())
      ratios.push(bytes / ms / copySpeed)
      firstBytes.push(firstByteMs / 1000)
    }
    reportFigure(`speed of ${format} against psql’s \\copy`, computeMedian(ratios), { atLeast: share })
    reportFigure(`first byte of ${format}`, Math.max(...firstBytes), { atMost: 1 }, ' s')
    reportFigure(`growth of the API’s memory by ${format}`, Math.max(...growths), { atMost: 64 }, ' MB')
  }
}

async function exportTranscripts(stack: BenchStack, format: string) {
  const url = `${stack.config.apiUrl}/v1/transcripts/export?format=${format}&limit=${EXPORT_ROWS}`
  const startedAt = performance.now()
  let [bytes, firstByteMs] = [0, 0]
  await fetchBody(url, stack.headers, (length) => {
    firstByteMs ||= performance.now() - startedAt
    bytes += length
  })
  return { bytes, firstByteMs, ms: performance.now() - startedAt }
}

/** Measures how many bytes per millisecond \copy in psql exports of the same rows. */
async function measureCopySpeed(databaseUrl: string): Promise<number> {
  const startedAt = performance.now()
  const rows = `${SELECT_RECORDING_WITH_TRANSCRIPT_SQL} WHERE r.status = 'DONE' ORDER BY r.call_at, r.id LIMIT ${EXPORT_ROWS}`
  const child = startPsql(databaseUrl, '-c', `\\copy (${rows.replace(/\s+/g, ' ')}) to stdout`)
  let bytes = 0
  child.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length))
  await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  return bytes / (performance.now() - startedAt)
}
