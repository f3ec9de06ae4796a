import { expect } from 'chai'
import { insertCheckedCalls, insertDeals, type CheckedCallRow, type TestDealRow } from '../../test/checked-calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { SeededRandom } from '../../test/seeded-random.ts'
import { analyseScoreCorrelation } from './analyse-deals.ts'
import { parseClosedDeals } from './closed-deals.ts'
import { analyseScoreCorrelationInThread } from './analyse-in-thread.ts'
import type { CorrelationReportJson } from './schema.ts'

const random = new SeededRandom(5678)
const dayToIso = (day: number) => new Date(Date.parse('2026-02-01T09:00:00Z') + day * 86_400_000).toISOString()
const PERIOD = 'from=2026-02-01&to=2026-05-31'

describe('GET /v1/analytics/correlation', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', CORRELATION_BOOTSTRAP_REPLICATES: 200 })
    const deals: TestDealRow[] = []
    const calls: CheckedCallRow[] = []
    // Deals whose calls meet next-step are won more often; the rule greeting has no effect.
    for (let id = 1; id <= 320; id++) {
      const won = random.integer(2) === 0
      const met = random.chance(won ? 0.8 : 0.3)
      deals.push({
        id,
        outcome: won ? 'won' : 'lost',
        createdAt: dayToIso(0),
        closedAt: dayToIso(40 + random.integer(60)),
        contacts: [id],
      })
      calls.push({
        at: dayToIso(random.integer(35)),
        manager: ['Anna', 'Boris'][id % 2]!,
        duration: 60 + random.integer(300),
        score: random.integer(60) + (met ? 40 : 0),
        verdicts: { 'next-step': met ? 'met' : 'missed', greeting: random.integer(2) ? 'met' : 'missed' },
      })
    }
    const ids = await insertCheckedCalls(app, calls)
    await insertDeals(
      app,
      deals.map((deal, n) => ({ ...deal, calls: [ids[n]!] })),
    )
    // Two calls do not count: one began after its deal was closed, the other has an ambiguous link. Another deal has no calls.
    const [late, doubtful] = await insertCheckedCalls(app, [
      { at: dayToIso(150), manager: 'Anna', score: 0 },
      { at: dayToIso(1), manager: 'Anna', score: 0 },
    ])
    await app.db.query(
      `INSERT INTO crm_call_deals (recording_id, deal_id, linked_by, ambiguous)
       VALUES ($1, 1, 'phone', false), ($2, 2, 'phone', true)`,
      [late, doubtful],
    )
    await insertDeals(app, [{ id: 999, outcome: 'won', createdAt: dayToIso(0), closedAt: dayToIso(50) }])
  })
  after(() => app.stop())

  it('the correlation report finds the simulated effect of one rule and none of the other', async () => {
    const { json, status, text } = await app.olga.get(`/v1/analytics/correlation?${PERIOD}`)
    expect(status, text).to.equal(200)
    const found = json as CorrelationReportJson
    expect(found.verdict).to.equal('higher')
    expect(found.a.low).to.be.greaterThan(0.5)
    expect(found.deals).to.deep.include({
      used: 320,
      excluded: { noScore: 1, otherSet: 0, otherVersion: 0, oneSided: 0 },
    })
    expect(found.rules.map(({ rule, notable }) => [rule.key, notable])).to.deep.equal([
      ['next-step', true],
      ['greeting', false],
    ])
    expect(found.managers.map(({ manager }) => manager)).to.have.members(['Anna', 'Boris'])
    expect(found.bands.reduce((sum, { winRate }) => sum + winRate.denominator, 0)).to.equal(320)
    expect(found.ruleVersion).to.deep.equal({ set: 'incoming-sales', version: 1 })
    expect(found.bootstrap).to.deep.equal({ requested: 200, valid: 200, void: 0 })
    const again = (await app.ida.get(`/v1/analytics/correlation?${PERIOD}`)).json as CorrelationReportJson
    expect({ ...again, period: 0 }, 'the same data draw the same').to.deep.equal({ ...found, period: 0 })
  })

  it('the correlation report has no shares if there are too few deals', async () => {
    const { json } = await app.olga.get('/v1/analytics/correlation?from=2026-03-13&to=2026-03-28')
    expect(json).to.deep.include({ verdict: 'too-few', bootstrap: { requested: 200, valid: 0, void: 0 } })
    const { a, pooled, sensitivity, managers, rules } = json as CorrelationReportJson
    for (const { value, pairs } of [a, pooled, sensitivity.sameTalkTime, ...managers]) {
      expect(value).to.equal(null)
      expect(pairs).to.be.greaterThan(0)
    }
    expect(pooled.differs).to.equal(false)
    expect(rules.map(({ difference, p, q, notable }) => [difference, p, q, notable])).to.deep.equal(
      rules.map(() => [null, null, null, false]),
    )
    expect(rules[0]!.met + rules[0]!.unmet).to.be.greaterThan(0)
  })

  it('the correlation report omits the share of managers with few won or lost deals', async () => {
    const { json } = await app.olga.get(`/v1/analytics/correlation?${PERIOD}`)
    const { managers, sensitivity } = json as CorrelationReportJson
    for (const { value, won, lost } of managers) {
      expect(Math.min(won, lost)).to.be.at.least(10)
      expect(value).to.be.greaterThan(0.5)
    }
    expect(sensitivity.withoutLastCall).to.deep.equal({ value: null, pairs: 0 })
    expect(sensitivity.sameTalkTime.value).to.be.greaterThan(0.5)
    await app.db.query(
      `UPDATE recordings r SET manager_name = 'Clara' FROM crm_call_deals l WHERE l.recording_id = r.id AND l.deal_id <= 14`,
    )
    const again = (await app.olga.get(`/v1/analytics/correlation?${PERIOD}`)).json as CorrelationReportJson
    const clara = again.managers.find(({ manager }) => manager === 'Clara')!
    expect(clara.won + clara.lost).to.equal(14)
    expect(clara.pairs)
      .to.equal(clara.won * clara.lost)
      .and.to.be.greaterThan(0)
    expect(clara.value).to.equal(null)
  })

  it('parseClosedDeals() parses deals with different judged rules', () => {
    const lines = [
      ['greeting', 'next-step'],
      ['7', true, '0', 'anna', 62.5, null, 90, null, [3], [], '0 2 4 1 0 1'],
      ['8', false, '1', '', 40, 41.5, 60, 5, [3, 9], ['call'], '1 1 1'],
      ['9', false, '1', '', 40, 41.5, 60, null, [], [], ''],
    ]
    const common = { funnel: '1', manager: '', score: 40, earlierScore: 41.5, seconds: 60, won: false }
    expect(parseClosedDeals(lines.map((line) => JSON.stringify(line)).join('\n'))).to.deep.equal([
      {
        id: '7',
        won: true,
        funnel: '0',
        manager: 'anna',
        score: 62.5,
        earlierScore: null,
        seconds: 90,
        links: ['contact 3'],
        rules: { greeting: true, 'next-step': false },
      },
      { ...common, id: '8', links: ['company 5', 'contact 3', 'contact 9', 'call'], rules: { 'next-step': true } },
      { ...common, id: '9', links: [], rules: {} },
    ])
    expect(parseClosedDeals('[]')).to.deep.equal([])
  })

  describe('analysis in a thread', () => {
    const rows = Array.from({ length: 4000 }, (_, n) => ({
      won: n % 3 === 0,
      manager: `m${n % 7}`,
      score: random.integer(100),
    }))
    // Builds the text in the format of loadCorrelationData().
    const textOf = (deals: typeof rows) =>
      [
        ['greeting', 'needs'],
        ...deals.map(({ won, manager, score }, n) => [
          String(n),
          won,
          'f',
          manager,
          score,
          null,
          1,
          null,
          [n],
          [],
          '1 2 3',
        ]),
      ]
        .map((line) => JSON.stringify(line))
        .join('\n')
    const messageOf = (error: Error) => error.message
    const nobodyLeaves = new AbortController().signal

    it('the analysis in a thread gives the same result as in this thread', async () => {
      const task = { deals: textOf(rows.slice(0, 300)), replicates: 50 }
      const found = await analyseScoreCorrelationInThread(task, nobodyLeaves)
      const { low, high } = found.a
      const common = { funnel: 'f', earlierScore: null, seconds: 1, links: [], rules: {} }
      const here = analyseScoreCorrelation(
        rows.slice(0, 300).map((row, n) => ({ ...row, ...common, id: String(n) })),
        50,
        Uint32Array.of(1, 2, 3, 4),
      )
      expect(found.rules.map(({ rule, met, unmet }) => [rule, met, unmet])).to.deep.equal([['needs', 300, 0]])
      expect(found.a.value).to.equal(here.a.value)
      expect([low, high].every((bound) => bound !== null)).to.equal(true)
    })

    it('an aborted analysis ends its thread and releases its slot', async () => {
      // Each of the two running requests would take minutes without the abort.
      const leaving = new AbortController()
      const endless = [rows, rows.slice(1)].map((some) =>
        analyseScoreCorrelationInThread({ deals: textOf(some), replicates: 2_000_000 }, leaving.signal).catch(
          messageOf,
        ),
      )
      const next = analyseScoreCorrelationInThread({ deals: textOf(rows.slice(0, 200)), replicates: 50 }, nobodyLeaves)
      leaving.abort(new Error('left'))
      expect(await Promise.all(endless)).to.deep.equal(['left', 'left'])
      expect((await next).deals.used).to.equal(200)
      // A slot that nobody stops is released after a minute.
    }).timeout(30_000)
  })
})
