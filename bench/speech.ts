/** Measures the recognition of recorded speech, from the upload to the transcript, with the model BENCH_MODEL. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { certaintyOf, type Segment } from '../src/panel/recording/lines.ts'
import { wav } from '../src/test/odd-audio.ts'
import { align, countErrors, fetchMusic, fetchPrompts, PROMPT_RATE, readData, readSamples, silence, toWords, writeRepeated, type Prompt } from './prompts.ts' // prettier-ignore
import { fetchRecording, median, openSession, percentile, startStack, upload, verdict, waitUntilDone, WITH_OWNER } from './support.ts' // prettier-ignore

/** The most words of a short prompt. */
const SHORT = 5
/** Louder samples are speech: the pauses of these studio recordings are silent. */
const SPEECH = 300
const PAUSES_SECONDS = [0.3, 0.45, 0.6, 0.75, 0.9, 1]
const LONGEST_CUE = { seconds: 7, letters: 84 }
const HOUR = 3600
/** Below this certainty, the panel marks words as doubtful. */
const DOUBTFUL_BELOW = 0.72
/** Most word errors, in percent. */
const MOST_ERRORS = { beam_search: { long: 2.8, short: 16.5 }, greedy: { long: 3, short: 16.5 } }
const TELEPHONE = ['-af', 'aresample=8000,highpass=f=200,lowpass=f=3400', '-ar', '8000']

const [, , name, ...args] = process.argv
const scratch = mkdtempSync(join(tmpdir(), 'svc-speech-'))
const model = (process.env.BENCH_MODEL ?? 'moonshine-base-en') as 'moonshine-base-en'
const stack = await startStack({ ...WITH_OWNER, ASR_MODEL: model }, { api: true, asr: true })
if (name === 'confidence') await measureConfidence(Number(args[0] ?? Infinity))
else if (name === 'voices') await measureVoices(Number(args[0] ?? Infinity))
else if (name === 'invented') await measureInvented(args[0] ?? '90')
else {
  const prompts = promptsBySize(Number(args[0] ?? Infinity))
  await measureErrors(prompts)
  if (name === 'speech') await measureStarts(prompts.long)
  if (name === 'speech') await measureFirstText(prompts.long)
}
await stack.stop()
rmSync(scratch, { recursive: true })
process.exit()

function promptsBySize(most: number): Record<'long' | 'short', Prompt[]> {
  const prompts = fetchPrompts().filter(({ said }) => said.length > 0)
  const where = (isLong: boolean) => prompts.filter(({ said }) => said.length > SHORT === isLong).slice(0, most)
  return { long: where(true), short: where(false) }
}

/** The segments of files, each uploaded as a call. */
async function transcribe(files: string[], decoder = 'beam_search'): Promise<Segment[][]> {
  const ids: string[] = []
  for (const file of files) ids.push(await upload(stack, readFileSync(file), basename(file), { decoder }))
  const calls: Segment[][] = []
  for (const id of ids) {
    await waitUntilDone(stack, id, 100)
    const { config, headers } = stack
    const response = await fetch(`${config.apiUrl}/v1/recordings/${id}/transcript?words=true`, { headers })
    calls.push(((await response.json()) as { segments: Segment[] }).segments)
  }
  return calls
}

function wordsOf(segments: Segment[]): string[] {
  return toWords(segments.map(({ text }) => text).join(' '))
}

async function measureErrors(sets: Record<'long' | 'short', Prompt[]>): Promise<void> {
  for (const [decoder, bounds] of Object.entries(MOST_ERRORS))
    for (const size of ['long', 'short'] as const) {
      const heard = await transcribe(sets[size].map(({ file }) => file), decoder) // prettier-ignore
      const errors = sets[size].reduce((sum, { said }, n) => sum + countErrors(said, wordsOf(heard[n]!)), 0)
      const count = sets[size].reduce((sum, { said }) => sum + said.length, 0)
      const what = `word errors of ${sets[size].length} ${size} prompts (${errors} of ${count} words), ${decoder}`
      verdict(what, (100 * errors) / count, { atMost: bounds[size] }, ' %')
    }
}

/** Compares where each of the joined prompts begins with the time of its first word. */
async function measureStarts(prompts: Prompt[]): Promise<void> {
  const { samples, starts } = joinPrompts(prompts)
  const joined = join(scratch, 'joined.wav')
  writeFileSync(joined, wav({ data: samples }))
  const [segments] = (await transcribe([joined])) as [Segment[]]
  const heard = segments
    .flatMap(({ words = [] }) => words)
    .flatMap(({ text, start }) => toWords(text).map((word) => ({ word, start })))
  const steps = align(prompts.flatMap(({ said }) => said), heard.map(({ word }) => word)) // prettier-ignore
  const errors = steps
    .filter(({ isSame, saidAt }) => isSame && starts.has(saidAt))
    .map(({ saidAt, heardAt }) => Math.abs(heard[heardAt]!.start - starts.get(saidAt)!))
  verdict('start of a sentence, median error', median(errors), { atMost: 0.25 }, ' s')
  verdict('start of a sentence, 95th percentile', percentile(errors, 0.95), { atMost: 1 }, ' s')
  const { seconds, letters } = LONGEST_CUE
  const fits = segments.filter(({ start, end, text }) => end - start <= seconds && text.length <= letters)
  const share = (100 * fits.length) / segments.length
  verdict(`cues of at most ${seconds} s and ${letters} letters, of ${segments.length}`, share, { atLeast: 99 }, ' %')
}

/** Prompts as one call, and the second at which each begins, by the number of its first word. */
function joinPrompts(prompts: Prompt[]) {
  const starts = new Map<number, number>()
  const pieces: Buffer[] = []
  let [bytes, words] = [0, 0]
  for (const [n, { file, said }] of prompts.entries()) {
    const samples = readSamples(file)
    const pauseAfter = silence(PAUSES_SECONDS[n % PAUSES_SECONDS.length]!)
    starts.set(words, (bytes + startOfSpeech(samples)) / 2 / PROMPT_RATE)
    pieces.push(samples, pauseAfter)
    bytes += samples.length + pauseAfter.length
    words += said.length
  }
  return { samples: Buffer.concat(pieces), starts }
}

function startOfSpeech(samples: Buffer): number {
  for (let at = 0; at < samples.length; at += 2) if (Math.abs(samples.readInt16LE(at)) > SPEECH) return at
  return 0
}

async function measureFirstText(prompts: Prompt[]): Promise<void> {
  const raw = join(scratch, 'joined.raw')
  writeFileSync(raw, joinPrompts(prompts).samples)
  const panel = await stack.startPanel()
  const session = await openSession(stack)
  const id = await upload(stack, readFileSync(writeRepeated(raw, HOUR, join(scratch, 'hour.wav'))), 'hour.wav')
  let text = ''
  while (!text) {
    await pause(200)
    const page = await session.get(`${panel.url}/recordings/${id}`)
    const rows = /<ol class="lines so-far[^>]*>([\s\S]*?)<\/ol>/.exec(page)?.[1] ?? ''
    text = rows.replace(/<[^>]*>/g, ' ').trim()
  }
  const { startedAt } = await fetchRecording(stack, id)
  const seconds = (Date.now() - Date.parse(startedAt!)) / 1000
  verdict('first text of an hour on its page', seconds, { atMost: 10 }, ' s')
  await session.send(`${stack.config.apiUrl}/v1/recordings/${id}/cancel`, 'POST')
}

/** The limit was chosen on every second prompt; the others are for the report. */
async function measureConfidence(most: number): Promise<void> {
  const prompts = fetchPrompts().sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, most).filter((_, n) => n % 2) // prettier-ignore
  const calls = await transcribe(prompts.map(({ file }) => file))
  const words = calls.flatMap((segments, n) => markWrong(prompts[n]!.said, segments))
  const percentWrong = (some: typeof words) => (100 * some.filter(({ isWrong }) => isWrong).length) / some.length
  const doubtful = words.filter(({ certainty }) => certainty < DOUBTFUL_BELOW)
  const others = words.filter(({ certainty }) => certainty >= DOUBTFUL_BELOW)
  verdict(`wrong words of ${doubtful.length} below ${DOUBTFUL_BELOW}`, percentWrong(doubtful), { atLeast: 30 }, ' %')
  verdict(`wrong words of ${others.length} others`, percentWrong(others), { atMost: 3 }, ' %')
}

/** A word is wrong where the alignment replaces or adds it. A word that was left out marks nothing. */
function markWrong(said: string[], segments: Segment[]) {
  const heard = segments.flatMap(({ words = [], confidence: whole = null }) =>
    words.map(({ text, confidence }) => ({
      spoken: toWords(text),
      certainty: certaintyOf(confidence ?? 1, whole),
      isWrong: false,
    })),
  )
  const spoken = heard.flatMap((word) => word.spoken.map((text) => ({ text, word })))
  const heardWords = spoken.map(({ text }) => text)
  for (const step of align(said, heardWords, 3))
    if (!step.isSame && step.heard > 0) spoken[step.heardAt]!.word.isWrong = true
  return heard.filter((word) => word.spoken.length > 0)
}

/** How a call comes over the line: the end of the file's name, and ffmpeg's arguments. */
type Line = [ending: string, ...args: string[]]

async function measureVoices(most: number): Promise<void> {
  const { voices, words, lines } = readData('voices.json') as { voices: string[]; words: string[]; lines: Line[] }
  const plain = join(scratch, 'plain.wav')
  for (const [ending, ...line] of lines) {
    const files = voices.slice(0, most).flatMap((voice) =>
      words.map((word) => {
        execFileSync('espeak-ng', ['-v', voice, '-w', plain, word])
        return convert(['-i', plain, ...line], join(scratch, `${voice}__${word}.${ending}`))
      }),
    )
    const lost = (await transcribe(files)).filter((segments) => wordsOf(segments).length === 0).length
    verdict(`${ending}, words alone that are lost`, (100 * lost) / files.length, { atMost: 3 }, ' %')
  }
}

function convert(args: string[], file: string): string {
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args, file])
  return file
}

async function measureInvented(seconds: string): Promise<void> {
  const { sources, lines } = readData('noises.json') as { sources: Record<string, string>; lines: Line[] }
  const music = fetchMusic()
  const looped = ['-stream_loop', '-1', '-t', String(2 * Number(seconds))]
  const inputs = [
    ...music.map((file) => ['-i', file]),
    ...Object.values(sources).map((source) => ['-f', 'lavfi', '-t', seconds, '-i', source, ...TELEPHONE]),
  ].map((input, n) => (n < music.length ? [...looped, ...input] : input))
  const files = inputs.map((input, n) => convert(input, join(scratch, `noise-${n}.wav`)))
  const names = [...music.map((file) => basename(file)), ...Object.keys(sources)]
  let words = 0
  for (const [n, segments] of (await transcribe(files)).entries()) {
    words += segments.flatMap(({ text }) => text.split(/\s+/)).length
    if (segments.length > 0) console.log(`${names[n]}: ${segments.map(({ text }) => text).join(' ')}`)
  }
  verdict(`words invented in ${files.length} sounds`, words, { atMost: 2 })
  let missed = 0
  for (const source of music)
    for (const [ending, ...codec] of lines) {
      const call = readFileSync(convert(['-i', source, ...codec], join(scratch, `call.${ending}`)))
      const { transcript, audio } = await waitUntilDone(stack, await upload(stack, call, `call.${ending}`), 100)
      if (transcript!.text === '' && audio!.speechSeconds.every((one) => one === 0)) continue
      missed++
      console.log(`${basename(source)}, ${codec.join(' ')}: ${JSON.stringify(audio)} ${transcript!.text}`)
    }
  verdict(`calls of music in which somebody is said to speak, of ${music.length * lines.length}`, missed, { atMost: 0 })
}
