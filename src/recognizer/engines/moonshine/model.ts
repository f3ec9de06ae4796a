import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { forceGc } from '../../../platform/lib/free-buffers.ts'
import { searchBeam } from '../../decoders/beam.ts'
import { searchGreedy } from '../../decoders/greedy.ts'
import { loopAtEnd, meanLogProbability, type Found, type Limits } from '../../decoders/search.ts'
import { VAD_RATE } from '../../vad.ts'
import type { EngineConfig } from '../engine.ts'
import { encoderKvGraphs, stepGraph, type Shape } from './graph/graph.ts'
import { packageFile } from './package.ts'
import { MoonshineState, type DecoderModel, type Heads } from './state.ts'
import { wordsOf } from './times.ts'
import type { Row, SpeechWindow, WindowText } from './window.ts'
import { ExportedModel } from './graph/onnx-reader.ts'
import { takesSignedWeights, withSignedWeights } from './graph/signed-weights.ts'

/** An English model of Useful Sensors, as published in the package @usefulsensors/moonshine-js. */
interface Model {
  folder: string
  shape: Shape
  /** The heads (layer, number) that attend to the current word: found by trying each on sentences of known times. */
  timeHeads: Heads
}

const MODELS: Partial<Record<EngineConfig['ASR_MODEL'], Model>> = {
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
const TOKENS_PER_SECOND = 6.5
/** Short windows need some more, because punctuation and the end count too. */
const SPARE_TOKENS = 4
/** A window that was not read to its end is split into two parts of at least this many samples. */
const SHORTEST_PART = 1.5 * VAD_RATE
const BEAM = { width: 4, lengthPower: 1 }
/** With a less certain token, one in thirty windows, a wider search often finds a better text. */
const DOUBTFUL = -1.2
/** A text with a lower mean log-probability per token is invented from audio without words. */
const LEAST_LOG_PROBABILITY = -1.2
/** A text with too few tokens (the slowest speech has two per second) is invented … */
const LEAST_TOKENS_PER_SECOND = 1
/** … or one of these words alone, for less than this many seconds of speech. */
const FILLER = /^(you|uh)[.,?!]*$/i
const SHORT_SPEECH = 1
/** Silence around the audio avoids a third of all word errors; windows of few words need less of it after them. */
const SILENCE_BEFORE = 0.5 * VAD_RATE
const SILENCE_AFTER = { short: VAD_RATE, long: 1.5 * VAD_RATE }
const LONG_WINDOW = 3 * VAD_RATE
/** The encoder takes 20 to 40 MB more for such windows. Freeing up to 60 MB of the decoder costs 40 ms a run. */
const VERY_LONG_WINDOW = 15 * VAD_RATE

const SESSION: InferenceSession.SessionOptions = {
  // One thread per run: several runs use the cores better than several threads per run.
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // Every window has another length, so a memory plan for one shape does not help the next.
  enableMemPattern: false,
  // An arena keeps the maximum of any window, for each session. Without it, 2.5 % more processor time.
  enableCpuMemArena: false,
}

export class Moonshine {
  private input = new Float32Array(0)

  private constructor(
    private readonly encoder: InferenceSession,
    private readonly decoder: DecoderModel,
  ) {}

  static async load(name: EngineConfig['ASR_MODEL']): Promise<Moonshine> {
    const model = MODELS[name]
    if (!model) throw new Error(`${name} is no Moonshine model`)
    const file = (part: string) => fileURLToPath(packageFile(`./model/${model.folder}/quantized/${part}.onnx`))
    const hasSigned = await takesSignedWeights()
    const encoderFile = await readFile(file('encoder_model'))
    const encoder = await InferenceSession.create(hasSigned ? withSignedWeights(encoderFile) : encoderFile, SESSION)
    const exported = new ExportedModel(await readFile(file('decoder_model_merged')))
    const timed = model.timeHeads.map(([layer]) => layer)
    const create = (graph: Uint8Array) => InferenceSession.create(graph, SESSION)
    const encoderKvLayers = await Promise.all(encoderKvGraphs(exported, model.shape, hasSigned).map(create))
    const step = await create(stepGraph(exported, model.shape, timed, hasSigned))
    const sessions = { encoderKvLayers, step }
    return new Moonshine(encoder, { sessions, shape: model.shape, timeHeads: model.timeHeads, spare: {} })
  }

  /** Frees the memory that is kept for the next run. */
  freeMemory(): void {
    this.decoder.spare = {}
    forceGc()
  }

  /** Reads windows in one run; runs share buffers, so only one can run. Aborted rows return undefined. */
  async read(rows: Row[]): Promise<(WindowText | undefined)[]> {
    if (rows.some(({ samples }) => samples.length >= VERY_LONG_WINDOW)) this.freeMemory()
    const readings = new Map<Row, WindowText | undefined>()
    const { readable, sounds } = await this.encode(rows)
    const found = await this.search(readable, sounds)
    for (const [index, row] of readable.entries()) readings.set(row, await this.accept(row, found[index]!))
    return rows.map((row) => readings.get(row))
  }

  private async encode(rows: Row[]): Promise<{ readable: Row[]; sounds: Tensor[] }> {
    const readable: Row[] = []
    const sounds: Tensor[] = []
    // One after the other: the encoder gains nothing from parallel ones.
    for (const row of rows) {
      if (row.signal.aborted) continue
      const input = this.withSilence(row)
      const output = await this.encoder.run({ input_values: new Tensor('float32', input, [1, input.length]) })
      readable.push(row)
      sounds.push(output.last_hidden_state as Tensor)
    }
    return { readable, sounds }
  }

  private withSilence(row: Row): Float32Array {
    const { samples } = row
    const length = SILENCE_BEFORE + samples.length + SILENCE_AFTER[sizeOf(row)]
    if (this.input.length < length) this.input = new Float32Array(length)
    this.input.set(samples, SILENCE_BEFORE)
    this.input.fill(0, SILENCE_BEFORE + samples.length)
    return this.input.subarray(0, length)
  }

  /** Runs greedy search on all rows together, then a wider one alone on each row whose decoder doubts its text. */
  private async search(rows: Row[], sounds: Tensor[]): Promise<Found[]> {
    if (rows.length === 0) return []
    const limits = rows.map((row) => limitsOf(row))
    const signals = rows.map(({ signal }) => signal)
    const state = MoonshineState.over(sounds.splice(0), this.decoder) // which lets go of them
    const doubtful = new Map<number, MoonshineState>()
    const found = await searchGreedy(state, limits, signals, (one, number, row) => {
      if (rows[number]!.decoder === 'beam_search' && isDoubtful(one)) doubtful.set(number, state.alone(row))
    }).finally(() => state.end())
    for (const [number, alone] of doubtful) {
      doubtful.delete(number) // its memory is for the next one
      const search = searchBeam(alone, { ...BEAM, ...limits[number]! }, signals[number]!)
      found[number] = await search.finally(() => alone.end())
    }
    return found
  }

  /** The result of a search as words, unless it is garbled or invented. */
  private async accept(row: Row, found: Found): Promise<WindowText | undefined> {
    const { samples, speech } = row
    if (row.signal.aborted) return undefined
    if (!found.ended && samples.length > 2 * SHORTEST_PART) {
      // Lost in a loop or at the token limit: another context can help.
      const middle = quietestPart(samples)
      const parts = [samples.subarray(0, middle), samples.subarray(middle)]
      const halves = parts.map((part) => ({ ...row, samples: part, speech: speech / 2 }))
      const [first, second] = await this.read(halves)
      if (!first || !second) return undefined
      return [...until(first, middle / VAD_RATE), ...moved(second, middle / VAD_RATE)]
    }
    const kept = found.tokens.length - loopAtEnd(found.tokens)
    const words = moved(wordsOf({ ...found, tokens: found.tokens.slice(0, kept) }), -SILENCE_BEFORE / VAD_RATE)
    return isInvented(found, words, speech) ? [] : words
  }
}

const limitsOf = ({ samples }: SpeechWindow): Limits => ({
  maxTokens: SPARE_TOKENS + Math.ceil((samples.length / VAD_RATE) * TOKENS_PER_SECOND),
})

const sizeOf = ({ samples }: SpeechWindow) => (samples.length < LONG_WINDOW ? 'short' : 'long')

const isDoubtful = ({ ended, logProbabilities }: Found): boolean => !ended || Math.min(...logProbabilities) < DOUBTFUL

const moved = (words: WindowText, seconds: number): WindowText =>
  words.map((word) => ({ ...word, start: word.start + seconds, end: word.end + seconds }))

/** The last word of a part would extend into the silence after it, where the next part begins. */
const until = (words: WindowText, seconds: number): WindowText =>
  words.map((word) => ({ ...word, start: Math.min(word.start, seconds), end: Math.min(word.end, seconds) }))

/** Where to split audio: the quietest 50 ms of its middle third, as a number of samples. */
function quietestPart(samples: Float32Array): number {
  const size = VAD_RATE / 20
  let [quietest, least] = [0, Infinity]
  for (let at = Math.floor(samples.length / 3); at < (samples.length * 2) / 3; at += size) {
    const power = samples.subarray(at, at + size).reduce((sum, sample) => sum + sample * sample, 0)
    if (power < least) [quietest, least] = [at + size / 2, power]
  }
  return quietest
}

/** Texts that the model returns for audio without words, as measured on tones, noise, music and animals. */
function isInvented(found: Found, words: WindowText, speech: number): boolean {
  if (meanLogProbability(found) < LEAST_LOG_PROBABILITY) return true
  // "You" for five seconds of noise.
  if (found.tokens.length < speech * LEAST_TOKENS_PER_SECOND) return true
  if (speech < SHORT_SPEECH && words.length === 1 && FILLER.test(words[0]!.text)) return true
  return words.some(({ text }) => text.includes('♪'))
}
