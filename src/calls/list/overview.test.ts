import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { formatDay } from '../../platform/lib/time.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('catalog of calls', () => {
  const calls = [
    // Moscow is three hours ahead of UTC, so months and years start at 21:00 UTC.
    { at: '2025-12-31T20:59:59.999Z', status: 'DONE', duration: 1.5 },
    { at: '2025-12-31T21:00:00Z', status: 'DONE', duration: 10.25 },
    { at: '2026-01-15T12:00:00Z', status: 'FAILED', duration: null },
    { at: '2026-01-31T20:59:59Z', status: 'CANCELLED', duration: 0.1 },
    { at: '2026-01-31T21:00:00Z', status: 'QUEUED' },
    { at: null, createdAt: '2024-02-29T23:00:00Z', status: 'FAILED', duration: 0.2 },
  ]
  const month = (label: string, total: number, done: number, failed: number, durationSeconds: number) => ({
    month: label, total, done, failed, durationSeconds,
  }) // prettier-ignore
  const inMoscow = [
    { year: 2026, total: 4, months: [month('2026-02', 1, 0, 0, 0), month('2026-01', 3, 1, 1, 10.35)] },
    { year: 2025, total: 1, months: [month('2025-12', 1, 1, 0, 1.5)] },
    { year: 2024, total: 1, months: [month('2024-03', 1, 0, 1, 0.2)] },
  ]
  const zones: [zone: string, years: unknown][] = [
    ['Europe/Moscow', inMoscow],
    [
      'UTC',
      [
        { year: 2026, total: 3, months: [month('2026-01', 3, 0, 1, 0.1)] },
        { year: 2025, total: 2, months: [month('2025-12', 2, 2, 0, 11.75)] },
        { year: 2024, total: 1, months: [month('2024-02', 1, 0, 1, 0.2)] },
      ],
    ],
    [
      'America/New_York', // a UTC day overlaps two local days, which can be in two months
      [
        { year: 2026, total: 3, months: [month('2026-01', 3, 0, 1, 0.1)] },
        { year: 2025, total: 2, months: [month('2025-12', 2, 2, 0, 11.75)] },
        { year: 2024, total: 1, months: [month('2024-02', 1, 0, 1, 0.2)] },
      ],
    ],
    [
      'Asia/Kathmandu', // +05:45
      [
        {
          year: 2026,
          total: 5,
          months: [month('2026-02', 2, 0, 0, 0.1), month('2026-01', 3, 2, 1, 11.75)],
        },
        { year: 2024, total: 1, months: [month('2024-03', 1, 0, 1, 0.2)] },
      ],
    ],
  ]
  it('the catalog counts the last moment of the year 9999 in that year', async () => {
    const app = await startTestApp({ API_RUN_MODE: 'api', APP_TIMEZONE: 'Europe/Moscow' })
    try {
      await insertCalls(app, [{ at: '9999-12-31T23:59:59Z', status: 'DONE', duration: 1, text: 'конец' }])
      const years = [{ year: 9999, total: 1, months: [month('9999-12', 1, 1, 0, 1)] }]
      for (const filter of ['', '?createdFrom=2000-01-01&dateFrom=2000-01-01'])
        expect((await app.ida.get(`/v1/recordings/catalog${filter}`)).json, filter).to.deep.equal({ years })
      expect(formatDay(new Date('9999-12-31T23:59:59Z'), 'Europe/Moscow')).to.equal('9999-12-31')
    } finally {
      await app.stop()
    }
  })

  it('the facets count managers with names such as constructor and __proto__', async () => {
    const app = await startTestApp({ API_RUN_MODE: 'api' })
    try {
      const names = ['constructor', '__proto__', 'toString', 'toString']
      await insertCalls(
        app,
        names.map((manager) => ({ manager })),
      )
      for (const filter of ['', '?dateFrom=2000-01-01'])
        expect((await app.ida.get(`/v1/recordings/facets${filter}`)).json.managers, filter).to.deep.equal([
          { name: 'toString', count: 2 },
          { name: '__proto__', count: 1 },
          { name: 'constructor', count: 1 },
        ])
    } finally {
      await app.stop()
    }
  })

  for (const [zone, years] of zones) {
    it(`the catalog counts by months of ${zone}, from counters and rows alike`, async () => {
      const app = await startTestApp({ API_RUN_MODE: 'api', APP_TIMEZONE: zone })
      try {
        await insertCalls(app, calls)
        for (let added = 0; added < 2; added++) {
          expect((await app.ida.get('/v1/recordings/catalog')).json).to.deep.equal({ years })
          const { json } = await app.ida.get('/v1/recordings/catalog?createdFrom=2000-01-01&dateFrom=2000-01-01')
          expect(json).to.deep.equal({ years })
          await app.db.query('SELECT add_up_recording_counts()')
        }
        const cut = 'dateFrom=2025-12-31T21:00:00Z&dateTo=2026-01-31T20:59:59Z'
        const { json } = await app.ida.get(`/v1/recordings/catalog?${cut}`)
        expect(json.years.reduce((sum: number, { total }: { total: number }) => sum + total, 0)).to.equal(2)
        expect((await app.ida.get('/v1/recordings/catalog?status=FAILED&source=url')).json).to.deep.equal({
          years: [],
        })
      } finally {
        await app.stop()
      }
    })
  }

  it('the catalog follows daylight saving time', async () => {
    const app = await startTestApp({ API_RUN_MODE: 'api', APP_TIMEZONE: 'Europe/Berlin' })
    try {
      // In summer the month starts at 22:00 UTC, in winter at 23:00.
      await insertCalls(app, [
        { at: '2026-07-31T22:30:00Z' },
        { at: '2026-10-31T22:30:00Z' },
        { at: '2026-10-31T23:00:00Z' },
      ])
      const { json } = await app.ida.get('/v1/recordings/catalog')
      expect(json.years[0].months.map((one: { month: string; total: number }) => [one.month, one.total])).to.deep.equal([
        ['2026-11', 1], ['2026-10', 1], ['2026-08', 1],
      ]) // prettier-ignore
    } finally {
      await app.stop()
    }
  })
})

describe('facets of calls', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    await insertCalls(app, [
      { manager: 'Анна', direction: 'INBOUND', source: 'url' },
      { manager: 'Анна', direction: 'INBOUND', status: 'FAILED' },
      { manager: 'Борис', direction: 'OUTBOUND', at: '2020-01-01T00:00:00Z' },
      { manager: 'Яна', status: 'QUEUED' },
      {},
    ])
  })
  after(() => app.stop())

  const NONE = { QUEUED: 0, PROCESSING: 0, DONE: 0, FAILED: 0, CANCELLED: 0 }

  it('the facets count by status, direction, source and manager', async () => {
    expect((await app.ida.get('/v1/recordings/facets')).json).to.deep.equal({
      total: 5,
      status: { ...NONE, DONE: 3, FAILED: 1, QUEUED: 1 },
      direction: { INBOUND: 2, OUTBOUND: 1 },
      source: { upload: 4, url: 1, storage: 0, inbox: 0, crm: 0 },
      managers: [
        { name: 'Анна', count: 2 },
        { name: 'Борис', count: 1 },
        { name: 'Яна', count: 1 },
      ],
      departments: [],
    })
  })

  it('the facets apply the filters to counters and rows alike', async () => {
    for (const filter of [
      'manager=анна&status=DONE',
      'manager=анна&status=DONE&createdFrom=2000-01-01',
      'source=url',
    ]) {
      expect((await app.ida.get(`/v1/recordings/facets?${filter}`)).json).to.deep.equal({
        total: 1,
        status: { ...NONE, DONE: 1 },
        direction: { INBOUND: 1, OUTBOUND: 0 },
        source: { upload: 0, url: 1, storage: 0, inbox: 0, crm: 0 },
        managers: [{ name: 'Анна', count: 1 }],
        departments: [],
      })
    }
    expect((await app.ida.get('/v1/recordings/facets?dateTo=2021-01-01')).json.managers).to.deep.equal([
      { name: 'Борис', count: 1 },
    ])
    expect((await app.ida.get('/v1/recordings/facets?externalCallId=none')).json).to.deep.include({
      total: 0,
      managers: [],
      status: NONE,
    })
  })
})
