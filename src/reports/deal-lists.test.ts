import { expect } from 'chai'
import { createDepartment, createLoggedInPerson } from '../test/people.ts'
import type { TestClient } from '../test/client.ts'
import { insertCheckedCalls, insertDeals, insertFunnels } from '../test/checked-calls.ts'
import { startTestApp, type TestApp } from '../test/server.ts'
import { SeededRandom } from '../test/seeded-random.ts'
import type { CorrelationReportJson } from './correlation/schema.ts'
import type { DealsPage } from './deals/schema.ts'
import type { QualityReportJson } from './quality/schema.ts'
import type { RefusalsReportJson } from './refusals/schema.ts'
import type { SalesReportJson } from './sales/schema.ts'

const random = new SeededRandom(481516)
const hourToIso = (n: number) => new Date(Date.parse('2026-01-01T00:30:00Z') + n * 3_600_000).toISOString()
const dayAfter = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
/** One name contains another, so a filter by Anna must not match Annabel. */
const PEOPLE = ['Anna', 'Annabel', 'Boris', 'Gleb']
const APP_TIMEZONE = 'Europe/Berlin'
const REPORTS = ['sales', 'quality', 'refusals', 'correlation']
const STAGES: [string, string, 'open' | 'won' | 'lost'][] = [
  ['NEW', 'New', 'open'],
  ['OFFER', 'Offer sent', 'open'],
  ['WON', 'Won', 'won'],
  ['LOSE', 'Lost', 'lost'],
  ['PRICE', 'Too expensive', 'lost'],
]

describe('report figures and their lists', () => {
  let app: TestApp
  let sales: string
  let hanna: TestClient
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', APP_TIMEZONE, CORRELATION_BOOTSTRAP_REPLICATES: 200 })
    const calls = await insertCheckedCalls(
      app,
      Array.from({ length: 900 }, () => ({
        at: hourToIso(random.integer(2900)),
        manager: random.integer(12) === 0 ? null : random.pick(PEOPLE),
        score: random.integer(5) === 0 ? null : random.integer(101),
        verdicts: {
          greeting: random.pick(['met', 'missed'] as const),
          'next-step': random.pick(['met', 'missed', 'unknown'] as const),
        },
        labels: ['price', 'thinking'].filter(() => random.integer(4) === 0),
      })),
    )
    for (const [n, name] of PEOPLE.entries())
      await app.db.query('UPDATE managers SET crm_user_id = $2 WHERE name = $1', [name, String(n + 1)])
    await insertFunnels(app, [
      { id: 0, name: 'Windows', stages: STAGES },
      { id: 1, name: 'Doors', stages: STAGES },
    ])
    await insertDeals(
      app,
      Array.from({ length: 520 }, (_, n) => {
        const createdHour = random.integer(2300)
        const outcome = random.pick(['won', 'lost', 'lost', 'open'] as const)
        return {
          id: n + 1,
          funnel: random.integer(2),
          outcome,
          stage: outcome === 'won' ? 'WON' : outcome === 'open' ? 'NEW' : random.pick(['LOSE', 'PRICE']),
          before: random.integer(9) === 0 ? undefined : random.pick(['NEW', 'OFFER']),
          amount: random.integer(6) === 0 ? null : 100 * (1 + random.integer(90)),
          currency: random.pick(['BYN', 'USD']),
          responsible: random.integer(8) === 0 ? null : String(1 + random.integer(4)),
          createdAt: hourToIso(createdHour),
          closedAt: outcome === 'open' ? null : hourToIso(createdHour + random.integer(900)),
          calls: calls.splice(0, random.integer(4)),
        }
      }),
    )
    sales = await createDepartment(app, 'Sales', ['Anna', 'Boris'])
    hanna = await createLoggedInPerson(app, 'Hanna', { role: 'head', departments: [sales] })
  })
  after(() => app.stop())

  async function fetchJson<T>(
    path: string,
    query: Record<string, string | number>,
    who: Pick<TestClient, 'get'> = app.olga,
  ) {
    const filters = new URLSearchParams(
      Object.entries(query).map(([name, value]) => [name, `${value}`] as [string, string]),
    )
    const { status, json, text } = await who.get(`${path}?${filters.toString()}`)
    expect(status, `${path}?${filters.toString()}: ${text}`).to.equal(200)
    return json as T
  }
  type Query = Record<string, string | number>
  const report = <T>(name: string, query: Query, who?: Pick<TestClient, 'get'>) =>
    fetchJson<T>(`/v1/analytics/${name}`, query, who)
  const dealsOf = async (query: Query) =>
    (await fetchJson<{ total: number }>('/v1/analytics/deals', { ...query, pageSize: 1 })).total
  const callsOf = async ({ from, to, ...query }: Query) => {
    const days = { dateFrom: from!, dateTo: dayAfter(String(to)) }
    return (await fetchJson<{ total: number }>('/v1/recordings', { ...query, ...days, pageSize: 1 })).total
  }
  const exactly = (name: string | null) => `"${name ?? ''}"`
  const sum = (numbers: number[]) => numbers.reduce((total, n) => total + n, 0)

  function createRandomFilters(): Query {
    const from = hourToIso(24 * random.integer(50)).slice(0, 10)
    const days = { from, to: hourToIso(24 * (51 + random.integer(70))).slice(0, 10) }
    const more = random.pick<Query>([
      {},
      { department: sales },
      { manager: exactly('Anna') },
      { manager: '"Anna"|"Gleb"' },
      { manager: '""' },
    ])
    return { ...days, ...more }
  }

  it('a list of deals counts all its deals by outcome', async () => {
    const filters = { from: '2026-01-10', to: '2026-03-20', by: 'created' }
    const { total, outcomes } = await report<DealsPage>('deals', { ...filters, pageSize: 1 })
    const { won, lost, open } = outcomes
    const count = (outcome: string) => dealsOf({ ...filters, outcome })
    expect([won, lost, open]).to.deep.equal([await count('won'), await count('lost'), await count('open')])
    expect(won + lost + open).to.equal(total)
  })

  it('each figure of the sales report equals the count of its list, with random filters', async () => {
    for (let n = 0; n < 4; n++) {
      const filters: Query = { ...createRandomFilters(), ...(random.integer(2) === 0 && { funnel: random.integer(2) }) }
      const { totals, weeks, managers, funnels } = await report<SalesReportJson>('sales', filters)
      const figures = async (row: Omit<SalesReportJson['totals'], 'silent'>, query: Query) => {
        const found = {
          won: await dealsOf({ ...query, outcome: 'won' }),
          lost: await dealsOf({ ...query, outcome: 'lost' }),
          closed: await dealsOf(query),
          created: await dealsOf({ ...query, by: 'created' }),
          wonOfCreated: await dealsOf({ ...query, by: 'created', outcome: 'won' }),
          paid: await Promise.all(row.amounts.map(({ currency }) => dealsOf({ ...query, outcome: 'won', currency }))),
        }
        expect(found, JSON.stringify(query)).to.deep.equal({
          won: row.won,
          lost: row.lost,
          closed: row.winRate.denominator,
          created: row.created,
          wonOfCreated: row.cohort.numerator,
          paid: row.amounts.map(({ deals }) => deals),
        })
      }
      await figures(totals, filters)
      const week = random.pick(weeks)
      await figures(week, { ...filters, from: week.from, to: week.to })
      for (const row of funnels) await figures(row, { ...filters, funnel: row.funnel.id })
      for (const row of managers) {
        const own = { ...filters, manager: exactly(row.manager) }
        await figures(row, own)
        expect(await dealsOf({ ...own, by: 'silent' })).to.equal(row.silent)
        const { funnel: _, ...ofCalls } = own as Query
        expect(await callsOf(ofCalls), JSON.stringify(own)).to.equal(row.calls)
      }
      expect(await dealsOf({ ...filters, by: 'silent' })).to.equal(totals.silent)
      for (const parts of [weeks, managers, funnels]) {
        for (const name of ['won', 'lost', 'created'] as const) {
          expect(sum(parts.map((part) => part[name]))).to.equal(totals[name])
        }
      }
      expect(sum(managers.map(({ silent }) => silent))).to.equal(totals.silent)
    }
  })

  it('each figure of the refusals report equals the count of its list, with random filters', async () => {
    for (let n = 0; n < 4; n++) {
      const filters: Query = { ...createRandomFilters(), ...(random.integer(2) === 0 && { funnel: random.integer(2) }) }
      const found = await report<RefusalsReportJson>('refusals', filters)
      const count = (more: Query) => dealsOf({ ...filters, outcome: 'lost', ...more })
      const told = JSON.stringify(filters)
      expect(await count({}), told).to.equal(found.lost)
      for (const { reason, share } of found.reasons) {
        expect(await count({ reason: reason ?? '-' }), `${told} ${reason}`).to.equal(share.numerator)
      }
      for (const { stage, share } of found.stages) {
        expect(await count({ before: stage ?? '-' }), `${told} ${stage}`).to.equal(share.numerator)
      }
      for (const { calls, share } of found.calls) expect(await count({ calls })).to.equal(share.numerator)
      for (const { set, rule, share } of found.objections) {
        expect(await count({ said: `${set.key}/${rule.key}` }), `${told} ${rule.key}`).to.equal(share.numerator)
      }
      for (const row of found.managers) expect(await count({ manager: exactly(row.manager) })).to.equal(row.lost)
      for (const parts of [found.reasons, found.stages, found.calls]) {
        expect(sum(parts.map(({ share }) => share.numerator))).to.equal(found.lost)
      }
    }
  })

  it('each figure of the correlation report equals the count of its list, with random filters', async () => {
    let told = 0
    for (let n = 0; n < 5; n++) {
      const filters: Query = { ...createRandomFilters(), ...(random.integer(2) === 0 && { funnel: random.integer(2) }) }
      const { deals, bands, managers } = await report<CorrelationReportJson>('correlation', filters)
      const count = (more: Query) => dealsOf({ ...filters, compared: 'true', ...more })
      const { noScore, otherSet, otherVersion, oneSided } = deals.excluded
      expect(
        [await count({}), await count({ outcome: 'won' }), await count({ outcome: 'lost' })],
        JSON.stringify(filters),
      ).to.deep.equal([deals.used, deals.won, deals.lost])
      expect(await count({ compared: 'false' })).to.equal(noScore + otherSet + otherVersion + oneSided)
      for (const { from, to, winRate } of bands) {
        const ofBand = { scoreFrom: from, ...(to < 100 && { scoreBelow: to }) }
        expect(await count(ofBand)).to.equal(winRate.denominator)
        expect(await count({ ...ofBand, outcome: 'won' })).to.equal(winRate.numerator)
      }
      for (const { manager, won, lost } of managers.filter((row) => row.manager !== null)) {
        const own = { talker: manager! }
        expect([await count({ ...own, outcome: 'won' }), await count({ ...own, outcome: 'lost' })]).to.deep.equal([
          won,
          lost,
        ])
      }
      told += deals.used
    }
    expect(told).to.be.greaterThan(100)
  })

  it('the list of deals rejects score filters with compared=false', async () => {
    const filters = 'compared=false&talker=Anna&scoreFrom=10&scoreBelow=90'
    const { status, json } = await app.olga.get(`/v1/analytics/deals?${filters}`)
    const rule = 'must not be given if compared is false'
    const names = ['scoreFrom', 'scoreBelow', 'talker']
    expect([status, json.message]).to.deep.equal([400, names.map((name) => `${name} ${rule}`)])
    expect((await app.olga.get('/v1/analytics/deals?compared=true&talker=Anna')).status).to.equal(200)
  })

  it('each figure of the quality report equals the count of its list, with random filters', async () => {
    for (let n = 0; n < 4; n++) {
      const filters = createRandomFilters()
      const { totals, weeks, managers, rules, coverage } = await report<QualityReportJson>('quality', filters)
      expect(await callsOf({ ...filters, linked: 'true' })).to.equal(coverage.linked)
      expect(await callsOf(filters), JSON.stringify(filters)).to.equal(totals.calls)
      expect(await callsOf({ ...filters, scoreFrom: 0 })).to.equal(totals.coverage.numerator)
      for (const { set, rule, met, missed, unknown } of rules) {
        for (const [verdict, figure] of Object.entries({ met, missed, unknown })) {
          expect(await callsOf({ ...filters, rule: `${set.key}/${rule.key}:${verdict}` })).to.equal(figure)
        }
        expect(await callsOf({ ...filters, rule: `${set.key}/${rule.key}:judged` })).to.equal(met + missed)
      }
      for (const row of managers) {
        const own = { ...filters, manager: exactly(row.manager) }
        expect(await callsOf(own)).to.equal(row.calls)
        expect(await callsOf({ ...own, scoreFrom: 0 })).to.equal(row.coverage.numerator)
      }
      for (const parts of [weeks, managers]) expect(sum(parts.map(({ calls }) => calls))).to.equal(totals.calls)
      expect(sum(rules.map(({ met }) => met))).to.equal(totals.passRate.numerator)
    }
  })

  it('the pages of a list of deals have each deal once, in order', async () => {
    const filters = { from: '2026-01-01', to: '2026-04-30', outcome: 'won', manager: exactly('Anna'), pageSize: 20 }
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) =>
        fetchJson<{ total: number; items: { id: string; manager: string; outcome: string; closedAt: string }[] }>(
          '/v1/analytics/deals',
          { ...filters, page },
        ),
      ),
    )
    const items = pages.flatMap((page) => page.items)
    expect(new Set(items.map(({ id }) => id)).size).to.equal(pages[0]!.total)
    expect(items.every(({ manager, outcome }) => manager === 'Anna' && outcome === 'won')).to.equal(true)
    const times = items.map(({ closedAt }) => closedAt)
    expect(times).to.deep.equal(times.toSorted().toReversed())
    const none = await app.olga.get('/v1/analytics/deals?from=2026-03-02&to=2026-03-01')
    expect(none.status).to.equal(400)
  })

  it('every report of a head equals the owner’s report on the head’s departments', async () => {
    for (const name of [...REPORTS, 'deals']) {
      const days = { from: '2026-01-01', to: '2026-04-15' }
      const own = await report<object>(name, days, hanna)
      const owners = await report<object>(name, { ...days, department: sales })
      // The number of visible calls differs, because only owners see the calls of other people about these deals.
      const told = (one: object) =>
        JSON.stringify({ ...one, period: 0, filters: 0 }, (key, value: unknown) =>
          key === 'callsSeen' ? undefined : value,
        )
      expect(JSON.parse(told(own)), name).to.deep.equal(JSON.parse(told(owners)))
    }
  })

  it('callsSeen of a deal equals the list of its calls that the person sees', async () => {
    const query = { from: '2026-01-01', to: '2026-04-30', outcome: 'lost', pageSize: 40 }
    for (const who of [app.olga, hanna]) {
      const { items } = await report<DealsPage>('deals', query, who)
      for (const { id, calls, callsSeen, closedAt } of items) {
        const list = { deal: id, pageSize: 1 }
        const { total } = await fetchJson<{ total: number }>('/v1/recordings', { ...list, dateTo: closedAt! }, who)
        expect(total, id).to.equal(callsSeen)
        if (who === app.olga) expect(calls).to.equal(callsSeen)
      }
      const all = await Promise.all(
        items.map(({ id }) => fetchJson<{ total: number }>('/v1/recordings', { deal: id }, who)),
      )
      expect(sum(all.map(({ total }) => total)), 'some are later').to.be.above(sum(items.map((deal) => deal.callsSeen)))
      if (who === hanna) expect(items.some(({ calls, callsSeen }) => callsSeen < calls)).to.equal(true)
    }
  })

  it('the CSV file has exactly the numbers of its report', async () => {
    const numbersOf = (value: unknown): number[] =>
      typeof value === 'number'
        ? [value]
        : typeof value === 'object' && value
          ? Object.values(value).flatMap(numbersOf)
          : []
    const inOrder = (numbers: number[]) => numbers.toSorted((a, b) => a - b)
    for (const name of REPORTS) {
      const query = 'from=2026-01-05&to=2026-04-05'
      const { json } = await app.olga.get(`/v1/analytics/${name}?${query}`)
      const { text } = await app.olga.get(`/v1/analytics/${name}?${query}&format=csv`)
      const cells = text
        .split('\r\n')
        .slice(1)
        .flatMap((line) => line.split(',').slice(3))
      const numbers = cells.filter((cell) => /^-?\d+(\.\d+)?(e-?\d+)?$/.test(cell)).map(Number)
      expect(inOrder(numbers), name).to.deep.equal(inOrder(numbersOf(json)))
    }
  })

  it('the CSV file has the amount and the currency of each silent deal', async () => {
    const query = 'from=2026-01-05&to=2026-04-05'
    const { json } = await app.olga.get(`/v1/analytics/sales?${query}`)
    const lines = (await app.olga.get(`/v1/analytics/sales?${query}&format=csv`)).text.split('\r\n')
    const worth = (json as SalesReportJson).silent.filter(({ amount }) => amount !== null)
    expect(worth).to.not.have.length(0)
    for (const { name, amount } of worth) {
      const at = lines.indexOf(`"silent","${name}","amount",${amount!.amount}`)
      expect(at, name).to.be.above(0)
      expect(lines[at + 1]).to.equal(`"silent","${name}","amount currency","${amount!.currency}"`)
    }
  })
})
