import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { InferenceSession } from 'onnxruntime-node'
import type { DecoderName } from '../contract.ts'
import { SAMPLE_CALL_PATH } from '../../test/test-recognizer.ts'
import { waitUntil } from '../../test/wait.ts'
import { VAD_SAMPLE_RATE } from '../vad.ts'
import type { Engine, RecognizedPiece } from './engine.ts'
import { loadMoonshineEngine } from './moonshine/moonshine.ts'
import { ENCODER_OUTPUT_NAME, TOKENS_INPUT_NAME } from './moonshine/graph/decoder-graph.ts'
import { MoonshineModel } from './moonshine/model.ts'
import type { SpeechWindowRow, SpeechWindowText } from './moonshine/speech-window.ts'

const MODEL = 'moonshine-tiny-en'
const LAYERS = 6
const AUDIO_INPUT = 'input_values'
const SESSION = (InferenceSession as unknown as { prototype: InferenceSession }).prototype

/** Decodes the sample call to 16-bit samples, with both channels mixed into one. */
function decodeSampleCall(): Int16Array {
  const options = [
    '-v',
    'error',
    '-i',
    SAMPLE_CALL_PATH,
    '-ac',
    '1',
    '-ar',
    String(VAD_SAMPLE_RATE),
    '-f',
    's16le',
    '-',
  ]
  return new Int16Array(new Uint8Array(execFileSync('ffmpeg', options)).buffer)
}

describe('shared runs of Moonshine', () => {
  const samples = decodeSampleCall()
  let model: MoonshineModel
  before(async () => {
    model = await MoonshineModel.load(MODEL)
  })

  /** Cuts rows of at least one and a half seconds from the call. Each row counts as a separate file. */
  function rows(
    count: number,
    decoder: (row: number) => DecoderName,
  ): (SpeechWindowRow & { abort: AbortController })[] {
    return Array.from({ length: count }, (_, row) => {
      const part = samples.subarray(row * 2 * VAD_SAMPLE_RATE, (row * 2 + 1.5 + (row % 3)) * VAD_SAMPLE_RATE)
      // Every second row is as quiet as a whisper, so that the model is in doubt.
      const factor = row % 2 ? 1 / 32_768 : 1 / 3_000_000
      const abort = new AbortController()
      const audio = Float32Array.from(part, (sample) => sample * factor)
      return { samples: audio, speech: 1.5, decoder: decoder(row), signal: abort.signal, abort }
    })
  }

  const alone = async (row: SpeechWindowRow): Promise<SpeechWindowText> => (await model.read([row]))[0]!

  it('a shared run gives each row the same text as alone, with its own decoder', async () => {
    const mixed = rows(8, (row) => (row % 4 < 2 ? 'beam_search' : 'greedy'))
    const together = await model.read(mixed)
    const expected: SpeechWindowText[] = []
    for (const row of mixed) expected.push(await alone(row))
    expect(together).to.deep.equal(expected)
    expect(expected.filter((words) => words.length > 0)).to.have.length.above(3)
    // The texts of the two decoders must differ, otherwise the test cannot show which decoder was used.
    const greedy: SpeechWindowText[] = []
    for (const row of mixed) greedy.push(await alone({ ...row, decoder: 'greedy' }))
    expect(together).not.to.deep.equal(greedy)
  })

  for (const [when, input, run] of [
    ['before the run', AUDIO_INPUT, 1],
    ['during encoding', AUDIO_INPUT, 2],
    ['during the projection of its audio', ENCODER_OUTPUT_NAME, LAYERS + 2],
    ['during decoding', TOKENS_INPUT_NAME, 3],
  ] as const) {
    it(`a file aborted ${when} does not change the other rows`, async () => {
      const mixed = rows(4, () => 'beam_search')
      const expected: SpeechWindowText[] = []
      for (const row of mixed) expected.push(await alone(row))
      const reading = watchRuns(
        () => model.read(mixed),
        (of, count) => {
          if (of === input && count === run) mixed[1]!.abort.abort()
        },
      )
      expect(await reading).to.deep.equal(expected.with(1, undefined as never))
      expect(mixed[1]!.signal.aborted).to.equal(true)
    })
  }

  it('a run whose files are all aborted does not run the model', async () => {
    const mixed = rows(4, () => 'beam_search')
    for (const { abort } of mixed) abort.abort()
    const runs: string[] = []
    const read = (some: SpeechWindowRow[]) =>
      watchRuns(
        () => model.read(some),
        (input) => runs.push(input),
      )
    expect(await read(mixed)).to.deep.equal(mixed.map(() => undefined))
    expect(runs).to.deep.equal([])
    await read(rows(1, () => 'greedy'))
    expect(runs).to.include.members([AUDIO_INPUT, ENCODER_OUTPUT_NAME, TOKENS_INPUT_NAME])
  })

  it('windows of 15 seconds or more free the buffers of earlier runs', async () => {
    const [short] = rows(1, () => 'greedy')
    const long = {
      ...short!,
      samples: Float32Array.from(samples.subarray(0, 15.5 * VAD_SAMPLE_RATE), (sample) => sample / 32_768),
    }
    const kept: boolean[] = []
    const hasMemory = () => Object.values(model['decoder'].spare).some((memory) => memory !== undefined)
    const read = (row: SpeechWindowRow) =>
      watchRuns(
        () => alone(row),
        (input) => {
          if (input === AUDIO_INPUT) kept.push(hasMemory())
        },
      )
    const [first, readLong, again] = [await read(short!), await read(long), await read(short!)]
    expect(kept.slice(-2)).to.deep.equal([false, true])
    expect(again).to.deep.equal(first)
    model.freeMemory()
    expect(await alone(long)).to.deep.equal(readLong)
  })
})

/** Calls `onRun` before each run of a session, with the name of its input and the number of the run. */
async function watchRuns<T>(work: () => Promise<T>, onRun: (input: string, count: number) => void): Promise<T> {
  const counts = new Map<string, number>()
  const run = Object.getOwnPropertyDescriptor(SESSION, 'run')!
  const value = function (this: InferenceSession, feeds: object, ...rest: unknown[]) {
    const input = [AUDIO_INPUT, ENCODER_OUTPUT_NAME, TOKENS_INPUT_NAME].find((name) => name in feeds)!
    counts.set(input, (counts.get(input) ?? 0) + 1)
    onRun(input, counts.get(input)!)
    return (run.value as (...args: unknown[]) => unknown).call(this, feeds, ...rest)
  }
  Object.defineProperty(SESSION, 'run', { ...run, value })
  try {
    return await work()
  } finally {
    Object.defineProperty(SESSION, 'run', run)
  }
}

describe('several files in one thread', () => {
  const samples = decodeSampleCall()
  const decoders: DecoderName[] = ['greedy', 'beam_search', 'greedy']
  let engine: Engine
  /** The abort signals of the rows of each run. */
  let runs: AbortSignal[][]
  const read = Object.getOwnPropertyDescriptor(MoonshineModel.prototype, 'read')!
  before(async () => {
    engine = await loadMoonshineEngine({ ASR_MODEL: MODEL, ASR_MODEL_HUB_URL: '', DECODER: 'greedy', modelsDir: '' })
    MoonshineModel.prototype.read = function (rows) {
      runs.push(rows.map(({ signal }) => signal))
      return (read.value as typeof this.read).call(this, rows)
    }
  })
  beforeEach(() => void (runs = []))
  after(() => Object.defineProperty(MoonshineModel.prototype, 'read', read))

  function* secondsFrom(from: number): Generator<Int16Array[]> {
    for (let at = from * VAD_SAMPLE_RATE; at < samples.length; at += VAD_SAMPLE_RATE)
      yield [samples.subarray(at, at + VAD_SAMPLE_RATE)]
  }

  /** Recognizes the call from second `from` as a separate file. */
  const recognise = (from: number, signal = new AbortController().signal): Promise<RecognizedPiece[]> =>
    engine.transcribe(secondsFrom(from), decoders[from]!, () => {}, signal)

  it('files that share runs get the same words, times and confidences as alone', async () => {
    const together = await Promise.all(decoders.map((_, from) => recognise(from)))
    expect(runs.filter((signals) => new Set(signals).size > 1)).to.have.length.above(0)
    for (const [from, pieces] of together.entries()) expect(pieces).to.deep.equal(await recognise(from))
  })

  it('aborting a file in a shared run does not change the other files', async () => {
    const abort = new AbortController()
    const abortedCall = recognise(0, abort.signal).catch((error: unknown) => error)
    const others = [1, 2].map((from) => recognise(from))
    await waitUntil('a shared run has the file', () =>
      runs.some((signals) => signals.includes(abort.signal) && new Set(signals).size > 1),
    )
    abort.abort()
    expect(await abortedCall).to.equal(abort.signal.reason)
    const pieces = await Promise.all(others)
    for (const [index, own] of pieces.entries()) expect(own).to.deep.equal(await recognise(index + 1))
  })

  it('if a file cannot be decoded further, its waiting windows are dropped', async () => {
    function* broken(): Generator<Int16Array[]> {
      for (let n = 0; n < 3; n++) yield* secondsFrom(0)
      throw new Error('it broke')
    }
    const error: unknown = await engine
      .transcribe(broken(), 'greedy', () => {}, new AbortController().signal)
      .catch((reason: unknown) => reason)
    expect((error as Error).message).to.equal('it broke')
    const before = runs.length
    await recognise(0)
    expect(new Set(runs.slice(before).flat())).to.have.property('size', 1)
  })
})
