import { expect } from 'chai'
import { makeRandomClosedDeals, assignStrataAndSort } from '../../test/closed-deals.ts'
import { SeededRandom } from '../../test/seeded-random.ts'
import {
  computeQValues,
  computeChiSquarePValue,
  computeStudentPValue,
  computeMantelHaenszelTest,
  computeWilsonInterval,
  type RuleOutcomeTable,
} from '../definitions/statistics.ts'
import { countConcordantPairs } from './concordance.ts'
import { groupLinkedDeals, type ClosedDeal } from './closed-deals.ts'

const random = new SeededRandom(9876)

describe('correlation: reference implementations', () => {
  it('countConcordantPairs() equals a comparison of each pair, with any weights', () => {
    for (let n = 0; n < 60; n++) {
      const deals = makeRandomClosedDeals(2 + random.integer(50), random)
      const sorting = assignStrataAndSort(deals)
      const weights = Float64Array.from(deals, () => random.integer(4))
      const weightOf = new Map(deals.map(({ id }, n) => [id, weights[n]!]))
      expect(countConcordantPairs(sorting, weights, sorting.order)).to.deep.equal(comparePairByPair(deals, weightOf))
    }
  })

  it('linked groups have all deals that are reachable through shared clients and calls', () => {
    for (let n = 0; n < 20; n++) {
      const deals = makeRandomClosedDeals(30, random).map((one) => ({
        ...one,
        links: [...one.links, `call ${random.integer(25)}`],
      }))
      const { group, count } = groupLinkedDeals(deals)
      expect(new Set(group).size).to.equal(count)
      deals.forEach((_, a) => {
        const reached = findReachable(deals, a)
        deals.forEach((_, b) => expect(group[a] === group[b]).to.equal(reached.has(b)))
      })
    }
  })

  it('the bounds of Wilson’s interval solve its defining equation', () => {
    for (let n = 0; n < 40; n++) {
      const of = 1 + random.integer(200)
      const hits = random.integer(of + 1)
      const { low, high } = computeWilsonInterval(hits, of)!
      for (const bound of [low, high].filter((one) => one > 1e-9 && one < 1 - 1e-9)) {
        expect(Math.abs(hits / of - bound)).to.be.closeTo(
          1.959963984540054 * Math.sqrt((bound * (1 - bound)) / of),
          1e-9,
        )
      }
    }
  })

  it('the p-values of Student’s t equal those of printed tables', () => {
    for (const [t, df, p] of [
      [12.706, 1, 0.05],
      [2.365, 7, 0.05],
      [3.499, 7, 0.01],
      [2.131, 15, 0.05],
    ] as const)
      expect(computeStudentPValue(t, df)).to.be.closeTo(p, 1e-4)
  })

  it('χ² equals the hypergeometric computation, and its p-value the normal integral', () => {
    for (let n = 0; n < 25; n++) {
      const cell = () => 1 + random.integer(12)
      const tables: RuleOutcomeTable[] = Array.from({ length: 1 + random.integer(4) }, () => ({
        metWon: cell(),
        metLost: cell(),
        unmetWon: cell(),
        unmetLost: cell(),
      }))
      const found = computeMantelHaenszelTest(tables)!
      const moments = tables.map(computeHypergeometric)
      const surplus = tables.reduce((sum, { metWon }, n) => sum + metWon - moments[n]!.mean, 0)
      const chiSquare = surplus ** 2 / moments.reduce((sum, { variance }) => sum + variance, 0)
      expect(found.chiSquare).to.be.closeTo(chiSquare, 1e-9)
      expect(found.p).to.be.closeTo(1 - integrateNormal(Math.sqrt(chiSquare)), 1e-7)
      expect(found.difference).to.be.closeTo(computeWeightedDifference(tables), 1e-12)
    }
    expect(computeChiSquarePValue(3.841458820694124)).to.be.closeTo(0.05, 1e-12)
    expect(computeChiSquarePValue(20)).to.be.closeTo(7.74421643104408e-6, 1e-15)
  })

  it('a q-value is the lowest false discovery rate of all lists with the rule', () => {
    for (let n = 0; n < 40; n++) {
      const ps = Array.from({ length: 1 + random.integer(8) }, () => random.number())
      const qs = ps.map((p) =>
        Math.min(...ps.filter((cut) => cut >= p).map((cut) => (cut * ps.length) / ps.filter((x) => x <= cut).length)),
      )
      computeQValues(ps).forEach((q, n) => expect(q).to.be.closeTo(qs[n]!, 1e-12))
    }
  })
})

function comparePairByPair(deals: ClosedDeal[], weightOf: Map<string, number>) {
  let [twice, pairs] = [0, 0]
  for (const winner of deals.filter(({ won }) => won)) {
    for (const loser of deals.filter(
      (one) => !one.won && one.manager === winner.manager && one.funnel === winner.funnel,
    )) {
      const weight = weightOf.get(winner.id)! * weightOf.get(loser.id)!
      pairs += weight
      twice += weight * (1 + Math.sign(winner.score - loser.score))
    }
  }
  return { twice, pairs }
}

function findReachable(deals: ClosedDeal[], start: number): Set<number> {
  const reached = new Set([start])
  for (const at of reached) {
    deals.forEach(({ links }, n) => {
      if (links.some((link) => deals[at]!.links.includes(link))) reached.add(n)
    })
  }
  return reached
}

/** Computes mean and variance of metWon for fixed margins by enumerating all tables. */
function computeHypergeometric({ metWon, metLost, unmetWon, unmetLost }: RuleOutcomeTable) {
  const [met, won, all] = [metWon + metLost, metWon + unmetWon, metWon + metLost + unmetWon + unmetLost]
  const probability = (n: number) =>
    (countCombinations(won, n) * countCombinations(all - won, met - n)) / countCombinations(all, met)
  const values = Array.from({ length: met + 1 }, (_, n) => n).filter((n) => n <= won && met - n <= all - won)
  const mean = values.reduce((sum, n) => sum + n * probability(n), 0)
  return { mean, variance: values.reduce((sum, n) => sum + (n - mean) ** 2 * probability(n), 0) }
}

function countCombinations(n: number, k: number): number {
  let product = 1
  for (let step = 1; step <= k; step++) product *= (n - k + step) / step
  return product
}

function integrateNormal(z: number): number {
  const steps = 20_000
  let sum = 0
  for (let n = 0; n < steps; n++) sum += Math.exp(-0.5 * (((n + 0.5) * z) / steps) ** 2)
  return (2 * sum * z) / steps / Math.sqrt(2 * Math.PI)
}

/** Averages the differences of the strata, weighted by their information. */
function computeWeightedDifference(tables: RuleOutcomeTable[]): number {
  const stratumResults = tables.map(({ metWon, metLost, unmetWon, unmetLost }) => {
    const [met, unmet] = [metWon + metLost, unmetWon + unmetLost]
    return { weight: 1 / (1 / met + 1 / unmet), difference: metWon / met - unmetWon / unmet }
  })
  const all = stratumResults.reduce((sum, { weight }) => sum + weight, 0)
  return stratumResults.reduce((sum, { weight, difference }) => sum + weight * difference, 0) / all
}
