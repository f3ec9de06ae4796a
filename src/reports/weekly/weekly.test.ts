import { expect } from 'chai'
import { Temporal } from 'temporal-polyfill'
import { openAppCore, type CoreHandle } from '../../app/core.ts'
import { formatIsoWeek, mondayOf } from '../../platform/lib/period.ts'
import { createLogger } from '../../platform/lib/log.ts'
import { createQuoteEvidence } from '../../test/evidence.ts'
import { createDepartment, createLoggedInPerson } from '../../test/people.ts'
import type { TestResponse, TestClient } from '../../test/client.ts'
import { insertCheckedCalls, insertDeals, insertFunnels, type CheckedCallRow } from '../../test/checked-calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { EMPTY_WEEK_FIGURES } from './week-figures.ts'
import { computeWeeklyKpis } from './kpis.ts'
import { computeLastDueReportMonday, storeWeeklyReports } from './store-reports.ts'
import type { WeeklyReportJson } from './schema.ts'

/** The Monday of 2026-W14, after the clocks of Berlin went forward in the night. */
const MONDAY = Date.parse('2026-03-29T22:00:00Z')
const hourToIso = (n: number) => new Date(MONDAY + n * 3_600_000).toISOString()
const toInstant = (time: string) => Temporal.Instant.from(time)
const REPORT_PATH = '/v1/analytics/weekly-report'

/** Creates hourly calls of one manager in a week. `weeksAgo` 0 is 2026-W14. */
const createCalls = (
  manager: string,
  weeksAgo: number,
  scores: number[],
  more: Partial<CheckedCallRow> = {},
): CheckedCallRow[] =>
  scores.map((score, n) => ({
    at: hourToIso(-weeksAgo * 168 + 30 + n),
    manager,
    score,
    duration: 90,
    verdicts: { greeting: 'met', 'next-step': score < 50 ? 'missed' : 'met' },
    ...more,
  }))
const scores = (count: number, score: number) => Array.from({ length: count }, () => score)

describe('GET /v1/analytics/weekly-report', () => {
  let app: TestApp
  let opened: CoreHandle
  let sales: string
  let hanna: TestClient
  /** The response before any data existed. */
  let nothingYet: TestResponse
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', APP_TIMEZONE: 'Europe/Berlin' })
    opened = await openAppCore(app.config, createLogger('silent', 'test'))
    nothingYet = await app.olga.get(REPORT_PATH)
    await insertCheckedCalls(app, [
      ...Array.from({ length: 8 }, (_, n) => createCalls('Anna', n + 1, scores(11 + (n % 3), 70 + n))).flat(),
      ...createCalls('Anna', 0, [20, 30, 40, 45, ...scores(6, 90)]),
      ...createCalls('Anna', 0, scores(6, 90), {
        at: hourToIso(60),
        verdicts: { greeting: 'met', 'next-step': 'missed' },
      }),
      ...createCalls('Anna', 0, [1], { duration: 59 }),
      // One call is in the last hour of the week, the other in the first hour of the next.
      ...createCalls('Boris', 0, [60], { at: hourToIso(168 - 0.1) }),
      ...createCalls('Boris', 0, [61], { at: hourToIso(168) }),
    ])
    await app.db.query(`UPDATE managers SET crm_user_id = '1' WHERE name = 'Anna'`)
    await insertFunnels(app, [{ id: 0, name: 'Windows', stages: [['PRICE', 'Too expensive', 'lost']] }])
    await insertDeals(app, [
      { id: 1, outcome: 'lost', stage: 'PRICE', responsible: '1', createdAt: hourToIso(-300), closedAt: hourToIso(50) },
      { id: 2, outcome: 'won', responsible: null, createdAt: hourToIso(-300), closedAt: hourToIso(60) },
    ])
    await app.db.query(
      `INSERT INTO crm_calls (id, call_id, user_id, type, duration_seconds, started_at, load_state, skip_reason)
       VALUES (1, 'c1', '1', 2, 60, $1, 'skipped', 'short'), (2, 'c2', '7', 2, 60, $1, 'awaiting-file', NULL)`,
      [hourToIso(10)],
    )
    sales = await createDepartment(app, 'Sales', ['Anna'])
    hanna = await createLoggedInPerson(app, 'Hanna', { role: 'head', departments: [sales] })
  })
  after(async () => {
    await opened.close()
    await app.stop()
  })

  const make = (time: string) => storeWeeklyReports(opened.core, toInstant(time))
  async function fetchReport(query = '', who: Pick<TestClient, 'get'> = app.olga, week = '2026-W14') {
    const { status, json, text } = await who.get(`${REPORT_PATH}?${query}${week && `&week=${week}`}`)
    expect(status, text).to.equal(200)
    return json as WeeklyReportJson
  }
  const kpi = ({ kpis }: Pick<WeeklyReportJson, 'kpis'>, name: string) => kpis.find((one) => one.name === name)!

  it('the weekly report is due on Monday at 07:00 of APP_TIMEZONE', () => {
    const due = (time: string, zone: string) => computeLastDueReportMonday(toInstant(time), zone).toString()
    expect(due('2026-04-06T04:59:59Z', 'Europe/Berlin')).to.equal('2026-03-23')
    expect(due('2026-04-06T05:00:00Z', 'Europe/Berlin')).to.equal('2026-03-30')
    expect(due('2026-03-23T06:00:00Z', 'Europe/Berlin')).to.equal('2026-03-16')
    expect(due('2027-01-03T22:00:00Z', 'Asia/Vladivostok')).to.equal('2026-12-28')
    expect(due('2026-04-05T18:59:59Z', 'Pacific/Auckland')).to.equal('2026-03-23')
    expect(due('2026-04-05T19:00:00Z', 'Pacific/Auckland')).to.equal('2026-03-30')
  })

  it('the weekly report is 404 without data, and is not stored for empty weeks', async () => {
    expect([nothingYet.status, nothingYet.json.message]).to.deep.equal([404, 'No report yet'])
    await make('2025-06-02T05:00:00Z')
    expect((await fetchReport()).kept).to.deep.equal([])
  })

  it('the weekly report of a week that was not stored is computed on request', async () => {
    const response = await fetchReport()
    expect(response).to.deep.include({ week: '2026-W14', state: 'not-kept', kept: [] })
    expect(response.coverage.calls).to.equal(18)
    const [more] = await insertCheckedCalls(app, createCalls('Boris', 0, [50]))
    expect((await fetchReport()).coverage.calls).to.equal(19)
    await app.db.query('DELETE FROM recordings WHERE id = $1', [more])
    const { managers: _ours, period, ...found } = await fetchReport('', hanna)
    await make('2026-04-06T05:00:00Z')
    const { managers: _theirs, period: _made, ...stored } = await fetchReport('', hanna)
    expect(period).to.include({ from: '2026-03-30', to: '2026-04-05' })
    expect({ ...found, state: 0, kept: 0 }).to.deep.equal({ ...stored, state: 0, kept: 0 })
    await app.db.query('DELETE FROM weekly_reports')
    expect((await fetchReport('', app.olga, '2020-W01')).coverage.calls, 'a week of nothing').to.equal(0)
  })

  it('the weekly report is not stored if all calls arrived after it was final', async () => {
    await app.db.query(`UPDATE recordings SET created_at = '2026-04-08T05:00:00Z'`)
    for (const time of ['2026-04-06T05:00:00Z', '2026-04-09T05:00:00Z']) await make(time)
    expect((await fetchReport()).state).to.equal('not-kept')
    await app.db.query(`UPDATE recordings SET created_at = '2026-04-08T04:59:59Z' WHERE score = 20`)
    await make('2026-04-09T05:00:00Z')
    expect((await fetchReport()).state).to.equal('final')
    await app.db.query(`DELETE FROM weekly_reports`)
  })

  it('the weekly report is recomputed hourly for 48 hours and then frozen', async () => {
    await make('2026-04-06T05:00:00Z')
    const first = await fetchReport()
    expect(first).to.include({ week: '2026-W14', state: 'provisional' })
    expect(first.period).to.include({ from: '2026-03-30', to: '2026-04-05', timezone: 'Europe/Berlin' })
    const [late] = await insertCheckedCalls(app, createCalls('Boris', 0, [77]))
    await make('2026-04-06T05:59:59Z')
    expect(await fetchReport()).to.deep.equal(first)
    await make('2026-04-06T06:00:00Z')
    const second = await fetchReport()
    expect(second).to.deep.include({ state: 'provisional' })
    expect(second.coverage.calls).to.equal(first.coverage.calls + 1)
    await insertCheckedCalls(app, createCalls('Boris', 0, [78]))
    await make('2026-04-08T04:00:01Z')
    await make('2026-04-08T05:00:00Z')
    const final = await fetchReport()
    expect(final.state).to.equal('final')
    expect(final.coverage.calls).to.equal(second.coverage.calls + 1)
    await app.db.query('DELETE FROM recordings WHERE id = $1', [late])
    await make('2026-04-09T05:00:00Z')
    await make('2026-04-12T05:00:00Z')
    const withoutLink = JSON.stringify(final).replaceAll(`"${late}"`, 'null')
    expect(await fetchReport()).to.deep.equal(JSON.parse(withoutLink))
  })

  it('the weekly report counts the calls of its seven local days', async () => {
    const { managers, coverage } = await fetchReport()
    const boris = managers.find(({ manager }) => manager === 'Boris')!
    expect(kpi(boris, 'calls').figure.value).to.equal(3)
    expect(coverage.calls).to.equal(17 + 3)
  })

  it('the weekly report flags only figures outside the range of eight weeks', async () => {
    const anna = (await fetchReport('manager=Anna')).managers[0]!
    expect(kpi(anna, 'calls')).to.deep.include({ previous: 11, meanOfFour: 11.8, low: 11, high: 13, flag: 'above' })
    expect(kpi(anna, 'score')).to.deep.include({ previous: 70, low: 70, high: 77, flag: null })
    expect(kpi(anna, 'rulesMet').flag).to.equal('below')
    expect(kpi(anna, 'lost').flag).to.equal('above')
    expect(kpi(anna, 'winRate')).to.deep.include({ previous: null, flag: null })
  })

  it('the weekly report flags no figure that looks like the limit of its range', () => {
    const flagOf = (met: number) => {
      const weeks = [...Array.from({ length: 8 }, () => 861), met].map((n) => ({
        ...EMPTY_WEEK_FIGURES,
        calls: 10,
        met: n,
        missed: 1000 - n,
      }))
      return computeWeeklyKpis(weeks).find(({ name }) => name === 'rulesMet')!.flag
    }
    expect([857, 863, 854, 866].map(flagOf)).to.deep.equal([null, null, 'below', 'above'])
  })

  it('the weekly report flags nothing if fewer than eight weeks are known', () => {
    const weeks = [0, 5, 5, 5, 5, 5, 5, 5, 50].map((calls) => ({ ...EMPTY_WEEK_FIGURES, calls }))
    expect(computeWeeklyKpis(weeks)[0]).to.deep.include({ previous: 5, meanOfFour: 5, low: null, flag: null })
    expect(computeWeeklyKpis([{ ...EMPTY_WEEK_FIGURES, calls: 5 }, ...weeks.slice(1)])[0]!.flag).to.equal('above')
  })

  it('the weekly report has up to twelve weeks of each figure', async () => {
    const { kpis, managers } = await fetchReport()
    expect(kpi({ kpis }, 'calls').weeks).to.deep.equal([12, 11, 13, 12, 11, 13, 12, 11, 20])
    expect(kpi(managers[0]!, 'score').weeks).to.have.length(9)
    const weeks = Array.from({ length: 12 }, (_, n) => ({
      ...EMPTY_WEEK_FIGURES,
      calls: n + 1,
      won: n === 0 ? 100 : 0,
    }))
    expect(computeWeeklyKpis(weeks)[0]).to.deep.include({ low: 4, high: 11, weeks: weeks.map(({ calls }) => calls) })
    expect(computeWeeklyKpis(weeks.slice(-9))[0], 'a report of nine weeks').to.deep.include({ low: 4, high: 11 })
  })

  it('the weekly report has the probability that chance alone explains a figure', () => {
    const toWeeks = (counts: number[]) => counts.map((calls) => ({ ...EMPTY_WEEK_FIGURES, calls }))
    const pOf = (last: number) => computeWeeklyKpis(toWeeks([10, 12, 11, 13, 10, 12, 11, 13, last]))[0]!.p
    expect(pOf(13)).to.be.within(0.25, 0.3)
    expect(pOf(30)).to.be.lessThan(0.0001)
    expect(computeWeeklyKpis(toWeeks([5, 5, 5, 5, 5, 5, 5, 5, 50]))[0]!.p).to.equal(null)
  })

  it('the weekly report of the running week has figures until now and no flags', async () => {
    const today = Temporal.Now.plainDateISO('Europe/Berlin')
    const week = formatIsoWeek(today)
    await insertCheckedCalls(app, [{ at: new Date().toISOString(), manager: 'Anna', score: 50 }])
    const { state, period, kpis } = await fetchReport('', app.olga, week)
    expect([state, period.complete, period.from]).to.deep.equal(['running', false, mondayOf(today).toString()])
    expect(kpi({ kpis }, 'calls').figure.value).to.equal(1)
    expect(kpis.map(({ flag, p }) => flag ?? p)).to.deep.equal(kpis.map(() => null))
    await app.db.query("DELETE FROM recordings WHERE score = 50 AND call_at > now() - interval '1 day'")
  })

  it('the weekly report names three calls to hear and the rule to coach on', async () => {
    const { managers, listen } = await fetchReport()
    const anna = managers.find(({ manager }) => manager === 'Anna')!
    expect(anna.listen.map(({ score }) => score)).to.deep.equal([20, 30, 40])
    expect(anna.listen[0]!.missed.map(({ rule }) => rule.key)).to.deep.equal(['next-step'])
    expect(anna.coach!.rule.key).to.equal('next-step')
    expect(anna.coach!.passRate).to.include({ numerator: 6 + 11 + 12 + 13, denominator: 17 + 11 + 12 + 13 })
    expect(listen.map(({ score, why }) => [score, why])).to.deep.equal([
      ...[20, 30, 40].map((score) => [score, 'lowest']),
      ...[90, 90, 90].map((score) => [score, 'highest']),
    ])
  })

  it('the weekly report names the moment of the missed rule in each call to hear', async () => {
    await app.db.query(`UPDATE findings SET evidence = $1 WHERE verdict = 'missed'`, [
      JSON.stringify([createQuoteEvidence('Never again', 4)]),
    ])
    const { listen } = await fetchReport()
    expect(listen.map(({ hearFrom }) => hearFrom)).to.deep.equal([4, 4, 4, null, null, null])
  })

  it('the weekly report has reasons of lost deals and the reconciliation of CRM calls', async () => {
    const { refusals, reconciliation, kpis } = await fetchReport()
    expect(refusals).to.deep.equal([{ reason: 'Too expensive', share: { value: null, numerator: 1, denominator: 1 } }])
    expect(reconciliation).to.deep.include({ inCrm: 2, skipped: { short: 1 }, awaitingFile: 1 })
    expect(kpi({ kpis }, 'won').figure.value).to.equal(1)
  })

  it('a head’s weekly report equals the owner’s report on the head’s departments', async () => {
    const own = await fetchReport('', hanna)
    const owners = await fetchReport(`department=${sales}`)
    expect({ ...own, filters: 0 }).to.deep.equal({ ...owners, filters: 0 })
    expect(own.managers.map(({ manager }) => manager)).to.deep.equal(['Anna'])
    const { managers, kpis } = await fetchReport()
    for (const { name, figure } of kpis.filter(({ name }) => ['calls', 'won', 'lost'].includes(name))) {
      const parts = managers.map((row) => kpi(row, name).figure.value!)
      expect(parts.reduce((sum, n) => sum + n, 0)).to.equal(figure.value)
    }
  })

  it('the weekly report is by default that of the last due week', async () => {
    const due = () => computeLastDueReportMonday(Temporal.Now.instant(), 'Europe/Berlin').toString()
    const before = due()
    const found = await fetchReport('', app.olga, '')
    expect(found).to.deep.include({ state: 'not-kept', kept: ['2026-W14'] })
    expect(found.coverage.calls).to.equal(0)
    expect([before, due()], 'a week may become due meanwhile').to.include(found.period.from)
  })

  it('the weekly report is stored if the week or the eight before had data', async () => {
    const closed = (week: number) => hourToIso(week * 168 + 50)
    await insertDeals(app, [{ id: 3, outcome: 'won', responsible: '1', createdAt: hourToIso(0), closedAt: closed(20) }])
    await make('2026-08-26T05:00:00Z')
    expect((await fetchReport('', app.olga, '2026-W34')).state, 'it came when the report would be final').to.equal(
      'not-kept',
    )
    await app.db.query('UPDATE crm_deals SET changed_at = $1 WHERE id = 3', [closed(20)])
    await make('2026-08-26T05:00:00Z')
    const stored = await fetchReport('', app.olga, '2026-W34')
    expect([stored.state, stored.coverage.calls, kpi(stored, 'won').figure.value]).to.deep.equal(['final', 0, 1])
    await make('2026-08-31T05:00:00Z')
    expect((await fetchReport('', app.olga, '2026-W35')).state).to.equal('provisional')
    await make('2026-11-02T06:00:00Z')
    expect((await fetchReport('', app.olga, '2026-W44')).state, 'nothing in nine weeks').to.equal('not-kept')
  })

  it('the weekly report rejects invalid and future weeks', async () => {
    for (const week of ['2025-W53', '2026-W99', '2026-W00', '2026-12', '', '2999-W01']) {
      const { status, json } = await app.olga.get(`${REPORT_PATH}?week=${week}`)
      expect([status, json.message], week).to.deep.equal([400, ['week must be a week such as 2026-W12 that has begun']])
    }
  })

  it('the weekly report is also available as CSV', async () => {
    const { text, headers } = await app.olga.get(`${REPORT_PATH}?week=2026-W14&format=csv`)
    expect(headers.get('content-disposition')).to.contain('weekly-report_2026-03-30_2026-04-05.csv')
    expect(text).to.contain('"kpis","calls","figure",20,,').and.contain('"managers","Anna","kpis calls figure",17,,')
  })

  it('a stored weekly report does not link calls that were deleted or became invisible', async () => {
    const idOf = async (score: number) =>
      (await app.db.query<{ id: string }>('SELECT id FROM recordings WHERE score = $1', [score])).rows[0]!.id
    const linked = ({ managers, listen }: WeeklyReportJson) => [
      ...managers
        .find(({ manager }) => manager === 'Anna')!
        .listen.map(({ score, recordingId }) => [score, recordingId]),
      ...listen.slice(0, 1).map(({ score, recordingId }) => [score, recordingId]),
    ]
    const [twenty, thirty, forty] = [await idOf(20), await idOf(30), await idOf(40)]
    const before = [[20, twenty], [30, thirty], [40, forty], [20, twenty]] // prettier-ignore
    expect(linked(await fetchReport())).to.deep.equal(before)
    await app.db.query(`UPDATE recordings SET manager_name = 'Boris' WHERE id = $1`, [thirty])
    await app.db.query('DELETE FROM recordings WHERE id = $1', [twenty])
    expect(linked(await fetchReport()), 'an owner sees all that is there').to.deep.equal([
      [20, null],
      [30, thirty],
      [40, forty],
      [20, null],
    ])
    expect(linked(await fetchReport('', hanna))).to.deep.equal([
      [20, null],
      [30, null],
      [40, forty],
      [20, null],
    ])
  })
})
