/** The recognizer's memory while it works on a 3-hour recording, against a 1-minute one: it must not grow with length. */
import { spawnSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { memoryOf, startStack, verdict } from './support.ts'

const stack = await startStack(
  { asr: true },
  { ASR_MAX_CONCURRENCY: 1, TRANSCRIPTION_CONCURRENCY: 1, ASR_MODEL: 'moonshine-tiny-en' },
)
const folder = mkdtempSync(join(tmpdir(), 'svc-memory-'))
const pid = stack.processes.asr!.pid!

const minute = await peakWhile(speech('minute.flac', 60))
console.log(`1 minute: peak ${minute.toFixed(0)} MB`)
const hours = await peakWhile(speech('hours.flac', 3 * 3600 - 1))
console.log(`3 hours: peak ${hours.toFixed(0)} MB`)
verdict('memory for 3 hours beyond that for 1 minute', hours - minute, { atMost: 300 }, ' MB')
rmSync(folder, { recursive: true })
await stack.stop()
process.exit()

/** The sample call again and again, for so many seconds; much of it is silence, so that the run takes minutes, not an hour. */
function speech(name: string, seconds: number): string {
  const file = join(folder, name)
  const quiet = 'apad=whole_dur=120,aloop=loop=-1:size=960000'
  const args = [
    '-v',
    'error',
    '-y',
    '-i',
    'samples/call.wav',
    '-af',
    quiet,
    '-t',
    String(seconds),
    '-ac',
    '1',
    '-ar',
    '8000',
    file,
  ]
  const { status, stderr } = spawnSync('ffmpeg', args)
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
  const result = JSON.parse(last) as { type: string; durationSeconds: number }
  if (result.type !== 'result') throw new Error(last)
  console.log(`${(result.durationSeconds / 60).toFixed(1)} minutes transcribed`)
  return memoryOf(pid).peak
}
