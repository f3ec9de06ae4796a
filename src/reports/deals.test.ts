import { expect } from 'chai'
import { generateId } from '../platform/lib/ids.ts'
import { createDepartment, createLoggedInPerson } from '../test/people.ts'
import type { TestClient } from '../test/client.ts'
import { insertCheckedCalls, insertDeals, insertFunnels, type TestDealRow } from '../test/checked-calls.ts'
import { startTestApp, type TestApp } from '../test/server.ts'
import { SeededRandom } from '../test/seeded-random.ts'
import { MIN_SAMPLE_SIZE } from './definitions/values.ts'
import { DEAL_SORTS, type DealsPage } from './deals/schema.ts'
import { aggregateDealCalls } from './definitions/deals.ts'
import type { RefusalsReportJson } from './refusals/schema.ts'
import type { SalesReportJson } from './sales/schema.ts'

const random = new SeededRandom(2718)
const hourToIso = (n: number) => new Date(Date.parse('2026-01-01T00:30:00Z') + n * 3_600_000).toISOString()
const PEOPLE = ['Anna', 'Boris', 'Vera', 'Gleb']
const STAGES: [string, string, 'open' | 'won' | 'lost'][] = [
  ['NEW', 'New', 'open'],
  ['OFFER', 'Offer sent', 'open'],
  ['WON', 'Won', 'won'],
  ['LOSE', 'Lost', 'lost'],
  ['PRICE', 'Too expensive', 'lost'],
  ['OTHER', 'Chose someone else', 'lost'],
]

function createRandomDeal(id: number, calls: string[]): TestDealRow {
  const createdHour = random.integer(2400)
  const outcome = (['won', 'lost', 'lost', 'open'] as const)[random.integer(4)]!
  return {
    id,
    funnel: random.integer(2),
    outcome,
    stage: outcome === 'won' ? 'WON' : outcome === 'open' ? 'NEW' : ['LOSE', 'PRICE', 'OTHER'][random.integer(3)]!,
    before: ['NEW', 'OFFER'][random.integer(2)]!,
    amount: random.integer(6) === 0 ? null : 100 * (1 + random.integer(90)),
    currency: ['BYN', 'USD'][random.integer(2)]!,
    responsible: random.integer(8) === 0 ? null : String(1 + random.integer(4)),
    createdAt: hourToIso(createdHour),
    closedAt: outcome === 'open' ? null : hourToIso(createdHour + random.integer(600)),
    calls: calls.splice(0, random.integer(4)),
  }
}

describe('deal reports', () => {
  let app: TestApp
  let deals: TestDealRow[]
  let sales: string
  let hanna: TestClient
  const callAt = new Map<string, string>()
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', APP_TIMEZONE: 'Europe/Berlin' })
    const calls = Array.from({ length: 700 }, () => ({
      at: hourToIso(random.integer(2900)),
      manager: PEOPLE[random.integer(4)]!,
      score: random.integer(4) === 0 ? null : random.integer(101),
      labels: ['price', 'competitor', 'thinking'].filter(() => random.integer(4) === 0),
    }))
    const ids = await insertCheckedCalls(app, calls)
    ids.forEach((id, n) => callAt.set(id, calls[n]!.at))
    for (const [n, name] of PEOPLE.entries()) {
      await app.db.query('UPDATE managers SET crm_user_id = $2 WHERE name = $1', [name, String(n + 1)])
    }
    await insertFunnels(app, [
      { id: 0, name: 'Windows', stages: STAGES },
      { id: 1, name: 'Doors', stages: STAGES },
    ])
    deals = Array.from({ length: 420 }, (_, n) => createRandomDeal(n + 1, ids))
    await insertDeals(app, deals)
    sales = await createDepartment(app, 'Sales', ['Anna', 'Boris'])
    hanna = await createLoggedInPerson(app, 'Hanna', { role: 'head', departments: [sales] })
  })
  after(() => app.stop())

  async function fetchReport<T>(name: string, query: string, who: Pick<TestClient, 'get'> = app.olga): Promise<T> {
    const { status, json, text } = await who.get(`/v1/analytics/${name}?${query}`)
    expect(status, text).to.equal(200)
    return json
  }
  const sum = (numbers: number[]) => numbers.reduce((total, n) => total + n, 0)
  const middle = (numbers: number[]) => {
    const sorted = numbers.toSorted((a, b) => a - b)
    return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2
  }
  const expectMedian = (value: number | null, numbers: number[], tolerance: number) => {
    if (numbers.length < MIN_SAMPLE_SIZE) expect(value).to.equal(null)
    else expect(value).to.be.closeTo(middle(numbers), tolerance)
  }
  /** Selects the deals closed or created on these days in the time zone of Berlin. */
  const within = (column: 'closedAt' | 'createdAt', from: string, to: string) =>
    deals.filter((deal) => {
      const at = deal[column]
      const day = at && new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Berlin' }).format(new Date(at))
      return day && day >= from && day <= to
    })
  const callsBefore = ({ calls = [], closedAt }: TestDealRow) =>
    calls.filter((id) => callAt.get(id)! < closedAt!).length

  it('the sales report equals a count of each deal, over random periods', async () => {
    for (let n = 0; n < 6; n++) {
      const from = hourToIso(24 * random.integer(40)).slice(0, 10)
      const to = hourToIso(24 * (41 + random.integer(60))).slice(0, 10)
      const funnel = random.integer(2)
      const { totals, weeks, managers } = await fetchReport<SalesReportJson>(
        'sales',
        `from=${from}&to=${to}&funnel=${funnel}`,
      )
      const closed = within('closedAt', from, to).filter((deal) => deal.funnel === funnel)
      const won = closed.filter(({ outcome }) => outcome === 'won')
      expect([totals.won, totals.lost], `${from} ${to}`).to.deep.equal([won.length, closed.length - won.length])
      const createdHour = within('createdAt', from, to).filter((deal) => deal.funnel === funnel)
      expect(totals.cohort).to.include({
        numerator: createdHour.filter(({ outcome }) => outcome === 'won').length,
        denominator: createdHour.length,
      })
      expect(totals.immature).to.equal(
        createdHour.filter(({ outcome }) => outcome === 'open').length > 0.2 * createdHour.length,
      )
      for (const parts of [weeks, managers]) {
        expect(sum(parts.map((part) => part.won))).to.equal(totals.won)
        expect(sum(parts.map((part) => part.lost))).to.equal(totals.lost)
        expect(sum(parts.map((part) => part.created))).to.equal(totals.created)
      }
      for (const { currency, amount, deals: count } of totals.amounts) {
        const paid = won.filter((deal) => deal.currency === currency && deal.amount)
        expect([amount, count]).to.deep.equal([sum(paid.map((deal) => deal.amount!)), paid.length])
      }
      const days = won.map(({ createdAt, closedAt }) => (Date.parse(closedAt!) - Date.parse(createdAt)) / 86_400_000)
      expectMedian(totals.cycleDays.value, days, 0.06)
      expectMedian(totals.callsBefore.value, closed.map(callsBefore), 0.01)
    }
  })

  it('the sales report sums up funnels, but never amounts of two currencies', async () => {
    const { totals, funnels } = await fetchReport<SalesReportJson>('sales', 'from=2026-01-01&to=2026-04-30')
    expect(funnels.map(({ funnel }) => funnel.name)).to.deep.equal(['Doors', 'Windows'])
    expect(sum(funnels.map(({ won }) => won))).to.equal(totals.won)
    expect(totals.amounts.map(({ currency }) => currency)).to.deep.equal(['BYN', 'USD'])
  })

  it('open deals older than two weeks without a recent call are silent', async () => {
    const { totals, silent } = await fetchReport<SalesReportJson>('sales', 'from=2026-01-01&to=2026-04-30')
    const open = deals.filter(({ outcome }) => outcome === 'open')
    expect(totals.silent).to.equal(open.length)
    expect(silent).to.have.length(Math.min(50, open.length))
    for (const { id, amount } of silent) {
      const deal = open.find((one) => String(one.id) === id)!
      const worth = deal.amount && { amount: deal.amount, currency: deal.currency }
      expect(amount, `what deal ${id} is worth`).to.deep.equal(worth)
    }
    const [id] = await insertCheckedCalls(app, [
      { at: new Date(Date.now() - 86_400_000).toISOString(), manager: 'Anna' },
    ])
    await app.db.query(`INSERT INTO crm_call_deals (recording_id, deal_id, linked_by) VALUES ($1, $2, 'person')`, [
      id,
      open[0]!.id,
    ])
    expect((await fetchReport<SalesReportJson>('sales', 'from=2026-01-01&to=2026-04-30')).totals.silent).to.equal(
      open.length - 1,
    )
    await app.db.query('DELETE FROM recordings WHERE id = $1', [id])
  })

  it('the list of deals is sorted by each of its fields', async () => {
    type Deal = DealsPage['items'][number]
    const values: Record<(typeof DEAL_SORTS)[number], (deal: Deal) => string | number | null> = {
      title: ({ title }) => title.toLowerCase(),
      manager: ({ manager }) => manager,
      funnel: ({ funnel }) => funnel.name,
      stage: ({ stage }) => stage,
      outcome: ({ outcome }) => outcome,
      amount: ({ amount }) => amount && amount.amount,
      created: ({ createdAt }) => createdAt,
      closed: ({ closedAt }) => closedAt,
      calls: ({ calls }) => calls,
      lastCall: ({ lastCallAt }) => lastCallAt,
    }
    for (const sort of DEAL_SORTS) {
      for (const order of ['asc', 'desc']) {
        const query = `from=2026-01-01&to=2026-04-30&by=created&pageSize=100&sort=${sort}&order=${order}`
        const found = (await fetchReport<DealsPage>('deals', query)).items
          .map(values[sort])
          .filter((one) => one !== null)
        const sign = order === 'asc' ? 1 : -1
        const sorted = found.toSorted((a, b) => (a < b ? -sign : a > b ? sign : 0))
        expect(found, `${sort} ${order}`).to.deep.equal(sorted)
      }
    }
  })

  it('the refusals report counts each lost deal once by reason, stage and number of calls', async () => {
    const found = await fetchReport<RefusalsReportJson>('refusals', 'from=2026-01-10&to=2026-04-10')
    const lost = within('closedAt', '2026-01-10', '2026-04-10').filter(({ outcome }) => outcome === 'lost')
    expect(found.lost).to.equal(lost.length)
    for (const parts of [found.reasons, found.stages, found.calls]) {
      expect(sum(parts.map(({ share }) => share.numerator))).to.equal(lost.length)
    }
    expect(sum(found.managers.map((row) => row.lost))).to.equal(lost.length)
    const noReason = found.reasons.find(({ reason }) => reason === null)!
    expect(noReason.share.numerator).to.equal(lost.filter(({ stage }) => stage === 'LOSE').length)
    expect(found.calls.map(({ share }) => share.numerator)).to.deep.equal(
      [0, 1, 2].map((n) => lost.filter((deal) => Math.min(2, callsBefore(deal)) === n).length),
    )
    expect(found.objections.map(({ rule }) => rule.key)).to.have.members(['price', 'competitor', 'thinking'])
  })

  it('a lost stage gives a reason unless its name only means “lost”', async () => {
    const silent = ['Сделка провалена', 'Deal lost', 'Отказ клиента', 'Закрыто и не реализовано', 'Lost!']
    const telling = ['Too expensive', 'Отказ: дорого', 'Lost to a competitor', 'Дубль', 'Other']
    const stages: [id: string, name: string][] = [
      ...[...silent, ...telling].map((name, n): [string, string] => [`S${n}`, name]),
      ['C7:LOSE', 'Дорого'],
      ['C7:UNNAMED', 'C7:UNNAMED'],
    ]
    await insertFunnels(app, [{ id: 7, name: 'Gates', stages: stages.map(([id, name]) => [id, name, 'lost']) }])
    const closedAt = '2025-07-01T10:00:00Z'
    const lost = stages.map(([stage], n): TestDealRow => ({
      id: 7000 + n,
      funnel: 7,
      outcome: 'lost',
      stage,
      createdAt: closedAt,
      closedAt,
    }))
    await insertDeals(app, lost)
    const { reasons } = await fetchReport<RefusalsReportJson>('refusals', 'from=2025-07-01&to=2025-07-01&funnel=7')
    expect(reasons.map(({ reason, share }) => [reason, share.numerator])).to.have.deep.members([
      [null, silent.length + 1],
      ...[...telling, 'Дорого'].map((name) => [name, 1]),
    ])
    for (const { reason, share } of reasons) {
      const query = new URLSearchParams({ from: '2025-07-01', to: '2025-07-01', reason: reason ?? '-' }).toString()
      expect((await fetchReport<DealsPage>('deals', query)).total, reason ?? 'none').to.equal(share.numerator)
    }
    await app.db.query('DELETE FROM crm_deals WHERE id >= 7000')
  })

  it('objections are shares of lost deals with a scored call; other calls do not count', async () => {
    const period = 'from=2025-05-03&to=2025-05-03'
    const at = '2025-05-03T10:00:00Z'
    const closedAt = '2025-05-03T12:00:00Z'
    const calls = await insertCheckedCalls(
      app,
      [50, 60, 70].map((score) => ({ at, manager: 'Anna', score, labels: ['price'] })),
    )
    await insertDeals(
      app,
      calls.map((call, n) => ({ id: 4101 + n, outcome: 'lost', createdAt: at, closedAt, calls: [call] })),
    )
    const shares = async () =>
      (await fetchReport<RefusalsReportJson>('refusals', period)).objections.map(({ share }) => [
        share.numerator,
        share.denominator,
      ])
    const listed = async () => (await fetchReport<DealsPage>('deals', `${period}&said=refusal-reasons/price`)).total
    expect([await shares(), await listed()]).to.deep.equal([[[3, 3]], 3])
    await aggregateDealCalls({ pool: app.db } as never)
    await app.db.query('UPDATE analyses SET score = NULL WHERE recording_id = $1', [calls[0]])
    expect([await shares(), await listed()]).to.deep.equal([[[2, 2]], 2])
    await app.db.query('DELETE FROM crm_deals WHERE id > 4100')
    await app.db.query('DELETE FROM recordings WHERE id = ANY($1::uuid[])', [calls])
  })

  it('objections are shares of lost deals with a completed check, not a skipped one', async () => {
    const period = 'from=2025-05-01&to=2025-05-01'
    const at = '2025-05-01T10:00:00Z'
    const [checked, skipped] = await insertCheckedCalls(app, [
      { at, manager: 'Anna', score: 50, labels: ['price'] },
      { at, manager: 'Anna' },
    ])
    await app.db.query(
      `INSERT INTO analyses (id, recording_id, status, provider, is_current, reason) VALUES ($1, $2, 'SKIPPED', 'rules', true, 'noRuleSet')`,
      [generateId(), skipped],
    )
    const closedAt = '2025-05-01T12:00:00Z'
    await insertDeals(app, [
      { id: 4001, outcome: 'lost', createdAt: at, closedAt, calls: [checked!] },
      { id: 4002, outcome: 'lost', createdAt: at, closedAt, calls: [skipped!] },
    ])
    const { objections, lost } = await fetchReport<RefusalsReportJson>('refusals', period)
    expect(lost).to.equal(2)
    expect(objections.map(({ share }) => share)).to.deep.equal([{ value: null, numerator: 1, denominator: 1 }])
    await app.db.query('DELETE FROM crm_deals WHERE id > 4000')
    await app.db.query('DELETE FROM recordings WHERE id = ANY($1::uuid[])', [[checked, skipped]])
  })

  it('the refusals report flags a manager whose reasons differ from the others beyond chance', async () => {
    const closedAt = '2025-06-01T10:00:00Z'
    const team = (responsible: string, first: number, priced: number): TestDealRow[] =>
      Array.from({ length: 25 }, (_, n) => ({
        id: first + n,
        outcome: 'lost',
        stage: n < priced ? 'PRICE' : 'OTHER',
        responsible,
        createdAt: closedAt,
        closedAt,
      }))
    await insertDeals(app, [...team('1', 1000, 20), ...team('2', 2000, 5), ...team('3', 3000, 5)])
    const { managers } = await fetchReport<RefusalsReportJson>('refusals', 'from=2025-06-01&to=2025-06-01')
    const anna = managers.find(({ manager }) => manager === 'Anna')!
    expect(anna.flags.map(({ reason, share, others }) => [reason, share.value, others.value])).to.deep.equal([
      ['Chose someone else', 0.2, 0.8],
      ['Too expensive', 0.8, 0.2],
    ])
    expect(managers.find(({ manager }) => manager === 'Vera')!.flags).to.deep.equal([])
  })

  it('every report excludes deals in funnels of no department', async () => {
    const period = 'from=2026-01-01&to=2026-04-30'
    const before = await fetchReport<SalesReportJson>('sales', period)
    const { rows } = await app.db.query('SELECT id, funnels FROM departments')
    await app.db.query('UPDATE departments SET funnels = array_remove(funnels, 1)')
    const sold = await fetchReport<SalesReportJson>('sales', period)
    const lost = await fetchReport<RefusalsReportJson>('refusals', period)
    for (const { id, funnels } of rows) {
      await app.db.query('UPDATE departments SET funnels = $2 WHERE id = $1', [id, funnels])
    }
    const [windows] = before.funnels.filter(({ funnel }) => funnel.id === 0)
    expect(sold.funnels.map(({ funnel }) => funnel.id)).to.deep.equal([0])
    expect([sold.totals.won, sold.totals.lost]).to.deep.equal([windows!.won, windows!.lost])
    expect(lost.lost).to.equal(windows!.lost)
  })

  it('a head’s sales and refusals reports equal the owner’s reports on the head’s departments', async () => {
    for (const name of ['sales', 'refusals']) {
      const own = await fetchReport<object>(name, 'from=2026-01-01&to=2026-04-15', hanna)
      const owners = await fetchReport<object>(name, `from=2026-01-01&to=2026-04-15&department=${sales}`)
      expect({ ...own, period: 0, filters: 0 }, name).to.deep.equal({ ...owners, period: 0, filters: 0 })
    }
  })
})
