import { expect } from 'chai'
import { Temporal } from 'temporal-polyfill'
import { startOfDay } from '../../platform/lib/period.ts'
import { computeDaysOfPeriod, RELATIVE_PERIODS } from '../../platform/lib/relative-period.ts'
import { insertCalls } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('list of recordings by period', () => {
  let app: TestApp
  const getToday = () => Temporal.Now.plainDateISO(app.config.APP_TIMEZONE)
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    const timeZone = app.config.APP_TIMEZONE
    // Each day has a call in its first moment and one in its last.
    const days = Array.from({ length: 100 }, (_, n) => getToday().add({ days: n - 66 }))
    const times = days.flatMap((day) => [startOfDay(day, timeZone).getTime(), startOfDay(day, timeZone).getTime() - 1])
    await insertCalls(
      app,
      times.map((at) => ({ at: new Date(at).toISOString() })),
    )
  })
  after(() => app.stop())

  const countCalls = async (query: string): Promise<number> => (await app.ida.get(`/v1/recordings?${query}`)).json.total
  const fetchIds = async (path: string, query: string): Promise<string[]> => {
    const { json } = await app.ida.get(`${path}?pageSize=100&${query}`)
    return json.items.map(({ id }: { id: string }) => id)
  }

  for (const period of RELATIVE_PERIODS) {
    it(`the period ${period} has the calls of its days in every list`, async () => {
      const { from, to } = computeDaysOfPeriod(period, getToday())
      const dates = `dateFrom=${from.toString()}&dateTo=${to.add({ days: 1 }).toString()}`
      const ids = await fetchIds('/v1/recordings', dates)
      expect(ids).to.have.length(2 * (from.until(to).days + 1))
      const query = `period=${period}`
      expect(await fetchIds('/v1/recordings', query)).to.deep.equal(ids)
      expect(await fetchIds('/v1/transcripts', query)).to.deep.equal(ids)
      expect((await app.ida.get(`/v1/recordings/facets?${query}`)).json.total).to.equal(ids.length)
      const { years } = (await app.ida.get(`/v1/recordings/catalog?${query}`)).json
      expect(years.reduce((sum: number, { total }: { total: number }) => sum + total, 0)).to.equal(ids.length)
      const exported = await app.ida.get(`/v1/transcripts/export?format=jsonl&${query}`)
      expect(exported.headers.get('x-transcripts-exported')).to.equal(String(ids.length))
    })
  }

  it('a period with dates or a search has the calls that match both', async () => {
    const [recent, old] = [2, 20].map((days) => getToday().subtract({ days })).map(String)
    expect(await countCalls(`period=last7Days&dateFrom=${recent}`)).to.equal(6)
    expect(await countCalls(`period=last7Days&dateTo=${recent}`)).to.equal(8)
    expect(await countCalls(`period=last7Days&dateFrom=${old}`)).to.equal(14)
    expect(await countCalls(`period=last7Days&dateTo=${old}`)).to.equal(0)
    expect(await countCalls(`period=last7Days&q=${encodeURIComponent('да')}`)).to.equal(14)
  })

  it('an unknown period is rejected with the known ones', async () => {
    const { status, json } = await app.ida.get('/v1/recordings?period=week')
    expect([status, json.message]).to.deep.equal([400, [`period must be one of ${RELATIVE_PERIODS.join(', ')}`]])
  })
})
