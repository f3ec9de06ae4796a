import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Logger } from '../../../platform/lib/log.ts'
import type { DecoderName, TimedWord } from '../../contract.ts'
import { alignTextToRows } from '../../decoders/ctc/align.ts'
import { CtcBeamSearch } from '../../decoders/ctc/beam-search.ts'
import { decodeCtcGreedily } from '../../decoders/ctc/greedy.ts'
import { openNgramLanguageModel } from '../../kenlm/model.ts'
import { downloadMissingModelFiles, type ModelFile } from '../../models/store.ts'
import {
  acousticFrameToSeconds,
  AcousticPhraseSplitter,
  computePhraseTimes,
  type AcousticPhrase,
} from '../../phrase-splitter.ts'
import {
  compareSpeechPiecesByTime,
  type EngineModule,
  type EngineConfig,
  type EngineInfo,
  type Engine,
  type RecognizedPiece,
} from '../engine.ts'
import { TOneAcousticModel, T_ONE_CHUNK_SAMPLES, T_ONE_SAMPLE_RATE, type TOneAcousticStream } from './acoustic.ts'

type DecodeRows = (rows: Float32Array) => string

/** `roughSize` of the two files agrees with docs/deployment.md: under 1 GB, or about 7 GB with the language model. */
const ACOUSTIC_FILE: ModelFile = {
  name: 'model.onnx',
  roughSize: 1e9,
  check: async (path) => (await TOneAcousticModel.load(path)).release(),
}

const LANGUAGE_MODEL_FILE: ModelFile = {
  name: 'kenlm.bin',
  roughSize: 6e9,
  check: (path) => Promise.resolve(openNgramLanguageModel(path).close()),
  advice: 'DECODER=greedy needs no language model, and less than 1 GB.',
}

/**
 * Downloads missing model files and returns the description of the engine. The language model is downloaded only if DECODER is
 * beam_search.
 */
export async function prepareTOneEngine(config: EngineConfig, log: Logger): Promise<EngineInfo> {
  await downloadMissingModelFiles(
    config,
    config.DECODER === 'greedy' ? [ACOUSTIC_FILE] : [ACOUSTIC_FILE, LANGUAGE_MODEL_FILE],
    log,
  )
  return loadEngineInfo(config)
}

/** The model file contains no version, so we use the first 12 digits of its SHA-256. */
async function loadEngineInfo({ ASR_MODEL, modelsDir }: EngineConfig): Promise<EngineInfo> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(join(modelsDir, ACOUSTIC_FILE.name)), hash)
  const version = hash.digest('hex').slice(0, 12)
  return { model: ASR_MODEL, version, precision: 'float16', language: 'ru', timing: 'exact' }
}

/** Returns true if the models folder has no language model, so that beam search uses only the audio. */
export const lacksLanguageModel = ({ modelsDir }: EngineConfig): boolean =>
  !existsSync(join(modelsDir, LANGUAGE_MODEL_FILE.name))

/** Loads the acoustic model into memory. If DECODER is beam_search, also opens the language model, if its file exists. */
export async function loadTOneEngine(config: EngineConfig): Promise<Engine> {
  const acoustic = await TOneAcousticModel.load(join(config.modelsDir, ACOUSTIC_FILE.name))
  const decoders = new DecoderCache(join(config.modelsDir, LANGUAGE_MODEL_FILE.name))
  if (config.DECODER !== 'greedy') decoders.get(config.DECODER)

  const transcribe: Engine['transcribe'] = async (pcm, decoder, onProgress, signal) => {
    const decode = decoders.get(decoder)
    const channels: ChannelRecognizer[] = []
    const all: RecognizedPiece[] = []
    for await (const chunk of pcm) {
      const pieces: RecognizedPiece[] = []
      for (const [channel, samples] of chunk.entries()) {
        channels[channel] ??= new ChannelRecognizer(acoustic.createStream(), decode, signal)
        for (const words of await channels[channel].add(samples)) pieces.push({ channel, words })
      }
      all.push(...pieces)
      onProgress({ pieces })
    }
    for (const [channel, one] of channels.entries()) {
      for (const words of await one.end()) all.push({ channel, words })
    }
    return all.toSorted(compareSpeechPiecesByTime)
  }

  return { info: await loadEngineInfo(config), sampleRate: T_ONE_SAMPLE_RATE, transcribe }
}

export const tOneEngine: EngineModule = { prepare: prepareTOneEngine, lacksLanguageModel, load: loadTOneEngine }

/** The decoders of one thread. Opens the language model on first use. */
class DecoderCache {
  private search: CtcBeamSearch | undefined
  private acousticSearch: CtcBeamSearch | undefined

  constructor(private readonly languageFile: string) {}

  /** If the file of the language model is missing, beam search uses only the audio. A download would delay the file by an hour. */
  get(name: DecoderName): DecodeRows {
    if (name === 'greedy') return decodeCtcGreedily
    if (!this.search && existsSync(this.languageFile))
      this.search = new CtcBeamSearch(openNgramLanguageModel(this.languageFile))
    const search = this.search ?? (this.acousticSearch ??= new CtcBeamSearch())
    return (rows) => search.decode(rows)
  }
}

/** Feeds one channel to the model in chunks of 300 ms with silence around it. Decodes each complete phrase. */
class ChannelRecognizer {
  private readonly splitter = new AcousticPhraseSplitter()
  /** Samples of the next run. The first run is the silence before the audio. */
  private readonly chunk = new Int32Array(T_ONE_CHUNK_SAMPLES)
  private filled = T_ONE_CHUNK_SAMPLES

  constructor(
    private readonly stream: TOneAcousticStream,
    private readonly decode: DecodeRows,
    private readonly signal: AbortSignal,
  ) {}

  async add(samples: Int16Array): Promise<TimedWord[][]> {
    const pieces: TimedWord[][] = []
    for (let at = 0; at < samples.length;) {
      if (this.filled === T_ONE_CHUNK_SAMPLES) pieces.push(...(await this.endChunk(false)))
      const nextSamples = samples.subarray(at, at + T_ONE_CHUNK_SAMPLES - this.filled)
      this.chunk.set(nextSamples, this.filled)
      this.filled += nextSamples.length
      at += nextSamples.length
    }
    return pieces
  }

  async end(): Promise<TimedWord[][]> {
    const pieces = await this.endChunk(false)
    // This chunk contains the silence after the audio.
    return [...pieces, ...(await this.endChunk(true))]
  }

  /** Runs the model on the current chunk, padded with silence, and returns the words of each complete phrase. */
  private async endChunk(last: boolean): Promise<TimedWord[][]> {
    this.signal.throwIfAborted()
    const rows = await this.stream.step(this.chunk)
    this.chunk.fill(0)
    this.filled = 0
    const pieces: TimedWord[][] = []
    for (const phrase of this.splitter.push(rows, last)) {
      this.signal.throwIfAborted()
      const text = this.decode(phrase.rows)
      if (text) pieces.push(buildWordsFromPhrase(phrase, text))
    }
    return pieces
  }
}

/**
 * Builds the words of a phrase and computes their times from the rows of their letters. The first and last word extend to the
 * borders of the phrase. The confidence of a word is the mean probability of its letters.
 */
function buildWordsFromPhrase(phrase: AcousticPhrase, text: string): TimedWord[] {
  const [start, end] = computePhraseTimes(phrase)
  const spans = alignTextToRows(phrase.rows, text)
  const texts = text.split(' ')
  const within = (row: number) => Math.min(end, Math.max(start, acousticFrameToSeconds(phrase.firstRow + row)))
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
