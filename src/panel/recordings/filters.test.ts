import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { createDepartment } from '../../test/people.ts'
import {
  sliceTextBetween,
  parseFacetChoices,
  findFacetHtml,
  parseCallRowIds,
  findLinkAddress,
  findCallRowHtml,
} from '../../test/list-page.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: filters and counts of the call list', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel()
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())
  afterEach(() => app.db.query('DELETE FROM recordings'))

  it("the count of a facet ignores the facet's own filter", async () => {
    await insertCalls(app, [
      { manager: 'Anna', direction: 'INBOUND' },
      { manager: 'Anna', direction: 'OUTBOUND' },
      { manager: 'Boris', direction: 'INBOUND', source: 'crm' },
      { manager: 'Boris', direction: 'INBOUND', status: 'FAILED' },
    ])
    const all = (await olga.open('/recordings')).text
    expect(parseFacetChoices(all, 'status')).to.deep.equal([
      '*All 4',
      'Done 3',
      'Transcribing 0',
      'Queued 0',
      'Failed 1',
    ])
    expect(parseFacetChoices(all, 'direction')).to.deep.equal(['Incoming 3', 'Outgoing 1'])
    expect(parseFacetChoices(all, 'manager')).to.deep.equal(['Anna 2', 'Boris 2'])
    expect(parseFacetChoices(all, 'source')).to.deep.equal(['Upload 3', 'CRM 1'])
    expect(findLinkAddress(all, 'Boris')).to.equal('/recordings?manager=Boris')
    const chosen = (await olga.open('/recordings?manager=Boris&status=DONE')).text
    expect(parseCallRowIds(chosen)).to.have.length(1)
    expect(parseFacetChoices(chosen, 'manager')).to.deep.equal(['Anna 2', '*Boris 1'])
    expect(parseFacetChoices(chosen, 'status')).to.deep.equal([
      'All 2',
      '*Done 1',
      'Transcribing 0',
      'Queued 0',
      'Failed 1',
    ])
    expect(parseFacetChoices(chosen, 'direction')).to.deep.equal(['Incoming 1'])
    expect(findLinkAddress(chosen, 'Boris')).to.equal('/recordings?status=DONE')
    expect(findLinkAddress(chosen, 'All')).to.equal('/recordings?manager=Boris')
  })

  it('scores are counted by colour band, and each count equals its list', async () => {
    const scores = [0, 49, 50, 60, 69, 70, 100, null]
    await insertCalls(
      app,
      scores.map((score) => ({ score, direction: 'INBOUND' })),
    )
    const all = (await olga.open('/recordings')).text
    expect(parseFacetChoices(all, 'scoreBelow')).to.deep.equal(['below 50 2', '50–69 3', '70 and above 2'])
    for (const [band, count] of [
      ['below 50', 2],
      ['50–69', 3],
      ['70 and above', 2],
    ] as const) {
      const { text } = await olga.open(findLinkAddress(all, band))
      expect(parseCallRowIds(text), band).to.have.length(count)
      expect(parseFacetChoices(text, 'scoreBelow'), 'the others stay').to.deep.equal(
        ['below 50 2', '50–69 3', '70 and above 2'].map((one) => (one.startsWith(band) ? `*${one}` : one)),
      )
      expect(text).to.contain(`Score: ${band}`)
      expect(findLinkAddress(text, band), 'out of it').to.equal('/recordings')
    }
    const other = (await olga.open('/recordings?scoreBelow=60')).text
    expect(other).to.contain('Score: below 60')
    expect(parseFacetChoices(other, 'scoreBelow')).to.deep.equal(['below 50 2', '50–69 3', '70 and above 2'])
  })

  it('a demo score is labelled and ignored by score filters', async () => {
    const [id] = await insertCalls(app, [{ direction: 'INBOUND' }])
    await app.db.query('UPDATE recordings SET mock_score = 92 WHERE id = $1', [id])
    const { text } = await olga.open('/recordings')
    expect(text).to.match(/<td class="num score"><span class="">92<\/span> <span class="muted">demo<\/span>/)
    expect(parseCallRowIds((await olga.open('/recordings?scoreFrom=0')).text)).to.deep.equal([])
  })

  it('eight managers are shown at first; departments and scores only if calls have them', async () => {
    const department = await createDepartment(app, 'Windows', ['Manager 00'])
    const names = Array.from({ length: 11 }, (_, n) => `Manager ${String(n).padStart(2, '0')}`)
    await insertCalls(app, [
      ...names.flatMap((manager, n) => Array.from({ length: 12 - n }, () => ({ manager }))),
      { manager: 'Manager 00', score: 40 },
      { manager: 'Manager 01', score: 60 },
    ])
    const { text } = await olga.open('/recordings')
    const managers = findFacetHtml(text, 'manager')
    expect(managers.split('<details>')[0]!.match(/<li>/g)).to.have.length(8)
    expect(managers).to.contain('<summary>3 more…</summary>')
    expect(parseFacetChoices(text, 'department')).to.deep.equal(['Windows 13'])
    expect(parseFacetChoices(text, 'scoreBelow')).to.deep.equal(['below 50 1', '50–69 1'])
    const windows = (await olga.open(`/recordings?department=${department}`)).text
    expect(windows).to.contain('<b>13</b> calls').and.contain('Department: Windows')
    const chosen = findFacetHtml((await olga.open('/recordings?manager=Manager+09')).text, 'manager').split(
      '<details>',
    )[0]!
    expect(chosen, 'who is chosen is among them').to.contain('Manager 09')
    expect(chosen.match(/<li>/g)).to.have.length(8)
    await app.olga.delete(`/v1/departments/${department}`)
  })

  it('a filter finds calls without speech and is hidden if there are none', async () => {
    const [silent] = await insertCalls(app, [{ text: '' }, { text: 'Hello' }])
    const { text } = await olga.open('/recordings')
    expect(parseFacetChoices(text, 'noSpeech')).to.deep.equal(['No speech 1'])
    const found = (await olga.open('/recordings?noSpeech=true')).text
    expect(parseCallRowIds(found)).to.deep.equal([silent])
    expect(found).to.contain('Speech: No speech')
    await app.db.query('DELETE FROM recordings')
    await insertCalls(app, [{ text: 'Hello' }])
    expect((await olga.open('/recordings')).text).not.to.contain('facet-noSpeech')
  })

  it('the list counts calls by month and year in APP_TIMEZONE, with links', async () => {
    await insertCalls(app, [
      { at: '2025-12-31T22:00:00Z', duration: 3600 }, // January in Minsk
      { at: '2026-03-10T10:00:00Z', duration: 600 },
      { at: '2026-03-31T20:59:59Z', duration: 300 },
      { at: '2024-05-05T05:00:00Z', duration: 60 },
    ])
    const { text } = await olga.open('/recordings')
    const strip = [...sliceTextBetween(text, /<ol class="strip"/, '</ol>').matchAll(/aria-label="([^"]*)"/g)].map(
      ([, name]) => name,
    )
    expect(strip).to.have.length(23)
    expect([strip[0], strip.at(-3), strip.at(-1)]).to.deep.equal(['May 2024: 1', 'January 2026: 1', 'March 2026: 2'])
    expect(sliceTextBetween(text, /<nav class="facet months"/, '</nav>')).to.match(/2026 <span>3<.*2024 <span>1</s)
    expect(text).to.match(/<b>4<\/b> calls, 1 h 16 min/)
    const march = /href="([^"]*)" aria-label="March 2026/.exec(text)![1]!.replaceAll('&amp;', '&')
    expect(march).to.equal('/recordings?dateFrom=2026-03-01&dateTo=2026-03-31')
    const chosen = (await olga.open(march)).text
    expect(chosen).to.match(/<b>2<\/b> calls, 15 min/)
    expect(chosen).to.contain('<h2 id="months">March 2026</h2>').and.contain('March 2026: 2" aria-current="true"')
    expect(findLinkAddress(chosen, '2026')).to.equal('/recordings?dateFrom=2026-01-01&dateTo=2026-12-31')
    expect((await olga.open(findLinkAddress(chosen, '2026'))).text)
      .to.contain('<b>3</b> calls')
      .and.contain('<h2 id="months">2026')
  })

  it('a call dated in the far future does not displace other months', async () => {
    const times = ['2026-02-10T10:00:00Z', '2026-03-10T10:00:00Z', '9998-11-30T10:00:00Z', '9999-12-31T10:00:00Z']
    await insertCalls(
      app,
      times.map((at) => ({ at })),
    )
    const { text } = await olga.open('/recordings')
    const strip = sliceTextBetween(text, /<ol class="strip"/, '</ol>')
    expect(strip).to.contain('March 2026: 1').and.not.contain('9998')
    for (const year of ['9998', '9999'])
      expect((await olga.open(findLinkAddress(text, year))).text, year).to.match(/<b>1<\/b> call[^s]/)
    await app.db.query(`DELETE FROM recordings WHERE call_started_at < '2100-01-01'`)
    expect(sliceTextBetween((await olga.open('/recordings')).text, /<ol class="strip"/, '</ol>')).to.contain(
      'December 9999: 1',
    )
  })

  it('the list marks search words in any form and shows the text around the first', async () => {
    const before = 'Это долгий разговор ни о чём, в котором наконец спрашивают: '
    const [id] = await insertCalls(app, [{ text: `${before}когда будет доставка?` }, { text: 'Нет.' }])
    const { text } = await olga.open(`/recordings?q=${encodeURIComponent('доставки')}`)
    expect(parseCallRowIds(text)).to.deep.equal([id])
    expect(findCallRowHtml(text, id!)).to.match(/>…[^<]{1,24}<mark>доставка<\/mark>\?</)
    expect(findCallRowHtml(text, id!), 'the call’s page marks them too').to.match(
      /href="\/recordings\/[^"?]+\?q=%D0%B4/,
    )
    expect(text).to.contain('value="доставки"')
  })

  it('the list can be filtered by several fields, and each filter has a removal link', async () => {
    const call = { phone: '+375 (29) 123-45-67', manager: 'Anna Kovaleva', externalCallId: 'pbx-7', duration: 90.4 }
    const [id] = await insertCalls(app, [
      { ...call, at: '2026-03-05T20:59:59Z' },
      { ...call, at: '2026-03-05T21:00:00Z', externalCallId: 'pbx-8', duration: 91, phone: '1', manager: 'Boris' },
    ])
    const narrowing = [
      'phone=29123',
      'externalCallId=pbx-7',
      'dateTo=2026-03-05',
      'dateFrom=2026-03-01&dateTo=2026-03-05',
      'lengthTo=1:30',
      'lengthTo=1.5',
      'manager=koval',
    ]
    for (const query of narrowing)
      expect(parseCallRowIds((await olga.open(`/recordings?${query}`)).text), query).to.deep.equal([id])
    expect(parseCallRowIds((await olga.open('/recordings?lengthFrom=1:31')).text))
      .to.have.length(1)
      .and.not.include(id)
    const { text } = await olga.open('/recordings?phone=29123&dateTo=2026-03-05&lengthTo=1:30&order=asc')
    expect(text).to.contain('Remove: Phone: 29123').and.contain('Remove: Call time: up to 5 Mar 2026')
    expect(text).to.contain(
      'href="/recordings?dateTo=2026-03-05&amp;lengthTo=1%3A30&amp;order=asc" aria-label="Remove: Phone',
    )
    expect(text).to.contain('<a class="clear" href="/recordings?order=asc">Clear filters</a>')
  })

  it('an invalid filter shows an error beside its field, and the other filters apply', async () => {
    const [id] = await insertCalls(app, [{ manager: 'Anna' }, { manager: 'Boris' }])
    const wrong = {
      phone: 'x',
      dateFrom: '2026-02-30',
      lengthFrom: 'long',
      lengthTo: '<b>',
      externalCallId: 'a\u0000b',
    }
    const { status, text } = await olga.open(`/recordings?manager=Anna&${new URLSearchParams(wrong).toString()}`)
    expect(status).to.equal(200)
    expect(parseCallRowIds(text)).to.deep.equal([id])
    for (const [name, rule] of Object.entries({
      phone: 'At least one digit.',
      dateFrom: 'Enter a date such as',
      lengthFrom: 'Enter minutes, or',
      lengthTo: 'Enter minutes, or',
      externalCallId: 'Remove the control characters.',
    })) {
      expect(text).to.contain(`id="f-${name}-error">${rule}`)
    }
    expect(text).to.contain('value="long"').and.contain('value="&lt;b&gt;"')
    const long = await olga.open(`/recordings?q=${'я'.repeat(501)}&department=nobody`)
    expect([long.status, parseCallRowIds(long.text).length]).to.deep.equal([200, 2])
    expect(long.text).to.contain('id="q-error">At most 500 characters.')
    const backwards = await olga.open('/recordings?dateFrom=2026-03-02&dateTo=2026-03-01&lengthFrom=5&lengthTo=4')
    expect([
      ...new Set(backwards.text.match(/The end date is before the start date\.|The maximum is below the minimum\./g)),
    ]).to.have.length(2)
  })

  it('date filters accept local formats, and reversed dates show an error', async () => {
    const { text } = await olga.open('/recordings?dateFrom=1.03.2026&dateTo=2%20Mar%202026%2014:30')
    expect(text).to.contain('value="1 Mar 2026"').and.contain('value="2 Mar 2026 14:30"')
    expect(text).to.match(/<nav class="days".*?Today.*?Yesterday.*?Week.*?Month.*?Period/s)
    const reversed = (await olga.open('/recordings?dateFrom=2026-03-05&dateTo=2026-03-01')).text
    expect(reversed).to.match(/<p class="error" role="alert">[^<]*The end date is before the start date/)
    const russian = await olga.open('/recordings?dateFrom=2026-03-01', { 'Accept-Language': 'ru' })
    expect(russian.text).to.contain('value="01.03.2026"')
  })

  it('the quick links select a period, which chip, title and links show and remove', async () => {
    await insertCalls(app, [{ at: new Date().toISOString() }, { at: '2026-01-05T10:00:00Z' }])
    const all = (await olga.open('/recordings?status=DONE&dateFrom=2026-01-01')).text
    expect(findLinkAddress(all, 'Week')).to.equal('/recordings?status=DONE&period=thisWeek')
    expect(findLinkAddress(all, 'Last 30 days')).to.equal('/recordings?status=DONE&period=last30Days')
    const { text } = await olga.open('/recordings?period=thisMonth')
    expect(parseCallRowIds(text)).to.have.length(1)
    expect(text).to.contain('<title>This month · Calls').and.contain('aria-label="Remove: This month"')
    expect(text).to.match(/aria-current="true">Month</)
    expect(findLinkAddress(text, 'Month')).to.equal('/recordings')
    expect(sliceTextBetween(text, /<ol class="strip"/, '</ol>'), 'the strip marks it').to.contain('aria-current')
    const russian = await olga.open('/recordings?period=lastWeek', { 'Accept-Language': 'ru' })
    expect(russian.text).to.contain('<title>Прошлая неделя · Звонки')
  })

  it('fixed dates replace the period', async () => {
    await insertCalls(
      app,
      ['2026-02-05T10:00:00Z', '2026-01-05T10:00:00Z'].map((at) => ({ at, manager: 'Anna' })),
    )
    const { text } = await olga.open('/recordings?period=today&manager=Anna')
    const form = sliceTextBetween(text, /<form class="items period"/, '</form>')
    expect(form).to.contain('name="manager"').and.not.contain('name="period"')
    expect(findLinkAddress(text, '2026')).to.equal('/recordings?manager=Anna&dateFrom=2026-01-01&dateTo=2026-12-31')
    expect(text, 'the strip still has all months').to.contain('January 2026: 1"')
  })

  it('an invalid period is ignored', async () => {
    await insertCalls(app, [{}])
    const { status, text } = await olga.open('/recordings?period=week')
    expect([status, parseCallRowIds(text).length]).to.deep.equal([200, 1])
  })

  it('the list can be filtered by several managers, which links add or remove', async () => {
    await insertCalls(app, [{ manager: 'Anna' }, { manager: 'Max' }, { manager: 'Ida' }])
    const { text } = await olga.open('/recordings?manager=Nobody%7CNobody%20else')
    expect(text).to.contain('Manager: Nobody, Nobody else')
    const links = (await olga.open('/recordings')).text.match(/href="\/recordings\?manager=[^"]+"/g)!
    const [first, second] = links.map((link) => new URL(link.slice(6, -1), 'http://x').searchParams.get('manager')!)
    const both = (await olga.open(`/recordings?manager=${encodeURIComponent(first!)}`)).text
    const wanted = new URLSearchParams({ manager: `${first}|${second}` }).toString()
    expect(both).to.contain(`href="/recordings?${wanted}"`)
    expect(parseCallRowIds((await olga.open(`/recordings?${wanted}`)).text)).to.have.length(2)
  })

  it('links keep the filters, order, page size and page of the list', async () => {
    await insertCalls(
      app,
      Array.from({ length: 60 }, (_, n) => ({ phone: `phone ${n + 1}`, at: new Date(1.7e12 - n * 6e4).toISOString() })),
    )
    const first = (await olga.open('/recordings')).text
    expect(first).to.contain('1–25 of 60').and.contain('href="/recordings?page=2"').and.contain('>phone 1<')
    const asc = (await olga.open('/recordings?order=asc&page=3&status=DONE')).text
    expect(asc).to.contain('51–60 of 60').and.contain('>phone 1<')
    expect(asc).to.contain('href="/recordings?status=DONE&amp;order=asc&amp;page=2"')
    const wide = (await olga.open('/recordings?pageSize=50&page=2&q=да')).text
    expect(wide).to.contain('51–60 of 60').and.contain('<input type="hidden" name="pageSize" value="50">')
    expect(findLinkAddress(wide, 'Done')).to.equal('/recordings?q=%D0%B4%D0%B0&status=DONE&pageSize=50')
  })

  it('invalid parameters get defaults, and a page past the end shows a message', async () => {
    await insertCalls(app, [{}])
    for (const query of [
      'page=-1',
      'page=x&pageSize=7',
      'page=1&page=2',
      'order=sideways',
      'colour=red',
      'status=SOLD',
    ]) {
      const { status, text } = await olga.open(`/recordings?${query}`)
      expect(status, query).to.equal(200)
      expect(text, query).to.contain('1–1 of 1')
    }
    expect((await olga.open('/recordings?page=9')).text).to.contain('This page does not exist.')
    const none = (await olga.open('/recordings?phone=999&page=4')).text
    expect(none).to.contain('No calls found').and.contain('href="/recordings">Clear filters')
  })
})
