import { expect } from 'chai'
import { benjaminiHochberg, chanceOf, mantelHaenszel, wilson, type Table } from '../definitions/rates.ts'
import { analyse } from './analyse.ts'
import { bootstrap, percentileInterval, randomNumbers } from './bootstrap.ts'
import { concordance, shareOf, sortByScore, sortInStrata } from './concordance.ts'
import { groupsOf, numbered, seedOf, stratumOf, type ClosedDeal } from './deals.ts'

const SEED = Uint32Array.of(1, 2, 3, 4)

const deal = (given: Partial<ClosedDeal>): ClosedDeal => ({
  id: '',
  won: false,
  funnel: 'f',
  manager: 'm',
  score: 50,
  earlierScore: null,
  seconds: 100,
  links: [],
  rules: {},
  ...given,
})

/** Deals of a manager by their scores. */
const dealsOf = (manager: string, won: number[], lost: number[]): ClosedDeal[] => [
  ...won.map((score, n) => deal({ id: `${manager}-won-${n}`, manager, score, won: true })),
  ...lost.map((score, n) => deal({ id: `${manager}-lost-${n}`, manager, score })),
]

const NOTES = [...dealsOf('Anna', [70, 80, 90], [85, 95]), ...dealsOf('Boris', [30, 40], [20, 35, 40, 50])]

const sorted = (deals: ClosedDeal[]) =>
  sortInStrata(
    sortByScore(
      deals.map(({ score }) => score),
      deals.map(({ won }) => won),
    ),
    numbered(deals.map(stratumOf)),
  )

function resample(deals: ClosedDeal[], replicates = 300, seed = SEED) {
  const { group, count } = groupsOf(deals)
  return bootstrap(sorted(deals), group, count, replicates, seed)
}

const random = randomNumbers(Uint32Array.of(9, 8, 7, 6))
const whole = (below: number) => Math.floor(random() * below)

/** A company by chance: scores on a coarse grid, so that there are ties. */
const company = (size: number): ClosedDeal[] =>
  Array.from({ length: size }, (_, n) =>
    deal({
      id: String(1000 + n),
      manager: `m${whole(4)}`,
      funnel: `f${whole(2)}`,
      score: 5 * whole(20),
      won: random() < 0.4,
      links: [`client ${whole(Math.ceil(size * 0.8))}`],
    }),
  )

describe('correlation: the worked examples', () => {
  it('compares pairs of one manager: Anna 1 of 6, Boris 3.5 of 8, together 4.5 of 14; pooled 16.5 of 30', () => {
    const { a, pooled, managers, verdict } = analyse(NOTES, 20, SEED)
    expect(a.value).to.equal(4.5 / 14)
    expect(a.pairs).to.equal(14)
    expect(managers.map(({ manager, value, pairs }) => [manager, value, pairs])).to.deep.equal([
      ['Boris', 3.5 / 8, 8],
      ['Anna', 1 / 6, 6],
    ])
    expect(pooled).to.deep.equal({ value: 16.5 / 30, pairs: 30, differs: true })
    expect(verdict, 'so few deals have no interval').to.equal('too-few')
  })

  it('Wilson 12 of 40 is .1807 to .4543', () => {
    const { low, high } = wilson(12, 40)!
    expect(low).to.be.closeTo(0.1807, 5e-5)
    expect(high).to.be.closeTo(0.4543, 5e-5)
  })

  it('the rule of two strata: difference .225, χ² 4.5716, p .0325', () => {
    const found = mantelHaenszel([
      { metWon: 12, metLost: 8, unmetWon: 5, unmetLost: 15 },
      { metWon: 6, metLost: 14, unmetWon: 4, unmetLost: 16 },
    ])!
    expect(found.difference).to.be.closeTo(0.225, 1e-12)
    expect(found.chiSquare).to.be.closeTo(4.5716, 5e-5)
    expect(found.p).to.be.closeTo(0.0325, 5e-5)
  })

  it('Benjamini–Hochberg of .01 .04 .03 .20 is .04 .0533 .0533 .20', () => {
    const rounded = benjaminiHochberg([0.01, 0.04, 0.03, 0.2]).map((q) => Math.round(q * 1e4) / 1e4)
    expect(rounded).to.deep.equal([0.04, 0.0533, 0.0533, 0.2])
  })

  it('twenty values carry 90.5 %', () => {
    const { low, high, level } = percentileInterval(Array.from({ length: 20 }, (_, n) => n))!
    expect([low, high]).to.deep.equal([0, 19])
    expect(level).to.be.closeTo(0.905, 5e-4)
    expect(percentileInterval(Array.from({ length: 999 }, (_, n) => n + 1))).to.deep.equal({
      low: 25,
      high: 975,
      level: 0.95,
    })
  })

  it('three groups, won 80, lost 60, won 50: 0, ½ and 1 come equally often, a third is void', () => {
    const three = sorted(dealsOf('m', [80, 50], [60]))
    const next = randomNumbers(SEED)
    const counts = new Map<number | null, number>()
    for (let n = 0; n < 5000; n++) {
      const drawn = [0, 0, 0]
      for (let draw = 0; draw < 3; draw++) drawn[Math.floor(next() * 3)]! += 1
      const share = shareOf(concordance(three, Float64Array.from(drawn), three.order))
      counts.set(share, (counts.get(share) ?? 0) + 1)
    }
    expect([...counts.keys()].sort((a, b) => (a ?? 2) - (b ?? 2))).to.deep.equal([0, 0.5, 1, null])
    const valid = 5000 - counts.get(null)!
    expect(counts.get(null)! / 5000).to.be.closeTo(1 / 3, 0.03)
    for (const share of [0, 0.5, 1]) expect(counts.get(share)! / valid).to.be.closeTo(1 / 3, 0.03)
    const resampled = resample(dealsOf('m', [80, 50], [60]), 5000)
    expect(resampled.void / 5000).to.be.closeTo(1 / 3, 0.03)
    expect(resampled.interval, 'so many void ones allow no interval').to.equal(null)
  })
})

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
      const { group, count } = groupsOf(deals)
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

describe('correlation: what must change nothing', () => {
  const deals = company(150)

  it('the order in which deals arrive', () => {
    const other = deals.toSorted(() => random() - 0.5)
    expect(analyse(other, 100, SEED)).to.deep.equal(analyse(deals, 100, SEED))
  })

  it('a monotone change of the scores', () => {
    const changed = deals.map((one) => ({ ...one, score: 100 * (one.score / 100) ** 3 }))
    expect(analyse(changed, 100, SEED).a).to.deep.equal(analyse(deals, 100, SEED).a)
  })

  it('copies of deals within their groups', () => {
    const alone = deals.map((one) => ({ ...one, links: [one.id] }))
    const copies = alone.flatMap((one) => [one, { ...one, id: `${one.id}-copy` }])
    const [a, b] = [analyse(alone, 100, SEED).a, analyse(copies, 100, SEED).a]
    expect({ ...b, pairs: 0 }).to.deep.equal({ ...a, pairs: 0 })
    expect(b.pairs).to.equal(4 * a.pairs)
  })

  it('swapping won and lost mirrors value and interval', () => {
    const { a, verdict } = analyse(deals, 200, SEED)
    const mirrored = analyse(
      deals.map((one) => ({ ...one, won: !one.won })),
      200,
      SEED,
    )
    expect(mirrored.a.value).to.be.closeTo(1 - a.value!, 1e-12)
    expect(mirrored.a.low).to.be.closeTo(1 - a.high!, 1e-12)
    expect(mirrored.a.high).to.be.closeTo(1 - a.low!, 1e-12)
    expect(mirrored.verdict).to.equal({ higher: 'lower', lower: 'higher' }[verdict as string] ?? verdict)
  })

  it('the interval of full separation is 1 to 1, of equal scores ½ to ½', () => {
    const apart = dealsOf('m', Array(60).fill(80), Array(60).fill(40))
    expect(resample(apart).interval).to.include({ low: 1, high: 1 })
    const same = apart.map((one) => ({ ...one, score: 50 }))
    expect(resample(same).interval).to.include({ low: 0.5, high: 0.5 })
  })

  it('sixteen independent copies in the place of four halve the width', () => {
    const base = company(60).map((one) => ({ ...one, links: [] }))
    const copies = (times: number) =>
      Array.from({ length: times }, (_, n) => base.map((one) => ({ ...one, id: `${one.id}-${n}` }))).flat()
    const width = (times: number) => {
      const { low, high } = resample(copies(times), 1000).interval!
      return high - low
    }
    expect(width(16) / width(4)).to.be.closeTo(0.5, 0.06)
  })

  it('nor the way it is worked out: the same seed draws the same, to the last digit', () => {
    const next = randomNumbers(SEED)
    expect([1, 2, 3, 4].map(() => next() * 2 ** 32)).to.deep.equal([7, 34, 56_623_200, 188_882_296])
    const given = Array.from({ length: 400 }, (_, n) =>
      deal({
        id: String(n),
        won: (n * 53) % 7 < 3,
        funnel: `f${n % 2}`,
        manager: `m${n % 5}`,
        score: (n * 37) % 101,
        links: [`client ${(n * 17) % 331}`],
      }),
    )
    expect(analyse(given, 200, SEED).a).to.deep.equal({
      value: 0.49591628381827463,
      pairs: 3918,
      low: 0.44018643190056966,
      high: 0.5599479843953186,
      level: 0.95,
    })
  })

  it('a seed follows from the data alone', () => {
    expect(seedOf('a')).to.deep.equal(seedOf('a'))
    expect(seedOf('a')).to.not.deep.equal(seedOf('b'))
  })
})

function pairByPair(deals: ClosedDeal[], weightOf: Map<string, number>) {
  let [twice, pairs] = [0, 0]
  for (const winner of deals.filter(({ won }) => won)) {
    for (const loser of deals.filter((one) => !one.won && stratumOf(one) === stratumOf(winner))) {
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

/** Mean and variance of metWon where its margins are given, by the probability of each table. */
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

/** Each stratum's own difference, weighted by how much it can tell. */
function weightedDifference(tables: Table[]): number {
  const told = tables.map(({ metWon, metLost, unmetWon, unmetLost }) => {
    const [met, unmet] = [metWon + metLost, unmetWon + unmetLost]
    return { weight: 1 / (1 / met + 1 / unmet), difference: metWon / met - unmetWon / unmet }
  })
  const all = told.reduce((sum, { weight }) => sum + weight, 0)
  return told.reduce((sum, { weight, difference }) => sum + weight * difference, 0) / all
}
