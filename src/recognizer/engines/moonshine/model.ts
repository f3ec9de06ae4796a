import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { forceGc } from '../../../platform/lib/buffer-memory.ts'
import { searchBeam } from '../../decoders/beam-search.ts'
import { searchGreedy } from '../../decoders/greedy-search.ts'
import {
  countLoopedTokens,
  computeMeanLogProbability,
  type Hypothesis,
  type SearchLimits,
} from '../../decoders/search.ts'
import { VAD_SAMPLE_RATE } from '../../vad.ts'
import type { EngineConfig } from '../engine.ts'
import { buildEncoderKvGraphs, buildStepGraph, type ModelShape } from './graph/decoder-graph.ts'
import { resolvePackageFile } from './package.ts'
import { MoonshineState, type DecoderModel, type AttentionHeads } from './decoder-state.ts'
import { buildTimedWords } from './word-times.ts'
import type { WindowRow, SpeechWindow, WindowText } from './speech-window.ts'
import { ExportedModel } from './graph/onnx-reader.ts'
import { supportsSignedWeights, convertModelToSigned } from './graph/signed-weights.ts'

/** An English model of Useful Sensors, as published in the package @usefulsensors/moonshine-js. */
interface ModelSpec {
  folder: string
  shape: ModelShape
  /** The heads (layer, number) that attend to the current word: found by trying each on sentences of known times. */
  timeHeads: AttentionHeads
}

const MODEL_SPECS: Partial<Record<EngineConfig['ASR_MODEL'], ModelSpec>> = {
  'moonshine-base-en': {
    folder: 'base',
    shape: { layers: 8, heads: 8, headSize: 52, vocabulary: 32_768 },
    timeHeads: [
      [5, 5],
      [6, 7],
    ],
  },
  'moonshine-tiny-en': {
    folder: 'tiny',
    shape: { layers: 6, heads: 8, headSize: 36, vocabulary: 32_768 },
    timeHeads: [[5, 1]],
  },
}

/** Speech has about 3 tokens per second, the fastest about 6; a text with more is a loop (the model's authors). */
const MAX_TOKENS_PER_SECOND = 6.5
/** Short windows need some more, because punctuation and the end count too. */
const SPARE_TOKENS = 4
/** A window that was not read to its end is split into two parts of at least this many samples. */
const MIN_PART_SAMPLES = 1.5 * VAD_SAMPLE_RATE
const BEAM_SETTINGS = { width: 4, lengthPower: 1 }
/** With a less certain token, one in thirty windows, a wider search often finds a better text. */
const DOUBTFUL_LOG_PROBABILITY = -1.2
/** A text with a lower mean log-probability per token is invented from audio without words. */
const MIN_MEAN_LOG_PROBABILITY = -1.2
/** A text with too few tokens (the slowest speech has two per second) is invented … */
const MIN_TOKENS_PER_SECOND = 1
/** … or one of these words alone, for less than this many seconds of speech. */
const FILLER_WORD = /^(you|uh)[.,?!]*$/i
const SHORT_SPEECH_SECONDS = 1
/** Silence around the audio avoids a third of all word errors; windows of few words need less of it after them. */
const SILENCE_BEFORE_SAMPLES = 0.5 * VAD_SAMPLE_RATE
const SILENCE_AFTER_SAMPLES = { short: VAD_SAMPLE_RATE, long: 1.5 * VAD_SAMPLE_RATE }
const LONG_WINDOW_SAMPLES = 3 * VAD_SAMPLE_RATE
/** The encoder takes 20 to 40 MB more for such windows. Freeing up to 60 MB of the decoder costs 40 ms a run. */
const VERY_LONG_WINDOW_SAMPLES = 15 * VAD_SAMPLE_RATE

const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  // One thread per run: several runs use the cores better than several threads per run.
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // Every window has another length, so a memory plan for one shape does not help the next.
  enableMemPattern: false,
  // An arena keeps the maximum of any window, for each session. Without it, 2.5 % more processor time.
  enableCpuMemArena: false,
}

/** The encoder and decoder of Moonshine. */
export class MoonshineModel {
  private input = new Float32Array(0)

  private constructor(
    private readonly encoder: InferenceSession,
    private readonly decoder: DecoderModel,
  ) {}

  static async load(name: EngineConfig['ASR_MODEL']): Promise<MoonshineModel> {
    const model = MODEL_SPECS[name]
    if (!model) throw new Error(`${name} is no Moonshine model`)
    const file = (part: string) => fileURLToPath(resolvePackageFile(`./model/${model.folder}/quantized/${part}.onnx`))
    const hasSigned = await supportsSignedWeights()
    const encoderFile = await readFile(file('encoder_model'))
    const encoder = await InferenceSession.create(
      hasSigned ? convertModelToSigned(encoderFile) : encoderFile,
      SESSION_OPTIONS,
    )
    const exported = new ExportedModel(await readFile(file('decoder_model_merged')))
    const timedLayers = model.timeHeads.map(([layer]) => layer)
    const create = (graph: Uint8Array) => InferenceSession.create(graph, SESSION_OPTIONS)
    const encoderKvLayers = await Promise.all(buildEncoderKvGraphs(exported, model.shape, hasSigned).map(create))
    const step = await create(buildStepGraph(exported, model.shape, timedLayers, hasSigned))
    const sessions = { encoderKvLayers, step }
    return new MoonshineModel(encoder, { sessions, shape: model.shape, timeHeads: model.timeHeads, spare: {} })
  }

  /** Frees the memory that is kept for the next run. */
  freeMemory(): void {
    this.decoder.spare = {}
    forceGc()
  }

  /** Reads windows in one run; runs share buffers, so only one can run. Aborted rows return undefined. */
  async read(rows: WindowRow[]): Promise<(WindowText | undefined)[]> {
    if (rows.some(({ samples }) => samples.length >= VERY_LONG_WINDOW_SAMPLES)) this.freeMemory()
    const readings = new Map<WindowRow, WindowText | undefined>()
    const { readable, sounds: encodedAudio } = await this.encode(rows)
    const found = await this.search(readable, encodedAudio)
    for (const [index, row] of readable.entries()) readings.set(row, await this.accept(row, found[index]!))
    return rows.map((row) => readings.get(row))
  }

  private async encode(rows: WindowRow[]): Promise<{ readable: WindowRow[]; sounds: Tensor[] }> {
    const readable: WindowRow[] = []
    const encodedAudio: Tensor[] = []
    // One after the other: the encoder gains nothing from parallel ones.
    for (const row of rows) {
      if (row.signal.aborted) continue
      const input = this.padWithSilence(row)
      const output = await this.encoder.run({ input_values: new Tensor('float32', input, [1, input.length]) })
      readable.push(row)
      encodedAudio.push(output.last_hidden_state as Tensor)
    }
    return { readable, sounds: encodedAudio }
  }

  private padWithSilence(row: WindowRow): Float32Array {
    const { samples } = row
    const length = SILENCE_BEFORE_SAMPLES + samples.length + SILENCE_AFTER_SAMPLES[classifyLength(row)]
    if (this.input.length < length) this.input = new Float32Array(length)
    this.input.set(samples, SILENCE_BEFORE_SAMPLES)
    this.input.fill(0, SILENCE_BEFORE_SAMPLES + samples.length)
    return this.input.subarray(0, length)
  }

  /** Runs greedy search on all rows together, then a wider one alone on each row whose decoder doubts its text. */
  private async search(rows: WindowRow[], encodedAudio: Tensor[]): Promise<Hypothesis[]> {
    if (rows.length === 0) return []
    const limits = rows.map((row) => computeLimits(row))
    const signals = rows.map(({ signal }) => signal)
    const state = MoonshineState.fromEncoded(encodedAudio.splice(0), this.decoder) // which lets go of them
    const doubtful = new Map<number, MoonshineState>()
    const found = await searchGreedy(state, limits, signals, (one, number, row) => {
      if (rows[number]!.decoder === 'beam_search' && isDoubtful(one)) doubtful.set(number, state.isolateRow(row))
    }).finally(() => state.end())
    for (const [number, rowState] of doubtful) {
      doubtful.delete(number) // its memory is for the next one
      const search = searchBeam(rowState, { ...BEAM_SETTINGS, ...limits[number]! }, signals[number]!)
      found[number] = await search.finally(() => rowState.end())
    }
    return found
  }

  /** The result of a search as words, unless it is garbled or invented. */
  private async accept(row: WindowRow, found: Hypothesis): Promise<WindowText | undefined> {
    const { samples, speech } = row
    if (row.signal.aborted) return undefined
    if (!found.ended && samples.length > 2 * MIN_PART_SAMPLES) {
      // Lost in a loop or at the token limit: another context can help.
      const middle = findQuietestSample(samples)
      const parts = [samples.subarray(0, middle), samples.subarray(middle)]
      const halfRows = parts.map((part) => ({ ...row, samples: part, speech: speech / 2 }))
      const [first, second] = await this.read(halfRows)
      if (!first || !second) return undefined
      return [...clampWords(first, middle / VAD_SAMPLE_RATE), ...shiftWords(second, middle / VAD_SAMPLE_RATE)]
    }
    const tokenCount = found.tokens.length - countLoopedTokens(found.tokens)
    const words = shiftWords(
      buildTimedWords({ ...found, tokens: found.tokens.slice(0, tokenCount) }),
      -SILENCE_BEFORE_SAMPLES / VAD_SAMPLE_RATE,
    )
    return isHallucinated(found, words, speech) ? [] : words
  }
}

const computeLimits = ({ samples }: SpeechWindow): SearchLimits => ({
  maxTokens: SPARE_TOKENS + Math.ceil((samples.length / VAD_SAMPLE_RATE) * MAX_TOKENS_PER_SECOND),
})

const classifyLength = ({ samples }: SpeechWindow) => (samples.length < LONG_WINDOW_SAMPLES ? 'short' : 'long')

const isDoubtful = ({ ended, logProbabilities }: Hypothesis): boolean =>
  !ended || Math.min(...logProbabilities) < DOUBTFUL_LOG_PROBABILITY

const shiftWords = (words: WindowText, seconds: number): WindowText =>
  words.map((word) => ({ ...word, start: word.start + seconds, end: word.end + seconds }))

/** The last word of a part would extend into the silence after it, where the next part begins. */
const clampWords = (words: WindowText, seconds: number): WindowText =>
  words.map((word) => ({ ...word, start: Math.min(word.start, seconds), end: Math.min(word.end, seconds) }))

/** Where to split audio: the quietest 50 ms of its middle third, as a number of samples. */
function findQuietestSample(samples: Float32Array): number {
  const size = VAD_SAMPLE_RATE / 20
  let [quietest, minPower] = [0, Infinity]
  for (let at = Math.floor(samples.length / 3); at < (samples.length * 2) / 3; at += size) {
    const power = samples.subarray(at, at + size).reduce((sum, sample) => sum + sample * sample, 0)
    if (power < minPower) [quietest, minPower] = [at + size / 2, power]
  }
  return quietest
}

/** Texts that the model returns for audio without words, as measured on tones, noise, music and animals. */
function isHallucinated(found: Hypothesis, words: WindowText, speech: number): boolean {
  if (computeMeanLogProbability(found) < MIN_MEAN_LOG_PROBABILITY) return true
  // "You" for five seconds of noise.
  if (found.tokens.length < speech * MIN_TOKENS_PER_SECOND) return true
  if (speech < SHORT_SPEECH_SECONDS && words.length === 1 && FILLER_WORD.test(words[0]!.text)) return true
  return words.some(({ text }) => text.includes('♪'))
}
