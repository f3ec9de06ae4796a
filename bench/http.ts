/**
 * GET /v1/recordings/{id} against a bare Koa handler that does one primary-key select of the same row with pg.
 * Both are processes of their own on the same Postgres; rounds alternate, so that whatever else the machine does
 * meets both.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import Koa from 'koa'
import pg from 'pg'
import { freePort } from '../src/app/embedded/index.ts'
import { median, startStack, verdict } from './support.ts'

const ROUNDS = 5
const SECONDS = 4
const CONNECTIONS = 32

if (process.argv[2] === 'bare') serveBare(process.argv[3]!, Number(process.argv[4]))
else await main()

/** The yardstick: the least that a Node service with Koa and pg can do. */
function serveBare(databaseUrl: string, port: number): void {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 16 })
  const app = new Koa()
  app.use(async (ctx) => {
    const id = ctx.path.slice(ctx.path.lastIndexOf('/') + 1)
    const { rows } = await pool.query('SELECT * FROM recordings WHERE id = $1', [id])
    ctx.body = rows[0]
  })
  app.listen(port, '127.0.0.1', () => process.send!('ready'))
}

async function main(): Promise<void> {
  const stack = await startStack({ api: true }, { API_RUN_MODE: 'api', LOG_LEVEL: 'info' })
  const port = await freePort()
  const bare = fork(fileURLToPath(import.meta.url), ['bare', stack.config.DATABASE_URL, String(port)])
  await new Promise((resolve) => bare.once('message', resolve))
  const form = new FormData()
  form.append('file', new Blob(['x']), 'call.wav')
  const headers = { 'X-API-Key': stack.key }
  const created = await fetch(`${stack.config.apiUrl}/v1/recordings`, { method: 'POST', body: form, headers })
  const { id } = (await created.json()) as { id: string }
  await finish(stack.config.DATABASE_URL, id)

  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const a = await requestsPerSecond(`${stack.config.apiUrl}/v1/recordings/${id}`, headers)
    const b = await requestsPerSecond(`http://127.0.0.1:${port}/${id}`, {})
    if (round === 0) continue // warms both up
    ours.push(a)
    theirs.push(b)
    console.log(`round ${round}: ${a.toFixed(0)} requests/s, bare Koa with pg ${b.toFixed(0)}`)
  }
  verdict('GET /v1/recordings/{id} against bare Koa with one select', median(ours) / median(theirs), { atLeast: 0.5 })
  bare.kill()
  await stack.stop()
  process.exit()
}

/** A recording as most are: DONE, with a transcript. */
async function finish(databaseUrl: string, id: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`UPDATE recordings SET status = 'DONE', attempts = 1, finished_at = now() WHERE id = $1`, [id])
  const segments = Array.from({ length: 8 }, (_, i) => ({
    start: i * 2,
    end: i * 2 + 1.8,
    channel: i % 2,
    text: 'When does my delivery arrive?',
  }))
  await client.query(
    `INSERT INTO transcripts (recording_id, text, model, decoder, language, segments) VALUES ($1, $2, 'm', 'greedy', 'en', $3)`,
    [id, segments.map(({ text }) => text).join('\n'), JSON.stringify(segments)],
  )
  await client.end()
}

async function requestsPerSecond(url: string, headers: Record<string, string>): Promise<number> {
  const result = await autocannon({ url, headers, connections: CONNECTIONS, duration: SECONDS })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} answers were not 2xx, ${result.errors} errors`)
  return result.requests.average
}
