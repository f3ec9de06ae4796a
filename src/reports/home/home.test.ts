import { expect } from 'chai'
import { Temporal } from 'temporal-polyfill'
import { connectDatabase, poolOf } from '../../platform/db/db.ts'
import { generateId } from '../../platform/lib/ids.ts'
import type { TestClient } from '../../test/client.ts'
import { insertCheckedCalls, type CheckedCallRow } from '../../test/checked-calls.ts'
import { createQuoteEvidence } from '../../test/evidence.ts'
import { createDepartment, createLoggedInPerson } from '../../test/people.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { storeWeeklyReports } from '../weekly/store-reports.ts'
import type { WeeklyReportJson } from '../weekly/schema.ts'
import { findKpiByName } from './last-week.ts'
import type { HomePageJson } from './schema.ts'

const TIME_ZONE = 'Europe/Berlin'
const today = Temporal.Now.plainDateISO(TIME_ZONE)
const monday = today.subtract({ days: today.dayOfWeek - 1 })
const atHour = (day: Temporal.PlainDate, hour: number) =>
  day.toZonedDateTime({ timeZone: TIME_ZONE, plainTime: { hour } }).toInstant().toString()

/** Creates hourly calls from 8:00 on the Tuesday of a week. `weeksAgo` 0 is the last complete week. */
const createCalls = (
  manager: string,
  weeksAgo: number,
  scores: number[],
  more: Partial<CheckedCallRow> = {},
): CheckedCallRow[] =>
  scores.map((score, n) => ({
    at: atHour(monday.subtract({ days: 7 * (weeksAgo + 1) - 1 }), 8 + n),
    manager,
    score,
    duration: 90,
    verdicts: { greeting: 'met', 'next-step': score < 50 ? 'missed' : 'met' },
    ...more,
  }))
const fill = (count: number, score: number) => Array.from({ length: count }, () => score)

describe('GET /v1/home', () => {
  let app: TestApp
  let hanna: TestClient
  let anna: TestClient & { id: string }
  let boris: TestClient
  let lowest: string
  let sales: string
  const home = async (client: TestClient): Promise<HomePageJson> => (await client.get('/v1/home')).json

  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', APP_TIMEZONE: TIME_ZONE })
    sales = await createDepartment(app, 'Sales', ['Anna'])
    hanna = await createLoggedInPerson(app, 'Hanna', { role: 'head', departments: [sales] })
    anna = await createLoggedInPerson(app, 'Anna', { departments: [sales] })
    boris = await createLoggedInPerson(app, 'Boris')
    const weeks = Array.from({ length: 8 }, (_, n) => createCalls('Anna', n + 1, fill(10, 90))).flat()
    await insertCheckedCalls(app, [...weeks, ...createCalls('Anna', 0, [20, 30, 40, ...fill(9, 90)])])
    const yesterday = { at: atHour(today.subtract({ days: 1 }), 23) }
    const ids = await insertCheckedCalls(app, [
      ...createCalls('Anna', 0, [10], yesterday),
      ...createCalls('Anna', 0, [95], yesterday),
      ...createCalls('Boris', 0, [0], yesterday),
    ])
    lowest = ids[0]!
    await app.db.query(`UPDATE findings SET why = '{"code": "notFound", "from": 0, "to": 60}' WHERE verdict = 'missed'`)
  })
  after(() => app.stop())

  it('the home page shows a head the last week and the rule behind its change', async () => {
    const { lastWeek, failed } = await home(hanna)
    expect(failed).to.deep.equal([])
    expect(lastWeek!.managers).to.equal(1)
    const score = findKpiByName(lastWeek!.kpis, 'score')
    expect(score).to.include({ previous: 90, low: 90, high: 90 })
    expect(score.figure.value).to.be.below(80)
    expect(lastWeek!.cause!.rule.key).to.equal('next-step')
    expect(lastWeek!.cause!.previous).to.equal(1)
    expect(score.weeks).to.deep.equal([...fill(8, 90), score.figure.value])
  })

  it('the home page shows a head the lowest calls of the last working day', async () => {
    const { lowest: calls } = await home(hanna)
    expect(calls).to.include({ day: today.subtract({ days: 1 }).toString() })
    expect(calls!.items[0]).to.include({ recordingId: lowest, score: 10, hearFrom: 45, managerHasLogin: true })
    expect(calls!.items[0]!.missed.map(({ key }) => key)).to.deep.equal(['next-step'])
    expect(calls!.items.map(({ manager }) => manager)).to.not.include('Boris')
  })

  it('the home page shows a head the managers out of their range', async () => {
    const { outOfRange } = await home(hanna)
    expect(outOfRange!.managers).to.equal(1)
    expect(outOfRange!.items[0]).to.include({ manager: 'Anna', name: 'score', low: 90, high: 90, flag: 'below' })
  })

  it('a head can restrict the home page to one of their departments', async () => {
    const exports = await createDepartment(app, 'Export', ['Boris'])
    const helen = await createLoggedInPerson(app, 'Helen', {
      role: 'head',
      departments: [exports, sales],
    })
    const fetchNames = async (query: string) => {
      const { lowest: calls } = (await helen.get(`/v1/home${query}`)).json as HomePageJson
      return [...new Set(calls!.items.map(({ manager }) => String(manager)))].toSorted()
    }
    expect(await fetchNames('')).to.deep.equal(['Anna', 'Boris'])
    expect(await fetchNames(`?department=${exports}`)).to.deep.equal(['Boris'])
    const other = await createDepartment(app, 'Other', ['Nobody'])
    expect(await fetchNames(`?department=${other}`)).to.deep.equal([])
  })

  it('the home page omits reports for a head without the right to them', async () => {
    const bare = await createLoggedInPerson(app, 'Bea', { role: 'head', rights: { analytics: false } })
    expect(await home(bare)).to.deep.include({ lastWeek: null, outOfRange: null, failed: [] })
  })

  it('the home page shows a head the pending critical misses and disputes', async () => {
    await app.db.query(
      `UPDATE findings SET waits = 'critical', evidence = $2
        WHERE id = (SELECT f.id FROM findings f JOIN analyses a ON a.id = f.analysis_id
                     WHERE a.recording_id = $1 AND f.rule_key = 'next-step')`,
      [lowest, JSON.stringify([createQuoteEvidence('Never again', 4)])],
    )
    const { waiting } = await home(hanna)
    expect(waiting).to.include({ critical: 1, disputed: 0 })
    expect(waiting!.items[0]).to.include({
      recordingId: lowest,
      reason: 'critical',
      quote: 'Never again',
      managerName: 'Anna',
      managerHasLogin: true,
    })
    await app.db.query(`UPDATE people SET active = false WHERE name = 'Anna'`)
    const { lowest: calls, waiting: reviews } = await home(hanna)
    expect([calls!.items[0]!.managerHasLogin, reviews!.items[0]!.managerHasLogin]).to.deep.equal([false, false])
    await app.db.query(`UPDATE people SET active = true WHERE name = 'Anna'`)
    expect(Date.parse(waiting!.items[0]!.waitingSince)).to.be.within(Date.parse(waiting!.items[0]!.callAt), Date.now())
    await app.db.query('UPDATE findings SET waits = NULL')
  })

  it('the home page compares a manager’s last week with the four weeks before', async () => {
    const { myWeek, role, waiting } = await home(anna)
    expect({ role, waiting }).to.deep.equal({ role: 'manager', waiting: null })
    const figures = Object.fromEntries(myWeek!.figures.map((figure) => [figure.name, figure]))
    expect(figures.calls).to.deep.include({ before: 10, value: myWeek!.calls })
    expect(figures.minutes!.before).to.equal(15)
    expect(figures.score!.before).to.equal(90)
    expect(figures.score!.flag).to.equal('below')
    expect(figures.winRate).to.deep.include({ value: null, before: null, flag: null })
    expect(myWeek).to.include({ low: 90, high: 90 })
  })

  it('the home page shows a manager one rule to work on, with three calls', async () => {
    await insertCheckedCalls(app, createCalls('Anna', 1, fill(10, 30)))
    await app.db.query(`UPDATE findings SET why = '{"code": "notFound", "from": 0, "to": 60}' WHERE verdict = 'missed'`)
    const { coaching } = await home(anna)
    expect(coaching!.point!.rule.key).to.equal('next-step')
    expect(coaching!.point!.judged).to.be.above(coaching!.point!.met)
    expect(coaching!.point!.hint!.en).to.include('Agrees what happens next')
    expect(coaching!.point!.reachable).to.be.above(coaching!.point!.score!)
    expect(coaching!.point!.weeks).to.have.length(4)
    expect(coaching!.calls.map(({ verdict }) => verdict)).to.deep.equal(['missed', 'missed', 'met'])
    expect(coaching!.calls[0]!.hearFrom).to.equal(45)
  })

  it('the home and the weekly report coach the rule whose misses cost most points', async () => {
    const vera = await createLoggedInPerson(app, 'Vera')
    const verdicts = (greeting: 'met' | 'missed', next: 'met' | 'missed') => ({
      verdicts: { greeting, 'next-step': next },
    })
    await insertCheckedCalls(app, [
      ...createCalls('Vera', 1, fill(9, 60), verdicts('missed', 'missed')),
      ...createCalls('Vera', 2, fill(9, 60), verdicts('missed', 'met')),
      ...createCalls('Vera', 4, fill(9, 60), verdicts('missed', 'missed')),
    ])
    const { rows } = await app.db.query(
      `SELECT f.rule_key AS rule, count(*) FILTER (WHERE f.verdict = 'met')::int AS met, count(*)::int AS judged
         FROM findings f JOIN analyses a ON a.id = f.analysis_id JOIN recordings r ON r.id = a.recording_id
        WHERE r.manager_name = 'Vera' AND r.call_at >= $1 AND f.rule_key = 'next-step' GROUP BY 1`,
      [atHour(monday.subtract({ weeks: 4 }), 0)],
    )
    const { point } = (await home(vera)).coaching!
    const counted = { rule: point!.rule.key, met: point!.met, judged: point!.judged }
    expect(counted, '9 times 18 points, against 18 times 5').to.deep.equal(rows[0])
    const { managers } = (await app.olga.get('/v1/analytics/weekly-report?manager=Vera')).json as WeeklyReportJson
    const { set, rule, passRate } = managers[0]!.coach!
    expect([set, rule, passRate.numerator, passRate.denominator]).to.deep.equal([
      point!.set,
      point!.rule,
      point!.met,
      point!.judged,
    ])
  })

  it('a manager of few calls has the same usual range on the home and in the weekly report', async () => {
    const eva = await createLoggedInPerson(app, 'Eva')
    const weeks = Array.from({ length: 9 }, (_, n) => createCalls('Eva', n, [...fill(5, 60), 70 + 2 * n])).flat()
    await insertCheckedCalls(app, weeks)
    const { rows } = await app.db.query(
      `SELECT min(score) FILTER (WHERE week < $1)::float8 AS low, max(score) FILTER (WHERE week < $1)::float8 AS high,
              min(score) FILTER (WHERE week = $1)::float8 AS value
         FROM (SELECT date_trunc('week', call_at AT TIME ZONE '${TIME_ZONE}')::date AS week, round(avg(score)::numeric, 1) AS score
                 FROM recordings WHERE manager_name = 'Eva' GROUP BY 1) w`,
      [monday.subtract({ weeks: 1 }).toString()],
    )
    const { score, low, high } = (await home(eva)).myWeek!
    expect({ low, high, value: score }).to.deep.equal(rows[0])
    const report = (await app.olga.get('/v1/analytics/weekly-report?manager=Eva')).json as WeeklyReportJson
    for (const { kpis } of [report, report.managers[0]!]) {
      const kpi = findKpiByName(kpis, 'score')
      expect({ low: kpi.low, high: kpi.high, value: kpi.figure.value }).to.deep.equal(rows[0])
    }
  })

  it('the home page shows a manager the rules that cost them points last week', async () => {
    const [costliest, ...others] = (await home(anna)).lostPoints!
    expect(costliest!.rule.key).to.equal('next-step')
    const { numerator, denominator } = costliest!.passRate
    expect(costliest!.points).to.equal(18 * (denominator - numerator))
    expect(others).to.deep.equal([])
  })

  it('the home page names the latest week of a manager without calls last week', async () => {
    await insertCheckedCalls(app, createCalls('Clara', 3, [70]))
    const clara = await createLoggedInPerson(app, 'Clara')
    const { myWeek, coaching } = await home(clara)
    const from = monday.subtract({ days: 28 })
    expect(myWeek!.latest).to.deep.equal({ from: from.toString(), to: from.add({ days: 6 }).toString() })
    expect(coaching!.point).to.equal(null)
  })

  it('the home page shows a manager the decisions about their disputes', async () => {
    const { json } = await anna.get(`/v1/recordings/${lowest}/analysis`)
    const path = `/v1/recordings/${lowest}/analysis/findings/${json.findings[1].id}`
    expect((await anna.post(`${path}/dispute`, { comment: 'I named a day' })).status).to.equal(201)
    expect((await home(anna)).disputes).to.have.length(1)
    const call = (await anna.get(`/v1/recordings/${lowest}`)).json
    expect((await home(anna)).disputes![0]).to.include({
      state: 'waiting',
      recordingId: lowest,
      decidedAt: null,
      phoneNumber: call.phoneNumber,
      callAt: call.callStartedAt,
    })
    expect((await home(boris)).disputes).to.deep.equal([])
    await hanna.patch(path, { verdict: 'met', comment: 'You did' })
    const [answer] = (await home(anna)).disputes!
    expect(answer).to.include({ state: 'changed', verdict: 'met', decidedBy: 'Hanna', comment: 'You did' })
    const { score } = (await anna.get(`/v1/recordings/${lowest}`)).json
    expect(answer!.score).to.equal(score)
    expect(answer!.automaticScore).to.equal(10)
  })

  it('an undone decision is no answer to a dispute', async () => {
    const { json } = await anna.get(`/v1/recordings/${lowest}/analysis`)
    const path = `/v1/recordings/${lowest}/analysis/findings/${json.findings[1].id}`
    await anna.post(`${path}/dispute`, { comment: 'Still, I did' })
    await hanna.patch(path, { verdict: 'missed', comment: 'You did not' })
    await hanna.post(`${path}/undo`)
    expect((await home(anna)).disputes![0]).to.include({ state: 'waiting', verdict: null, decidedBy: null })
    await hanna.patch(path, { verdict: 'met', comment: 'Right' })
    expect((await home(anna)).disputes![0]).to.include({ state: 'kept', verdict: 'met', comment: 'Right' })
  })

  it('the home page shows an owner the automation, the storage and the model requests', async () => {
    await app.db.query(
      `INSERT INTO model_requests (id, host, model, purpose, attempt, bytes, body_sha256, redactions)
       VALUES ($1, 'm.example.com', 'm', 'check', 1, 2048, '', 0)`,
      [generateId()],
    )
    const { automation, storage, modelRequests, lowest: calls } = await home(app.olga)
    expect(automation).to.deep.equal({ state: 'off', reason: null })
    expect(storage!.kind).to.equal('local')
    expect(storage!.freeBytes).to.be.above(0)
    expect(modelRequests).to.deep.equal({ host: null, requests: 1, bytes: 2048, cost: null })
    expect(calls).to.equal(null)
  })

  it('a manager and their head read the figures of the stored report, also after more calls', async () => {
    const db = await connectDatabase(app.config.DATABASE_URL!, { poolSize: 2 })
    const tomorrow = Temporal.Instant.from(atHour(today.add({ days: 1 }), 0))
    await storeWeeklyReports({ db, pool: poolOf(db), config: app.config }, tomorrow)
    await db.destroy()
    const [before, lastWeek] = [(await home(anna)).myWeek!, (await home(hanna)).lastWeek!]
    const [late] = await insertCheckedCalls(app, createCalls('Anna', 0, [0]))
    await app.db.query(`UPDATE recordings SET created_at = now() + interval '3 days' WHERE id = $1`, [late])
    const report = (await hanna.get('/v1/analytics/weekly-report')).json as WeeklyReportJson
    const score = findKpiByName(lastWeek.kpis, 'score').figure.value
    expect(before).to.include({ calls: lastWeek.calls, score, asOf: lastWeek.asOf })
    expect(before.asOf).to.be.a('string')
    expect((await home(anna)).myWeek).to.deep.equal(before)
    const [point, row] = [(await home(anna)).coaching!.point!, report.managers[0]!]
    expect(row.coach!.passRate).to.include({ numerator: point.met, denominator: point.judged })
  })

  it('a failed section of the home page does not affect the others', async () => {
    await app.db.query('ALTER TABLE weekly_reports RENAME TO away')
    const { failed, lastWeek, lowest: calls } = await home(hanna)
    await app.db.query('ALTER TABLE away RENAME TO weekly_reports')
    expect(failed).to.deep.equal(['lastWeek', 'outOfRange'])
    expect(lastWeek).to.equal(null)
    expect(calls!.scored).to.be.above(0)
  })
})
