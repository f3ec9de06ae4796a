/**
 * Long calls: how soon the sound of an hour of AMR, which browsers cannot play, begins to come as a copy that they can;
 * and the server's time and the size of the page of a call of three hours.
 */
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { logIn, median, startStack, verdict } from './support.ts'
import { commonRussian } from './words.ts'

const OWNER = { email: 'owner@example.com', password: 'a sparrow on the roof' }
const HOUR = 3600
/** A row of text every three seconds. */
const ROW_SECONDS = 3
/** Two seconds of sound, one byte a sample, and the header: enough for a player to begin. */
const FIRST_BYTES = 58 + 2 * 8000
const ROUNDS = 20

const stack = await startStack(
  { asr: true },
  {
    API_RUN_MODE: 'api',
    COOKIE_SECURE: false,
    BOOTSTRAP_ADMIN_EMAIL: OWNER.email,
    BOOTSTRAP_ADMIN_PASSWORD: OWNER.password,
  },
)
stack.processes.api = await stack.startApi()
const panel = await stack.startPanel()
const db = new pg.Client({ connectionString: stack.config.DATABASE_URL })
await db.connect()
const Cookie = await logIn(stack.config.apiUrl, OWNER)

const amr = await submit(repeatAmr(readFileSync('samples/call.amr'), HOUR), 'hour.amr', HOUR)
const { first, whole } = await play(amr)
console.log(`the whole copy of an hour after ${whole.toFixed(2)} s`)
verdict('first two seconds of sound of an hour of AMR', first, { atMost: 2 }, ' s')

const long = await submit(readFileSync('samples/call.wav'), 'long.wav', 3 * HOUR)
await addText(long, 3 * HOUR)
const pages: { ms: number; bytes: number }[] = []
for (let round = 0; round < ROUNDS; round++) pages.push(await open(long))
console.log(`the first time: ${pages[0]!.ms.toFixed(0)} ms`)
verdict('the page of a call of three hours', median(pages.map(({ ms }) => ms)), { atMost: 300 }, ' ms')
verdict('its size, not compressed', Math.max(...pages.map(({ bytes }) => bytes)) / 1000, { atMost: 200 }, ' KB')

await db.end()
await panel.daemon.stop(['SIGTERM', 10_000])
await stack.stop()
process.exit()

/** The frames of an AMR file (RFC 4867, section 5) again and again, up to so many seconds of 50 frames each. */
function repeatAmr(file: Buffer, seconds: number): Buffer {
  const MAGIC = 6
  const SIZES = [13, 14, 16, 18, 20, 21, 27, 32, 6]
  const frames: Buffer[] = []
  for (let at = MAGIC; at < file.length;) {
    const size = SIZES[(file[at]! >> 3) & 0xf] ?? 1
    frames.push(file.subarray(at, at + size))
    at += size
  }
  const all = Array.from({ length: seconds * 50 }, (_, n) => frames[n % frames.length]!)
  return Buffer.concat([file.subarray(0, MAGIC), ...all])
}

/** A call that is done, so that its length is known. */
async function submit(file: Buffer, name: string, seconds: number): Promise<string> {
  const body = new FormData()
  body.set('file', new Blob([new Uint8Array(file)]), name)
  const answer = await fetch(`${stack.config.apiUrl}/v1/recordings`, {
    method: 'POST',
    headers: { 'X-API-Key': stack.key },
    body,
  })
  const { id } = (await answer.json()) as { id: string }
  await db.query(`UPDATE recordings SET status = 'DONE', duration_seconds = $2 WHERE id = $1`, [id, seconds])
  return id
}

async function play(id: string): Promise<{ first: number; whole: number }> {
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  const answer = await fetch(`${stack.config.apiUrl}/v1/recordings/${id}/playback`, {
    headers: { Cookie, Range: 'bytes=0-' },
  })
  let [bytes, first] = [0, 0]
  for await (const chunk of answer.body!) {
    bytes += chunk.length
    if (!first && bytes >= FIRST_BYTES) first = seconds()
  }
  if (answer.status !== 206 || !first) throw new Error(`playback: ${answer.status}, ${bytes} bytes`)
  return { first, whole: seconds() }
}

async function addText(id: string, seconds: number): Promise<void> {
  const segments = Array.from({ length: seconds / ROW_SECONDS }, (_, n) => ({
    start: n * ROW_SECONDS,
    end: n * ROW_SECONDS + 2.9,
    channel: n % 2,
    text: Array.from({ length: 9 }, (_, i) => commonRussian[(n * 7 + i * 3 + n * i) % commonRussian.length]).join(' '),
  }))
  await db.query(
    `INSERT INTO transcripts (recording_id, text, model, decoder, language, segments) VALUES ($1, $2, 'bench', 'greedy', 'ru', $3)`,
    [id, segments.map(({ text }) => text).join('\n'), JSON.stringify(segments)],
  )
}

async function open(id: string): Promise<{ ms: number; bytes: number }> {
  const startedAt = performance.now()
  const answer = await fetch(`${panel.url}/recordings/${id}`, { headers: { Cookie, 'Accept-Encoding': 'identity' } })
  const bytes = (await answer.arrayBuffer()).byteLength
  if (answer.status !== 200) throw new Error(`page: ${answer.status}`)
  return { ms: performance.now() - startedAt, bytes }
}
