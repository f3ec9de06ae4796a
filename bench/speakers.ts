/** Measures the separation of speakers on one channel, without the service: of real calls, of made calls, and of calls to refuse. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { separateSpeakers, type SpeakerSeparation, type TimeSpan } from '../src/recognizer/speakers/separate.ts'
import { loadVadSession, VAD_SAMPLE_RATE, VoiceDetector } from '../src/recognizer/vad.ts'
import { decodeAudioWithFfmpeg, listMusicFiles, loadInProcessRecognizer } from './prompts.ts'
import {
  detectSpeech,
  judgePhrases,
  findOnlySpeakers,
  cutSpeechAtQuietMoments,
  resampleForVad,
  type SeparationErrors,
} from './speaker-errors.ts'
import { measureCpuMs, computeMedian, computePercentile, reportFigure, watchMemoryGrowth } from './support.ts'
import {
  addDialTones,
  CALL_RATE,
  TELEPHONE_LINES,
  loadEnglishDialogueTurns,
  loadEspeakVoices,
  loadPromptVoices,
  makeCall,
  measureRms,
  mixTracks,
  readFloatSamples,
  type TrackedCall,
  type Voice,
} from './two-voice-calls.ts'

/** The maximum share of speech with the wrong speaker in real calls, in percent. */
const MAX_REAL_PERCENT: Record<string, number> = { 'call-40': 2, 'call-49': 10 }
const MAX_OTHER_REAL_PERCENT = 10
/** From this confidence on, a separation or a phrase counts as certain. */
const CERTAIN = 0.8
const MIN_TURNS = 16
const MAX_CORE_SECONDS = 0.05
const LONG_CALL_SECONDS = 3 * 60 * 60
const BLOCK_SAMPLES = 8192
const MUSIC_SECONDS = 120
const MUSIC_LEVEL = 0.02

/** The result for one call. */
interface Trial {
  name: string
  separation: SpeakerSeparation
  judgement: SeparationErrors
  coreSeconds: number
  seconds: number
}

const [, , , folder = '', size = 'Infinity'] = process.argv
const maxCalls = Number(size)
const vad = await loadVadSession()
const dialogues = loadEnglishDialogueTurns(MIN_TURNS)
const [promptVoices, espeakVoices] = [loadPromptVoices(), loadEspeakVoices()]
const voices = [...promptVoices, ...espeakVoices]
const all: Trial[] = []

if (folder) await measureRealCalls()
await measureMadeCalls()
await measureRefusals()
reportCertainty()
reportCost()
await measureLongCall()
process.exit()

/** Measures the calls NAME_agent.flac and NAME_caller.flac of the folder, with phrases of the detector and with recognized words. */
async function measureRealCalls(): Promise<void> {
  const recognize = await loadInProcessRecognizer('moonshine-base-en', 'greedy')
  const names = readdirSync(folder).flatMap((file) => /^(.*)_agent\.flac$/.exec(file)?.[1] ?? [])
  for (const name of names) {
    const tracks = ['agent', 'caller'].map((side) => readFloatSamples('-i', join(folder, `${name}_${side}.flac`)))
    const call = { name, tracks, mix: mixTracks(tracks) }
    const pieces = await recognize(decodeAudioWithFfmpeg('-i', join(folder, `${name}_agent.flac`), '-i', join(folder, `${name}_caller.flac`), '-filter_complex', 'amix=normalize=0')) // prettier-ignore
    const recognized = pieces.flatMap(({ words }) => words).toSorted((a, b) => a.start - b.start)
    const atMost = MAX_REAL_PERCENT[name] ?? MAX_OTHER_REAL_PERCENT
    for (const [kind, words] of Object.entries({
      'phrases of the detector': undefined,
      'recognized words': recognized,
    })) {
      const trial = await separate(call, words)
      all.push(trial)
      const percent = trial.separation.method === 'none' ? 100 : 100 * trial.judgement.wrong
      reportFigure(`${name}, ${kind}: speech with the wrong speaker`, percent, { atMost }, ' %')
    }
  }
}

/** Measures two made calls of each pair of recorded voices, and one of each pair of espeak-ng's voices. */
async function measureMadeCalls(): Promise<void> {
  const pairs = [...listPairs(promptVoices), ...listPairs(promptVoices), ...listPairs(espeakVoices)].slice(0, maxCalls)
  const trials: Trial[] = []
  for (const [n, pair] of pairs.entries()) {
    const line = TELEPHONE_LINES[(n + Math.floor(n / 10)) % TELEPHONE_LINES.length]!
    const name = `${pair.map((voice) => voice.name).join(', ')}, ${line.name}`
    trials.push(await separate(makeCall(name, pair, joinDialogues(n, 2), line, n + 1)))
  }
  all.push(...trials)
  const accepted = trials.filter(({ separation }) => separation.method === 'voices')
  const percents = accepted.map(({ judgement }) => 100 * judgement.wrong)
  for (const trial of trials) printTrial(trial)
  reportFigure(
    `${trials.length} made calls, median of speech with the wrong speaker`,
    computeMedian(percents),
    { atMost: 3 },
    ' %',
  )
  reportFigure('made calls, 90th percentile', computePercentile(percents, 0.9), { atMost: 12 }, ' %')
  reportFigure('made calls not separated', 100 * (1 - accepted.length / trials.length), { atMost: 25 }, ' %')
}

function listPairs(some: Voice[]): Voice[][] {
  return some.flatMap((first, n) => some.slice(n + 1).map((second) => [first, second]))
}

function joinDialogues(seed: number, count: number) {
  return Array.from({ length: count }, (_, n) => dialogues[(seed * 7 + n * 13) % dialogues.length]!).flat()
}

/** Measures how many calls of one voice, of three voices, of announcements and of music are refused. */
async function measureRefusals(): Promise<void> {
  const music = listMusicFiles().map((file) => readFloatSamples('-t', String(MUSIC_SECONDS), '-i', file))
  const alone = (voice: Voice, n: number) => makeCall(voice.name, [voice], joinDialogues(n, 1 + (n % 2)).map(([, text]) => [0, text]), TELEPHONE_LINES[n % TELEPHONE_LINES.length]!, 100 + n) // prettier-ignore
  const kinds: Record<string, (() => TrackedCall)[]> = {
    'one speaker': voices.map((voice, n) => () => alone(voice, n)),
    'three speakers': voices.map((voice, n) => () => {
      const three = [voice, voices[(n + 4) % voices.length]!, voices[(n + 9) % voices.length]!]
      const turns = joinDialogues(n, 3).map(([speaker, text], at) => [at % 3 === 2 ? 2 : speaker, text] as const)
      return makeCall(
        three.map(({ name }) => name).join(', '),
        three,
        turns,
        TELEPHONE_LINES[n % TELEPHONE_LINES.length]!,
        200 + n,
      )
    }),
    announcements: promptVoices.flatMap((voice, n) => [
      () => addDialTones(alone(voice, 6 * n)),
      () => addMusic(alone(voice, 6 * n + 1), music[n % music.length]!),
    ]),
    music: music.map((mix, n) => () => ({ name: `music ${n}`, tracks: [mix], mix })),
  }
  let [refused, count] = [0, 0]
  for (const [kind, makers] of Object.entries(kinds)) {
    const trials: Trial[] = []
    for (const make of makers.slice(0, maxCalls)) trials.push(await separate(make()))
    const separated = trials.filter(({ separation }) => separation.method === 'voices')
    all.push(...separated)
    for (const { name, separation } of separated) console.log(`${kind} ${name}: separated, ${separation.confidence}`)
    console.log(`${kind}: ${trials.length - separated.length} of ${trials.length} not separated`)
    refused += trials.length - separated.length
    count += trials.length
  }
  reportFigure(
    `calls not of two speakers that are not separated, of ${count}`,
    (100 * refused) / count,
    { atLeast: 90 },
    ' %',
  )
}

function addMusic(call: TrackedCall, music: Float32Array): TrackedCall {
  const gain = MUSIC_LEVEL / measureRms(music)
  return { ...call, mix: call.mix.map((sample, n) => sample + gain * music[n % music.length]!) }
}

async function separate(call: TrackedCall, recognized?: TimeSpan[]): Promise<Trial> {
  const speech = await detectSpeech(call.mix, new VoiceDetector(vad))
  const words = recognized ?? cutSpeechAtQuietMoments(speech, call.mix)
  const samples = resampleForVad(call.mix)
  let separation!: SpeakerSeparation
  const { signal } = new AbortController()
  const ms = await measureCpuMs(async () => {
    separation = await separateSpeakers({ samples: [samples], sampleRate: VAD_SAMPLE_RATE }, speech, words, signal)
  })
  return {
    name: call.name,
    separation,
    judgement: judgePhrases(separation.phrases, findOnlySpeakers(call.tracks)),
    coreSeconds: ms / 1000,
    seconds: call.mix.length / CALL_RATE,
  }
}

function printTrial({ name, separation, judgement }: Trial): void {
  const { method, confidence } = separation
  const result = method === 'none' ? 'not separated' : `${(100 * judgement.wrong).toFixed(2)} % wrong, confidence ${confidence!.toFixed(2)}` // prettier-ignore
  console.log(`${name}: ${result}`)
}

/** Reports how much speech has the wrong speaker in phrases and calls with a confidence of 0.8 or more. */
function reportCertainty(): void {
  const separated = all.filter(({ separation }) => separation.method === 'voices')
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  const [right, wrong] = (['right', 'wrong'] as const).map((key) => (from: number) =>
    sum(separated.flatMap(({ judgement }) => judgement.byConfidence[key].slice(from)))) // prettier-ignore
  const tenth = 10 * CERTAIN
  const certain = right!(tenth) + wrong!(tenth)
  const share = ((100 * certain) / (right!(0) + wrong!(0))).toFixed(0)
  reportFigure(`speech in phrases of confidence ${CERTAIN} (${share} % of it) that is wrong`, (100 * wrong!(tenth)) / certain, { atMost: 5 }, ' %') // prettier-ignore
  const calls = separated.filter(({ separation }) => separation.confidence! >= CERTAIN)
  const percent = 100 * (sum(calls.map(({ judgement }) => judgement.wrong * judgement.seconds)) / sum(calls.map(({ judgement }) => judgement.seconds))) // prettier-ignore
  reportFigure(`speech in calls of confidence ${CERTAIN} (${calls.length} of ${separated.length}) that is wrong`, percent, { atMost: 5 }, ' %') // prettier-ignore
}

function reportCost(): void {
  const costs = all.map(({ coreSeconds, seconds }) => coreSeconds / seconds)
  reportFigure('core-seconds a second of audio, median', computeMedian(costs), { atMost: MAX_CORE_SECONDS })
  reportFigure('core-seconds a second of audio, most', Math.max(...costs), { atMost: MAX_CORE_SECONDS })
}

/** Measures memory and processor time for a made call, repeated for three hours and streamed. */
async function measureLongCall(): Promise<void> {
  const call = makeCall('long', [promptVoices[0]!, promptVoices[3]!], joinDialogues(1, 4), TELEPHONE_LINES[0]!, 1)
  const speech = await detectSpeech(call.mix, new VoiceDetector(vad))
  const words = cutSpeechAtQuietMoments(speech, call.mix)
  const samples = resampleForVad(call.mix)
  const seconds = samples.length / VAD_SAMPLE_RATE
  const rounds = Math.floor(LONG_CALL_SECONDS / seconds)
  const repeat = (spans: TimeSpan[]) => Array.from({ length: rounds }, (_, n) =>
    spans.map(({ start, end }) => ({ start: start + n * seconds, end: end + n * seconds }))).flat() // prettier-ignore
  const [longSpeech, longWords] = [repeat(speech), repeat(words)]
  const blocks = function* () {
    for (let round = 0; round < rounds; round++)
      for (let at = 0; at < samples.length; at += BLOCK_SAMPLES) yield samples.slice(at, at + BLOCK_SAMPLES)
  }
  const stopWatching = watchMemoryGrowth(process.pid)
  const { signal } = new AbortController()
  const ms = await measureCpuMs(async () => {
    await separateSpeakers({ samples: blocks(), sampleRate: VAD_SAMPLE_RATE }, longSpeech, longWords, signal)
  })
  reportFigure('memory for a call of three hours', stopWatching(), { atMost: 100 }, ' MB')
  reportFigure('core-seconds a second of it', ms / 1000 / (rounds * seconds), { atMost: MAX_CORE_SECONDS })
}
