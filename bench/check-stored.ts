/** The check where it works: from the queue to the stored findings, and a backtest beside lists and uploads. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { newId } from '../src/platform/lib/ids.ts'
import { callOf } from './check-calls.ts'
import { logIn, median, processorTimes, startStack, verdict, type Stack } from './support.ts'

const CALLS = 1000
const WORDS = 600
const OWNER = { email: 'owner@example.com', password: 'a sparrow on the roof' }
/** Lists and uploads that a median is made of. */
const ROUNDS = 60

/** Prints each figure against its bound. */
export async function measureStored(): Promise<void> {
  const stack = await startStack(
    {},
    { COOKIE_SECURE: false, BOOTSTRAP_ADMIN_EMAIL: OWNER.email, BOOTSTRAP_ADMIN_PASSWORD: OWNER.password },
  )
  const db = new pg.Client({ connectionString: stack.config.DATABASE_URL })
  await db.connect()
  try {
    await seed(db)
    await db.query(`INSERT INTO paused_queues (name) VALUES ('transcription')`)
    stack.processes.api = await stack.startApi()
    await measureQueue(stack, db)
    await measureBacktest(stack)
  } finally {
    await db.end()
    await stack.stop()
  }
}

/** Calls in two channels, with texts of 600 words. */
async function seed(db: pg.Client): Promise<void> {
  for (let call = 0; call < CALLS; call++) {
    const { segments } = callOf(WORDS, call)
    const id = newId()
    await db.query(
      `INSERT INTO recordings (id, status, source, direction, call_started_at, duration_seconds, storage_key, size_bytes)
       VALUES ($1, 'DONE', 'upload', $2, now() - make_interval(mins => $3), 240, $4, 1)`,
      [id, call % 2 ? 'INBOUND' : 'OUTBOUND', call, `bench/${id}`],
    )
    await db.query(
      `INSERT INTO transcripts (recording_id, text, model, decoder, language, segments) VALUES ($1, $2, 'm', 'greedy', 'ru', $3)`,
      [id, segments.map(({ text }) => text).join('\n'), JSON.stringify(segments)],
    )
  }
  await db.query('SELECT add_up_recording_counts()')
  await db.query('ANALYZE')
}

async function measureQueue(stack: Stack, db: pg.Client): Promise<void> {
  const waiting = async () =>
    (await db.query(`SELECT FROM analyses WHERE status IN ('QUEUED', 'PROCESSING') LIMIT 1`)).rowCount! > 0
  const ask = (limit: number) =>
    db.query(
      `INSERT INTO analyses (id, recording_id, priority) SELECT gen_random_uuid(), id, 5 FROM recordings ORDER BY id LIMIT $1`,
      [limit],
    )
  await ask(50) // the dictionaries, the plans
  while (await waiting()) await pause(200)
  const [before, began] = [processorTimes(stack), performance.now()]
  await ask(CALLS)
  while (await waiting()) await pause(200)
  const [after, seconds] = [processorTimes(stack), (performance.now() - began) / 1000]
  const [api, postgres] = [after.api - before.api, after.postgres - before.postgres]
  console.log(
    `${CALLS} calls from queued to stored: ${seconds.toFixed(1)} s; processor time ${api.toFixed(1)} s, of Postgres ${postgres.toFixed(1)} s`,
  )
  const aMinute = (60 * CALLS) / (api + postgres)
  verdict('calls of 600 words from queued to stored in a minute of one core, Postgres too', aMinute, { atLeast: 1000 })
}

async function measureBacktest(stack: Stack): Promise<void> {
  const { apiUrl } = stack.config
  const headers = { 'Content-Type': 'application/json', Cookie: await logIn(apiUrl, OWNER) }
  const ask = async (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => {
    const options = body ? { method, headers, body: JSON.stringify(body) } : { headers }
    const answer = await fetch(apiUrl + path, options)
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    return (await answer.json()) as never
  }
  const sets: { items: { id: string; key: string }[] } = await ask('GET', '/v1/rule-sets')
  const { id } = sets.items.find(({ key }) => key === 'outgoing-sales')!
  const { rules }: { rules: { weight: number }[] } = await ask('GET', `/v1/rule-sets/${id}`)
  const [rule, ...others] = rules
  await ask('PUT', `/v1/rule-sets/${id}/draft`, { rules: [{ ...rule, weight: rule!.weight + 1 }, ...others] })

  const beside = { list: () => ask('GET', '/v1/recordings?pageSize=25'), upload: () => upload(stack) }
  const quiet = await timesOf(beside, (round) => round < ROUNDS)
  const began = performance.now()
  const { id: test }: { id: string } = await ask('POST', `/v1/rule-sets/${id}/backtests`, {
    from: '2020-01-01',
    to: '2100-01-01',
  })
  let [first, whole] = [0, 0]
  const watching = (async () => {
    while (!whole) {
      const { done, state }: { done: number; state: string } = await ask('GET', `/v1/backtests/${test}`)
      if (done > 0) first ||= (performance.now() - began) / 1000
      if (state !== 'running') whole = (performance.now() - began) / 1000
      await pause(500)
    }
  })()
  const busy = await timesOf(beside, () => !whole)
  await watching
  const after = await timesOf(beside, (round) => round < ROUNDS)
  console.log(
    `a backtest of ${CALLS} calls: first figures after ${first.toFixed(2)} s, all after ${whole.toFixed(1)} s`,
  )
  verdict('first figures of a backtest of 1,000 calls', first, { atMost: 2 }, ' s')
  verdict('all figures of it', whole, { atMost: 60 }, ' s')
  for (const what of ['list', 'upload'] as const) {
    const [alone, busier] = [median([...quiet[what], ...after[what]]), median(busy[what])]
    console.log(`${what}: ${alone.toFixed(1)} ms, ${busier.toFixed(1)} ms beside it (${busy[what].length} rounds)`)
    verdict(`a ${what} beside a backtest against a quiet one`, busier / alone, { atMost: 1.5 })
  }
}

type Times = Record<'list' | 'upload', number[]>

/** Milliseconds that lists and uploads take, by turns, a short while after one another. */
async function timesOf(work: Record<keyof Times, () => Promise<unknown>>, goesOn: (round: number) => boolean) {
  const times: Times = { list: [], upload: [] }
  for (let round = 0; goesOn(round); round++)
    for (const what of ['list', 'upload'] as const) {
      const began = performance.now()
      await work[what]()
      times[what].push(performance.now() - began)
      await pause(20)
    }
  return times
}

async function upload(stack: Stack, triesLeft = 10): Promise<void> {
  const { config, key } = stack
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(200_000)]), 'call.wav')
  const answer = await fetch(`${config.apiUrl}/v1/recordings`, {
    method: 'POST',
    headers: { 'X-API-Key': key },
    body: form,
  })
  const text = await answer.text()
  // A disk that is busy with others' work may be away for a moment.
  if (answer.status === 503 && triesLeft > 0) return upload(stack, triesLeft - 1)
  if (answer.status !== 201) throw new Error(text)
}
