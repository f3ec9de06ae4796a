/** Measures the recognition of recorded speech, from the upload to the transcript. BENCH_MODEL selects the model. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { computeWordCertainty, type TranscriptSegment } from '../src/panel/recording/lines.ts'
import { makeWavWithHeader } from '../src/test/unusual-audio.ts'
import { alignWords, countWordErrors, listMusicFiles, loadSpeechPrompts, PROMPT_SAMPLE_RATE_HZ, loadBenchData, readWavSamples, makeSilentPcm, normalizeSpokenWords, writeRepeatedAudio, type SpeechPrompt } from './prompts.ts' // prettier-ignore
import { fetchRecording, computeMedian, openOwnerSession, computePercentile, startStack, uploadCall, reportFigure, waitForTranscription, BENCH_OWNER_CONFIG } from './support.ts' // prettier-ignore

/** A prompt with at most this many words counts as short. */
const MAX_SHORT_WORDS = 5
/** Louder samples are speech, because the pauses of these studio recordings are silent. */
const SPEECH_LEVEL = 300
const PAUSES_SECONDS = [0.3, 0.45, 0.6, 0.75, 0.9, 1]
const MAX_CUE = { seconds: 7, letters: 84 }
const HOUR_SECONDS = 3600
/** The panel marks words with a lower certainty as doubtful. */
const DOUBTFUL_CONFIDENCE = 0.72
/** The maximum word error rate in percent, by decoder and length of the prompts. */
const MAX_ERROR_PERCENT = { beam_search: { long: 2.8, short: 16.5 }, greedy: { long: 3, short: 16.5 } }
const TELEPHONE_FILTER = ['-af', 'aresample=8000,highpass=f=200,lowpass=f=3400', '-ar', '8000']

const [, , name, ...args] = process.argv
const scratchFolder = mkdtempSync(join(tmpdir(), 'svc-speech-'))
const model = (process.env.BENCH_MODEL ?? 'moonshine-base-en') as 'moonshine-base-en'
const stack = await startStack({ ...BENCH_OWNER_CONFIG, ASR_MODEL: model }, { api: true, asr: true })
if (name === 'confidence') await measureConfidence(Number(args[0] ?? Infinity))
else if (name === 'voices') await measureVoices(Number(args[0] ?? Infinity))
else if (name === 'invented') await measureInventedWords(args[0] ?? '90')
else {
  const prompts = loadPromptsBySize(Number(args[0] ?? Infinity))
  await measureErrors(prompts)
  if (name === 'speech') await measureStarts(prompts.long)
  if (name === 'speech') await measureFirstText(prompts.long)
}
await stack.stop()
rmSync(scratchFolder, { recursive: true })
process.exit()

function loadPromptsBySize(maxCount: number): Record<'long' | 'short', SpeechPrompt[]> {
  const prompts = loadSpeechPrompts().filter(({ words: spokenWords }) => spokenWords.length > 0)
  const selectPrompts = (isLong: boolean) =>
    prompts.filter(({ words: spokenWords }) => spokenWords.length > MAX_SHORT_WORDS === isLong).slice(0, maxCount)
  return { long: selectPrompts(true), short: selectPrompts(false) }
}

/** Uploads files as calls and returns the segments of each transcript. */
async function transcribe(files: string[], decoder = 'beam_search'): Promise<TranscriptSegment[][]> {
  const ids: string[] = []
  for (const file of files) ids.push(await uploadCall(stack, readFileSync(file), basename(file), { decoder }))
  const calls: TranscriptSegment[][] = []
  for (const id of ids) {
    await waitForTranscription(stack, id, 100)
    const { config, headers } = stack
    const response = await fetch(`${config.apiUrl}/v1/recordings/${id}/transcript?words=true`, { headers })
    calls.push(((await response.json()) as { segments: TranscriptSegment[] }).segments)
  }
  return calls
}

function collectWords(segments: TranscriptSegment[]): string[] {
  return normalizeSpokenWords(segments.map(({ text }) => text).join(' '))
}

async function measureErrors(sets: Record<'long' | 'short', SpeechPrompt[]>): Promise<void> {
  for (const [decoder, bounds] of Object.entries(MAX_ERROR_PERCENT))
    for (const size of ['long', 'short'] as const) {
      const recognized = await transcribe(sets[size].map(({ file }) => file), decoder) // prettier-ignore
      const errors = sets[size].reduce(
        (sum, { words: spokenWords }, n) => sum + countWordErrors(spokenWords, collectWords(recognized[n]!)),
        0,
      )
      const count = sets[size].reduce((sum, { words: spokenWords }) => sum + spokenWords.length, 0)
      const what = `word errors of ${sets[size].length} ${size} prompts (${errors} of ${count} words), ${decoder}`
      reportFigure(what, (100 * errors) / count, { atMost: bounds[size] }, ' %')
    }
}

/** Joins prompts into one call and compares the start of each prompt with the time of its first recognized word. */
async function measureStarts(prompts: SpeechPrompt[]): Promise<void> {
  const { samples, starts } = joinPrompts(prompts)
  const joined = join(scratchFolder, 'joined.wav')
  writeFileSync(joined, makeWavWithHeader({ data: samples }))
  const [segments] = (await transcribe([joined])) as [TranscriptSegment[]]
  const recognized = segments
    .flatMap(({ words = [] }) => words)
    .flatMap(({ text, start }) => normalizeSpokenWords(text).map((word) => ({ word, start })))
  const steps = alignWords(prompts.flatMap(({ words: spokenWords }) => spokenWords), recognized.map(({ word }) => word)) // prettier-ignore
  const errors = steps
    .filter(({ isSame, spokenAt: saidAt }) => isSame && starts.has(saidAt))
    .map(({ spokenAt: saidAt, recognizedAt: heardAt }) => Math.abs(recognized[heardAt]!.start - starts.get(saidAt)!))
  reportFigure('start of a sentence, median error', computeMedian(errors), { atMost: 0.25 }, ' s')
  reportFigure('start of a sentence, 95th percentile', computePercentile(errors, 0.95), { atMost: 1 }, ' s')
  const { seconds, letters } = MAX_CUE
  const fits = segments.filter(({ start, end, text }) => end - start <= seconds && text.length <= letters)
  const share = (100 * fits.length) / segments.length
  reportFigure(
    `cues of at most ${seconds} s and ${letters} letters, of ${segments.length}`,
    share,
    { atLeast: 99 },
    ' %',
  )
}

/**
 * Joins prompts with pauses.
 * @returns the samples, and the start of each prompt in seconds by the index of its first word
 */
function joinPrompts(prompts: SpeechPrompt[]) {
  const starts = new Map<number, number>()
  const pieces: Buffer[] = []
  let [bytes, words] = [0, 0]
  for (const [n, { file, words: spokenWords }] of prompts.entries()) {
    const samples = readWavSamples(file)
    const pauseAfter = makeSilentPcm(PAUSES_SECONDS[n % PAUSES_SECONDS.length]!)
    starts.set(words, (bytes + findSpeechStart(samples)) / 2 / PROMPT_SAMPLE_RATE_HZ)
    pieces.push(samples, pauseAfter)
    bytes += samples.length + pauseAfter.length
    words += spokenWords.length
  }
  return { samples: Buffer.concat(pieces), starts }
}

function findSpeechStart(samples: Buffer): number {
  for (let at = 0; at < samples.length; at += 2) if (Math.abs(samples.readInt16LE(at)) > SPEECH_LEVEL) return at
  return 0
}

async function measureFirstText(prompts: SpeechPrompt[]): Promise<void> {
  const raw = join(scratchFolder, 'joined.raw')
  writeFileSync(raw, joinPrompts(prompts).samples)
  const panel = await stack.startPanel()
  const session = await openOwnerSession(stack)
  const id = await uploadCall(
    stack,
    readFileSync(writeRepeatedAudio(raw, HOUR_SECONDS, join(scratchFolder, 'hour.wav'))),
    'hour.wav',
  )
  let text = ''
  while (!text) {
    await pause(200)
    const page = await session.get(`${panel.url}/recordings/${id}`)
    const rows = /<ol class="lines so-far[^>]*>([\s\S]*?)<\/ol>/.exec(page)?.[1] ?? ''
    text = rows.replace(/<[^>]*>/g, ' ').trim()
  }
  const { startedAt } = await fetchRecording(stack, id)
  const seconds = (Date.now() - Date.parse(startedAt!)) / 1000
  reportFigure('first text of an hour on its page', seconds, { atMost: 10 }, ' s')
  await session.send(`${stack.config.apiUrl}/v1/recordings/${id}/cancel`, 'POST')
}

/** Measures only every second prompt, because DOUBTFUL_CONFIDENCE was chosen on the others. */
async function measureConfidence(maxCount: number): Promise<void> {
  const prompts = loadSpeechPrompts().sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, maxCount).filter((_, n) => n % 2) // prettier-ignore
  const calls = await transcribe(prompts.map(({ file }) => file))
  const words = calls.flatMap((segments, n) => markWrongWords(prompts[n]!.words, segments))
  const percentWrong = (some: typeof words) => (100 * some.filter(({ isWrong }) => isWrong).length) / some.length
  const doubtful = words.filter(({ certainty }) => certainty < DOUBTFUL_CONFIDENCE)
  const others = words.filter(({ certainty }) => certainty >= DOUBTFUL_CONFIDENCE)
  reportFigure(
    `wrong words of ${doubtful.length} below ${DOUBTFUL_CONFIDENCE}`,
    percentWrong(doubtful),
    { atLeast: 30 },
    ' %',
  )
  reportFigure(`wrong words of ${others.length} others`, percentWrong(others), { atMost: 3 }, ' %')
}

/** Marks words that the alignment substitutes or inserts. A missing word cannot be marked. */
function markWrongWords(spokenWords: string[], segments: TranscriptSegment[]) {
  const recognized = segments.flatMap(({ words = [], confidence: whole = null }) =>
    words.map(({ text, confidence }) => ({
      spoken: normalizeSpokenWords(text),
      certainty: computeWordCertainty(confidence ?? 1, whole),
      isWrong: false,
    })),
  )
  const spoken = recognized.flatMap((word) => word.spoken.map((text) => ({ text, word })))
  const recognizedWords = spoken.map(({ text }) => text)
  for (const step of alignWords(spokenWords, recognizedWords, 3))
    if (!step.isSame && step.recognizedCount > 0) spoken[step.recognizedAt]!.word.isWrong = true
  return recognized.filter((word) => word.spoken.length > 0)
}

/** A telephone codec: the extension of the file and the arguments of ffmpeg. */
type LineCodec = [ending: string, ...args: string[]]

async function measureVoices(maxCount: number): Promise<void> {
  const { voices, words, lines } = loadBenchData('voices.json') as {
    voices: string[]
    words: string[]
    lines: LineCodec[]
  }
  const plain = join(scratchFolder, 'plain.wav')
  for (const [ending, ...line] of lines) {
    const files = voices.slice(0, maxCount).flatMap((voice) =>
      words.map((word) => {
        execFileSync('espeak-ng', ['-v', voice, '-w', plain, word])
        return convertAudio(['-i', plain, ...line], join(scratchFolder, `${voice}__${word}.${ending}`))
      }),
    )
    const lostCount = (await transcribe(files)).filter((segments) => collectWords(segments).length === 0).length
    reportFigure(`${ending}, words alone that are lost`, (100 * lostCount) / files.length, { atMost: 3 }, ' %')
  }
}

function convertAudio(args: string[], file: string): string {
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args, file])
  return file
}

async function measureInventedWords(seconds: string): Promise<void> {
  const { sources, lines } = loadBenchData('noises.json') as { sources: Record<string, string>; lines: LineCodec[] }
  const music = listMusicFiles()
  const looped = ['-stream_loop', '-1', '-t', String(2 * Number(seconds))]
  const inputs = [
    ...music.map((file) => ['-i', file]),
    ...Object.values(sources).map((source) => ['-f', 'lavfi', '-t', seconds, '-i', source, ...TELEPHONE_FILTER]),
  ].map((input, n) => (n < music.length ? [...looped, ...input] : input))
  const files = inputs.map((input, n) => convertAudio(input, join(scratchFolder, `noise-${n}.wav`)))
  const names = [...music.map((file) => basename(file)), ...Object.keys(sources)]
  let words = 0
  for (const [n, segments] of (await transcribe(files)).entries()) {
    words += segments.flatMap(({ text }) => text.split(/\s+/)).length
    if (segments.length > 0) console.log(`${names[n]}: ${segments.map(({ text }) => text).join(' ')}`)
  }
  reportFigure(`words invented in ${files.length} sounds`, words, { atMost: 2 })
  let wrongCalls = 0
  for (const source of music)
    for (const [ending, ...codec] of lines) {
      const call = readFileSync(convertAudio(['-i', source, ...codec], join(scratchFolder, `call.${ending}`)))
      const { transcript, audio } = await waitForTranscription(
        stack,
        await uploadCall(stack, call, `call.${ending}`),
        100,
      )
      if (transcript!.text === '' && audio!.speechSeconds.every((one) => one === 0)) continue
      wrongCalls++
      console.log(`${basename(source)}, ${codec.join(' ')}: ${JSON.stringify(audio)} ${transcript!.text}`)
    }
  reportFigure(`calls of music in which somebody is said to speak, of ${music.length * lines.length}`, wrongCalls, {
    atMost: 0,
  })
}
