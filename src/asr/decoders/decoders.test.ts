import { expect } from 'chai'
import { searchBeam } from './beam.ts'
import { searchGreedy } from './greedy.ts'
import { loopAtEnd, type DecoderState } from './search.ts'

const { signal } = new AbortController()
const WORDS = 6
const END = 2

/** A model whose next word depends on all words before it, by a fixed recipe; it remembers its rows like a cache. */
class Toy implements DecoderState {
  readonly vocabularySize = WORDS
  readonly startToken = 1
  readonly endToken = END
  private rows: number[][] = [[]]
  private readonly seed: number

  constructor(seed: number) {
    this.seed = seed
  }

  step(tokens: number[]): Promise<Float32Array> {
    this.rows = this.rows.map((row, index) => [...row, tokens[index]!])
    return Promise.resolve(Float32Array.from(this.rows.flatMap((row) => this.scores(row))))
  }

  reorder(from: number[]): void {
    this.rows = from.map((row) => this.rows[row]!)
  }

  scores(row: number[]): number[] {
    return Array.from({ length: WORDS }, (_, token) => {
      const mixed = row.reduce(
        (sum, word, index) => sum + Math.sin(this.seed + word * (index + 2.7)),
        token * this.seed,
      )
      return 3 * Math.sin(mixed * 12.9898) + (token === END ? row.length / 3 : 0)
    })
  }
}

/** The best finished text of at most `most` words by trying all of them. */
function exhaustive(toy: Toy, most: number, power: number): { tokens: number[]; score: number } {
  let best = { tokens: [] as number[], score: -Infinity }
  const visit = (tokens: number[], sum: number) => {
    const scores = toy.scores([toy.startToken, ...tokens])
    const total = Math.log(scores.reduce((all, score) => all + Math.exp(score), 0))
    const ended = (sum + scores[END]! - total) / (tokens.length + 1) ** power
    if (ended > best.score) best = { tokens, score: ended }
    if (tokens.length + 1 < most) {
      scores.forEach((score, token) => token !== END && visit([...tokens, token], sum + score - total))
    }
  }
  visit([], 0)
  return best
}

describe('decoders', () => {
  it('beam search with one hypothesis and no second thoughts is greedy search', async () => {
    for (let seed = 1; seed < 30; seed++) {
      const greedy = await searchGreedy(new Toy(seed), { maxTokens: 8, mustSpeak: false }, signal)
      const options = { width: 1, lengthPower: 0, maxTokens: 8, mustSpeak: false }
      const beam = await searchBeam(new Toy(seed), options, signal)
      if (greedy.ended && beam.tokens.length === greedy.tokens.length) expect(beam.tokens).to.deep.equal(greedy.tokens)
    }
  })

  it('beam search wide enough finds what trying everything finds', async () => {
    for (let seed = 1; seed < 30; seed++) {
      const options = { width: 400, lengthPower: 0, maxTokens: 4, mustSpeak: false }
      const { tokens, meanLogProbability, ended } = await searchBeam(new Toy(seed), options, signal)
      const { tokens: expected, score } = exhaustive(new Toy(seed), 4, 0)
      expect(ended).to.equal(true)
      expect(tokens).to.deep.equal(expected)
      expect(meanLogProbability * (tokens.length + 1)).to.be.closeTo(score, 1e-5)
    }
  })

  it('a wider beam never finds a less probable text than a narrow one, over many models', async () => {
    const total = async (width: number) => {
      let sum = 0
      for (let seed = 1; seed < 100; seed++) {
        const options = { width, lengthPower: 0, maxTokens: 6, mustSpeak: false }
        const { tokens, meanLogProbability } = await searchBeam(new Toy(seed), options, signal)
        sum += meanLogProbability * (tokens.length + 1)
      }
      return sum
    }
    const [one, four, sixteen] = [await total(1), await total(4), await total(16)]
    expect(four).to.be.at.least(one)
    expect(sixteen).to.be.at.least(four)
  })

  it('give up phrases that go round in circles, and take a telephone number for none', () => {
    expect(loopAtEnd([5, 9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3])).to.equal(9)
    expect(loopAtEnd([5, 9, 1, 2, 3, 1, 2, 3, 1, 2, 3])).to.equal(0)
    expect(loopAtEnd([5, 8, 8, 8, 8, 8, 8, 8])).to.equal(0)
    expect(loopAtEnd([5, ...Array.from({ length: 12 }, () => 8)])).to.equal(11)
  })

  it('neither ends before the first word when it must speak, nor goes beyond its limit', async () => {
    for (let seed = 1; seed < 30; seed++) {
      const limits = { maxTokens: 3, mustSpeak: true }
      const found = [
        await searchGreedy(new Toy(seed), limits, signal),
        await searchBeam(new Toy(seed), { ...limits, width: 4, lengthPower: 1 }, signal),
      ]
      for (const { tokens } of found) expect(tokens.length).to.be.within(1, 3)
    }
  })
})
