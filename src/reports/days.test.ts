import { expect } from 'chai'
import { Temporal } from 'temporal-polyfill'
import { connectDatabase, poolOf } from '../platform/db/db.ts'
import { insertCheckedCalls, insertDeals } from '../test/checked-calls.ts'
import { startTestApp, type TestApp } from '../test/server.ts'
import { storeWeeklyReports } from './weekly/store-reports.ts'

/** Each week contains a change of the clocks. `since` and `until` bound the week, `begins` and `ends` the day of the change. */
const WEEKS = [
  {
    zone: 'Europe/Berlin',
    week: '2026-W13',
    from: '2026-03-23',
    to: '2026-03-29',
    since: '2026-03-22T23:00:00Z',
    until: '2026-03-29T22:00:00Z',
    day: '2026-03-29',
    begins: '2026-03-28T23:00:00Z',
    ends: '2026-03-29T22:00:00Z',
  },
  {
    zone: 'America/New_York',
    week: '2026-W10',
    from: '2026-03-02',
    to: '2026-03-08',
    since: '2026-03-02T05:00:00Z',
    until: '2026-03-09T04:00:00Z',
    day: '2026-03-08',
    begins: '2026-03-08T05:00:00Z',
    ends: '2026-03-09T04:00:00Z',
  },
  // The clocks go forward at midnight, so Friday begins at 01:00.
  {
    zone: 'Africa/Cairo',
    week: '2026-W17',
    from: '2026-04-20',
    to: '2026-04-26',
    since: '2026-04-19T22:00:00Z',
    until: '2026-04-26T21:00:00Z',
    day: '2026-04-24',
    begins: '2026-04-23T22:00:00Z',
    ends: '2026-04-24T21:00:00Z',
  },
]

for (const { zone, week, from, to, since, until, day, begins, ends } of WEEKS)
  describe(`reports in weeks with a clock change, ${zone}`, () => {
    let app: TestApp
    const at = (time: string, seconds: number) => new Date(Date.parse(time) + 1000 * seconds).toISOString()
    /** Returns the second before and the first second after both ends of the period. */
    const around = (first: string, end: string) => [at(first, -1), at(first, 0), at(end, -1), at(end, 0)]
    before(async () => {
      app = await startTestApp({ API_RUN_MODE: 'api', APP_TIMEZONE: zone })
      const times = [...new Set([...around(since, until), ...around(begins, ends)])]
      const ids = await insertCheckedCalls(
        app,
        times.map((time) => ({ at: time, manager: 'Anna', score: 50, verdicts: { greeting: 'met' as const } })),
      )
      await insertDeals(
        app,
        times.map((closedAt, n) => ({
          id: n + 1,
          outcome: 'lost' as const,
          createdAt: at(since, -9e5),
          closedAt,
          calls: [ids[n]!],
        })),
      )
    })
    after(() => app.stop())

    const expected = (first: string, end: string) => {
      const times = [...new Set([...around(since, until), ...around(begins, ends)])].map((time) => Date.parse(time))
      return times.filter((time) => time >= Date.parse(first) && time < Date.parse(end)).length
    }

    it('every report counts by local days in a week with a clock change', async () => {
      for (const [first, last, count] of [
        [from, to, expected(since, until)],
        [day, day, expected(begins, ends)],
      ] as const) {
        const read = async (name: string) => {
          const { status, json, text } = await app.olga.get(`/v1/analytics/${name}?from=${first}&to=${last}`)
          expect(status, text).to.equal(200)
          return json
        }
        const [sales, quality, refusals, correlation, deals] = await Promise.all(
          ['sales', 'quality', 'refusals', 'correlation', 'deals'].map(read),
        )
        const reported = {
          sales: sales.totals.lost,
          weeks: sales.weeks.reduce((sum: number, { lost }: { lost: number }) => sum + lost, 0),
          quality: quality.totals.calls,
          rules: quality.totals.passRate.numerator,
          refusals: refusals.lost,
          correlation: correlation.coverage.calls,
          deals: deals.total,
        }
        expect(new Set(Object.values(reported)), `${first} ${JSON.stringify(reported)}`).to.deep.equal(new Set([count]))
        // None of these deals had a call before it was closed.
        expect(correlation.deals.excluded.noScore, first).to.equal(count)
      }
    })

    it('the weekly report counts by local days in a week with a clock change', async () => {
      const db = await connectDatabase(app.config.DATABASE_URL!, { poolSize: 2 })
      const now = Temporal.Instant.from(at(until, 60 * 3600))
      await storeWeeklyReports({ db, pool: poolOf(db), config: app.config }, now)
      await db.destroy()
      const { json } = await app.olga.get(`/v1/analytics/weekly-report?week=${week}`)
      const figure = (name: string) => json.kpis.find((kpi: { name: string }) => kpi.name === name).figure
      const count = expected(since, until)
      expect([figure('calls').value, figure('lost').value, figure('rulesMet').numerator]).to.deep.equal([
        count,
        count,
        count,
      ])
      expect(json.period).to.include({ from, to, timezone: zone })
    })
  })
