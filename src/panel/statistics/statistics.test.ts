import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { createDepartment } from '../../test/people.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: statistics', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api', APP_TIMEZONE: 'Europe/Minsk' })
    olga = await app.openOwnerBrowser()
    await insertCalls(app, [
      { createdAt: '2026-03-01T08:00:00Z', duration: 3600 },
      { createdAt: '2026-03-01T09:00:00Z', duration: 1800 },
      { createdAt: '2026-03-01T10:00:00Z', status: 'FAILED' },
      { createdAt: '2026-03-02T22:30:00Z', status: 'CANCELLED' },
    ])
    await app.db.query(
      `UPDATE recordings SET started_at = created_at + interval '40 s', finished_at = created_at + interval '60 s'`,
    )
  })
  after(() => app.stop())

  const readRows = (text: string): string[][] =>
    [...text.split('<tbody>')[1]!.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
      [...row.matchAll(/<t[hd].*?>(.*?)<\/t[hd]>/gs)].map(([, cell]) => cell!.replace(/<[^>]*>/g, '').trim()),
    )

  it('the table shows each day of the period and the total', async () => {
    const { status, text } = await olga.open('/analytics/load?from=2026-03-01&to=2026-03-03')
    expect(status).to.equal(200)
    expect(readRows(text)).to.deep.equal([
      ['Total', '4', '2', '1', '1', '1 h 30 min', '40 s'],
      ['3 Mar 2026', '1', '0', '0', '1', '0', '—'],
      ['2 Mar 2026', '0', '0', '0', '0', '0', '—'],
      ['1 Mar 2026', '3', '2', '1', '0', '1 h 30 min', '40 s'],
    ])
    expect(text).to.contain('name="from" value="1 Mar 2026"').and.contain('name="to" value="3 Mar 2026"')
    expect(text).to.contain('25% of finished calls')
  })

  it('the table is sorted by the column in the address', async () => {
    const address = '/analytics/load?from=2026-03-01&to=2026-03-03'
    const { text } = await olga.open(address)
    const [href] = /\/analytics\/load\?[^"]*sort=days\.1[^"]*/.exec(text)!
    const sorted = (await olga.open(href.replaceAll('&amp;', '&').split('#')[0]!)).text
    expect(sorted).to.contain('aria-sort="descending"')
    expect(readRows(sorted).map(([day]) => day)).to.deep.equal(['Total', '1 Mar 2026', '3 Mar 2026', '2 Mar 2026'])
  })

  it('the charts show the numbers of each day, also as text', async () => {
    const { text } = await olga.open('/analytics/load?from=2026-03-01&to=2026-03-03')
    const [load, , , failures] = [...text.matchAll(/<figure.*?<\/figure>/gs)].map(([figure]) => figure)
    // The axis ends at 4: two done calls reach the middle, and one failed call is above them.
    expect(load).to.contain('<path class="bar done" d="M1.5 50h7v50h-7z"/>')
    expect(load).to.contain('<path class="bar failed" d="M1.5 25h7v25h-7z"/>')
    expect(load).to.contain('aria-label="1 Mar 2026: Transcribed 2, Failed 1, Cancelled 0"')
    expect(load).to.match(/<span>4<\/span><span>2<\/span><span>0<\/span>/)
    expect(load).to.contain(
      'aria-label="Calls per day, 1 Mar 2026 to 3 Mar 2026, maximum 3. The table shows the numbers."',
    )
    expect(failures).to.contain('class="bar failed" d="M1.5 50h7v50h-7z"')
    expect(text).to.not.match(/ style=/)
  })

  it('incomplete days and weeks are striped and marked in the table', async () => {
    const today = new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Minsk' }).format(new Date())
    const [call] = await insertCalls(app, [{ createdAt: new Date().toISOString(), duration: 60 }])
    const { text } = await olga.open(`/analytics/load?from=${today}&to=${today}`)
    const [load] = /<figure.*?<\/figure>/s.exec(text)!
    expect(load)
      .to.contain(', incomplete day: Transcribed 1')
      .and.match(/class="bar done" d="(M[^M]*){2,}"/)
    expect(readRows(text)[1]![0]).to.match(/, incomplete day$/)
    const { text: weeks } = await olga.open('/analytics/load?from=2026-03-01&to=2026-03-08&interval=week')
    expect(readRows(weeks).map(([week]) => week)).to.deep.equal(['Total', '2 Mar 2026', '1 Mar 2026, incomplete week'])
    const { text: queue } = await olga.open('/queues')
    expect(
      /<figure.*?<\/figure>/s.exec(queue)![0].match(/incomplete day/g),
      'label and tip of the last',
    ).to.have.length(2)
    await app.db.query('DELETE FROM recordings WHERE id = $1', [call])
  })

  it('without a period, the page shows the last 30 days, also without calls', async () => {
    const { text } = await olga.open('/analytics/load')
    expect(readRows(text)).to.have.lengthOf(31)
    expect(text).to.match(/aria-current="page">30 days/)
    expect(text).to.contain('<path class="bar done" d=""/>')
  })

  it('an invalid period gets 400 with an error beside the field', async () => {
    const refused: [query: string, message: string][] = [
      ['from=2026-03-05&to=2026-03-01', 'Must not be after the end of the period.'],
      ['from=2010-01-01&to=2026-03-01', 'Must be at most 3659 days before the end of the period.'],
      ['from=%22%3E%3Cb%3E&to=2026-03-01', 'Must be a day such as 2026-03-01, or an ISO 8601 time.'],
    ]
    for (const [query, message] of refused) {
      const { status, text } = await olga.open(`/analytics/load?${query}`)
      expect(status, query).to.equal(400)
      expect(text, query).to.contain(`id="f-from-error">${message}<`).and.contain('name="to" value="1 Mar 2026"')
      expect(text, query).to.not.contain('<figure')
    }
    expect((await olga.open('/analytics/load?from=%22%3E%3Cb%3E')).text).to.contain('value="&quot;&gt;&lt;b&gt;"')
  })

  it('figures link to lists with the same count, by call day or by arrival', async () => {
    await insertCalls(app, [
      { at: '2026-05-01T08:00:00Z', createdAt: '2026-05-01T08:30:00Z', duration: 60 },
      { at: '2026-05-01T20:59:59Z', createdAt: '2026-05-01T21:00:00Z', duration: 60 },
      { at: '2026-05-01T21:00:00Z', createdAt: '2026-05-02T08:00:00Z', status: 'FAILED' },
      { at: '2026-05-02T08:00:00Z', createdAt: '2026-05-02T20:00:00Z', status: 'FAILED' },
      { at: '2026-05-02T08:00:00Z', createdAt: '2026-05-03T08:00:00Z', status: 'CANCELLED' },
      { at: '2026-05-02T08:00:00Z', createdAt: '2026-05-03T08:00:00Z', status: 'QUEUED' },
    ])
    await app.db.query(
      `UPDATE recordings SET finished_at = created_at + interval '13 h' WHERE status <> 'QUEUED' AND created_at >= '2026-05-01'`,
    )
    for (const [by, sum] of [
      ['call', ['6', '2', '2', '1']],
      ['arrival', ['6', '2', '2', '0']],
    ] as const) {
      const { text } = await olga.open(`/analytics/load?from=2026-05-01&to=2026-05-03&by=${by}`)
      expect(readRows(text)[0]!.slice(1, 5), by).to.deep.equal(sum)
      const links = [...text.matchAll(/<a[^>]* href="(\/recordings\?[^"]*)"[^>]*>(\d+)</g)].map(
        ([, href, count]) => [href!.replaceAll('&amp;', '&'), count!] as const,
      )
      const bars = [
        ...text.matchAll(
          /<a href="(\/recordings\?[^"]*)"[^>]*aria-label="[^"]*: Transcribed (\d+), Failed (\d+), Cancelled (\d+)"/g,
        ),
      ].map(
        ([, href, ...counts]) =>
          [href!.replaceAll('&amp;', '&'), String(counts.reduce((n, one) => n + Number(one), 0))] as const,
      )
      expect(links.length, 'cards, the sum and the days').to.be.greaterThan(10)
      expect(bars).to.have.length(3)
      for (const [href, count] of [...links, ...bars]) {
        expect((await olga.open(href)).text, `${by} ${href}`).to.contain(`<b>${count}</b> call`)
      }
    }
    const { text } = await olga.open('/recordings?finishedFrom=2026-05-02&finishedTo=2026-05-02&status=DONE,FAILED')
    expect(text).to.contain('Status: Done, Failed').and.contain('Ended: 2 May 2026')
  })

  it('a filter by manager or department applies to figures and to their links', async () => {
    await insertCalls(app, [
      { createdAt: '2026-04-01T08:00:00Z', manager: 'Anna', duration: 600 },
      { createdAt: '2026-04-01T09:00:00Z', manager: 'Otto', duration: 1200 },
      { createdAt: '2026-04-01T10:00:00Z', manager: 'Otto', status: 'FAILED' },
    ])
    const sales = await createDepartment(app, 'Sales', ['Anna'])
    const sumOf = (text: string) => readRows(text)[0]!.slice(1, 6).join(', ')
    const openFiltered = async (query: string) =>
      (await olga.open(`/analytics/load?from=2026-04-01&to=2026-04-01${query}`)).text
    expect(sumOf(await openFiltered(''))).to.equal('3, 2, 1, 0, 30 min')
    for (const [name, value] of [
      ['manager', 'Anna'],
      ['department', sales],
    ] as const) {
      const text = await openFiltered(`&${name}=${value}`)
      expect(text.match(/>Anna<\/option>/g), 'one of the name').to.have.length(1)
      expect(sumOf(text), name).to.equal('1, 1, 0, 0, 10 min')
      expect(text).to.contain(`<option value="${value}" selected>`)
      const calls = [...text.matchAll(/href="(\/recordings\?[^"]*dateFrom[^"]*)"/g)].map(([, href]) => href)
      expect(calls, 'four bars; cards, the sum and the day with two figures each').to.have.lengthOf(4 + 3 + 2 + 3)
      const periods = [...text.matchAll(/href="(\/analytics\/load\?[^"]*)"/g)].map(([, href]) => href)
      expect(periods, 'four, the tab, its group and seven headers').to.have.lengthOf(4 + 2 + 7)
      for (const href of [...calls, ...periods]) expect(href).to.match(new RegExp(`[?;]${name}=${value}(&|$)`))
    }
  })

  it('a period of more than 92 days is shown by weeks', async () => {
    const { text } = await olga.open('/analytics/load?from=2026-01-01&to=2026-06-30')
    expect(readRows(text)).to.have.lengthOf(27 + 1)
    expect(text).to.contain('Calls per week').and.contain('dateFrom=2026-01-01&amp;dateTo=2026-01-04"')
  })

  it('the page of call volume is in Russian for a Russian browser', async () => {
    const { text } = await olga.open('/analytics/load?from=2026-03-01&to=2026-03-03', { 'Accept-Language': 'ru' })
    expect(readRows(text)[3]).to.deep.equal(['1 мар. 2026', '3', '2', '1', '0', '1 ч 30 мин', '40 с'])
    expect(text).to.contain('7 дней').and.contain('Звонки по дням')
  })

  it('only people with the permission for reports can open call volume', async () => {
    await app.db.query(
      `INSERT INTO people (id, email, name, role, password_hash, rights)
       SELECT gen_random_uuid(), 'max@example.com', 'Max', 'manager', password_hash, '{"audio": true}' FROM people LIMIT 1`,
    )
    const max = app.browser()
    await max.submit('/login', { email: 'max@example.com', password: 'correct horse battery', next: '/' })
    expect((await max.open('/analytics/load')).status).to.equal(403)
    expect((await max.open('/recordings')).text).to.not.contain('href="/analytics/weekly"')
    await app.db.query(`UPDATE people SET rights = '{"analytics": true}' WHERE name = 'Max'`)
    const reports = /href="(\/analytics\/[^"]*)">Reports/.exec((await max.open('/recordings')).text)![1]!
    expect((await max.open(reports)).text).to.match(/<a href="\/analytics\/load[^"]*">Operations</)
    const { status, text } = await max.open('/analytics/load?from=2026-03-01&to=2026-03-03')
    expect(status).to.equal(200)
    expect(readRows(text)[0]!.slice(0, 2), 'only his own calls').to.deep.equal(['Total', '0'])
  })
})
