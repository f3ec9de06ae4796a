/**
 * The recognizer's memory while it works on three hours of speech, against a minute of it: it must not grow with length.
 *
 *   npm run bench:memory -- [MINUTES]
 *
 * MINUTES are taken in place of three hours. The speech is Asterisk's prompts, one after the other with pauses of 0.3 s.
 */
import { spawnSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fetchPrompts } from './prompts.ts'
import { memoryOf, startStack, verdict } from './support.ts'

const RATE = 8000
const HEADER_BYTES = 44
const PAUSE = Buffer.alloc(0.3 * RATE * 2)

const minutes = Number(process.argv[2] ?? 180)
const folder = mkdtempSync(join(tmpdir(), 'svc-memory-'))
const joined = joinPrompts()
const stack = await startStack({ asr: true }, { ASR_MAX_CONCURRENCY: 1, TRANSCRIPTION_CONCURRENCY: 1 })
const pid = stack.processes.asr!.pid!

const short = await peakWhile(speech('minute.flac', 60))
console.log(`1 minute: peak ${short.toFixed(0)} MB`)
const long = await peakWhile(speech('long.flac', minutes * 60 - 1))
console.log(`${minutes} minutes: peak ${long.toFixed(0)} MB`)
verdict(`memory for ${minutes} minutes of speech beyond that for 1 minute`, long - short, { atMost: 100 }, ' MB')
rmSync(folder, { recursive: true })
await stack.stop()
process.exit()

/** Raw sound of all prompts: about half an hour. */
function joinPrompts(): string {
  const { folder: sounds } = fetchPrompts()
  const names = readdirSync(sounds).filter((name) => name.endsWith('.wav')).toSorted((a, b) => a.localeCompare(b)) // prettier-ignore
  const file = join(folder, 'prompts.raw')
  const prompts = names.flatMap((name) => [readFileSync(join(sounds, name)).subarray(HEADER_BYTES), PAUSE])
  writeFileSync(file, Buffer.concat(prompts))
  return file
}

/** So many seconds of it, from the beginning again where it ends. */
function speech(name: string, seconds: number): string {
  const file = join(folder, name)
  const raw = ['-stream_loop', '-1', '-f', 's16le', '-ar', String(RATE), '-ac', '1', '-i', joined]
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...raw, '-t', String(seconds), file])
  if (status !== 0) throw new Error(stderr.toString())
  return file
}

/** Has the recognizer transcribe a file; answers its peak of resident memory in MB. */
async function peakWhile(file: string): Promise<number> {
  writeFileSync(`/proc/${pid}/clear_refs`, '5') // forgets the peak so far
  const init: RequestInit = {
    method: 'POST',
    headers: { Authorization: `Bearer ${stack.config.ASR_API_KEY}` },
    body: Readable.toWeb(createReadStream(file)),
    duplex: 'half',
  }
  const response = await fetch(`${stack.config.asrUrl}/transcribe?decoder=greedy`, init)
  const last = (await response.text()).trim().split('\n').at(-1)!
  const result = JSON.parse(last) as { type: string; durationSeconds: number; audio: { speechSeconds: number[] } }
  if (result.type !== 'result') throw new Error(last)
  const spoken = result.audio.speechSeconds[0]! / result.durationSeconds
  console.log(`${(result.durationSeconds / 60).toFixed(1)} minutes transcribed, ${(100 * spoken).toFixed(0)} % speech`)
  return memoryOf(pid).peak
}
