import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Logger } from '../../../platform/lib/log.ts'
import type { Decoder, Word } from '../../contract.ts'
import { alignText } from '../../decoders/ctc/align.ts'
import { BeamSearch } from '../../decoders/ctc/beam-search.ts'
import { decodeGreedily } from '../../decoders/ctc/greedy.ts'
import { openModel } from '../../kenlm/model.ts'
import { fetchMissing, type ModelFile } from '../../models/store.ts'
import { frameTime, PhraseSplitter, phraseTimes, type Phrase } from '../../splitter.ts'
import type { Engine, EngineConfig, EngineInfo, Piece, Recognition } from '../engine.ts'
import { AcousticModel, CHUNK, RATE, type AcousticStream } from './acoustic.ts'

/** Turns the acoustic model's rows for a phrase into text. */
type Decode = (rows: Float32Array) => string

/** The sizes are those that operators are told to have ready: under 1 GB, and 7 GB for both. */
const ACOUSTIC: ModelFile = {
  name: 'model.onnx',
  roughSize: 1e9,
  check: async (path) => (await AcousticModel.load(path)).release(),
}

const LANGUAGE: ModelFile = {
  name: 'kenlm.bin',
  roughSize: 6e9,
  check: (path) => Promise.resolve(openModel(path).close()),
  advice: 'DECODER=greedy needs no language model, and less than 1 GB.',
}

/** Fetches what is missing: the acoustic model and, unless the decoder is greedy, the language model. */
export async function prepare(config: EngineConfig, log: Logger): Promise<EngineInfo> {
  await fetchMissing(config, config.DECODER === 'greedy' ? [ACOUSTIC] : [ACOUSTIC, LANGUAGE], log)
  return infoOf(config)
}

/** The file does not tell its version; the beginning of its checksum does. */
async function infoOf({ ASR_MODEL, modelsDir }: EngineConfig): Promise<EngineInfo> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(join(modelsDir, ACOUSTIC.name)), hash)
  return {
    model: ASR_MODEL,
    version: hash.digest('hex').slice(0, 12),
    precision: 'float16',
    language: 'ru',
    timing: 'exact',
  }
}

/** Whether beam_search has nothing to go by but the audio. */
export const lacksLanguageModel = ({ modelsDir }: EngineConfig): boolean => !existsSync(join(modelsDir, LANGUAGE.name))

/** Loads the acoustic model and maps the language model into memory. */
export async function load(config: EngineConfig): Promise<Engine> {
  const acoustic = await AcousticModel.load(join(config.modelsDir, ACOUSTIC.name))
  const decoders = new Decoders(join(config.modelsDir, LANGUAGE.name))
  if (config.DECODER !== 'greedy') decoders.named(config.DECODER)
  return {
    info: await infoOf(config),
    sampleRate: RATE,
    recognise: (decoder, signal, channels) =>
      new ChunkedRecognition(
        Array.from({ length: channels }, () => new ChunkedChannel(acoustic.begin(), decoders.named(decoder), signal)),
      ),
  }
}

/** The decoders of one thread. The language model is opened when it is first needed. */
class Decoders {
  private readonly languageFile: string
  private search: BeamSearch | undefined
  private soundSearch: BeamSearch | undefined

  constructor(languageFile: string) {
    this.languageFile = languageFile
  }

  /**
   * Without a language model, which only a start with DECODER=beam_search fetches, the search goes by the audio alone:
   * fetching gigabytes for one recording would keep its worker for an hour.
   * @throws LanguageModelError when the language model is damaged
   */
  named(name: Decoder): Decode {
    if (name === 'greedy') return decodeGreedily
    if (!this.search && existsSync(this.languageFile)) this.search = new BeamSearch(openModel(this.languageFile))
    const search = this.search ?? (this.soundSearch ??= new BeamSearch())
    return (rows) => search.decode(rows)
  }
}

/** The channels of a file, one after the other: the model takes them as they come, nothing waits. */
class ChunkedRecognition implements Recognition {
  private readonly channels: ChunkedChannel[]

  constructor(channels: ChunkedChannel[]) {
    this.channels = channels
  }

  async accept(channels: Int16Array[]): Promise<Piece[]> {
    return this.collect((channel, number) => channel.accept(channels[number]!))
  }

  async finish(): Promise<Piece[]> {
    return this.collect((channel) => channel.finish())
  }

  unreadFrom(): undefined {
    return undefined
  }

  settle(): Promise<void> {
    return Promise.resolve()
  }

  private async collect(read: (channel: ChunkedChannel, number: number) => Promise<Word[][]>): Promise<Piece[]> {
    const pieces: Piece[] = []
    for (const [number, channel] of this.channels.entries()) {
      for (const words of await read(channel, number)) pieces.push({ channel: number, words })
    }
    return pieces
  }
}

/**
 * Feeds one channel to the model in chunks of 300 ms, with 300 ms of silence in front of it and behind it, cuts the
 * answers into phrases and decodes each of them.
 */
class ChunkedChannel {
  private readonly stream: AcousticStream
  private readonly decode: Decode
  private readonly signal: AbortSignal
  private readonly splitter = new PhraseSplitter()
  /** Samples that wait for the chunk to become full; at first that is the silence in front. */
  private readonly chunk = new Int32Array(CHUNK)
  private filled = CHUNK

  constructor(stream: AcousticStream, decode: Decode, signal: AbortSignal) {
    this.stream = stream
    this.decode = decode
    this.signal = signal
  }

  async accept(samples: Int16Array): Promise<Word[][]> {
    const pieces: Word[][] = []
    for (let at = 0; at < samples.length;) {
      if (this.filled === CHUNK) pieces.push(...(await this.endChunk(false)))
      const taken = samples.subarray(at, at + CHUNK - this.filled)
      this.chunk.set(taken, this.filled)
      this.filled += taken.length
      at += taken.length
    }
    return pieces
  }

  async finish(): Promise<Word[][]> {
    const pieces = await this.endChunk(false)
    // However full that chunk was: the silence behind the audio ends in this one.
    return [...pieces, ...(await this.endChunk(true))]
  }

  /** Gives the chunk, filled up with silence, to the model and begins another. */
  private async endChunk(last: boolean): Promise<Word[][]> {
    this.signal.throwIfAborted()
    const rows = await this.stream.step(this.chunk)
    this.chunk.fill(0)
    this.filled = 0
    const pieces: Word[][] = []
    for (const phrase of this.splitter.push(rows, last)) {
      this.signal.throwIfAborted()
      const text = this.decode(phrase.rows)
      if (text) pieces.push(wordsOf(phrase, text))
    }
    return pieces
  }
}

/** The words of a phrase, each where its letters stand in the rows; the first and the last reach to its borders. */
export function wordsOf(phrase: Phrase, text: string): Word[] {
  const [start, end] = phraseTimes(phrase)
  const spans = alignText(phrase.rows, text)
  const texts = text.split(' ')
  const within = (row: number) => Math.min(end, Math.max(start, frameTime(phrase.firstRow + row)))
  let at = 0
  return texts.map((word, index) => {
    const own = spans?.slice(at, at + word.length)
    at += word.length + 1
    return {
      text: word,
      start: index === 0 || !own ? start : within(own[0]!.first),
      end: index === texts.length - 1 || !own ? end : within(own.at(-1)!.end),
      confidence: own ? own.reduce((sum, { probability }) => sum + probability, 0) / own.length : null,
    }
  })
}
