import { expect } from 'chai'
import { insertChecked, insertDeals, type CheckedCall, type DealRow } from '../../test/company.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { analyse } from './analyse.ts'
import { randomNumbers } from './bootstrap.ts'
import { analyseAside } from './run.ts'
import type { CorrelationJson } from './schema.ts'

const random = randomNumbers(Uint32Array.of(5, 6, 7, 8))
const whole = (below: number) => Math.floor(random() * below)
const at = (day: number) => new Date(Date.parse('2026-02-01T09:00:00Z') + day * 86_400_000).toISOString()
const PERIOD = 'from=2026-02-01&to=2026-05-31'

describe('GET /v1/analytics/correlation', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', CORRELATION_BOOTSTRAP_REPLICATES: 200 })
    const deals: DealRow[] = []
    const calls: CheckedCall[] = []
    // Calls that meet next-step are of deals that are won more often; greeting knows nothing of it.
    for (let id = 1; id <= 320; id++) {
      const won = whole(2) === 0
      const met = random() < (won ? 0.8 : 0.3)
      deals.push({ id, outcome: won ? 'won' : 'lost', createdAt: at(0), closedAt: at(40 + whole(60)), contacts: [id] })
      calls.push({
        at: at(whole(35)),
        manager: ['Anna', 'Boris'][id % 2]!,
        duration: 60 + whole(300),
        score: whole(60) + (met ? 40 : 0),
        verdicts: { 'next-step': met ? 'met' : 'missed', greeting: whole(2) ? 'met' : 'missed' },
      })
    }
    const ids = await insertChecked(app, calls)
    await insertDeals(
      app,
      deals.map((deal, n) => ({ ...deal, calls: [ids[n]!] })),
    )
    // What must not count: a call after the end, one that may be of another deal, and a deal without calls.
    const [late, doubtful] = await insertChecked(app, [
      { at: at(150), manager: 'Anna', score: 0 },
      { at: at(1), manager: 'Anna', score: 0 },
    ])
    await app.db.query(
      `INSERT INTO crm_call_deals (recording_id, deal_id, linked_by, ambiguous)
       VALUES ($1, 1, 'phone', false), ($2, 2, 'phone', true)`,
      [late, doubtful],
    )
    await insertDeals(app, [{ id: 999, outcome: 'won', createdAt: at(0), closedAt: at(50) }])
  })
  after(() => app.stop())

  it('finds the link that is there, for the one rule and not for the other, and says what it rests on', async () => {
    const { json, status, text } = await app.olga.get(`/v1/analytics/correlation?${PERIOD}`)
    expect(status, text).to.equal(200)
    const found = json as CorrelationJson
    expect(found.verdict).to.equal('higher')
    expect(found.a.low).to.be.greaterThan(0.5)
    expect(found.deals).to.deep.include({ used: 320, excluded: { noScore: 1, otherVersion: 0, oneSided: 0 } })
    expect(found.rules.map(({ rule, notable }) => [rule.key, notable])).to.deep.equal([
      ['next-step', true],
      ['greeting', false],
    ])
    expect(found.managers.map(({ manager }) => manager)).to.have.members(['Anna', 'Boris'])
    expect(found.bands.reduce((sum, { winRate }) => sum + winRate.denominator, 0)).to.equal(320)
    expect(found.ruleVersion).to.deep.equal({ set: 'incoming-sales', version: 1 })
    expect(found.bootstrap).to.deep.equal({ requested: 200, valid: 200, void: 0 })
    const again = (await app.ida.get(`/v1/analytics/correlation?${PERIOD}`)).json as CorrelationJson
    expect({ ...again, period: 0 }, 'the same data draw the same').to.deep.equal({ ...found, period: 0 })
  })

  it('says that a few deals are too few', async () => {
    const { json } = await app.olga.get('/v1/analytics/correlation?from=2026-03-13&to=2026-03-14')
    expect(json).to.deep.include({ verdict: 'too-few', bootstrap: { requested: 200, valid: 0, void: 0 } })
  })

  it('works in a thread of its own, which ends when nobody waits', async () => {
    const rows = Array.from({ length: 4000 }, (_, n) => ({
      id: String(n),
      won: n % 3 === 0,
      funnel: 'f',
      manager: `m${n % 7}`,
      score: whole(100),
      earlierScore: null,
      seconds: 1,
      company: null,
      contacts: [],
      calls: [],
      rules: {},
    }))
    const task = { deals: JSON.stringify(rows), replicates: 5000 }
    const [first, second] = [new AbortController(), new AbortController()]
    const asked = [first, second].map(({ signal }) => analyseAside(task, signal).catch((error: Error) => error.message))
    first.abort(new Error('left'))
    expect(await asked[0]).to.equal('left')
    second.abort(new Error('left too'))
    expect(await asked[1]).to.equal('left too')
    const small = { deals: JSON.stringify(rows.slice(0, 300)), replicates: 50 }
    const found = await analyseAside(small, new AbortController().signal)
    const { low, high } = found.a
    const here = analyse(
      rows
        .slice(0, 300)
        .map(({ company: _company, contacts: _contacts, calls: _calls, ...row }) => ({ ...row, links: [] })),
      50,
      Uint32Array.of(1, 2, 3, 4),
    )
    expect(found.a.value).to.equal(here.a.value)
    expect([low, high].every((bound) => bound !== null)).to.equal(true)
    expect(await analyseAside(small, AbortSignal.abort()), 'kept').to.equal(found)
  })
})
