/** Measures the API without a recognizer. The parts are http, start, upload and slow-uploads. */
import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { copyFile, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import Koa from 'koa'
import pg from 'pg'
import { request } from 'undici'
import { findFreePort } from '../src/app/embedded/index.ts'
import { connectToDatabase, insertTranscript } from './database.ts'
import {
  computeMedian,
  readProcessMemoryMb,
  startStack,
  measureMs,
  uploadCall,
  reportFigure,
  watchMemoryGrowth,
  type BenchStack,
} from './support.ts'

const BYTES_PER_MB = 1024 * 1024

/** Serves one query with Koa and pg alone, for comparison. */
function serveBareKoa(databaseUrl: string, port: number): void {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 16 })
  const app = new Koa()
  app.use(async (ctx) => {
    const id = ctx.path.slice(ctx.path.lastIndexOf('/') + 1)
    const { rows } = await pool.query('SELECT * FROM recordings WHERE id = $1', [id])
    ctx.body = rows[0]
  })
  app.listen(port, '127.0.0.1', () => process.send!('ready'))
}

async function measureHttp(rounds: number): Promise<void> {
  const stack = await startStack({ API_RUN_MODE: 'api', LOG_LEVEL: 'info' }, { api: true })
  const port = await findFreePort()
  const bareServer = fork(fileURLToPath(import.meta.url), ['bare-koa', stack.config.DATABASE_URL, String(port)])
  await once(bareServer, 'message')
  const id = await uploadCall(stack, Buffer.from('x'), 'call.wav')
  const db = await connectToDatabase(stack.config.DATABASE_URL)
  await db.query(`UPDATE recordings SET status = 'DONE', attempts = 1, finished_at = now() WHERE id = $1`, [id])
  const segments = Array.from({ length: 8 }, (_, i) => ({ start: i * 2, end: i * 2 + 1.8, channel: i % 2, text: 'When does my delivery arrive?' })) // prettier-ignore
  await insertTranscript(db, id, segments, 'en')
  await db.end()
  const ratios: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const ownTimes = await measureRequestsPerSecond(`${stack.config.apiUrl}/v1/recordings/${id}`, stack.headers)
    const bareTimes = await measureRequestsPerSecond(`http://127.0.0.1:${port}/${id}`, {})
    if (round > 0) ratios.push(ownTimes / bareTimes) // The first round warms up both servers.
  }
  reportFigure('GET /v1/recordings/{id} against bare Koa with one select', computeMedian(ratios), { atLeast: 0.8 })
  bareServer.kill()
  await stack.stop()
}

async function measureRequestsPerSecond(url: string, headers: Record<string, string>): Promise<number> {
  const result = await autocannon({ url, headers, connections: 32, duration: 4 })
  if (result.non2xx + result.errors > 0) throw new Error(`${url}: ${result.non2xx} not 2xx, ${result.errors} errors`)
  return result.requests.average
}

async function measureStart(rounds: number): Promise<void> {
  const stack = await startStack()
  const seconds: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now()
    const api = await stack.startApi()
    seconds.push((performance.now() - startedAt) / 1000)
    await api.stop(['SIGTERM', 60_000])
  }
  reportFigure('api, from the start of the process to ready', computeMedian(seconds), { atMost: 2 }, ' s')
  await stack.stop()
}

async function measureUpload(sizeMb: number): Promise<void> {
  const stack = await startStack({ API_RUN_MODE: 'api' }, { api: true })
  const file = join(stack.folder, 'call.bin')
  await writeFile(file, randomBytes(sizeMb * BYTES_PER_MB), { flush: true })
  const pid = stack.pids.api
  for (let n = 0; n < 3; n++) await uploadFile(stack, file) // The first uploads compile the code.
  await deleteAllRecordings(stack)
  const base = readProcessMemoryMb(pid).rss
  const [growth, ratios]: [number[], number[]] = [[], []]
  for (let round = 0; round < 9; round++) {
    const copy = join(stack.folder, 'copy.bin')
    const copyMs = await measureMs(() => copyDurably(file, copy))
    await rm(copy)
    const stopWatch = watchMemoryGrowth(pid, base)
    const uploadMs = await measureMs(() => uploadFile(stack, file))
    growth.push(stopWatch())
    ratios.push(copyMs / uploadMs)
    await deleteAllRecordings(stack)
  }
  reportFigure(`speed of a ${sizeMb} MB upload against copying the file with fsync`, computeMedian(ratios), {
    atLeast: 0.4,
  })
  reportFigure('growth of the API’s memory', Math.max(...growth), { atMost: 64 }, ' MB')
  await stack.stop()
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  const handle = await open(to)
  await handle.sync()
  await handle.close()
}

async function uploadFile({ config, headers }: BenchStack, path: string): Promise<void> {
  const args = ['-sS', '--fail-with-body', '-H', `X-API-Key: ${headers['X-API-Key']}`, '-F', `file=@${path}`]
  await promisify(execFile)('curl', [...args, `${config.apiUrl}/v1/recordings`])
}

async function deleteAllRecordings({ config, headers }: BenchStack): Promise<void> {
  const list = await fetch(`${config.apiUrl}/v1/recordings`, { headers })
  for (const { id } of ((await list.json()) as { items: { id: string }[] }).items)
    await fetch(`${config.apiUrl}/v1/recordings/${id}`, { method: 'DELETE', headers })
}

/** Measures parallel uploads that send 40 chunks of 32 KB, one every 300 ms. */
async function measureSlowUploads(count: number): Promise<void> {
  const stack = await startStack({ API_RUN_MODE: 'api' }, { api: true })
  for (let n = 0; n < 30; n++) await uploadSlowly(stack, 0)
  const stopWatch = watchMemoryGrowth(stack.pids.api)
  const statuses = await Promise.all(Array.from({ length: count }, () => uploadSlowly(stack, 300)))
  const growth = stopWatch()
  const accepted = statuses.filter((status) => status === 201).length
  reportFigure(`accepted of ${count} slow uploads at once`, accepted, { atLeast: count })
  reportFigure('growth of the API’s memory meanwhile', growth, { atMost: 128 }, ' MB')
  await stack.stop()
}

const BOUNDARY = 'slow'
const PART_HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="call.bin"\r\n\r\n`
const CHUNK = randomBytes(32 * 1024)

async function uploadSlowly({ config, headers }: BenchStack, intervalMs: number): Promise<number> {
  async function* generateChunks() {
    yield PART_HEAD
    for (let n = 0; n < 40; n++) {
      yield CHUNK
      await pause(intervalMs)
    }
    yield `\r\n--${BOUNDARY}--\r\n`
  }
  const { statusCode, body } = await request(`${config.apiUrl}/v1/recordings`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: Readable.from(generateChunks()),
  })
  await body.dump()
  return statusCode
}

const [name, ...args] = process.argv.slice(2)
if (name === 'bare-koa') serveBareKoa(args[0]!, Number(args[1]))
else if (name === 'start') await measureStart(Number(args[0] ?? 7))
else if (name === 'upload') await measureUpload(Number(args[0] ?? 512))
else if (name === 'slow-uploads') await measureSlowUploads(Number(args[0] ?? 300))
else await measureHttp(Number(args[0] ?? 5))
if (name !== 'bare-koa') process.exit()
