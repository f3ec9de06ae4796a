import { expect } from 'chai'
import { company, random, sorted, whole } from '../../test/closed-deals.ts'
import { benjaminiHochberg, chanceOf, mantelHaenszel, wilson, type Table } from '../definitions/rates.ts'
import { concordance } from './concordance.ts'
import { groupDeals, type ClosedDeal } from './deals.ts'

describe('correlation: against slow ways of another kind', () => {
  it('the one pass finds what comparing each pair finds, with any weights', () => {
    for (let n = 0; n < 60; n++) {
      const deals = company(2 + whole(50))
      const sorting = sorted(deals)
      const weights = Float64Array.from(deals, () => whole(4))
      const weightOf = new Map(deals.map(({ id }, n) => [id, weights[n]!]))
      expect(concordance(sorting, weights, sorting.order)).to.deep.equal(pairByPair(deals, weightOf))
    }
  })

  it('groups are what can be reached from a deal over shared clients and calls', () => {
    for (let n = 0; n < 20; n++) {
      const deals = company(30).map((one) => ({ ...one, links: [...one.links, `call ${whole(25)}`] }))
      const { group, count } = groupDeals(deals)
      expect(new Set(group).size).to.equal(count)
      deals.forEach((_, a) => {
        const reached = reachedFrom(deals, a)
        deals.forEach((_, b) => expect(group[a] === group[b]).to.equal(reached.has(b)))
      })
    }
  })

  it('Wilson’s bounds are the shares whose own spread just reaches what was seen', () => {
    for (let n = 0; n < 40; n++) {
      const of = 1 + whole(200)
      const hits = whole(of + 1)
      const { low, high } = wilson(hits, of)!
      for (const bound of [low, high].filter((one) => one > 1e-9 && one < 1 - 1e-9)) {
        expect(Math.abs(hits / of - bound)).to.be.closeTo(
          1.959963984540054 * Math.sqrt((bound * (1 - bound)) / of),
          1e-9,
        )
      }
    }
  })

  it('χ² comes of the hypergeometric distribution, and its p of the area under the normal curve', () => {
    for (let n = 0; n < 25; n++) {
      const cell = () => 1 + whole(12)
      const tables: Table[] = Array.from({ length: 1 + whole(4) }, () => ({
        metWon: cell(),
        metLost: cell(),
        unmetWon: cell(),
        unmetLost: cell(),
      }))
      const found = mantelHaenszel(tables)!
      const moments = tables.map(hypergeometric)
      const surplus = tables.reduce((sum, { metWon }, n) => sum + metWon - moments[n]!.mean, 0)
      const chiSquare = surplus ** 2 / moments.reduce((sum, { variance }) => sum + variance, 0)
      expect(found.chiSquare).to.be.closeTo(chiSquare, 1e-9)
      expect(found.p).to.be.closeTo(1 - areaWithin(Math.sqrt(chiSquare)), 1e-7)
      expect(found.difference).to.be.closeTo(weightedDifference(tables), 1e-12)
    }
    expect(chanceOf(3.841458820694124)).to.be.closeTo(0.05, 1e-12)
    expect(chanceOf(20)).to.be.closeTo(7.74421643104408e-6, 1e-15)
  })

  it('q is the least false share of all lists that hold the rule', () => {
    for (let n = 0; n < 40; n++) {
      const ps = Array.from({ length: 1 + whole(8) }, () => random())
      const qs = ps.map((p) =>
        Math.min(...ps.filter((cut) => cut >= p).map((cut) => (cut * ps.length) / ps.filter((x) => x <= cut).length)),
      )
      benjaminiHochberg(ps).forEach((q, n) => expect(q).to.be.closeTo(qs[n]!, 1e-12))
    }
  })
})

function pairByPair(deals: ClosedDeal[], weightOf: Map<string, number>) {
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

function reachedFrom(deals: ClosedDeal[], start: number): Set<number> {
  const reached = new Set([start])
  for (const at of reached) {
    deals.forEach(({ links }, n) => {
      if (links.some((link) => deals[at]!.links.includes(link))) reached.add(n)
    })
  }
  return reached
}

/** Mean and variance of metWon for given margins, by the probability of each table. */
function hypergeometric({ metWon, metLost, unmetWon, unmetLost }: Table) {
  const [met, won, all] = [metWon + metLost, metWon + unmetWon, metWon + metLost + unmetWon + unmetLost]
  const probability = (n: number) => (choose(won, n) * choose(all - won, met - n)) / choose(all, met)
  const values = Array.from({ length: met + 1 }, (_, n) => n).filter((n) => n <= won && met - n <= all - won)
  const mean = values.reduce((sum, n) => sum + n * probability(n), 0)
  return { mean, variance: values.reduce((sum, n) => sum + (n - mean) ** 2 * probability(n), 0) }
}

function choose(n: number, k: number): number {
  let product = 1
  for (let step = 1; step <= k; step++) product *= (n - k + step) / step
  return product
}

function areaWithin(z: number): number {
  const steps = 20_000
  let sum = 0
  for (let n = 0; n < steps; n++) sum += Math.exp(-0.5 * (((n + 0.5) * z) / steps) ** 2)
  return (2 * sum * z) / steps / Math.sqrt(2 * Math.PI)
}

/** The difference in each stratum, weighted by its information. */
function weightedDifference(tables: Table[]): number {
  const told = tables.map(({ metWon, metLost, unmetWon, unmetLost }) => {
    const [met, unmet] = [metWon + metLost, unmetWon + unmetLost]
    return { weight: 1 / (1 / met + 1 / unmet), difference: metWon / met - unmetWon / unmet }
  })
  const all = told.reduce((sum, { weight }) => sum + weight, 0)
  return told.reduce((sum, { weight, difference }) => sum + weight * difference, 0) / all
}
