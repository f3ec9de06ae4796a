import { expect } from 'chai'
import llamaTokenizer from 'llama-tokenizer-js'
import { runBeamSearch } from './decoders/beam-search.ts'
import { runGreedySearch } from './decoders/greedy-search.ts'
import type { TokenDecoderState } from './decoders/search.ts'
import { buildWordsFromAttention } from './engines/moonshine/word-times.ts'
import { getTokenVariants } from './engines/moonshine/token-variants.ts'
import { phrasesToSegments } from './transcribe.ts'

const encodeTokens = (text: string) => llamaTokenizer.encode(text, false, true)

/** Builds a hypothesis. `asWritten` has the probabilities of the tokens, `however` the probabilities including case variants. */
function buildHypothesis(text: string, asWritten: number[], however: number[]) {
  const tokens = encodeTokens(text)
  expect(tokens).to.have.length(asWritten.length)
  return { tokens, logProbabilities: asWritten.map(Math.log), certainties: however, attention: [], ended: true }
}

/** Returns token 3 or its case variant 4, then the end token. */
class TwinTokenState implements TokenDecoderState {
  readonly vocabularySize = 5
  readonly startToken = 1
  readonly endToken = 2
  step(tokens: number[]): Promise<Float32Array> {
    const rows = tokens.map((token) => (token === 1 ? [0.1, 0, 0, 0.5, 0.4] : [0, 0, 1, 0, 0]))
    return Promise.resolve(Float32Array.from(rows.flat(), Math.log))
  }
  reorder(): void {}
  getTokenVariants(token: number): number[] {
    return token < 3 ? [token] : [3, 4]
  }
}

describe('word and segment confidence', () => {
  it('word confidence is the mean of letter tokens in any case, without punctuation', () => {
    const [word] = buildWordsFromAttention(buildHypothesis('Stop.', [0.5, 0.2], [0.8, 0.2]))
    expect(word!.text).to.equal('Stop.')
    expect(word!.confidence).to.be.closeTo(0.8, 1e-9)
  })

  it('segment confidence is the mean of all token probabilities, including punctuation', () => {
    const words = buildWordsFromAttention(buildHypothesis('Stop now.', [0.5, 0.9, 0.1], [0.8, 1, 1]))
    const [segment] = phrasesToSegments([{ channel: 0, words }])
    expect(segment!.confidence).to.equal(0.5)
    expect(segment).to.have.all.keys('start', 'end', 'channel', 'text', 'confidence')
  })

  it('without tokens, segment confidence is the mean of the words, or null', () => {
    const word = { start: 0, end: 1, text: 'so' }
    const of = (...known: (number | null)[]) =>
      phrasesToSegments([{ channel: 0, words: known.map((confidence) => ({ ...word, confidence })) }])[0]!.confidence
    expect(of(0.5, 0.8)).to.equal(0.65)
    expect(of(0.5, null)).to.equal(null)
  })

  it('both searches include case variants in the certainty of a token', async () => {
    const limits = { maxTokens: 3 }
    const { signal } = new AbortController()
    const [greedy] = await runGreedySearch(new TwinTokenState(), [limits], [signal])
    const beam = await runBeamSearch(new TwinTokenState(), { ...limits, width: 2, lengthPower: 1 }, signal)
    for (const { tokens, certainties, logProbabilities } of [greedy!, beam]) {
      expect(tokens).to.deep.equal([3])
      expect(Math.exp(logProbabilities[0]!)).to.be.closeTo(0.5, 1e-5)
      expect(certainties[0]).to.be.closeTo(0.9, 1e-5)
      expect(certainties).to.have.length(2)
    }
  })

  it('tokens that differ only in case or leading space are variants', () => {
    const [upper, lower] = [encodeTokens('Stop')[0]!, encodeTokens('stop')[0]!]
    expect(upper).not.to.equal(lower)
    expect(getTokenVariants(upper)).to.include.members([upper, lower])
    expect(getTokenVariants(upper)).not.to.include(encodeTokens('start')[0])
  })
})
