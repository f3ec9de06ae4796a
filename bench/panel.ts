/** Measures pages of the panel and the start of playback. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { RUSSIAN_WORDS, connectToDatabase, insertTranscript, loadJudgedDialogues, seedCalls } from './database.ts'
import { measurePageOverhead, computeMedian, openOwnerSession, startStack, measureRequestsInTurns, uploadCall, reportFigure, BENCH_OWNER_CONFIG } from './support.ts' // prettier-ignore

const PAGE_PATHS = ['/recordings', '/recordings?q=delivery&status=DONE']
const WARM_UP_ROUNDS = 30
const HOUR_SECONDS = 3600
/** A player needs two seconds of audio to start, with one byte per sample and the header. */
const FIRST_AUDIO_BYTES = 58 + 2 * 8000

const [name, roundsArgument] = process.argv.slice(2)
const isPanel = name === 'panel'
const stack = await startStack(isPanel ? BENCH_OWNER_CONFIG : { ...BENCH_OWNER_CONFIG, API_RUN_MODE: 'api' }, {
  asr: !isPanel,
})
const db = await connectToDatabase(stack.config.DATABASE_URL)
if (isPanel) await seedCalls(stack.config.DATABASE_URL, 10_000)
await stack.startApi()
const session = await openOwnerSession(stack)
const panel = await stack.startPanel()
if (isPanel) {
  const rounds = Number(roundsArgument ?? 150)
  for (const page of PAGE_PATHS) await measurePageOverhead(stack, session, page, rounds, 1.5)
  await measureCheck(rounds)
} else {
  await measurePlayback()
  await measureLongPage(Number(roundsArgument ?? 20))
}
await db.end()
await stack.stop()
process.exit()

async function measureCheck(rounds: number): Promise<void> {
  const { rows } = await db.query<{ id: string }>('SELECT recording_id AS id FROM transcripts LIMIT 2')
  const ids = rows.map(({ id }) => id)
  const pieces = loadJudgedDialogues().flatMap(({ segments }) => segments).slice(0, 60) // prettier-ignore
  const segments = pieces.map((piece, n) => ({ ...piece, start: 4 * n, end: 4 * n + 4 }))
  const text = segments.map((segment) => segment.text).join('\n')
  const values = [ids, JSON.stringify(segments), text]
  await db.query('UPDATE transcripts SET segments = $2, text = $3 WHERE recording_id = ANY($1)', values)
  await db.query(`UPDATE recordings SET direction = 'OUTBOUND', duration_seconds = 240 WHERE id = ANY($1)`, [ids])
  await db.query(`INSERT INTO analyses (id, recording_id, priority) VALUES (gen_random_uuid(), $1, 8)`, [ids[0]])
  const finishedAt = `SELECT FROM analyses WHERE status = 'DONE' AND version_id IS NOT NULL`
  while ((await db.query(finishedAt)).rowCount === 0) await pause(200)
  const [checked, unchecked] = ids.map((id) => () => session.get(`${panel.url}/recordings/${id}`))
  const pages = { checked: checked!, unchecked: unchecked! }
  await measureRequestsInTurns(pages, 0, (round) => round < WARM_UP_ROUNDS)
  const times = await measureRequestsInTurns(pages, 0, (round) => round < rounds)
  const [whole, without] = [computeMedian(times.checked), computeMedian(times.unchecked)]
  reportFigure('the page of a call with its check against the page without', whole / without, { atMost: 1.3 })
}

/** Measures playback of AMR, which browsers cannot play, so the API transcodes it. */
async function measurePlayback(): Promise<void> {
  const repeatedFile = [
    '-v',
    'error',
    '-stream_loop',
    '-1',
    '-i',
    'samples/call.amr',
    '-t',
    String(HOUR_SECONDS),
    '-c',
    'copy',
  ]
  const amr = execFileSync('ffmpeg', [...repeatedFile, '-f', 'amr', '-'], { maxBuffer: 2 ** 26 })
  const id = await insertDoneCall(amr, 'hour.amr', HOUR_SECONDS)
  const startedAt = performance.now()
  const headers = { Cookie: session.cookie, Range: 'bytes=0-' }
  const response = await fetch(`${stack.config.apiUrl}/v1/recordings/${id}/playback`, { headers })
  let [bytes, first] = [0, 0]
  for await (const chunk of response.body!) {
    bytes += chunk.length
    if (bytes >= FIRST_AUDIO_BYTES) first ||= (performance.now() - startedAt) / 1000
  }
  if (response.status !== 206 || !first) throw new Error(`playback: ${response.status}, ${bytes} bytes`)
  reportFigure('first two seconds of audio of an hour of AMR', first, { atMost: 4 }, ' s')
}

async function insertDoneCall(file: Buffer, fileName: string, seconds: number): Promise<string> {
  const id = await uploadCall(stack, file, fileName)
  await db.query(`UPDATE recordings SET status = 'DONE', duration_seconds = $2 WHERE id = $1`, [id, seconds])
  return id
}

async function measureLongPage(rounds: number): Promise<void> {
  const id = await insertDoneCall(readFileSync('samples/call.wav'), 'long.wav', 3 * HOUR_SECONDS)
  const segments = Array.from({ length: HOUR_SECONDS }, (_, n) => ({
    start: n * 3,
    end: n * 3 + 2.9,
    channel: n % 2,
    text: Array.from({ length: 9 }, (_, i) => RUSSIAN_WORDS[(n * 7 + i * 3 + n * i) % RUSSIAN_WORDS.length]).join(' '),
  }))
  await insertTranscript(db, id, segments)
  let page = ''
  const open = async () => (page = await session.get(`${panel.url}/recordings/${id}`))
  const { times } = await measureRequestsInTurns({ times: open }, 0, (round) => round < rounds)
  reportFigure('the page of a call of three hours', computeMedian(times), { atMost: 300 }, ' ms')
  reportFigure('its size, not compressed', Buffer.byteLength(page) / 1000, { atMost: 200 }, ' KB')
}
