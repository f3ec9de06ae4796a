import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('GET /v1/stats/overview', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', APP_TIMEZONE: 'Europe/Berlin' })
  })
  after(() => app.stop())
  afterEach(() => app.db.query('DELETE FROM recordings'))

  const overview = async (parameters = '') => (await app.ida.get(`/v1/stats/overview${parameters}`)).json
  const days = async (parameters: string) => (await overview(parameters)).days as Record<string, unknown>[]

  async function insertCall(
    status: string,
    createdAt: string,
    ended?: { startedAt?: string; finishedAt: string; seconds?: number },
  ) {
    await app.db.query(
      `INSERT INTO recordings (id, source, storage_key, size_bytes, status, created_at, started_at, finished_at, duration_seconds)
       VALUES (gen_random_uuid(), 'upload', gen_random_uuid(), 1, $1, $2, $3, $4, $5)`,
      [status, createdAt, ended?.startedAt, ended?.finishedAt, ended?.seconds],
    )
  }
  const nothing = { received: 0, done: 0, failed: 0, cancelled: 0, audioSeconds: 0, meanWaitSeconds: null }

  it('the load report counts recordings on the days of their arrival and end', async () => {
    await insertCall('DONE', '2026-03-01T08:00:00Z', {
      startedAt: '2026-03-01T08:00:10Z',
      finishedAt: '2026-03-01T08:01:00Z',
      seconds: 60.5,
    })
    await insertCall('DONE', '2026-03-01T08:00:00Z', {
      startedAt: '2026-03-02T08:00:00Z',
      finishedAt: '2026-03-02T09:00:00Z',
      seconds: 30,
    })
    await insertCall('DONE', '2026-03-01T08:00:00Z', {
      startedAt: '2026-03-01T08:00:30Z',
      finishedAt: '2026-03-02T09:00:00Z',
      seconds: 10,
    })
    await insertCall('FAILED', '2026-03-02T08:00:00Z', { finishedAt: '2026-03-02T09:00:00Z' })
    await insertCall('CANCELLED', '2026-03-02T08:00:00Z', { finishedAt: '2026-03-02T09:00:00Z' })
    await insertCall('QUEUED', '2026-03-02T08:00:00Z')
    expect(await overview('?from=2026-02-28&to=2026-03-02')).to.deep.equal({
      days: [
        { day: '2026-02-28', ...nothing },
        { day: '2026-03-01', received: 3, done: 1, failed: 0, cancelled: 0, audioSeconds: 60.5, meanWaitSeconds: 10 },
        { day: '2026-03-02', received: 3, done: 2, failed: 1, cancelled: 1, audioSeconds: 40, meanWaitSeconds: 43_215 },
      ],
      totals: { received: 6, done: 3, failed: 1, cancelled: 1, audioSeconds: 100.5, meanWaitSeconds: 28_813.3 },
    })
  })

  it('each count of the load report equals the list with the same times', async () => {
    const hours = () => Math.floor(Math.random() * 200)
    const at = (hour: number) => new Date(Date.parse('2026-03-26T00:00:00Z') + hour * 3_600_000).toISOString()
    for (let n = 0; n < 60; n++) {
      const [status, created] = [['DONE', 'FAILED', 'CANCELLED', 'QUEUED'][n % 4]!, hours()]
      await insertCall(status, at(created), status === 'QUEUED' ? undefined : { finishedAt: at(created + hours()) })
    }
    const total = async (query: string) =>
      (await app.ida.get(`/v1/recordings?pageSize=1&${query}`)).json.total as number
    for (const found of await days('?from=2026-03-27&to=2026-04-02')) {
      const [from, to] = [
        found.day as string,
        new Date(Date.parse(found.day as string) + 86_400_000).toISOString().slice(0, 10),
      ]
      const ended = (status: string) => total(`finishedFrom=${from}&finishedTo=${to}&status=${status}`)
      expect({
        received: await total(`createdFrom=${from}&createdTo=${to}`),
        done: await ended('DONE'),
        failed: await ended('FAILED'),
        cancelled: await ended('CANCELLED'),
      }).to.deep.include({
        received: found.received,
        done: found.done,
        failed: found.failed,
        cancelled: found.cancelled,
      })
    }
  })

  it('the load report uses days of APP_TIMEZONE, including days of 23 and 25 hours', async () => {
    // In Berlin, 2026-03-29 has 23 hours and 2026-10-25 has 25. 22:59:59Z is the last second of 2026-03-28.
    for (const time of [
      '2026-03-28T22:59:59Z',
      '2026-03-28T23:00:00Z',
      '2026-03-29T21:59:59Z',
      '2026-03-29T22:00:00Z',
    ]) {
      await insertCall('QUEUED', time)
    }
    expect((await days('?from=2026-03-28&to=2026-03-30')).map(({ day, received }) => [day, received])).to.deep.equal([
      ['2026-03-28', 1],
      ['2026-03-29', 2],
      ['2026-03-30', 1],
    ])
    for (const time of [
      '2026-10-24T21:59:59Z',
      '2026-10-24T22:00:00Z',
      '2026-10-25T22:59:59Z',
      '2026-10-25T23:00:00Z',
    ]) {
      await insertCall('QUEUED', time)
    }
    expect((await days('?from=2026-10-25&to=2026-10-25')).map(({ day, received }) => [day, received])).to.deep.equal([
      ['2026-10-25', 2],
    ])
  })

  it('the load report has each day once, even a day without midnight', async () => {
    for (const zone of ['Europe/Berlin', 'America/Sao_Paulo', 'Africa/Cairo', 'Pacific/Apia']) {
      await app.restart({ APP_TIMEZONE: zone })
      const found = (await days('?from=2018-01-01&to=2018-12-31')).map(({ day }) => day)
      expect(found, zone).to.have.length(365)
      expect(new Set(found).size, zone).to.equal(365)
      expect([found[0], found[364]], zone).to.deep.equal(['2018-01-01', '2018-12-31'])
    }
    // In São Paulo, 2018-11-04 had no midnight: the day began at 01:00, which is 03:00Z.
    await app.restart({ APP_TIMEZONE: 'America/Sao_Paulo' })
    await insertCall('QUEUED', '2018-11-04T02:59:59Z')
    await insertCall('QUEUED', '2018-11-04T03:00:00Z')
    expect((await days('?from=2018-11-03&to=2018-11-04')).map(({ received }) => received)).to.deep.equal([1, 1])
    expect((await days('?from=2018-11-04&to=2018-11-04')).map(({ received }) => received)).to.deep.equal([1])
    await app.restart({ APP_TIMEZONE: 'Europe/Berlin' })
  })

  it('the load report covers 30 days by default, and one given end completes the range', async () => {
    const today = new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Berlin' }).format(new Date())
    const all = await days('')
    expect(all).to.have.length(30)
    expect(all.at(-1)!.day).to.equal(today)
    expect((await days(`?from=${today}`)).map(({ day }) => day)).to.deep.equal([today])
    expect((await days('?to=2026-03-30')).map(({ day }) => day)[0]).to.equal('2026-03-01')
  })

  it('the load report counts by call day, week and month, manager and department', async () => {
    await insertCalls(app, [
      { at: '2026-03-02T10:00:00Z', createdAt: '2026-05-01T10:00:00Z', manager: 'Пётр Шевчук', duration: 10 },
      { at: '2026-03-08T10:00:00Z', createdAt: '2026-05-01T10:00:00Z', manager: 'Анна', duration: 20 },
      { at: '2026-03-09T10:00:00Z', createdAt: '2026-05-01T10:00:00Z', manager: 'Анна', status: 'FAILED' },
    ])
    const fetchDays = async (query: string) =>
      (await days(`?from=2026-03-01&to=2026-03-31&${query}`))
        .filter(({ received }) => Number(received) > 0)
        .map(({ day, received, done, failed }) => [day, received, done, failed])
    expect(await fetchDays('by=arrival')).to.deep.equal([])
    expect(await fetchDays('by=call')).to.deep.equal([['2026-03-02', 1, 1, 0], ['2026-03-08', 1, 1, 0], ['2026-03-09', 1, 0, 1]]) // prettier-ignore
    expect(await fetchDays('by=call&interval=week')).to.deep.equal([['2026-03-02', 2, 2, 0], ['2026-03-09', 1, 0, 1]]) // prettier-ignore
    expect(await fetchDays('by=call&interval=month')).to.deep.equal([['2026-03-01', 3, 2, 1]])
    expect(await fetchDays('by=call&interval=month&manager=петр')).to.deep.equal([['2026-03-01', 1, 1, 0]])
    const department = (await app.olga.post('/v1/departments', { name: 'Окна', managers: ['Анна'] })).json.id
    expect(await fetchDays(`by=call&interval=month&department=${department}`)).to.deep.equal([['2026-03-01', 2, 1, 1]])
    expect((await days('?from=2020-01-01&to=2026-03-31&interval=month')).length).to.equal(75)
    expect((await app.ida.get('/v1/stats/overview?interval=year')).status).to.equal(400)
  })

  it('the load report takes a time as its local day', async () => {
    const found = await days('?from=2026-03-01T23:30:00Z&to=2026-03-03T00:00:00%2B01:00')
    expect(found.map(({ day }) => day)).to.deep.equal(['2026-03-02', '2026-03-03'])
  })

  it('the load report rejects invalid days, empty ranges and more than 366 days', async () => {
    for (const [parameters, message] of [
      ['?from=yesterday', /^from must be a day/],
      ['?to=2026-02-30', /^to must be a day/],
      ['?to=0000-01-01', /^to must be a day/],
      ['?to=9999-12-31T23:59:59Z', /^to must be a day/],
      ['?from=2026-03-02&to=2026-03-01', /^from must not be after the end of the period/],
      ['?from=2025-01-01&to=2026-01-02', /^from must be at most 365 days/],
      ['?from=2026-03-01&from=2026-03-02', /^from /],
    ] as const) {
      const { status, json } = await app.ida.get(`/v1/stats/overview${parameters}`)
      expect(status, parameters).to.equal(400)
      expect(json.message[0], parameters).to.match(message)
    }
    expect((await days('?from=2025-01-01&to=2026-01-01')).length).to.equal(366)
  })
})
