import { expect } from 'chai'
import llamaTokenizer from 'llama-tokenizer-js'
import { searchBeam } from './decoders/beam-search.ts'
import { searchGreedy } from './decoders/greedy-search.ts'
import type { DecoderState } from './decoders/search.ts'
import { buildTimedWords } from './engines/moonshine/word-times.ts'
import { listTokenVariants } from './engines/moonshine/token-variants.ts'
import { toSegments } from './transcribe.ts'

const encodeTokens = (text: string) => llamaTokenizer.encode(text, false, true)

/** Builds a hypothesis. `asWritten` has the probability of each token, `however` the probability including its case variants. */
function buildHypothesis(text: string, asWritten: number[], however: number[]) {
  const tokens = encodeTokens(text)
  expect(tokens).to.have.length(asWritten.length)
  return { tokens, logProbabilities: asWritten.map(Math.log), certainties: however, attention: [], ended: true }
}

/** Returns token 3 or its case variant 4, then the end token. */
class TwinTokenState implements DecoderState {
  readonly vocabularySize = 5
  readonly startToken = 1
  readonly endToken = 2
  step(tokens: number[]): Promise<Float32Array> {
    const rows = tokens.map((token) => (token === 1 ? [0.1, 0, 0, 0.5, 0.4] : [0, 0, 1, 0, 0]))
    return Promise.resolve(Float32Array.from(rows.flat(), Math.log))
  }
  reorder(): void {}
  listTokenVariants(token: number): number[] {
    return token < 3 ? [token] : [3, 4]
  }
}

describe('confidence', () => {
  it('of a word is the mean of its letters’ tokens in whichever case, its punctuation left out', () => {
    const [word] = buildTimedWords(buildHypothesis('Stop.', [0.5, 0.2], [0.8, 0.2]))
    expect(word!.text).to.equal('Stop.')
    expect(word!.confidence).to.be.closeTo(0.8, 1e-9)
  })

  it('of a segment is the mean of all its tokens as they are written, punctuation included', () => {
    const words = buildTimedWords(buildHypothesis('Stop now.', [0.5, 0.9, 0.1], [0.8, 1, 1]))
    const [segment] = toSegments([{ channel: 0, words }])
    expect(segment!.confidence).to.equal(0.5)
    expect(segment).to.have.all.keys('start', 'end', 'channel', 'text', 'confidence')
  })

  it('of a segment is that of its words where no tokens are told, and null where one is not known', () => {
    const word = { start: 0, end: 1, text: 'so' }
    const of = (...known: (number | null)[]) =>
      toSegments([{ channel: 0, words: known.map((confidence) => ({ ...word, confidence })) }])[0]!.confidence
    expect(of(0.5, 0.8)).to.equal(0.65)
    expect(of(0.5, null)).to.equal(null)
  })

  it('counts what is only written otherwise, in both searches', async () => {
    const limits = { maxTokens: 3 }
    const { signal } = new AbortController()
    const [greedy] = await searchGreedy(new TwinTokenState(), [limits], [signal])
    const beam = await searchBeam(new TwinTokenState(), { ...limits, width: 2, lengthPower: 1 }, signal)
    for (const { tokens, certainties, logProbabilities } of [greedy!, beam]) {
      expect(tokens).to.deep.equal([3])
      expect(Math.exp(logProbabilities[0]!)).to.be.closeTo(0.5, 1e-5)
      expect(certainties[0]).to.be.closeTo(0.9, 1e-5)
      expect(certainties).to.have.length(2)
    }
  })

  it('takes tokens for the same that differ in case and in the space in front of them', () => {
    const [upper, lower] = [encodeTokens('Stop')[0]!, encodeTokens('stop')[0]!]
    expect(upper).not.to.equal(lower)
    expect(listTokenVariants(upper)).to.include.members([upper, lower])
    expect(listTokenVariants(upper)).not.to.include(encodeTokens('start')[0])
  })
})
