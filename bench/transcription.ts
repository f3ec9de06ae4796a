/**
 * 60 calls of real telephone speech from upload to DONE through the API, the queue and the recognizer, against the bare
 * engine in one script on the same files, which a plain ffmpeg decodes: throughput and texts. Both use two threads;
 * they take turns and never run at once.
 *
 * The calls are made of Asterisk's prompts (bench/prompts.ts).
 *
 *   npm run bench:transcription -- [EARLIER [compare]]
 *
 * EARLIER is a built checkout of an earlier release (with its dist/svc.js): then it takes its turns too, with many calls
 * at once and with one call at a time. With `compare` behind it nothing else is measured. Beside each ratio of times stands
 * that of the recognizers' processor times, which means something on a busy machine too.
 */
import { execFileSync, fork } from 'node:child_process'
import { on, once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parentPort, Worker, type MessagePort } from 'node:worker_threads'
import { engineFor } from '../src/recognizer/engines/index.ts'
import { textOf } from '../src/recognizer/phrases.ts'
import { ALLOCATOR } from '../src/app/embedded/index.ts'
import { fetchPrompts } from './prompts.ts'
import { processorSecondsOf, startStack, verdict, type Stack } from './support.ts'

process.env.ORT_DISABLE_TELEMETRY = '1'

const CALLS = 60
/** The two take turns, so that whatever else the machine does meets both. */
const BLOCKS = 2
const THREADS = 2
const MODEL = 'moonshine-base-en'
const DECODER = 'beam_search'
const RATE = 8000
const HEADER_BYTES = 44

interface Outcome {
  /** From the first call handed over to the last text. */
  seconds: number
  /** By file name. */
  texts: Record<string, string>
}

if (parentPort) await recogniseInThread(parentPort)
else if (process.argv[2] === 'direct') await serveDirect()
else await main()

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-calls-'))
  const { files, audioSeconds } = makeCalls(folder)
  const stack = await startStack({ api: true, asr: true })
  const [earlierFolder, only] = process.argv.slice(2)
  const earlier = earlierFolder && (await startStack({ api: true, asr: true }, {}, join(earlierFolder, 'dist/svc.js')))
  if (earlier && only === 'compare') {
    await compare(stack, earlier, files)
    await Promise.all([earlier.stop(), stack.stop()])
    rmSync(folder, { recursive: true })
    process.exit()
  }
  const engine = startDirect()
  const ours: Outcome[] = []
  const bare: Outcome[] = []
  for (let block = -1; block < BLOCKS; block++) {
    const some = block < 0 ? files.slice(0, 4) : files.filter((_file, index) => index % BLOCKS === block)
    const both = [await transcribeAll(stack, some), await engine(some)] as const
    if (block < 0) continue // warmed both up
    ours.push(both[0])
    bare.push(both[1])
    console.log(`block ${block + 1}: ${both[0].seconds.toFixed(1)} s, engine directly ${both[1].seconds.toFixed(1)} s`)
  }
  if (earlier) {
    await compare(stack, earlier, files)
    await earlier.stop()
  }
  await stack.stop()
  rmSync(folder, { recursive: true })
  report(ours, bare, audioSeconds)
  process.exit()
}

/** The throughput of two releases in turns: all calls at once, and some of them one after the other. */
async function compare(ours: Stack, earlier: Stack, files: string[]): Promise<void> {
  for (const stack of [earlier, ours]) await transcribeAll(stack, files.slice(0, 2)) // warms them up
  const atOnce = [await costOf(earlier, files), await costOf(ours, files)]
  judge('many calls at once', atOnce[0]!, atOnce[1]!, 2.5)
  const [before, now] = [
    { seconds: 0, processor: 0 },
    { seconds: 0, processor: 0 },
  ]
  for (const file of files.slice(0, 6)) {
    add(before, await costOf(earlier, [file]))
    add(now, await costOf(ours, [file]))
  }
  judge('one call at a time', before, now, 1.6)
}

interface Cost {
  seconds: number
  /** Seconds of processor time of the recognizer. */
  processor: number
}

async function costOf(stack: Stack, files: string[]): Promise<Cost> {
  const { pid } = stack.processes.asr!
  const before = processorSecondsOf(pid!)
  const { seconds } = await transcribeAll(stack, files)
  return { seconds, processor: processorSecondsOf(pid!) - before }
}

function add(sum: Cost, { seconds, processor }: Cost): void {
  sum.seconds += seconds
  sum.processor += processor
}

function judge(what: string, before: Cost, now: Cost, atLeast: number): void {
  verdict(`throughput of ${what} against the release before`, before.seconds / now.seconds, { atLeast })
  const [then, today] = [before, now].map(({ processor }) => processor.toFixed(1))
  console.log(
    `        its processor time: ${(before.processor / now.processor).toFixed(2)} times less (${then} s, ${today} s)`,
  )
}

function report(ours: Outcome[], bare: Outcome[], audioSeconds: number): void {
  const seconds = (outcomes: Outcome[]) => outcomes.reduce((sum, outcome) => sum + outcome.seconds, 0)
  const speed = (outcomes: Outcome[]) => `${(audioSeconds / seconds(outcomes)).toFixed(1)} times as fast as speech`
  console.log(`${CALLS} calls, ${(audioSeconds / 60).toFixed(1)} minutes, ${THREADS} threads, ${MODEL}, ${DECODER}`)
  console.log(`through the API ${speed(ours)}, engine directly ${speed(bare)}`)
  verdict('throughput against the engine called directly', seconds(bare) / seconds(ours), { atLeast: 0.95 })
  const different = bare.flatMap(({ texts }, block) =>
    Object.keys(texts).filter((file) => texts[file] !== ours[block]!.texts[file]),
  )
  verdict('calls with different texts', different.length, { atMost: 0 })
}

/** Joins prompts into calls of about 16 seconds, half a second apart: wav files of 8 kHz, 16 bit, mono. */
function makeCalls(folder: string): { files: string[]; audioSeconds: number } {
  const { folder: sounds } = fetchPrompts()
  const prompts = readdirSync(sounds)
    .filter((name) => name.endsWith('.wav'))
    .toSorted((a, b) => a.localeCompare(b))
    .map((name) => readFileSync(join(sounds, name)))
  const pause = Buffer.alloc(RATE)
  let audioSeconds = 0
  const files = Array.from({ length: CALLS }, (_, index) => {
    const sound = Buffer.concat(
      prompts.filter((_prompt, i) => i % CALLS === index).flatMap((prompt) => [prompt.subarray(HEADER_BYTES), pause]),
    )
    const header = Buffer.from(prompts[0]!.subarray(0, HEADER_BYTES))
    header.writeUInt32LE(sound.length + HEADER_BYTES - 8, 4)
    header.writeUInt32LE(sound.length, 40)
    audioSeconds += sound.length / 2 / RATE
    const file = join(folder, `call-${index}.wav`)
    writeFileSync(file, Buffer.concat([header, sound]))
    return file
  })
  return { files, audioSeconds }
}

/** As an integration does: submits all calls, then reads until every one is DONE. */
async function transcribeAll({ config, key }: Stack, files: string[]): Promise<Outcome> {
  const headers = { 'X-API-Key': key }
  const startedAt = performance.now()
  const ids = new Map<string, string>()
  for (const file of files) {
    const form = new FormData()
    form.append('file', new Blob([readFileSync(file)]), 'call.wav')
    const response = await fetch(`${config.apiUrl}/v1/recordings`, { method: 'POST', body: form, headers })
    const { id } = (await response.json()) as { id: string }
    ids.set(id, file)
  }
  const texts: Record<string, string> = {}
  let finishedAt = 0
  while (ids.size > 0) {
    // The last in the queue ends last: asking for it alone costs next to nothing beside the work.
    const [id, file] = [...ids].at(-1)!
    const recording = await read(config.apiUrl, headers, id)
    if (recording.status === 'FAILED') throw new Error(`${file} failed: ${recording.errorMessage}`)
    if (recording.status !== 'DONE') {
      await new Promise((resolve) => setTimeout(resolve, 1000))
      continue
    }
    texts[file] = recording.transcript!.text.replaceAll('\n', ' ') // where phrases end is no matter here
    finishedAt = Math.max(finishedAt, Date.parse(recording.finishedAt!))
    ids.delete(id)
  }
  const startedOn = performance.timeOrigin + startedAt
  return { seconds: (finishedAt - startedOn) / 1000, texts }
}

interface Read {
  status: string
  errorMessage: string | null
  finishedAt: string | null
  transcript: { text: string } | null
}

async function read(apiUrl: string, headers: Record<string, string>, id: string): Promise<Read> {
  return (await fetch(`${apiUrl}/v1/recordings/${id}`, { headers })).json() as Promise<Read>
}

/** Starts the direct script in a process of its own, which has loaded nothing of the service but has its allocator. */
function startDirect(): (files: string[]) => Promise<Outcome> {
  const child = fork(fileURLToPath(import.meta.url), ['direct'], { env: { ...ALLOCATOR, ...process.env } })
  return async (files) => {
    child.send(files)
    const [outcome] = (await once(child, 'message')) as [Outcome]
    return outcome
  }
}

/** The yardstick: two threads with the engine in each, files decoded by a plain ffmpeg and handed over whole. */
async function serveDirect(): Promise<void> {
  const threads = Array.from({ length: THREADS }, () => new Worker(fileURLToPath(import.meta.url)))
  const ready = Promise.all(threads.map((thread) => once(thread, 'message')))
  process.once('disconnect', () => process.exit())
  for await (const [files] of on(process, 'message') as AsyncIterable<[string[]]>) {
    await ready
    const startedAt = performance.now()
    const texts: Record<string, string> = {}
    const waiting = [...files]
    const drain = async (thread: Worker) => {
      for (let file = waiting.shift(); file; file = waiting.shift()) {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        thread.postMessage(file)
        const [text] = (await once(thread, 'message')) as [string]
        texts[file] = text
      }
    }
    await Promise.all(threads.map(drain))
    process.send!({ seconds: (performance.now() - startedAt) / 1000, texts })
  }
}

/** One thread of it: answers each file's text. */
async function recogniseInThread(port: MessagePort): Promise<void> {
  const module = await engineFor(MODEL)
  const engine = await module.load({ ASR_MODEL: MODEL, ASR_MODEL_HUB_URL: '', DECODER, modelsDir: '' })
  const { signal } = new AbortController()
  port.on('message', (file: string) => {
    void (async () => {
      const pieces = await engine.transcribe([[decode(file, engine.sampleRate)]], DECODER, () => {}, signal)
      port.postMessage(pieces.map(({ words }) => textOf(words)).join(' '))
    })()
  })
  port.postMessage('ready')
}

function decode(file: string, rate: number): Int16Array {
  const format = ['-ac', '1', '-ar', String(rate), '-f', 's16le', '-']
  const pcm = execFileSync('ffmpeg', ['-v', 'error', '-i', file, ...format], { maxBuffer: 2 ** 28 })
  return new Int16Array(new Uint8Array(pcm).buffer)
}
