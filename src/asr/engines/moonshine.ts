import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import llamaTokenizer from 'llama-tokenizer-js'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import type { Decoder } from '../contract.ts'
import { searchBeam } from '../decoders/beam.ts'
import { searchGreedy } from '../decoders/greedy.ts'
import { loopAtEnd, type Found } from '../decoders/search.ts'
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
/** Short windows need some more: punctuation and the end count too. */
const SPARE_TOKENS = 4
/** A window that could not be read to its end is cut in two parts of at least so many samples. */
const SHORTEST_PART = 1.5 * VAD_RATE
const BEAM = { width: 4, lengthPower: 1 }
/** A text below this mean log-probability of a token is guessed into sound that holds no words. */
const LEAST_LOG_PROBABILITY = -1.2
/** With so many seconds of speech the model may not answer that there is none, which it likes to do for odd voices … */
const CERTAIN_SPEECH = 1
/** … but a text of so few tokens (the slowest speech has two a second) then counts as none. */
const LEAST_TOKENS_PER_SECOND = 1

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
  // The first run of a session is slow: not the first caller's time.
  await model.read(new Float32Array(VAD_RATE), 0, 'greedy', new AbortController().signal)
  return {
    info: await prepare(config),
    sampleRate: VAD_RATE,
    recognise: (decoder, signal) =>
      new WindowedRecognition(
        new Vad(vad),
        ({ samples, speech }) => model.read(samples, speech, decoder, signal),
        signal,
      ),
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
   * The text of a stretch of sound (-1 to 1, 16,000 samples a second, up to about half a minute); empty where it holds
   * no words. `speech` is how many seconds of it are certainly speech.
   */
  async read(samples: Float32Array, speech: number, decoder: Decoder, signal: AbortSignal): Promise<string> {
    const found = await this.search(samples, speech, decoder, signal)
    if (!found.ended && samples.length > 2 * SHORTEST_PART) {
      // Lost in a loop or in the token limit: another context leads elsewhere.
      const middle = quietestPart(samples)
      const first = await this.read(samples.subarray(0, middle), speech / 2, decoder, signal)
      const second = await this.read(samples.subarray(middle), speech / 2, decoder, signal)
      return `${first} ${second}`.trim()
    }
    const tokens = found.tokens.slice(0, found.tokens.length - loopAtEnd(found.tokens))
    const text = llamaTokenizer.decode(tokens, false, false).trim()
    return isInvented(found, text, speech) ? '' : text
  }

  private async search(samples: Float32Array, speech: number, decoder: Decoder, signal: AbortSignal): Promise<Found> {
    const sound = await this.encoder.run({ input_values: new Tensor('float32', samples, [1, samples.length]) })
    const state = new MoonshineState(this.decoder, this.shape, sound.last_hidden_state as Tensor)
    const maxTokens = SPARE_TOKENS + Math.ceil((samples.length / VAD_RATE) * TOKENS_PER_SECOND)
    const limits = { maxTokens, mustSpeak: speech >= CERTAIN_SPEECH }
    if (decoder === 'greedy') return searchGreedy(state, limits, signal)
    return searchBeam(state, { ...BEAM, ...limits }, signal)
  }
}

/** Where to cut sound in two: the quietest 50 ms of its middle third, as a number of samples. */
function quietestPart(samples: Float32Array): number {
  const size = VAD_RATE / 20
  let [quietest, least] = [0, Infinity]
  for (let at = Math.floor(samples.length / 3); at < (samples.length * 2) / 3; at += size) {
    const power = samples.subarray(at, at + size).reduce((sum, sample) => sum + sample * sample, 0)
    if (power < least) [quietest, least] = [at + size / 2, power]
  }
  return quietest
}

/** Texts that the model gives for sound without words, as measured on tones, noise, music and animals. */
function isInvented({ tokens, meanLogProbability }: Found, text: string, speech: number): boolean {
  if (meanLogProbability < LEAST_LOG_PROBABILITY) return true
  // "You" for five seconds of noise.
  if (speech >= CERTAIN_SPEECH && tokens.length < speech * LEAST_TOKENS_PER_SECOND) return true
  return text.includes('♪')
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
