import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import llamaTokenizer from 'llama-tokenizer-js'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import type { Decoder } from '../contract.ts'
import { searchBeam } from '../decoders/beam.ts'
import { searchGreedy } from '../decoders/greedy.ts'
import { Segmenter, type Window } from '../segmenter.ts'
import { FRAME, loadVad, Vad, VAD_RATE } from '../vad.ts'
import type { Engine, EngineConfig, EngineInfo, Piece, Recognition } from './engine.ts'
import { MoonshineState, type Shape } from './moonshine-state.ts'

/** English models of Useful Sensors, as published in the package @usefulsensors/moonshine-js. */
const MODELS: Partial<Record<EngineConfig['ASR_MODEL'], { folder: string; shape: Shape }>> = {
  'moonshine-base-en': { folder: 'base', shape: { layers: 8, heads: 8, headSize: 52, vocabulary: 32_768 } },
  'moonshine-tiny-en': { folder: 'tiny', shape: { layers: 6, heads: 8, headSize: 36, vocabulary: 32_768 } },
}

/** Speech has about 3 tokens a second, the fastest about 6; a text that needs more is a loop (the model's authors). */
const TOKENS_PER_SECOND = 6.5
const BEAM = { width: 4, lengthPower: 1 }
/** A text below this mean log-probability of a token is guessed into sound that holds no words. */
const LEAST_LOG_PROBABILITY = -1.2

const packageFile = (path: string) => new URL(path, import.meta.resolve('@usefulsensors/moonshine-js'))

/** Nothing to fetch: the weights came with the package. */
export async function prepare({ ASR_MODEL }: EngineConfig): Promise<EngineInfo> {
  const { version } = JSON.parse(await readFile(packageFile('../package.json'), 'utf8')) as { version: string }
  return { model: ASR_MODEL, version, precision: 'int8', language: 'en' }
}

/** Loads the model and the voice activity detector into memory. */
export async function load(config: EngineConfig): Promise<Engine> {
  const model = await Moonshine.load(config.ASR_MODEL)
  const vad = await loadVad()
  return {
    info: await prepare(config),
    sampleRate: VAD_RATE,
    recognise: (decoder, signal) =>
      new WindowedRecognition(new Vad(vad), ({ samples }) => model.read(samples, decoder, signal), signal),
  }
}

/** Encoder and decoder of one model. */
export class Moonshine {
  private readonly encoder: InferenceSession
  private readonly decoder: InferenceSession
  private readonly shape: Shape

  private constructor(encoder: InferenceSession, decoder: InferenceSession, shape: Shape) {
    this.encoder = encoder
    this.decoder = decoder
    this.shape = shape
  }

  static async load(name: EngineConfig['ASR_MODEL']): Promise<Moonshine> {
    const model = MODELS[name]
    if (!model) throw new Error(`${name} is no Moonshine model`)
    const open = (part: string) =>
      InferenceSession.create(fileURLToPath(packageFile(`./model/${model.folder}/quantized/${part}.onnx`)), {
        // One thread a file: more files at once make better use of the cores than more threads a file.
        intraOpNumThreads: 1,
        interOpNumThreads: 1,
        // Every window has another length: a memory plan for one shape is of no use to the next.
        enableMemPattern: false,
      })
    return new Moonshine(await open('encoder_model'), await open('decoder_model_merged'), model.shape)
  }

  /**
   * The text of a stretch of sound (-1 to 1, 16,000 samples a second, up to about half a minute); empty where the
   * model found no words that it believes in itself.
   */
  async read(samples: Float32Array, search: Decoder, signal: AbortSignal): Promise<string> {
    const sound = await this.encoder.run({ input_values: new Tensor('float32', samples, [1, samples.length]) })
    const state = new MoonshineState(this.decoder, this.shape, sound.last_hidden_state as Tensor)
    const maxTokens = Math.ceil((samples.length / VAD_RATE) * TOKENS_PER_SECOND)
    const found =
      search === 'greedy'
        ? await searchGreedy(state, maxTokens, signal)
        : await searchBeam(state, { ...BEAM, maxTokens }, signal)
    if (found.meanLogProbability < LEAST_LOG_PROBABILITY) return ''
    return llamaTokenizer.decode(found.ended ? found.tokens : withoutLoop(found.tokens), false, false).trim()
  }
}

/** Cuts a channel into windows of speech and reads each of them. */
class WindowedRecognition implements Recognition {
  private readonly segmenter = new Segmenter()
  private frame = new Float32Array(FRAME)
  private filled = 0
  private readonly vad: Vad
  private readonly read: (window: Window) => Promise<string>
  private readonly signal: AbortSignal

  constructor(vad: Vad, read: (window: Window) => Promise<string>, signal: AbortSignal) {
    this.vad = vad
    this.read = read
    this.signal = signal
  }

  async accept(samples: Int16Array): Promise<Piece[]> {
    const pieces: Piece[] = []
    for (const sample of samples) {
      this.frame[this.filled++] = sample / 32_768
      if (this.filled === FRAME) pieces.push(...(await this.endFrame()))
    }
    return pieces
  }

  async finish(): Promise<Piece[]> {
    const pieces = this.filled > 0 ? await this.endFrame() : []
    return [...pieces, ...(await this.piecesOf(this.segmenter.finish()))]
  }

  private async endFrame(): Promise<Piece[]> {
    this.signal.throwIfAborted()
    const frame = this.frame
    this.frame = new Float32Array(FRAME)
    this.filled = 0
    return this.piecesOf(this.segmenter.accept(frame, await this.vad.probability(frame)))
  }

  private async piecesOf(window: Window | undefined): Promise<Piece[]> {
    const text = window && (await this.read(window))
    return text ? [{ start: window.start, end: window.end, text }] : []
  }
}

/** A text that ran into the token limit, without the repetitions at its end: a phrase said three times or more. */
function withoutLoop(tokens: number[]): number[] {
  for (let period = 1; period * 3 <= tokens.length; period++) {
    let same = 0
    while (tokens[tokens.length - 1 - same] === tokens[tokens.length - 1 - same - period]) same++
    if (same >= period * 2) return tokens.slice(0, tokens.length - same)
  }
  return tokens
}
