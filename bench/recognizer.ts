/**
 * The recognizer's parts:
 *
 *   npm run bench -- asr                decoders on one core, with the reference cases of src/recognizer/fixtures
 *   npm run bench -- memory [MINUTES]   its memory for three hours of speech (or MINUTES) beyond that for one minute
 *
 * The original decoder, pyctcdecode, needs 0.031 seconds per second of audio at width 200 on a comparable core.
 */
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { BeamSearch } from '../src/recognizer/decoders/ctc/beam-search.ts'
import { decodeGreedily } from '../src/recognizer/decoders/ctc/greedy.ts'
import { openModel } from '../src/recognizer/kenlm/model.ts'
import { FIXTURES, fixture, fixtureMatrix } from '../src/test/asr-fixtures.ts'
import { readPromptSamples, silence, writeRepeated } from './prompts.ts'
import { readMemory, startStack, verdict, type Stack } from './support.ts'

const FRAME_SECONDS = 0.03
const COLUMNS = 35
const ORIGINAL = 0.031
const ROUNDS = 3

const [name, given] = process.argv.slice(2)
if (name === 'memory') await measureMemory(Number(given ?? 180))
else measureDecoders()
process.exit()

async function measureMemory(minutes: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-memory-'))
  const raw = join(folder, 'prompts.raw')
  writeFileSync(raw, Buffer.concat(readPromptSamples().flatMap((samples) => [samples, silence(0.3)])))
  const stack = await startStack({ ASR_MAX_CONCURRENCY: 1, TRANSCRIPTION_CONCURRENCY: 1 }, { asr: true })
  const short = await peakMemory(stack, writeRepeated(raw, 60, join(folder, 'minute.flac')))
  const long = await peakMemory(stack, writeRepeated(raw, minutes * 60 - 1, join(folder, 'long.flac')))
  verdict(`memory for ${minutes} minutes of speech beyond that for 1 minute`, long - short, { atMost: 100 }, ' MB')
  rmSync(folder, { recursive: true })
  await stack.stop()
}

/** Transcribes a file; returns the recognizer's peak of resident memory in MB. */
async function peakMemory({ config, pids }: Stack, file: string): Promise<number> {
  writeFileSync(`/proc/${pids.asr}/clear_refs`, '5') // resets the peak
  const init: RequestInit = {
    method: 'POST',
    headers: { Authorization: `Bearer ${config.ASR_API_KEY}` },
    body: Readable.toWeb(createReadStream(file)),
    duplex: 'half',
  }
  const response = await fetch(`${config.asrUrl}/transcribe?decoder=greedy`, init)
  const last = (await response.text()).trim().split('\n').at(-1)!
  if ((JSON.parse(last) as { type: string }).type !== 'result') throw new Error(last)
  return readMemory(pids.asr).peak
}

function measureDecoders(): void {
  const { cases, lmFiles } = fixture<{ cases: { file: string }[]; lmFiles: { probing: string } }>('decode/index.json')
  const matrices = cases.map(({ file }) => fixtureMatrix('decode', file))
  const audioSeconds = matrices.reduce((sum, { length }) => sum + (length / COLUMNS) * FRAME_SECONDS, 0)
  const model = openModel(join(FIXTURES, lmFiles.probing))
  const beam = (beamWidth: number) => {
    const search = new BeamSearch(model, { beamWidth })
    return (matrix: Float32Array) => search.decode(matrix)
  }
  const decoders = { greedy: decodeGreedily, 'beam 50': beam(50), 'beam 200': beam(200), 'beam 400': beam(400) }
  for (const [decoder, decode] of Object.entries(decoders)) {
    const seconds = matrices.reduce((sum, matrix) => sum + bestSeconds(() => decode(matrix)), 0) / audioSeconds
    console.log(`${decoder}: ${seconds.toFixed(5)} seconds per second of audio, the original at width 200 ${ORIGINAL}`)
  }
}

function bestSeconds(work: () => unknown): number {
  let seconds = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now()
    work()
    seconds = Math.min(seconds, (performance.now() - startedAt) / 1000)
  }
  return seconds
}
