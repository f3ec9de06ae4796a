import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { buildEncoderKvGraphs, buildDecoderStepGraph } from './graph/decoder-graph.ts'
import { MoonshineDecoderState, type MoonshineDecoderSessions } from './decoder-state.ts'
import { alignTokensToFrames } from './word-times.ts'
import { ExportedOnnxModel } from './graph/onnx-reader.ts'

const SHAPE = { layers: 6, heads: 8, headSize: 36, vocabulary: 32_768 }
const HIDDEN_SIZE = SHAPE.heads * SHAPE.headSize
const SAMPLE_TOKENS = [1, 450, 2217, 300]
const modelPath = (part: string) =>
  fileURLToPath(new URL(`./model/tiny/quantized/${part}.onnx`, import.meta.resolve('@usefulsensors/moonshine-js')))

/** Creates an encoder output with the given number of frames. Equal seeds give equal data. */
function createEncodedAudio(frames: number, seed: number): Tensor {
  const data = Float32Array.from({ length: frames * HIDDEN_SIZE }, (_, n) => Math.sin(n * seed) + Math.sin(n / 7))
  return new Tensor('float32', data, [1, frames, HIDDEN_SIZE])
}

/** Computes the scores of each step with the decoder as the authors exported it. */
async function computeOriginalScores(decoder: InferenceSession, audioData: Tensor): Promise<Float32Array[]> {
  const feeds: Record<string, Tensor> = { encoder_hidden_states: audioData }
  for (const name of decoder.inputNames.filter((name) => name.startsWith('past'))) {
    feeds[name] = new Tensor('float32', new Float32Array(0), [0, SHAPE.heads, 1, SHAPE.headSize])
  }
  const scores: Float32Array[] = []
  for (const [step, token] of SAMPLE_TOKENS.entries()) {
    feeds.input_ids = new Tensor('int64', BigInt64Array.of(BigInt(token)), [1, 1])
    feeds.use_cache_branch = new Tensor('bool', [step > 0], [1])
    const outputs = await decoder.run(feeds)
    for (const [name, tensor] of Object.entries(outputs)) {
      const isKept = name.startsWith('present') && (step === 0 || name.includes('decoder'))
      if (isKept) feeds[name.replace('present', 'past_key_values')] = tensor
    }
    scores.push(Float32Array.from(outputs.logits!.data as Float32Array))
  }
  return scores
}

const sumBy = (numbers: Float32Array, of: (one: number, index: number) => number) =>
  numbers.reduce((sum, one, index) => sum + of(one, index), 0)

/** Returns the mean difference of two score lists relative to the mean deviation of the second one. */
function maxDistance(a: Float32Array, b: Float32Array): number {
  const mean = sumBy(b, (score) => score) / b.length
  return sumBy(a, (score, index) => Math.abs(score - b[index]!)) / sumBy(b, (score) => Math.abs(score - mean))
}

describe('rewritten Moonshine decoder', () => {
  let original: InferenceSession
  let exported: ExportedOnnxModel
  let sessions: MoonshineDecoderSessions
  before(async () => {
    original = await InferenceSession.create(modelPath('decoder_model_merged'))
    exported = new ExportedOnnxModel(await readFile(modelPath('decoder_model_merged')))
    sessions = {
      encoderKvLayers: await Promise.all(
        buildEncoderKvGraphs(exported, SHAPE, false).map((graph) => InferenceSession.create(graph)),
      ),
      step: await InferenceSession.create(buildDecoderStepGraph(exported, SHAPE, [5], false)),
    }
  })
  after(async () => {
    for (const session of [original, ...sessions.encoderKvLayers, sessions.step]) await session.release()
  })

  const begin = (sounds: Tensor[]) =>
    MoonshineDecoderState.fromEncoded(sounds, { sessions, shape: SHAPE, timeHeads: [[5, 1]], spare: {} })

  it('the rewritten decoder scores every token almost like the original', async () => {
    const audioData = createEncodedAudio(40, 1.7)
    const expected = await computeOriginalScores(original, audioData)
    const state = begin([audioData])
    for (const [step, token] of SAMPLE_TOKENS.entries()) {
      expect(maxDistance(await state.step([token]), expected[step]!), `step ${step}`).to.be.below(0.35)
    }
  })

  it('a row gets bit-identical scores beside rows of other lengths', async () => {
    const sounds = [30, 70, 333].map((frames, index) => createEncodedAudio(frames, 0.7 + index))
    const together = begin(sounds)
    const alone = sounds.map((one) => begin([one]))
    for (const token of SAMPLE_TOKENS) {
      const all = await together.step(sounds.map(() => token))
      for (const [row, state] of alone.entries()) {
        const own = all.subarray(row * SHAPE.vocabulary, (row + 1) * SHAPE.vocabulary)
        const scores = await state.step([token])
        expect(
          scores.findIndex((score, index) => score !== own[index]),
          `row ${row}`,
        ).to.equal(-1)
      }
    }
  })

  it('an isolated row gets the same scores as its audio alone', async () => {
    const sounds = [333, 40, 70].map((frames, index) => createEncodedAudio(frames, 0.7 + index))
    const together = begin(sounds)
    for (const token of SAMPLE_TOKENS) await together.step(sounds.map(() => token))
    together.reorder([0, 2])
    for (const [row, audioData] of [sounds[0]!, sounds[2]!].entries()) {
      const [again, anew] = [together.isolateRow(row), begin([audioData])]
      for (const token of SAMPLE_TOKENS) expect(await again.step([token])).to.deep.equal(await anew.step([token]))
      // Several hypotheses share the keys and values of one window.
      for (const state of [again, anew]) state.reorder([0, 0, 0])
      const [scores, expected] = [await again.step([5, 6, 7]), await anew.step([5, 6, 7])]
      expect(scores).to.deep.equal(expected)
    }
  })

  it('a state that reuses the memory of an ended state gets the same scores', async () => {
    const model = { sessions, shape: SHAPE, timeHeads: [[5, 1]] as const, spare: {} }
    const first = MoonshineDecoderState.fromEncoded([createEncodedAudio(333, 2.1), createEncodedAudio(70, 0.3)], model)
    await first.step([1, 1])
    first.end()
    const audioData = [createEncodedAudio(40, 0.9), createEncodedAudio(70, 1.9)]
    const [again, anew] = [MoonshineDecoderState.fromEncoded(audioData, model), begin(audioData)]
    for (const token of SAMPLE_TOKENS)
      expect(await again.step([token, token])).to.deep.equal(await anew.step([token, token]))
  })

  it('a row does not attend to its padding, even after other rows are dropped', async () => {
    const frames = [30, 70, 40]
    const state = begin(frames.map((count, index) => createEncodedAudio(count, 0.9 + index)))
    const expectOwnAudio = (row: number, count: number) => {
      const audioData = state.attention(row)
      expect(audioData).to.have.length(count)
      expect(audioData.reduce((sum, share) => sum + share, 0)).to.be.closeTo(1, 1e-3)
    }
    for (const token of SAMPLE_TOKENS) {
      await state.step(frames.map(() => token))
      frames.forEach((count, row) => expectOwnAudio(row, count))
    }
    state.reorder([2, 0])
    await state.step([450, 450])
    expectOwnAudio(0, 40)
    expectOwnAudio(1, 30)
  })

  it('building the decoder fails for another model', async () => {
    const encoder = await readFile(modelPath('encoder_model'))
    expect(() => new ExportedOnnxModel(encoder.subarray(0, 1000))).to.throw('protobuf')
    expect(() => buildEncoderKvGraphs(new ExportedOnnxModel(encoder), SHAPE, false)).to.throw('not the one')
    expect(() => buildDecoderStepGraph(exported, { ...SHAPE, layers: SHAPE.layers + 1 }, [], false)).to.throw(
      'not the one',
    )
  })
})

describe('token times', () => {
  it('tokens are aligned to the frames that they attend to, in order', () => {
    const listening = (...frames: [number, number][]) => {
      const row = new Float32Array(20).fill(0.01)
      for (const [frame, share] of frames) row[frame] = share
      return row
    }
    const attention = [listening([3, 0.8]), listening([7, 0.5], [1, 0.4]), listening([12, 0.9]), listening([18, 0.7])]
    const [first, second, third, fourth] = alignTokensToFrames(attention)
    expect(first).to.be.at.most(3)
    expect(second).to.be.within(4, 7)
    expect(third).to.be.within(8, 12)
    expect(fourth).to.be.within(13, 18)
  })

  it('without attention, there are no token times', () => {
    expect(alignTokensToFrames([])).to.deep.equal([])
  })
})
