/** How fast the shipped rules judge, in processor time, so that other work on the machine changes little. */
import { execFileSync } from 'node:child_process'
import type { EngineConfig } from '../src/recognizer/engines/engine.ts'
import { load } from '../src/recognizer/engines/moonshine/moonshine.ts'
import { judge } from '../src/check/rules/judge.ts'
import { SHIPPED } from '../src/check/rules/shipped.ts'
import type { Dialogue } from '../src/check/rules/types.ts'
import { callOf, readOnce } from './check-calls.ts'
import { median, verdict } from './support.ts'

const SAMPLE = 'samples/call.wav'
const RATE = 16_000

/** Prints each figure against its bound. */
export async function measureSpeed(): Promise<void> {
  await judgeAll(callOf(6000)) // the dictionaries, and the words of the calls
  const times: number[] = []
  for (let run = 0; run < 7; run++) times.push(await processorTime(() => judgeAll(callOf(6000))))
  const recognised = await recognitionOf(6000)
  console.log(
    `three sets on 6,000 words: ${median(times).toFixed(1)} ms; recognising as many: ${recognised.toFixed(0)} ms`,
  )
  verdict(
    'three sets on 6,000 words against their recognition',
    (100 * median(times)) / recognised,
    { atMost: 1 },
    ' %',
  )

  const began = await processorTime(async () => {
    for (let call = 0; call < 1000; call++) await judgeAll(callOf(600, call))
  })
  verdict('calls of 600 words judged in a minute of one core', 60_000_000 / began, { atLeast: 1000 })
  await measureLoop()
}

async function judgeAll(dialogue: Dialogue): Promise<void> {
  for (const set of SHIPPED) await judge(set, dialogue)
}

/** Milliseconds of processor time that something takes. */
async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const began = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1000
}

/** Milliseconds that the tiny model takes for so many words, by those of the sample. */
async function recognitionOf(words: number): Promise<number> {
  const pcm = execFileSync('ffmpeg', ['-v', 'error', '-i', SAMPLE, '-ac', '1', '-ar', String(RATE), '-f', 's16le', '-'])
  const samples = new Int16Array(new Uint8Array(pcm).buffer)
  const engine = await load({ ASR_MODEL: 'moonshine-tiny-en', DECODER: 'greedy' } as EngineConfig)
  let heard = 0
  const time = await processorTime(async () => {
    const pieces = await engine.transcribe([[samples]], 'greedy', () => {}, new AbortController().signal)
    heard = pieces.reduce((sum, piece) => sum + piece.words.length, 0)
  })
  return (time / heard) * words
}

/** The longest time for which 1 MB of conversation holds the event loop, in the median of some runs. */
async function measureLoop(): Promise<void> {
  const longest: number[] = []
  for (let run = 0; run < 5; run++) {
    let [held, running] = [0, true]
    let last = performance.now()
    const look = (): void => {
      const now = performance.now()
      held = Math.max(held, now - last)
      last = now
      if (running) setImmediate(look)
    }
    setImmediate(look)
    await judgeAll(megabyte())
    running = false
    longest.push(held)
  }
  verdict('1 MB of text holds the event loop for at most', median(longest), { atMost: 20 }, ' ms')
}

function megabyte(): Dialogue {
  const text = readOnce()
    .flatMap(({ segments }) => segments.map((segment) => segment.text))
    .join(' ')
  const whole = text.repeat(Math.ceil(1_000_000 / text.length)).slice(0, 1_000_000)
  const segments = [0, 1].map((channel) => ({
    channel,
    start: channel,
    end: 3600,
    text: whole.slice(channel * 500_000, (channel + 1) * 500_000),
  }))
  return { segments, channels: 2, agentChannel: 0, direction: 'OUTBOUND', durationSeconds: 3600 }
}
