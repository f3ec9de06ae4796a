import { expect } from 'chai'
import { SeededRandom } from '../../test/seeded-random.ts'
import { analyseScoreCorrelation } from './analyse-deals.ts'
import { deriveRandomSeed, type ClosedDeal } from './closed-deals.ts'

const thorough = process.env.TEST_THOROUGH === '1'
const random = new SeededRandom(9876)

describe('correlation: simulated companies', () => {
  it('without an effect, few intervals exclude ½, although managers differ', function () {
    if (thorough) this.timeout(600_000)
    const companies = thorough ? 1000 : 300
    const excluded = simulateCoverage(companies, 400, 0.5)
    // The limit is 5 % plus three standard errors for this number of companies.
    expect(excluded).to.be.at.most(thorough ? 0.065 : 0.09)
    if (thorough) console.log(`        ${(100 * excluded).toFixed(1)} % of ${companies} exclude ½`)
  })

  it('with a share of .61 and 400 deals, most analyses find the effect', function () {
    if (thorough) this.timeout(600_000)
    const companies = thorough ? 1000 : 150
    const found = simulateCoverage(companies, 400, 0.61)
    expect(found).to.be.at.least(thorough ? 0.85 : 0.8)
    if (thorough) console.log(`        ${(100 * found).toFixed(1)} % of ${companies} found`)
  })
})

/** Returns the share of companies whose interval excludes ½ if won deals have the higher score in the share `a` of pairs. */
function simulateCoverage(companies: number, size: number, a: number): number {
  // The distance between the means of two normal distributions with standard deviation 1 follows from Φ(d / √2) = a.
  const distance = a === 0.5 ? 0 : 0.395
  let excluding = 0
  for (let n = 0; n < companies; n++) {
    const { verdict } = analyseScoreCorrelation(
      simulate(size, distance),
      thorough ? 1000 : 200,
      deriveRandomSeed(String(n)),
    )
    if (verdict === 'higher' || verdict === 'lower') excluding++
  }
  return excluding / companies
}

/** Managers with higher scores also win more deals. Without strata, this alone would look like a correlation. */
function simulate(size: number, distance: number): ClosedDeal[] {
  return Array.from({ length: size }, (_, n) => {
    const manager = random.integer(6)
    const won = random.chance(0.25 + 0.06 * manager)
    const score = 50 + 5 * manager + 12 * (drawNormal() + (won ? distance : 0))
    return {
      id: String(n),
      won,
      funnel: 'f',
      manager: `m${manager}`,
      score,
      earlierScore: null,
      seconds: 100,
      links: [],
      rules: {},
    }
  })
}

const drawNormal = (): number => Math.sqrt(-2 * Math.log(1 - random.number())) * Math.cos(2 * Math.PI * random.number())
