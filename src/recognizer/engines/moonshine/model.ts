import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { forceGc } from '../../../platform/lib/buffer-memory.ts'
import { runBeamSearch } from '../../decoders/beam-search.ts'
import { runGreedySearch } from '../../decoders/greedy-search.ts'
import {
  countLoopedTokens,
  computeMeanLogProbability,
  type DecoderHypothesis,
  type TokenSearchLimits,
} from '../../decoders/search.ts'
import { VAD_SAMPLE_RATE } from '../../vad.ts'
import type { EngineConfig } from '../engine.ts'
import { buildEncoderKvGraphs, buildDecoderStepGraph, type MoonshineModelShape } from './graph/decoder-graph.ts'
import { resolveMoonshinePackageFile } from './package.ts'
import { MoonshineDecoderState, type MoonshineDecoderModel, type CrossAttentionHeads } from './decoder-state.ts'
import { buildWordsFromAttention } from './word-times.ts'
import type { SpeechWindowRow, SpeechWindow, SpeechWindowText } from './speech-window.ts'
import { ExportedOnnxModel } from './graph/onnx-reader.ts'
import { supportsSignedWeights, convertModelToSignedWeights } from './graph/signed-weights.ts'

/** An English model of Useful Sensors from the package @usefulsensors/moonshine-js. */
interface ModelSpec {
  folder: string
  shape: MoonshineModelShape
  /** Attention heads that follow the current word. We tried each head on sentences with known word times. */
  timeHeads: CrossAttentionHeads
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

/** Normal speech has about 3 tokens per second, fast speech about 6. The examples of the model's authors have this limit. */
const MAX_TOKENS_PER_SECOND = 6.5
/** Added to the token limit, because punctuation and the end token matter in short windows. */
const SPARE_TOKENS = 4
/** If the decoder does not finish a window of more than twice this length, we split the window in two. */
const MIN_PART_SAMPLES = 1.5 * VAD_SAMPLE_RATE
const BEAM_SETTINGS = { width: 4, lengthPower: 1 }
/** One window in thirty has a token below this value. For such windows, beam search often finds a better text. */
const DOUBTFUL_LOG_PROBABILITY = -1.2
/** A text with a lower mean log-probability per token is a hallucination. */
const MIN_MEAN_LOG_PROBABILITY = -1.2
/** A text with fewer tokens per second of speech is a hallucination, because even slow speech has two. */
const MIN_TOKENS_PER_SECOND = 1
/** For speech shorter than SHORT_SPEECH_SECONDS, one of these words alone is a hallucination. */
const FILLER_WORD = /^(you|uh)[.,?!]*$/i
const SHORT_SPEECH_SECONDS = 1
/** Silence around the audio avoids a third of all word errors. Short windows need less silence at the end. */
const SILENCE_BEFORE_SAMPLES = 0.5 * VAD_SAMPLE_RATE
const SILENCE_AFTER_SAMPLES = { short: VAD_SAMPLE_RATE, long: 1.5 * VAD_SAMPLE_RATE }
const LONG_WINDOW_SAMPLES = 3 * VAD_SAMPLE_RATE
/**
 * For windows of at least this length, the encoder needs 20 to 40 MB more memory. Before such a run, we free up to 60 MB of the
 * decoder, which takes 40 ms.
 */
const VERY_LONG_WINDOW_SAMPLES = 15 * VAD_SAMPLE_RATE

const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  // Several runs use the processor cores better than several threads per run.
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // Each window has a different length, so a memory plan for one shape does not fit the next.
  enableMemPattern: false,
  // An arena would keep the peak memory of each session. Without it, runs take 2.5 % more processor time.
  enableCpuMemArena: false,
}

/** The encoder and decoder of a Moonshine model. Runs reuse the same buffers. */
export class MoonshineModel {
  private input = new Float32Array(0)

  private constructor(
    private readonly encoder: InferenceSession,
    private readonly decoder: MoonshineDecoderModel,
  ) {}

  static async load(name: EngineConfig['ASR_MODEL']): Promise<MoonshineModel> {
    const model = MODEL_SPECS[name]
    if (!model) throw new Error(`${name} is no Moonshine model`)
    const file = (part: string) =>
      fileURLToPath(resolveMoonshinePackageFile(`./model/${model.folder}/quantized/${part}.onnx`))
    const hasSigned = await supportsSignedWeights()
    const encoderFile = await readFile(file('encoder_model'))
    const encoder = await InferenceSession.create(
      hasSigned ? convertModelToSignedWeights(encoderFile) : encoderFile,
      SESSION_OPTIONS,
    )
    const exported = new ExportedOnnxModel(await readFile(file('decoder_model_merged')))
    const timedLayers = model.timeHeads.map(([layer]) => layer)
    const create = (graph: Uint8Array) => InferenceSession.create(graph, SESSION_OPTIONS)
    const encoderKvLayers = await Promise.all(buildEncoderKvGraphs(exported, model.shape, hasSigned).map(create))
    const step = await create(buildDecoderStepGraph(exported, model.shape, timedLayers, hasSigned))
    const sessions = { encoderKvLayers, step }
    return new MoonshineModel(encoder, { sessions, shape: model.shape, timeHeads: model.timeHeads, spare: {} })
  }

  /** Frees the buffers that are kept for the next run. */
  freeMemory(): void {
    this.decoder.spare = {}
    forceGc()
  }

  /**
   * Recognizes windows together. Wait for the result before the next call, because runs reuse the same buffers.
   * @returns the text of each row, or undefined for aborted rows
   */
  async read(rows: SpeechWindowRow[]): Promise<(SpeechWindowText | undefined)[]> {
    if (rows.some(({ samples }) => samples.length >= VERY_LONG_WINDOW_SAMPLES)) this.freeMemory()
    const readings = new Map<SpeechWindowRow, SpeechWindowText | undefined>()
    const { readable, sounds: encodedAudio } = await this.encode(rows)
    const found = await this.search(readable, encodedAudio)
    for (const [index, row] of readable.entries()) readings.set(row, await this.accept(row, found[index]!))
    return rows.map((row) => readings.get(row))
  }

  private async encode(rows: SpeechWindowRow[]): Promise<{ readable: SpeechWindowRow[]; sounds: Tensor[] }> {
    const readable: SpeechWindowRow[] = []
    const encodedAudio: Tensor[] = []
    // Encode the rows one by one, because parallel runs of the encoder are not faster.
    for (const row of rows) {
      if (row.signal.aborted) continue
      const input = this.padWithSilence(row)
      const output = await this.encoder.run({ input_values: new Tensor('float32', input, [1, input.length]) })
      readable.push(row)
      encodedAudio.push(output.last_hidden_state as Tensor)
    }
    return { readable, sounds: encodedAudio }
  }

  private padWithSilence(row: SpeechWindowRow): Float32Array {
    const { samples } = row
    const length = SILENCE_BEFORE_SAMPLES + samples.length + SILENCE_AFTER_SAMPLES[classifyLength(row)]
    if (this.input.length < length) this.input = new Float32Array(length)
    this.input.set(samples, SILENCE_BEFORE_SAMPLES)
    this.input.fill(0, SILENCE_BEFORE_SAMPLES + samples.length)
    return this.input.subarray(0, length)
  }

  /**
   * Runs greedy search on all rows together. Then repeats doubtful rows one by one with beam search, if their decoder is
   * beam_search.
   */
  private async search(rows: SpeechWindowRow[], encodedAudio: Tensor[]): Promise<DecoderHypothesis[]> {
    if (rows.length === 0) return []
    const limits = rows.map((row) => computeLimits(row))
    const signals = rows.map(({ signal }) => signal)
    const state = MoonshineDecoderState.fromEncoded(encodedAudio.splice(0), this.decoder) // splice() drops our references, so that the state can free the tensors.
    const doubtful = new Map<number, MoonshineDecoderState>()
    const found = await runGreedySearch(state, limits, signals, (one, number, row) => {
      if (rows[number]!.decoder === 'beam_search' && isDoubtful(one)) doubtful.set(number, state.isolateRow(row))
    }).finally(() => state.end())
    for (const [number, rowState] of doubtful) {
      doubtful.delete(number) // Drop our reference, so that the memory of this state can be freed.
      const search = runBeamSearch(rowState, { ...BEAM_SETTINGS, ...limits[number]! }, signals[number]!)
      found[number] = await search.finally(() => rowState.end())
    }
    return found
  }

  /**
   * Converts a hypothesis to words. If the search did not finish, splits a long window in two and reads both parts. Returns no
   * words for a hallucination, and undefined after an abort.
   */
  private async accept(row: SpeechWindowRow, found: DecoderHypothesis): Promise<SpeechWindowText | undefined> {
    const { samples, speech } = row
    if (row.signal.aborted) return undefined
    if (!found.ended && samples.length > 2 * MIN_PART_SAMPLES) {
      // The decoder stopped in a loop or at the token limit. A shorter window gives the decoder another context.
      const middle = findQuietestSample(samples)
      const parts = [samples.subarray(0, middle), samples.subarray(middle)]
      const halfRows = parts.map((part) => ({ ...row, samples: part, speech: speech / 2 }))
      const [first, second] = await this.read(halfRows)
      if (!first || !second) return undefined
      return [...clampWords(first, middle / VAD_SAMPLE_RATE), ...shiftWords(second, middle / VAD_SAMPLE_RATE)]
    }
    const tokenCount = found.tokens.length - countLoopedTokens(found.tokens)
    const words = shiftWords(
      buildWordsFromAttention({ ...found, tokens: found.tokens.slice(0, tokenCount) }),
      -SILENCE_BEFORE_SAMPLES / VAD_SAMPLE_RATE,
    )
    return isHallucinated(found, words, speech) ? [] : words
  }
}

const computeLimits = ({ samples }: SpeechWindow): TokenSearchLimits => ({
  maxTokens: SPARE_TOKENS + Math.ceil((samples.length / VAD_SAMPLE_RATE) * MAX_TOKENS_PER_SECOND),
})

const classifyLength = ({ samples }: SpeechWindow) => (samples.length < LONG_WINDOW_SAMPLES ? 'short' : 'long')

const isDoubtful = ({ ended, logProbabilities }: DecoderHypothesis): boolean =>
  !ended || Math.min(...logProbabilities) < DOUBTFUL_LOG_PROBABILITY

const shiftWords = (words: SpeechWindowText, seconds: number): SpeechWindowText =>
  words.map((word) => ({ ...word, start: word.start + seconds, end: word.end + seconds }))

/** Limits times to the length of a part, because its last word could otherwise extend into the next part. */
const clampWords = (words: SpeechWindowText, seconds: number): SpeechWindowText =>
  words.map((word) => ({ ...word, start: Math.min(word.start, seconds), end: Math.min(word.end, seconds) }))

/** Returns the sample number at which to split audio: the centre of the quietest 50 ms in the middle third. */
function findQuietestSample(samples: Float32Array): number {
  const size = VAD_SAMPLE_RATE / 20
  let [quietest, minPower] = [0, Infinity]
  for (let at = Math.floor(samples.length / 3); at < (samples.length * 2) / 3; at += size) {
    const power = samples.subarray(at, at + size).reduce((sum, sample) => sum + sample * sample, 0)
    if (power < minPower) [quietest, minPower] = [at + size / 2, power]
  }
  return quietest
}

/**
 * Returns true for texts that the model returns for audio without words. We measured these patterns on tones, noise, music and
 * animals.
 */
function isHallucinated(found: DecoderHypothesis, words: SpeechWindowText, speech: number): boolean {
  if (computeMeanLogProbability(found) < MIN_MEAN_LOG_PROBABILITY) return true
  // For example "You" for five seconds of noise.
  if (found.tokens.length < speech * MIN_TOKENS_PER_SECOND) return true
  if (speech < SHORT_SPEECH_SECONDS && words.length === 1 && FILLER_WORD.test(words[0]!.text)) return true
  return words.some(({ text }) => text.includes('♪'))
}
