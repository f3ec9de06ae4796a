import { expect } from 'chai'
import { runBeamSearch } from './beam-search.ts'
import { runGreedySearch } from './greedy-search.ts'
import { countLoopedTokens, type TokenDecoderState } from './search.ts'

const sumNumbers = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0)

const { signal } = new AbortController()
const VOCABULARY_SIZE = 6
const END_TOKEN = 2

/** A model whose scores depend on all previous tokens by a fixed formula. It stores the tokens of each row like a cache. */
class FormulaModel implements TokenDecoderState {
  readonly vocabularySize = VOCABULARY_SIZE
  readonly startToken = 1
  readonly endToken = END_TOKEN
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
    return Array.from({ length: VOCABULARY_SIZE }, (_, token) => {
      const mixed = row.reduce(
        (sum, word, index) => sum + Math.sin(this.seed + word * (index + 2.7)),
        token * this.seed,
      )
      return 3 * Math.sin(mixed * 12.9898) + (token === END_TOKEN ? row.length / 3 : 0)
    })
  }
}

/** Combines several models as the rows of one state. */
class FormulaModelRows implements TokenDecoderState {
  readonly vocabularySize = VOCABULARY_SIZE
  readonly startToken = 1
  readonly endToken = END_TOKEN
  private rows: FormulaModel[]

  constructor(rows: FormulaModel[]) {
    this.rows = rows
  }

  async step(tokens: number[]): Promise<Float32Array> {
    const scores = await Promise.all(this.rows.map((row, index) => row.step([tokens[index]!])))
    return Float32Array.from(scores.flatMap((row) => [...row]))
  }

  reorder(from: number[]): void {
    this.rows = from.map((row) => this.rows[row]!)
  }
}

/** Returns the best finished text of fewer than `most` tokens by trying every text. */
function searchExhaustively(toy: FormulaModel, most: number, power: number): { tokens: number[]; score: number } {
  let best = { tokens: [] as number[], score: -Infinity }
  const visit = (tokens: number[], sum: number) => {
    const scores = toy.scores([toy.startToken, ...tokens])
    if (tokens.length === 0) scores[END_TOKEN] = -Infinity
    const total = Math.log(scores.reduce((all, score) => all + Math.exp(score), 0))
    const ended = (sum + scores[END_TOKEN]! - total) / (tokens.length + 1) ** power
    if (ended > best.score) best = { tokens, score: ended }
    if (tokens.length + 1 < most) {
      scores.forEach((score, token) => token !== END_TOKEN && visit([...tokens, token], sum + score - total))
    }
  }
  visit([], 0)
  return best
}

describe('greedy and beam search decoders', () => {
  it('beam search of width 1 finds the same text as greedy search', async () => {
    for (let seed = 1; seed < 30; seed++) {
      const [greedy] = await runGreedySearch(new FormulaModel(seed), [{ maxTokens: 8 }], [signal])
      const options = { width: 1, lengthPower: 0, maxTokens: 8 }
      const beam = await runBeamSearch(new FormulaModel(seed), options, signal)
      if (greedy!.ended && beam.tokens.length === greedy!.tokens.length)
        expect(beam.tokens).to.deep.equal(greedy!.tokens)
    }
  })

  it('a wide beam search finds the same text as an exhaustive search', async () => {
    for (let seed = 1; seed < 30; seed++) {
      const options = { width: 400, lengthPower: 0, maxTokens: 4 }
      const { tokens, logProbabilities, ended } = await runBeamSearch(new FormulaModel(seed), options, signal)
      const { tokens: expected, score } = searchExhaustively(new FormulaModel(seed), 4, 0)
      expect(ended).to.equal(true)
      expect(tokens).to.deep.equal(expected)
      expect(sumNumbers(logProbabilities)).to.be.closeTo(score, 1e-5)
    }
  })

  it('over many models, a wider beam does not find less probable texts', async () => {
    const total = async (width: number) => {
      let sum = 0
      for (let seed = 1; seed < 100; seed++) {
        const options = { width, lengthPower: 0, maxTokens: 6 }
        sum += sumNumbers((await runBeamSearch(new FormulaModel(seed), options, signal)).logProbabilities)
      }
      return sum
    }
    const [one, four, sixteen] = [await total(1), await total(4), await total(16)]
    expect(four).to.be.at.least(one)
    expect(sixteen).to.be.at.least(four)
  })

  it('greedy search finds the same text for a row alone and beside others', async () => {
    const seeds = [3, 7, 11, 13, 17, 19, 23, 29]
    const limits = seeds.map((_, index) => ({ maxTokens: 3 + index }))
    const together = await runGreedySearch(
      new FormulaModelRows(seeds.map((seed) => new FormulaModel(seed))),
      limits,
      seeds.map(() => signal),
    )
    for (const [index, seed] of seeds.entries()) {
      const [alone] = await runGreedySearch(new FormulaModel(seed), [limits[index]!], [signal])
      expect(together[index], `row ${index}`).to.deep.equal(alone)
    }
    expect(new Set(together.map(({ tokens }) => tokens.length)).size).to.be.above(2)
  })

  it('greedy search drops an aborted row without changing the others', async () => {
    const limits = { maxTokens: 8 }
    for (let seed = 1; seed < 30; seed++) {
      const aborts = [0, 1, 2].map(() => new AbortController())
      const state = new FormulaModelRows([seed, seed + 30, seed + 60].map((one) => new FormulaModel(one)))
      let steps = 0
      const step = state.step.bind(state)
      state.step = (tokens) => {
        if (++steps === 2) aborts[1]!.abort()
        return step(tokens)
      }
      const doneNumbers: number[] = []
      const signals = aborts.map((abort) => abort.signal)
      const found = await runGreedySearch(state, [limits, limits, limits], signals, (_, number) =>
        doneNumbers.push(number),
      )
      for (const row of [0, 2]) {
        const [alone] = await runGreedySearch(new FormulaModel(seed + 30 * row), [limits], [signal])
        expect(found[row]).to.deep.equal(alone)
      }
      expect(found[1]!.tokens.length).to.be.at.most(2)
      expect(doneNumbers).to.include.members([0, 2])
    }
  })

  it('aborted greedy and beam searches end without a step', async () => {
    const aborted = AbortSignal.abort()
    const limits = { maxTokens: 8 }
    const state = new FormulaModel(1)
    state.step = () => Promise.reject(new Error('no step'))
    const [greedy] = await runGreedySearch(state, [limits], [aborted])
    const beam = await runBeamSearch(state, { ...limits, width: 4, lengthPower: 1 }, aborted)
    expect([greedy!.tokens, beam.tokens]).to.deep.equal([[], []])
  })

  it('repeated phrases count as a loop, but a telephone number does not', () => {
    expect(countLoopedTokens([5, 9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3])).to.equal(9)
    expect(countLoopedTokens([5, 9, 1, 2, 3, 1, 2, 3, 1, 2, 3])).to.equal(0)
    expect(countLoopedTokens([5, 8, 8, 8, 8, 8, 8, 8])).to.equal(0)
    expect(countLoopedTokens([5, ...Array.from({ length: 12 }, () => 8)])).to.equal(11)
  })

  it('greedy and beam search find at least one token and at most the limit', async () => {
    for (let seed = 1; seed < 30; seed++) {
      const limits = { maxTokens: 3 }
      const found = [
        ...(await runGreedySearch(new FormulaModel(seed), [limits], [signal])),
        await runBeamSearch(new FormulaModel(seed), { ...limits, width: 4, lengthPower: 1 }, signal),
      ]
      for (const { tokens } of found) expect(tokens.length).to.be.within(1, 3)
    }
  })
})
