/** Compares the service with the bare engine, and measures the memory of the recognizer over the length of a file. */
import { once } from 'node:events'
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { parentPort, Worker, type MessagePort } from 'node:worker_threads'
import { compareSpeechPiecesByTime } from '../src/recognizer/engines/engine.ts'
import { joinWordTexts } from '../src/recognizer/phrases.ts'
import { makeWavWithHeader } from '../src/test/unusual-audio.ts'
import {
  decodeAudioWithFfmpeg,
  loadInProcessRecognizer,
  readPromptSamples,
  makeSilentPcm,
  writeRepeatedAudio,
} from './prompts.ts'
import {
  BENCH_OWNER_CONFIG,
  openOwnerSession,
  readProcessMemoryMb,
  startStack,
  uploadCall,
  reportFigure,
  waitForTranscription,
  type BenchStack,
} from './support.ts'

/** Service and bare engine alternate in this many blocks, so that other load affects both. */
const BLOCK_COUNT = 2
const THREAD_COUNT = 2
const MODEL = 'moonshine-base-en'
const DECODER = 'beam_search'

const [name, given] = process.argv.slice(2)
if (parentPort) await serveThread(parentPort)
else if (name === 'memory') await measureMemory(Number(given ?? 180))
else await measureThroughput(Number(given ?? 60))
if (!parentPort) process.exit()

async function measureThroughput(count: number): Promise<void> {
  const stack = await startStack(BENCH_OWNER_CONFIG, { api: true, asr: true })
  const owner = await openOwnerSession(stack)
  const setSeparation = (separateSpeakers: boolean) =>
    owner.send(`${stack.config.apiUrl}/v1/transcription/settings`, 'PUT', JSON.stringify({ separateSpeakers }))
  await setSeparation(false)
  const files = createCallFiles(stack.folder, count)
  const threads = Array.from({ length: THREAD_COUNT }, () => new Worker(fileURLToPath(import.meta.url)))
  await Promise.all(threads.map((thread) => once(thread, 'message')))
  await Promise.all([transcribeAll(stack, files.slice(0, 4)), recognizeAll(threads, files.slice(0, 4))]) // The first calls warm up both.
  let [ours, bare, different, separating] = [0, 0, 0, 0]
  for (let block = 0; block < BLOCK_COUNT; block++) {
    const some = files.filter((_file, index) => index % BLOCK_COUNT === block)
    const [one, other] = [await transcribeAll(stack, some), await recognizeAll(threads, some)]
    await setSeparation(true)
    separating += (await transcribeAll(stack, some)).seconds
    await setSeparation(false)
    ours += one.seconds
    bare += other.seconds
    different += some.filter((file) => one.texts.get(file) !== other.texts.get(file)).length
  }
  reportFigure('throughput against the bare engine', bare / ours, { atLeast: 0.95 })
  reportFigure('calls with different texts', different, { atMost: 0 })
  // The bare engine takes about 0.05 core-seconds a second of audio, and so can the separation.
  reportFigure('time with separated speakers against without', separating / ours, { atMost: 2 })
  await stack.stop()
}

/** Joins prompts into calls of about 16 seconds, with half a second of silence between them. */
function createCallFiles(folder: string, count: number): string[] {
  const prompts = readPromptSamples()
  return Array.from({ length: count }, (_, index) => {
    const ownFiles = prompts.filter((_prompt, i) => i % 60 === index)
    const samples = Buffer.concat(ownFiles.flatMap((prompt) => [prompt, makeSilentPcm(0.5)]))
    const file = join(folder, `call-${index}.wav`)
    writeFileSync(file, makeWavWithHeader({ data: samples }))
    return file
  })
}

/**
 * Transcribes files with the service.
 * @returns the seconds from the first upload to the last transcript, and the texts by file
 */
async function transcribeAll(stack: BenchStack, files: string[]) {
  const startedAt = Date.now()
  const ids: string[] = []
  for (const file of files) ids.push(await uploadCall(stack, readFileSync(file), 'call.wav'))
  const texts = new Map<string, string>()
  let finishedAt = 0
  // The last call in the queue ends last, so waiting for it first saves polls that would disturb the measurement.
  for (const [n, id] of [...ids.entries()].toReversed()) {
    const recording = await waitForTranscription(stack, id, 1000)
    texts.set(files[n]!, recording.transcript!.text.replaceAll('\n', ' '))
    finishedAt = Math.max(finishedAt, Date.parse(recording.finishedAt!))
  }
  return { seconds: (finishedAt - startedAt) / 1000, texts }
}

async function recognizeAll(threads: Worker[], files: string[]) {
  const startedAt = performance.now()
  const texts = new Map<string, string>()
  const waiting = [...files]
  const recognizeNext = async (thread: Worker) => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      thread.postMessage(file)
      const [text] = (await once(thread, 'message')) as [string]
      texts.set(file, text)
    }
  }
  await Promise.all(threads.map(recognizeNext))
  return { seconds: (performance.now() - startedAt) / 1000, texts }
}

/** Runs the bare engine in a worker thread. Messages are paths of files, which ffmpeg decodes. */
async function serveThread(port: MessagePort): Promise<void> {
  const recognize = await loadInProcessRecognizer(MODEL, DECODER)
  port.on('message', (file: string) => {
    void recognize(decodeAudioWithFfmpeg('-i', file)).then(
      (pieces) =>
      port.postMessage(pieces.toSorted(compareSpeechPiecesByTime).map(({ words }) => joinWordTexts(words)).join(' ')), // prettier-ignore
    )
  })
  port.postMessage('ready')
}

async function measureMemory(minutes: number): Promise<void> {
  const stack = await startStack({ ASR_MAX_CONCURRENCY: 1, TRANSCRIPTION_CONCURRENCY: 1 }, { asr: true })
  const raw = join(stack.folder, 'prompts.raw')
  writeFileSync(raw, Buffer.concat(readPromptSamples().flatMap((samples) => [samples, makeSilentPcm(0.3)])))
  const short = writeRepeatedAudio(raw, 60, join(stack.folder, 'minute.flac'))
  const long = writeRepeatedAudio(raw, minutes * 60 - 1, join(stack.folder, 'long.flac'))
  const shortPeak = await measurePeakMemory(stack, short, false)
  const longPeak = await measurePeakMemory(stack, long, false)
  const separatingPeak = await measurePeakMemory(stack, long, true)
  const name = `memory for ${minutes} minutes of speech beyond that for 1 minute`
  reportFigure(name, longPeak - shortPeak, { atMost: 100 }, ' MB')
  reportFigure(`${name}, with separated speakers`, separatingPeak - shortPeak, { atMost: 200 }, ' MB')
  await stack.stop()
}

/**
 * Transcribes a file.
 * @returns the peak of the recognizer's resident memory in MB
 */
async function measurePeakMemory({ config, pids }: BenchStack, file: string, separate: boolean): Promise<number> {
  writeFileSync(`/proc/${pids.asr}/clear_refs`, '5') // The value 5 resets the peak of the resident memory.
  const init: RequestInit = {
    method: 'POST',
    headers: { Authorization: `Bearer ${config.ASR_API_KEY}`, 'X-Separate-Speakers': String(separate) },
    body: Readable.toWeb(createReadStream(file)),
    duplex: 'half',
  }
  const response = await fetch(`${config.asrUrl}/transcribe?decoder=greedy`, init)
  const last = (await response.text()).trim().split('\n').at(-1)!
  if ((JSON.parse(last) as { type: string }).type !== 'result') throw new Error(last)
  return readProcessMemoryMb(pids.asr).peak
}
