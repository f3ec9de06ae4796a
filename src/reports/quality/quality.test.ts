import { expect } from 'chai'
import { createDepartment, createLoggedInPerson } from '../../test/people.ts'
import type { TestClient } from '../../test/client.ts'
import {
  insertCheckedCalls,
  insertRuleSetVersionCopy,
  findPublishedRuleSetVersionId,
  type CheckedCallRow,
} from '../../test/checked-calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { SeededRandom } from '../../test/seeded-random.ts'
import type { QualityReportJson } from './schema.ts'

const random = new SeededRandom(3141)
const MANAGERS = ['Anna', 'Boris', 'Vera', 'Gleb', null]
const RULES = ['greeting', 'needs', 'next-step']
const VERDICTS = ['met', 'missed', 'not_applicable', 'unknown'] as const

/** Creates random calls of four months, many of them at the edges of days and at the change of the clocks. */
const createRandomCalls = (count: number): CheckedCallRow[] =>
  Array.from({ length: count }, () => {
    const edge = random.integer(3) === 0 ? Date.parse('2026-03-28T21:00:00Z') + random.integer(20) * 1_800_000 : 0
    const at = edge || Date.parse('2026-01-01T00:00:00Z') + random.integer(120 * 24 * 4) * 900_000
    const status = random.integer(8) === 0 ? 'FAILED' : 'DONE'
    return {
      at: new Date(at).toISOString(),
      manager: MANAGERS[random.integer(MANAGERS.length)]!,
      status,
      score: status === 'DONE' && random.integer(5) > 0 ? random.integer(101) : null,
      verdicts: Object.fromEntries(RULES.map((rule) => [rule, VERDICTS[random.integer(4)]!])),
    }
  })

describe('GET /v1/analytics/quality', () => {
  let app: TestApp
  let ids: string[]
  let sales: string
  let hanna: TestClient
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', APP_TIMEZONE: 'Europe/Berlin' })
    ids = await insertCheckedCalls(app, createRandomCalls(900))
    sales = await createDepartment(app, 'Sales', ['Anna', 'Boris'])
    hanna = await createLoggedInPerson(app, 'Hanna', { role: 'head', departments: [sales] })
  })
  after(() => app.stop())

  const report = async (query = '', who: Pick<TestClient, 'get'> = app.olga): Promise<QualityReportJson> => {
    const { status, json, text } = await who.get(`/v1/analytics/quality?${query}`)
    expect(status, text).to.equal(200)
    return json
  }
  const total = async (query: string) => (await app.olga.get(`/v1/recordings?pageSize=1&${query}`)).json.total as number
  const sum = (numbers: number[]) => numbers.reduce((total, n) => total + n, 0)
  const addUp = () => app.db.query('SELECT add_up_rule_counts()')
  const nextDay = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)

  it('the parts of the quality report sum up to its totals and to the lists', async () => {
    for (let n = 0; n < 12; n++) {
      if (n === 6) await addUp()
      const from = new Date(Date.parse('2026-01-01') + random.integer(80) * 86_400_000).toISOString().slice(0, 10)
      const to = new Date(Date.parse(from) + random.integer(90) * 86_400_000).toISOString().slice(0, 10)
      const narrowed = ['', 'manager=anna', `department=${sales}`, 'manager=Vera|Gleb'][random.integer(4)]!
      const found = await report(`from=${from}&to=${to}&${narrowed}`)
      const calls = `dateFrom=${from}&dateTo=${nextDay(to)}&${narrowed}`
      const where = `${calls} (${n})`
      expect(sum(found.weeks.map((week) => week.calls)), where).to.equal(found.totals.calls)
      expect(sum(found.managers.map((row) => row.calls)), where).to.equal(found.totals.calls)
      expect(found.coverage.calls, where).to.equal(found.totals.calls)
      expect(await total(calls), where).to.equal(found.totals.calls)
      expect(await total(`${calls}&status=DONE`), where).to.equal(found.totals.coverage.denominator)
      expect(await total(`${calls}&scoreFrom=0`), where).to.equal(found.totals.coverage.numerator)
      expect(sum(found.heat.map(({ passRate }) => passRate.denominator)), where).to.equal(
        found.totals.passRate.denominator,
      )
      const rule = found.rules[random.integer(found.rules.length)]
      if (!rule) continue
      const key = `${rule.set.key}/${rule.rule.key}`
      expect(await total(`${calls}&rule=${key}`), where).to.equal(rule.missed)
      expect(await total(`${calls}&rule=${key}:met`), where).to.equal(rule.met)
      expect(await total(`${calls}&rule=${key}:unknown`), where).to.equal(rule.unknown)
    }
  })

  it('the quality report counts calls separated by channel, by voice, or not at all', async () => {
    const [first, second] = ids
    const { speakers: before } = await report('from=2025-12-31&to=2026-06-01')
    await app.db.query(`UPDATE recordings SET speakers = '{"method": "voices"}', status = 'DONE' WHERE id = $1`, [
      first,
    ])
    await app.db.query(
      `UPDATE recordings SET audio = '{"channels": 2, "identical": false}', status = 'DONE' WHERE id = $1`,
      [second],
    )
    const { speakers, totals } = await report('from=2025-12-31&to=2026-06-01')
    expect([speakers.voices, speakers.channels]).to.deep.equal([before.voices + 1, before.channels + 1])
    expect(speakers.channels + speakers.voices + speakers.none).to.equal(totals.coverage.denominator)
  })

  it('a head’s quality report equals the owner’s report on the head’s departments', async () => {
    const period = 'from=2026-02-01&to=2026-04-15'
    const own = await report(period, hanna)
    const owners = await report(`${period}&department=${sales}`)
    expect({ ...own, period: 0, filters: 0 }).to.deep.equal({ ...owners, period: 0, filters: 0 })
    expect(own.managers.map(({ manager }) => manager)).to.have.members(['Anna', 'Boris'])
  })

  it('a manager sees only their own quality report, and needs the right to it', async () => {
    const anna = await createLoggedInPerson(app, 'Anna', { departments: [sales], rights: { audio: true } })
    expect((await anna.get('/v1/analytics/quality')).status).to.equal(403)
    await app.db.query(`UPDATE people SET rights = '{"analytics": true}' WHERE id = $1`, [anna.id])
    const found = await report('from=2026-02-01&to=2026-04-15', anna)
    expect(found.managers.map(({ manager }) => manager)).to.deep.equal(['Anna'])
    expect(found.totals.calls).to.equal((await report('from=2026-02-01&to=2026-04-15&manager=Anna')).totals.calls)
  })

  it('the counters of verdicts follow reviews, newer checks, changed and deleted calls at once', async () => {
    const version = await findPublishedRuleSetVersionId(app)
    const countStored = async () => {
      const { rows } = await app.db.query(
        `SELECT day, manager_id, rule_key, sum(met)::int, sum(missed)::int, sum(not_applicable)::int, sum(unknown)::int
           FROM (SELECT * FROM rule_counts UNION ALL SELECT * FROM rule_count_changes) c GROUP BY 1, 2, 3
         HAVING sum(met) <> 0 OR sum(missed) <> 0 OR sum(not_applicable) <> 0 OR sum(unknown) <> 0 ORDER BY 1, 2, 3`,
      )
      return rows
    }
    const counted = async () => {
      const { rows } = await app.db.query(
        `SELECT floor(extract(epoch FROM r.call_at) / 86400)::int AS day,
                coalesce(r.manager_id, '00000000-0000-0000-0000-000000000000') AS manager_id, f.rule_key,
                count(*) FILTER (WHERE f.verdict = 'met')::int, count(*) FILTER (WHERE f.verdict = 'missed')::int,
                count(*) FILTER (WHERE f.verdict = 'not_applicable')::int, count(*) FILTER (WHERE f.verdict = 'unknown')::int
           FROM recordings r JOIN analyses a ON a.recording_id = r.id AND a.is_current JOIN findings f ON f.analysis_id = a.id
          WHERE a.provider <> 'mock' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
      )
      return rows
    }
    const values = async (rows: Promise<object[]>) => (await rows).map((row) => Object.values(row))
    expect(await values(countStored())).to.deep.equal(await values(counted()))
    await app.db.query(`UPDATE findings SET verdict = 'met' WHERE verdict = 'unknown' AND rule_key = 'needs'`)
    await addUp()
    await app.db.query('DELETE FROM recordings WHERE id = ANY($1::uuid[])', [ids.slice(0, 40)])
    await app.db.query(
      `UPDATE recordings SET manager_name = 'Vera' WHERE manager_name = 'Gleb' AND id = ANY($1::uuid[])`,
      [ids.slice(40, 200)],
    )
    await app.db.query(
      `UPDATE recordings SET call_started_at = call_started_at + interval '5 days' WHERE id = ANY($1::uuid[])`,
      [ids.slice(100, 160)],
    )
    await app.db.query('UPDATE analyses SET is_current = false WHERE recording_id = ANY($1::uuid[])', [
      ids.slice(200, 260),
    ])
    await app.db.query(
      `WITH added AS (INSERT INTO analyses (id, recording_id, status, provider, version_id)
                      SELECT gen_random_uuid(), id, 'DONE', CASE WHEN n < 30 THEN 'rules' ELSE 'mock' END, $2
                        FROM unnest($1::uuid[]) WITH ORDINALITY AS c (id, n) RETURNING id)
       INSERT INTO findings (id, analysis_id, version_id, position, is_label, rule_key, rule_hash, machine_verdict,
                             machine_decided_by, verdict, decided_by, why)
       SELECT gen_random_uuid(), id, $2, 0, false, 'greeting', 'hash', 'met', 'rules', 'met', 'rules', '{"code": "found"}' FROM added`,
      [ids.slice(200, 260), version],
    )
    await app.db.query(
      `UPDATE analyses SET is_current = true WHERE id IN (
         SELECT (SELECT id FROM analyses n WHERE n.recording_id = r.id ORDER BY created_at DESC LIMIT 1)
           FROM unnest($1::uuid[]) AS r (id))`,
      [ids.slice(200, 260)],
    )
    expect(await values(countStored())).to.deep.equal(await values(counted()))
    await addUp()
    expect(await values(countStored())).to.deep.equal(await values(counted()))
  })

  it('a rule is systemic if three managers are weak in it', async () => {
    const at = '2026-07-01T10:00:00Z'
    const team = (manager: string, met: number): CheckedCallRow[] =>
      Array.from({ length: 12 }, (_, n) => ({
        at,
        manager,
        score: 50,
        verdicts: { value: n < met ? 'met' : 'missed' },
      }))
    await insertCheckedCalls(app, [...team('Anna', 5), ...team('Boris', 5), ...team('Vera', 11)])
    const value = async () =>
      (await report('from=2026-07-01&to=2026-07-02')).rules.find(({ rule }) => rule.key === 'value')!
    expect(await value()).to.include({ weakManagers: 2, systemic: false, met: 21, missed: 15 })
    await insertCheckedCalls(app, team('Gleb', 0))
    expect(await value()).to.include({ weakManagers: 3, systemic: true })
    expect((await value()).passRate).to.deep.equal({ value: 0.4375, numerator: 21, denominator: 48 })
  })

  it('a week is marked for new rules only if the set had an earlier version', async () => {
    const first = await findPublishedRuleSetVersionId(app)
    const publish = (id: string, at: string) =>
      app.db.query('UPDATE rule_set_versions SET published_at = $2 WHERE id = $1', [id, at])
    await publish(first, '2026-02-03T10:00:00Z')
    const second = await insertRuleSetVersionCopy(app, 2)
    await publish(second, '2026-02-10T10:00:00Z')
    const { json } = await app.olga.get('/v1/analytics/quality?from=2026-02-02&to=2026-02-15')
    const weeks = (json as QualityReportJson).weeks.map(({ from, published }) => [from, published])
    expect(weeks).to.deep.equal([
      ['2026-02-02', []],
      ['2026-02-09', ['incoming-sales']],
    ])
    await app.db.query('DELETE FROM rule_set_versions WHERE id = $1', [second])
  })

  it('the quality report is also available as CSV', async () => {
    const { text, headers } = await app.olga.get('/v1/analytics/quality?from=2026-07-01&to=2026-07-02&format=csv')
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).to.contain('quality_2026-07-01_2026-07-02.csv')
    expect(text).to.contain('"section","entry","figure","value","numerator","denominator"')
    expect(text).to.contain('"rules","incoming-sales · value","passRate",0.4375,21,48')
  })

  it('the quality report rejects invalid periods and parameters', async () => {
    for (const query of [
      'from=x',
      'from=2026-03-02&to=2026-03-01',
      'from=2024-01-01&to=2026-01-01',
      'rule=x',
      'format=x',
    ]) {
      expect((await app.olga.get(`/v1/analytics/quality?${query}`)).status, query).to.equal(400)
    }
    expect((await app.olga.get('/v1/recordings?rule=greeting')).status).to.equal(400)
  })
})
