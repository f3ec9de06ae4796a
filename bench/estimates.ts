/** Measures the error of the estimated times of calls and of the queue, with the real recognizer. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import type { RecordingJson } from '../src/calls/recordings/schema.ts'
import { reportFigure, startStack, uploadCall, type BenchStack } from './support.ts'

/** Each batch uploads this many calls before it waits for all of them. */
const BATCH_SIZE = 10
const POLL_MS = 500
/** The lengths of the calls in seconds. */
const LENGTHS = [4, 6, 8, 10, 13, 16, 20, 26, 35, 60]
/** Estimates are whole seconds, and a sample can be this much older than its response. */
const TOLERANCE_SECONDS = 1

/** An estimate that the panel would show at a time, of a queued call, a running call or the queue. */
interface Sample {
  kind: 'queued' | 'running' | 'queue'
  /** The calls that should end at the estimated time. */
  ids: string[]
  at: number
  etaSeconds: number | null
}

const count = Number(process.argv[3] ?? 200)
const samples: Sample[] = []
const finishedAt = new Map<string, number>()
for (const concurrency of [1, 2]) await sampleCalls(concurrency, count / 2)
for (const kind of ['queued', 'running', 'queue'] as const) reportKind(kind)
process.exit()

/** Uploads calls in batches, and samples the estimates until all calls of a batch are done. */
async function sampleCalls(concurrency: number, calls: number): Promise<void> {
  const overrides = { TRANSCRIPTION_CONCURRENCY: concurrency, ASR_MAX_CONCURRENCY: concurrency }
  const stack = await startStack(overrides, { api: true, asr: true })
  for (let n = 0; n < calls; n += BATCH_SIZE) {
    const ids: string[] = []
    for (let i = n; i < Math.min(n + BATCH_SIZE, calls); i++)
      ids.push(await uploadCall(stack, encodeCall(stack, i), 'call.wav'))
    while (await sampleEstimates(stack, ids)) await pause(POLL_MS)
    const { items } = await fetchJson<{ items: RecordingJson[] }>(stack, `/v1/recordings?ids=${ids.join()}`)
    for (const call of items) finishedAt.set(call.id, Date.parse(call.finishedAt!))
  }
  await stack.stop()
}

/**
 * Samples the estimates once.
 * @returns false if all calls are done
 */
async function sampleEstimates(stack: BenchStack, ids: string[]): Promise<boolean> {
  const at = Date.now()
  const { etaSeconds } = await fetchJson<{ etaSeconds: number | null }>(stack, '/v1/queue')
  const { items } = await fetchJson<{ items: RecordingJson[] }>(stack, '/v1/recordings?status=QUEUED,PROCESSING')
  if (items.length === 0) return false
  samples.push({ kind: 'queue', ids, at, etaSeconds })
  for (const { id, status, progress } of items) {
    const kind = status === 'QUEUED' ? 'queued' : 'running'
    samples.push({ kind, ids: [id], at, etaSeconds: progress.etaSeconds })
  }
  return true
}

/** Encodes the sample call, repeated and cut to about one of the lengths. */
function encodeCall(stack: BenchStack, n: number): Buffer {
  const file = join(stack.folder, `call-${n}.wav`)
  const seconds = LENGTHS[(n * 7 + Math.floor(n / LENGTHS.length)) % LENGTHS.length]! * (1 + (n % 5) / 20)
  const input = ['-stream_loop', '-1', '-i', 'samples/call.wav', '-t', String(seconds)]
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...input, file])
  return readFileSync(file)
}

async function fetchJson<T>({ config, headers }: BenchStack, path: string): Promise<T> {
  const { body } = await request(config.apiUrl + path, { headers })
  return (await body.json()) as T
}

function reportKind(kind: Sample['kind']): void {
  const all = samples.filter((sample) => sample.kind === kind)
  const shown = all.filter(({ etaSeconds }) => etaSeconds !== null)
  console.log(`${kind}: ${shown.length} of ${all.length} times an estimate was shown`)
  if (shown.length > 0)
    reportFigure(`${kind}: estimates within a factor of two`, shown.filter(isRight).length / shown.length, {
      atLeast: 0.9,
    })
}

function isRight({ ids, at, etaSeconds }: Sample): boolean {
  const seconds = (Math.max(...ids.map((id) => finishedAt.get(id)!)) - at) / 1000
  const isClose = Math.abs(etaSeconds! - seconds) <= TOLERANCE_SECONDS
  return isClose || (etaSeconds! >= seconds / 2 && etaSeconds! <= seconds * 2)
}
