/** Measures the call check. Without arguments, it runs the parts rules and stored. */
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { judgeCall } from '../src/check/rules/judge-call.ts'
import { SHIPPED_RULE_SETS } from '../src/check/rules/shipped.ts'
import type { Dialogue } from '../src/check/rules/types.ts'
import { measureChecksByVoice } from './check-speakers.ts'
import {
  connectToDatabase,
  makeLongDialogue,
  insertTranscribedCall,
  loadJudgedCalls,
  convertJudgedCallToDialogue,
} from './database.ts'
import { decodeAudioWithFfmpeg, loadInProcessRecognizer } from './prompts.ts'
import { measureLongestEventLoopTurn, computeMedian, openOwnerSession, measureCpuMs, readStackCpuSeconds, startStack, measureRequestsInTurns, uploadCall, reportFigure, BENCH_OWNER_CONFIG, type OwnerSession, type BenchStack } from './support.ts' // prettier-ignore

const WORDS_PER_CALL = 600
/** Before and after the backtest, lists and uploads are measured in this many rounds. */
const ROUNDS = 60

const [, , , part = 'rules stored', option] = process.argv
if (part.includes('quality')) await measureQuality(option === 'details')
if (part.includes('speakers')) await measureChecksByVoice(Number(option ?? 64))
if (part.includes('rules')) await measureSpeed()
if (part.includes('stored')) await measureStoredCalls(Number(option ?? 1000))
process.exit()

async function measureQuality(details: boolean): Promise<void> {
  const matching = { verdicts: 0, labels: 0 }
  const total = { verdicts: 0, labels: 0 }
  for (const call of loadJudgedCalls()) {
    const dialogue = convertJudgedCallToDialogue(call)
    for (const set of SHIPPED_RULE_SETS.filter(({ applies }) => applies?.direction?.includes(call.direction))) {
      const what = set.mode === 'label' ? 'labels' : 'verdicts'
      for (const { rule, verdict: actual, evidence } of (await judgeCall(set, dialogue)).findings) {
        const label = call.labels.includes(rule) ? 'met' : 'missed'
        const expected = what === 'labels' ? label : call.verdicts[rule]
        if (!expected) continue // Rules that are measured, such as the share of speech, have no verdict of a reader.
        total[what]++
        if (actual === expected) matching[what]++
        else if (details) console.log(call.key, set.key, rule, `reader ${expected}, rules ${actual}`, evidence.map(({ quote }) => quote)) // prettier-ignore
      }
    }
  }
  for (const what of ['verdicts', 'labels'] as const)
    reportFigure(`agreement of ${what} with a reader`, (100 * matching[what]) / total[what], { atLeast: 90 }, ' %')
}

async function measureSpeed(): Promise<void> {
  const longDialogue = makeLongDialogue(6000)
  await judgeAll(longDialogue) // The first check loads the dictionaries.
  const times: number[] = []
  for (let run = 0; run < 7; run++) times.push(await measureCpuMs(() => judgeAll(longDialogue)))
  const share = (100 * computeMedian(times)) / (await measureRecognitionMs(6000))
  reportFigure('three rule sets on 6,000 words against their recognition', share, { atMost: 1 }, ' %')
  const thousandCallsMs = await measureCpuMs(async () => {
    for (let call = 0; call < 1000; call++) await judgeAll(makeLongDialogue(WORDS_PER_CALL, call))
  })
  reportFigure(`calls of ${WORDS_PER_CALL} words judged in a minute of one core`, 60_000_000 / thousandCallsMs, {
    atLeast: 1000,
  })
  const text = makeLongDialogue(150_000).segments.map((piece) => piece.text).join(' ').slice(0, 500_000) // prettier-ignore
  const segments = [0, 1].map((channel) => ({ channel, start: channel, end: 3600, text }))
  const megabyteDialogue = { ...makeLongDialogue(1), segments, durationSeconds: 3600 }
  const blocked: number[] = []
  for (let run = 0; run < 5; run++) blocked.push(await measureLongestEventLoopTurn(() => judgeAll(megabyteDialogue), () => performance.now())) // prettier-ignore
  reportFigure('1 MB of text blocks the event loop for at most', computeMedian(blocked), { atMost: 20 }, ' ms')
}

async function judgeAll(dialogue: Dialogue): Promise<void> {
  for (const set of SHIPPED_RULE_SETS) await judgeCall(set, dialogue)
}

/**
 * Measures the processor time in milliseconds that the tiny model needs for this number of words, extrapolated from the sample
 * call.
 */
async function measureRecognitionMs(words: number): Promise<number> {
  const samples = decodeAudioWithFfmpeg('-i', 'samples/call.wav')
  const recognise = await loadInProcessRecognizer('moonshine-tiny-en', 'greedy')
  let recognised = 0
  const time = await measureCpuMs(async () => {
    recognised = (await recognise(samples)).reduce((sum, piece) => sum + piece.words.length, 0)
  })
  return (time / recognised) * words
}

async function measureStoredCalls(calls: number): Promise<void> {
  const stack = await startStack(BENCH_OWNER_CONFIG)
  const db = await connectToDatabase(stack.config.DATABASE_URL)
  for (let call = 0; call < calls; call++)
    await insertTranscribedCall(db, makeLongDialogue(WORDS_PER_CALL, call).segments, {
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

async function measureQueue(stack: BenchStack, db: pg.Client, calls: number): Promise<void> {
  const check = async (limit: number) => {
    await db.query(
      `INSERT INTO analyses (id, recording_id, priority) SELECT gen_random_uuid(), id, 5 FROM recordings ORDER BY id LIMIT $1`,
      [limit],
    )
    const unfinished = `SELECT FROM analyses WHERE status IN ('QUEUED', 'PROCESSING') LIMIT 1`
    while ((await db.query(unfinished)).rowCount! > 0) await pause(200)
  }
  await check(50) // The first calls warm up the workers.
  const before = readStackCpuSeconds(stack)
  await check(calls)
  const perMinute = (60 * calls) / (readStackCpuSeconds(stack) - before)
  reportFigure(`calls of ${WORDS_PER_CALL} words from queued to stored in a minute of one core`, perMinute, {
    atLeast: 1000,
  })
}

async function measureBacktest(stack: BenchStack, calls: number): Promise<void> {
  const session = await openOwnerSession(stack)
  const id = await changeDraft(stack, session)
  const url = `${stack.config.apiUrl}/v1`
  const send = () => uploadCall(stack, Buffer.alloc(200_000), 'call.wav')
  const requests = {
    list: () => session.get(`${url}/recordings?pageSize=25`),
    upload: () => send().catch(send).catch(send), // 503 while other work keeps the disk busy
  }
  const quietTimes = await measureRequestsInTurns(requests, 20, (round) => round < ROUNDS)
  const startedAt = performance.now()
  const period = JSON.stringify({ from: '2020-01-01', to: '2100-01-01' })
  const backtest = JSON.parse(await session.send(`${url}/rule-sets/${id}/backtests`, 'POST', period)) as { id: string }
  let [firstSeconds, totalSeconds] = [0, 0]
  const watchBacktest = async () => {
    while (!totalSeconds) {
      const body = await session.get(`${url}/backtests/${backtest.id}`)
      const { done, state } = JSON.parse(body) as { done: number; state: string }
      const seconds = (performance.now() - startedAt) / 1000
      if (done > 0) firstSeconds ||= seconds
      if (state !== 'running') totalSeconds = seconds
      await pause(500)
    }
  }
  const [busy] = await Promise.all([measureRequestsInTurns(requests, 20, () => !totalSeconds), watchBacktest()])
  const after = await measureRequestsInTurns(requests, 20, (round) => round < ROUNDS)
  reportFigure(`first figures of a backtest of ${calls} calls`, firstSeconds, { atMost: 2 }, ' s')
  reportFigure('all figures of it', totalSeconds, { atMost: 60 }, ' s')
  for (const what of ['list', 'upload'] as const) {
    const ratio = computeMedian(busy[what]) / computeMedian([...quietTimes[what], ...after[what]])
    reportFigure(`a ${what} beside a backtest against a quiet one`, ratio, { atMost: 1.5 })
  }
}

/**
 * Changes the points of a rule in a draft.
 * @returns the id of the rule set
 */
async function changeDraft(stack: BenchStack, { get, send }: OwnerSession): Promise<string> {
  const url = `${stack.config.apiUrl}/v1/rule-sets`
  const { items } = JSON.parse(await get(url)) as { items: { id: string; key: string }[] }
  const { id } = items.find(({ key }) => key === 'outgoing-sales')!
  const { rules } = JSON.parse(await get(`${url}/${id}`)) as { rules: { weight: number }[] }
  rules[0]!.weight++
  await send(`${url}/${id}/draft`, 'PUT', JSON.stringify({ rules }))
  return id
}
