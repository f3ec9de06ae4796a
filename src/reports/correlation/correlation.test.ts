import { expect } from 'chai'
import {
  makeRandomClosedDeals,
  makeClosedDeal,
  makeClosedDealsOfManager,
  assignStrataAndSort,
} from '../../test/closed-deals.ts'
import { SeededRandom } from '../../test/seeded-random.ts'
import { computeQValues, computeMantelHaenszelTest, computeWilsonInterval } from '../definitions/statistics.ts'
import { analyseScoreCorrelation } from './analyse-deals.ts'
import { computeBootstrapInterval, computePercentileInterval, createRandomGenerator } from './bootstrap.ts'
import { countConcordantPairs, computeConcordantShare } from './concordance.ts'
import { groupLinkedDeals, deriveRandomSeed, type ClosedDeal } from './closed-deals.ts'

const random = new SeededRandom(9876)

const SEED = Uint32Array.of(1, 2, 3, 4)
const SAMPLE_DEALS = [
  ...makeClosedDealsOfManager('Anna', [70, 80, 90], [85, 95]),
  ...makeClosedDealsOfManager('Boris', [30, 40], [20, 35, 40, 50]),
]

function resample(deals: ClosedDeal[], replicates = 300, seed = SEED) {
  return computeBootstrapInterval(assignStrataAndSort(deals), groupLinkedDeals(deals), replicates, seed)
}

describe('correlation: worked examples', () => {
  it('the analysis compares pairs of each manager: Anna 1 of 6, Boris 3.5 of 8', () => {
    const { a, pooled, managers, verdict } = analyseScoreCorrelation(SAMPLE_DEALS, 20, SEED)
    expect(a.value).to.equal(4.5 / 14)
    expect(a.pairs).to.equal(14)
    expect(managers.map(({ manager, value, pairs }) => [manager, value, pairs])).to.deep.equal([
      ['Boris', 3.5 / 8, 8],
      ['Anna', 1 / 6, 6],
    ])
    expect(pooled).to.deep.equal({ value: 16.5 / 30, pairs: 30, differs: true })
    expect(verdict, 'so few deals have no interval').to.equal('too-few')
  })

  it('the Wilson interval of 12 of 40 is .1807 to .4543', () => {
    const { low, high } = computeWilsonInterval(12, 40)!
    expect(low).to.be.closeTo(0.1807, 5e-5)
    expect(high).to.be.closeTo(0.4543, 5e-5)
  })

  it('the Mantel–Haenszel test of two strata gives difference .225, χ² 4.5716, p .0325', () => {
    const found = computeMantelHaenszelTest([
      { metWon: 12, metLost: 8, unmetWon: 5, unmetLost: 15 },
      { metWon: 6, metLost: 14, unmetWon: 4, unmetLost: 16 },
    ])!
    expect(found.difference).to.be.closeTo(0.225, 1e-12)
    expect(found.chiSquare).to.be.closeTo(4.5716, 5e-5)
    expect(found.p).to.be.closeTo(0.0325, 5e-5)
  })

  it('the q-values of .01 .04 .03 .20 are .04 .0533 .0533 .20', () => {
    const rounded = computeQValues([0.01, 0.04, 0.03, 0.2]).map((q) => Math.round(q * 1e4) / 1e4)
    expect(rounded).to.deep.equal([0.04, 0.0533, 0.0533, 0.2])
  })

  it('the percentile interval of twenty values has the level 90.5 %', () => {
    const { low, high, level } = computePercentileInterval(Array.from({ length: 20 }, (_, n) => n))!
    expect([low, high]).to.deep.equal([0, 19])
    expect(level).to.be.closeTo(0.905, 5e-4)
    expect(computePercentileInterval(Array.from({ length: 999 }, (_, n) => n + 1))).to.deep.equal({
      low: 25,
      high: 975,
      level: 0.95,
    })
  })

  it('resamples of three deals give 0, ½ and 1 equally often; a third is void', () => {
    const three = assignStrataAndSort(makeClosedDealsOfManager('m', [80, 50], [60]))
    const next = createRandomGenerator(SEED)
    const counts = new Map<number | null, number>()
    for (let n = 0; n < 5000; n++) {
      const drawn = [0, 0, 0]
      for (let draw = 0; draw < 3; draw++) drawn[Math.floor(next() * 3)]! += 1
      const share = computeConcordantShare(countConcordantPairs(three, Float64Array.from(drawn), three.order))
      counts.set(share, (counts.get(share) ?? 0) + 1)
    }
    expect([...counts.keys()].sort((a, b) => (a ?? 2) - (b ?? 2))).to.deep.equal([0, 0.5, 1, null])
    const valid = 5000 - counts.get(null)!
    expect(counts.get(null)! / 5000).to.be.closeTo(1 / 3, 0.03)
    for (const share of [0, 0.5, 1]) expect(counts.get(share)! / valid).to.be.closeTo(1 / 3, 0.03)
    const resampled = resample(makeClosedDealsOfManager('m', [80, 50], [60]), 5000)
    expect(resampled.void / 5000).to.be.closeTo(1 / 3, 0.03)
    expect(resampled.interval, 'so many void ones allow no interval').to.equal(null)
  })
})

describe('correlation: invariants', () => {
  const deals = makeRandomClosedDeals(150, random)

  it('the order of the deals does not change the result', () => {
    const other = deals.toSorted(() => random.number() - 0.5)
    expect(analyseScoreCorrelation(other, 100, SEED)).to.deep.equal(analyseScoreCorrelation(deals, 100, SEED))
  })

  it('a monotone change of the scores does not change the result', () => {
    const changed = deals.map((one) => ({ ...one, score: 100 * (one.score / 100) ** 3 }))
    expect(analyseScoreCorrelation(changed, 100, SEED).a).to.deep.equal(analyseScoreCorrelation(deals, 100, SEED).a)
  })

  it('copies of deals within their groups do not change share and interval', () => {
    const alone = deals.map((one) => ({ ...one, links: [one.id] }))
    const copies = alone.flatMap((one) => [one, { ...one, id: `${one.id}-copy` }])
    const [a, b] = [analyseScoreCorrelation(alone, 100, SEED).a, analyseScoreCorrelation(copies, 100, SEED).a]
    expect({ ...b, pairs: 0 }).to.deep.equal({ ...a, pairs: 0 })
    expect(b.pairs).to.equal(4 * a.pairs)
  })

  it('swapping won and lost mirrors value and interval', () => {
    const { a, verdict } = analyseScoreCorrelation(deals, 200, SEED)
    const mirrored = analyseScoreCorrelation(
      deals.map((one) => ({ ...one, won: !one.won })),
      200,
      SEED,
    )
    expect(mirrored.a.value).to.be.closeTo(1 - a.value!, 1e-12)
    expect(mirrored.a.low).to.be.closeTo(1 - a.high!, 1e-12)
    expect(mirrored.a.high).to.be.closeTo(1 - a.low!, 1e-12)
    expect(mirrored.verdict).to.equal({ higher: 'lower', lower: 'higher' }[verdict as string] ?? verdict)
  })

  it('the interval is 1 to 1 for separated scores, ½ to ½ for equal scores', () => {
    const apart = makeClosedDealsOfManager('m', Array(60).fill(80), Array(60).fill(40))
    expect(resample(apart).interval).to.include({ low: 1, high: 1 })
    const same = apart.map((one) => ({ ...one, score: 50 }))
    expect(resample(same).interval).to.include({ low: 0.5, high: 0.5 })
  })

  it('four times as many independent deals halve the width of the interval', () => {
    const base = makeRandomClosedDeals(60, random).map((one) => ({ ...one, links: [] }))
    const copies = (times: number) =>
      Array.from({ length: times }, (_, n) => base.map((one) => ({ ...one, id: `${one.id}-${n}` }))).flat()
    const width = (times: number) => {
      const { low, high } = resample(copies(times), 1000).interval!
      return high - low
    }
    expect(width(16) / width(4)).to.be.closeTo(0.5, 0.06)
  })

  it('the same seed gives the same result, to the last digit', () => {
    const next = createRandomGenerator(SEED)
    expect([1, 2, 3, 4].map(() => next() * 2 ** 32)).to.deep.equal([7, 34, 56_623_200, 188_882_296])
    const largeSample = Array.from({ length: 400 }, (_, n) =>
      makeClosedDeal({
        id: String(n),
        won: (n * 53) % 7 < 3,
        funnel: `f${n % 2}`,
        manager: `m${n % 5}`,
        score: (n * 37) % 101,
        links: [`client ${(n * 17) % 331}`],
      }),
    )
    expect(analyseScoreCorrelation(largeSample, 200, SEED).a).to.deep.equal({
      value: 0.49591628381827463,
      pairs: 3918,
      low: 0.44018643190056966,
      high: 0.5599479843953186,
      level: 0.95,
    })
  })

  it('the random seed depends only on the data', () => {
    expect(deriveRandomSeed('a')).to.deep.equal(deriveRandomSeed('a'))
    expect(deriveRandomSeed('a')).to.not.deep.equal(deriveRandomSeed('b'))
  })
})
