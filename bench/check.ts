/** The call check: `check` alone runs the parts rules and stored. */
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { judge } from '../src/check/rules/judge.ts'
import { SHIPPED } from '../src/check/rules/shipped.ts'
import type { Dialogue } from '../src/check/rules/types.ts'
import { connect, dialogueOfWords, insertCall, readJudgedCalls, toDialogue } from './database.ts'
import { decode, loadModel } from './prompts.ts'
import { longestTurn, median, openSession, processorTime, readProcessorTime, startStack, timeInTurns, upload, verdict, WITH_OWNER, type Session, type Stack } from './support.ts' // prettier-ignore

const WORDS = 600
/** Requests that the median of a list or an upload is made of. */
const ROUNDS = 60

const [, , , part = 'rules stored', option] = process.argv
if (part.includes('quality')) await measureQuality(option === 'details')
if (part.includes('rules')) await measureSpeed()
if (part.includes('stored')) await measureStored(Number(option ?? 1000))
process.exit()

async function measureQuality(details: boolean): Promise<void> {
  const same = { verdicts: 0, labels: 0 }
  const all = { verdicts: 0, labels: 0 }
  for (const call of readJudgedCalls()) {
    const dialogue = toDialogue(call)
    for (const set of SHIPPED.filter(({ applies }) => applies?.direction?.includes(call.direction))) {
      const what = set.mode === 'label' ? 'labels' : 'verdicts'
      for (const { rule, verdict: given, evidence } of (await judge(set, dialogue)).findings) {
        const label = call.labels.includes(rule) ? 'met' : 'missed'
        const reader = what === 'labels' ? label : call.verdicts[rule]
        if (!reader) continue // measured, such as the share of speech
        all[what]++
        if (given === reader) same[what]++
        else if (details) console.log(call.key, set.key, rule, `reader ${reader}, rules ${given}`, evidence.map(({ quote }) => quote)) // prettier-ignore
      }
    }
  }
  for (const what of ['verdicts', 'labels'] as const)
    verdict(`agreement of ${what} with a reader`, (100 * same[what]) / all[what], { atLeast: 90 }, ' %')
}

async function measureSpeed(): Promise<void> {
  const long = dialogueOfWords(6000)
  await judgeAll(long) // loads the dictionaries
  const times: number[] = []
  for (let run = 0; run < 7; run++) times.push(await processorTime(() => judgeAll(long)))
  const share = (100 * median(times)) / (await recognitionTime(6000))
  verdict('three rule sets on 6,000 words against their recognition', share, { atMost: 1 }, ' %')
  const thousand = await processorTime(async () => {
    for (let call = 0; call < 1000; call++) await judgeAll(dialogueOfWords(WORDS, call))
  })
  verdict(`calls of ${WORDS} words judged in a minute of one core`, 60_000_000 / thousand, { atLeast: 1000 })
  const text = dialogueOfWords(150_000).segments.map((piece) => piece.text).join(' ').slice(0, 500_000) // prettier-ignore
  const segments = [0, 1].map((channel) => ({ channel, start: channel, end: 3600, text }))
  const megabyte = { ...dialogueOfWords(1), segments, durationSeconds: 3600 }
  const blocked: number[] = []
  for (let run = 0; run < 5; run++) blocked.push(await longestTurn(() => judgeAll(megabyte), () => performance.now())) // prettier-ignore
  verdict('1 MB of text blocks the event loop for at most', median(blocked), { atMost: 20 }, ' ms')
}

async function judgeAll(dialogue: Dialogue): Promise<void> {
  for (const set of SHIPPED) await judge(set, dialogue)
}

/** Milliseconds that the tiny model takes for so many words, extrapolated from the sample. */
async function recognitionTime(words: number): Promise<number> {
  const samples = decode('-i', 'samples/call.wav')
  const recognise = await loadModel('moonshine-tiny-en', 'greedy')
  let recognised = 0
  const time = await processorTime(async () => {
    recognised = (await recognise(samples)).reduce((sum, piece) => sum + piece.words.length, 0)
  })
  return (time / recognised) * words
}

async function measureStored(calls: number): Promise<void> {
  const stack = await startStack(WITH_OWNER)
  const db = await connect(stack.config.DATABASE_URL)
  for (let call = 0; call < calls; call++)
    await insertCall(db, dialogueOfWords(WORDS, call).segments, {
      direction: call % 2 ? 'INBOUND' : 'OUTBOUND',
      call_started_at: new Date(Date.now() - call * 60_000),
    })
  await db.query('SELECT add_up_recording_counts()')
  await db.query('ANALYZE')
  await db.query(`INSERT INTO paused_queues (name) VALUES ('transcription')`)
  await stack.startApi()
  await measureQueue(stack, db, calls)
  await measureBacktest(stack, calls)
  await db.end()
  await stack.stop()
}

async function measureQueue(stack: Stack, db: pg.Client, calls: number): Promise<void> {
  const check = async (limit: number) => {
    await db.query(
      `INSERT INTO analyses (id, recording_id, priority) SELECT gen_random_uuid(), id, 5 FROM recordings ORDER BY id LIMIT $1`,
      [limit],
    )
    const unfinished = `SELECT FROM analyses WHERE status IN ('QUEUED', 'PROCESSING') LIMIT 1`
    while ((await db.query(unfinished)).rowCount! > 0) await pause(200)
  }
  await check(50) // warm-up
  const before = readProcessorTime(stack)
  await check(calls)
  const perMinute = (60 * calls) / (readProcessorTime(stack) - before)
  verdict(`calls of ${WORDS} words from queued to stored in a minute of one core`, perMinute, { atLeast: 1000 })
}

async function measureBacktest(stack: Stack, calls: number): Promise<void> {
  const session = await openSession(stack)
  const id = await changeDraft(stack, session)
  const url = `${stack.config.apiUrl}/v1`
  const send = () => upload(stack, Buffer.alloc(200_000), 'call.wav')
  const requests = {
    list: () => session.get(`${url}/recordings?pageSize=25`),
    upload: () => send().catch(send).catch(send), // 503 while other work keeps the disk busy
  }
  const quiet = await timeInTurns(requests, 20, (round) => round < ROUNDS)
  const startedAt = performance.now()
  const period = JSON.stringify({ from: '2020-01-01', to: '2100-01-01' })
  const backtest = JSON.parse(await session.send(`${url}/rule-sets/${id}/backtests`, 'POST', period)) as { id: string }
  let [first, whole] = [0, 0]
  const watch = async () => {
    while (!whole) {
      const body = await session.get(`${url}/backtests/${backtest.id}`)
      const { done, state } = JSON.parse(body) as { done: number; state: string }
      const seconds = (performance.now() - startedAt) / 1000
      if (done > 0) first ||= seconds
      if (state !== 'running') whole = seconds
      await pause(500)
    }
  }
  const [busy] = await Promise.all([timeInTurns(requests, 20, () => !whole), watch()])
  const after = await timeInTurns(requests, 20, (round) => round < ROUNDS)
  verdict(`first figures of a backtest of ${calls} calls`, first, { atMost: 2 }, ' s')
  verdict('all figures of it', whole, { atMost: 60 }, ' s')
  for (const what of ['list', 'upload'] as const) {
    const ratio = median(busy[what]) / median([...quiet[what], ...after[what]])
    verdict(`a ${what} beside a backtest against a quiet one`, ratio, { atMost: 1.5 })
  }
}

/** Changes the weight of a rule in a draft; returns the rule set's id. */
async function changeDraft(stack: Stack, { get, send }: Session): Promise<string> {
  const url = `${stack.config.apiUrl}/v1/rule-sets`
  const { items } = JSON.parse(await get(url)) as { items: { id: string; key: string }[] }
  const { id } = items.find(({ key }) => key === 'outgoing-sales')!
  const { rules } = JSON.parse(await get(`${url}/${id}`)) as { rules: { weight: number }[] }
  rules[0]!.weight++
  await send(`${url}/${id}/draft`, 'PUT', JSON.stringify({ rules }))
  return id
}
