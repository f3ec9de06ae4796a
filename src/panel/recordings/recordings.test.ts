import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { request } from 'undici'
import { insertCalls } from '../../test/calls.ts'
import { createDepartment, createPerson } from '../../test/cast.ts'
import { until } from '../../test/wait.ts'
import { IN_PLACE, REFRESH, startPanel, startTestPanel, type Browser, type TestPanel } from '../start-panel.test.ts'

const NAUGHTY = `"'><script>alert(1)</script><img src=x onerror=alert(1)> hx-get="/x" {{7*7}} <%= 7*7 %> \u202E`

describe('panel: the list of recordings', () => {
  let app: TestPanel
  let olga: Browser
  before(async () => {
    app = await startTestPanel()
    olga = await app.olgasBrowser()
  })
  after(() => app.stop())
  afterEach(async () => {
    app.recognizer.answer = undefined
    await app.db.query('DELETE FROM recordings')
  })

  /** The part of a page between the first place that looks like `from` and the next `to`. */
  const between = (text: string, from: RegExp, to: string) => text.slice(text.search(from)).split(to)[0]!
  const rowOf = (text: string, id: string) => between(text, new RegExp(`<tr id="r-${id}"`), '</tr>')
  const facet = (text: string, name: string) => between(text, new RegExp(`id="facet-${name}"`), '</section>')
  /** The choices of a facet as [text, count], the chosen one with a star. */
  const choices = (text: string, name: string) =>
    [
      ...facet(text, name).matchAll(/<a href="[^"]*"( aria-current="true")?><bdi>(.*?)<\/bdi> <span>(.*?)<\/span>/g),
    ].map(([, chosen, label, count]) => `${chosen ? '*' : ''}${label} ${count}`)
  const idsOf = (text: string) => [...text.matchAll(/<tr id="r-([^"]+)"/g)].map(([, id]) => id)
  const linkTo = (text: string, label: string) =>
    new RegExp(`<a href="([^"]*)"[^>]*>(?:<bdi>)?${label}`).exec(text)![1]!.replaceAll('&amp;', '&')

  it('tells the first steps while there is nothing: upload, key, curl; and shows the list once there is something', async () => {
    const { text } = await olga.open('/recordings')
    expect(text).to.contain('No recordings yet').and.contain('href="/upload">Upload</a>').and.contain('Make an API key')
    expect(text).to.contain("curl -H 'X-API-Key: svc_…'").and.contain('http://127.0.0.1:3001/v1/recordings')
    expect(text).not.to.match(/id="facets"|role="search"/)
    expect(text).to.contain('hx-trigger="every 3s" hx-target="#content" hx-select="#content"')
    await insertCalls(app, [{}])
    expect((await olga.open('/recordings', IN_PLACE)).text)
      .to.contain('id="facets"')
      .and.not.contain('curl')
  })

  it('tells those who may not submit calls whose calls will be here, and nothing of how to submit', async () => {
    const own = app.browser({
      Cookie: (await createPerson(app, 'Max First', { rights: { manageRecordings: false } })).headers.Cookie!,
    })
    const { text } = await own.open('/recordings')
    expect(text)
      .to.contain('Calls whose manager is “Max First” will stand here')
      .and.not.match(/curl|\/upload/)
    const windows = await createDepartment(app, 'Doors', [])
    const more = { role: 'head' as const, departments: [windows], rights: { manageRecordings: false } }
    const head = app.browser({ Cookie: (await createPerson(app, 'Hanna', more)).headers.Cookie! })
    expect((await head.open('/recordings')).text)
      .to.contain('managers of your departments')
      .and.not.match(/curl|\/upload/)
  })

  it('shows a call in its row: time in APP_TIMEZONE, direction, phone, manager, length, state, score, how it begins', async () => {
    const [id] = await insertCalls(app, [
      {
        phone: '+375 29 123-45-67',
        manager: 'Анна Ковалёва',
        direction: 'INBOUND',
        at: '2025-03-01T23:30:00Z',
        duration: 252.4,
        score: 86,
        text: 'Good afternoon, how may I help you?',
      },
    ])
    const { text, headers } = await olga.open('/recordings')
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8')
    const row = rowOf(text, id!)
    for (const shown of ['+375 29 123-45-67', 'Анна Ковалёва', '2 Mar 2025 02:30', '↙', '4:12', '>done<', '>86<']) {
      expect(row).to.contain(shown)
    }
    expect(row).to.contain('Good afternoon, how may I help you?').and.contain(`href="/recordings/${id}"`)
    expect(text).to.match(/<b>1<\/b> call, 4 min\b/)
  })

  it('shows the file’s name where there is no phone, “no speech” for silence, no column of scores that nobody has', async () => {
    app.recognizer.answer = (recognition) => recognition.finish([])
    const id = await app.submitCall('DONE')
    const { text } = await olga.open('/recordings')
    expect(rowOf(text, id)).to.contain('call.wav').and.contain('no speech')
    expect(text).not.to.contain('>Score<')
  })

  it('shows why a call failed, how far a running one is and the place of a waiting one', async () => {
    app.recognizer.answer = (recognition) => recognition.fail('UNSUPPORTED_AUDIO', 'not a sound')
    const failed = await app.submitCall('FAILED')
    app.recognizer.answer = undefined
    await app.submitCall('PROCESSING')
    await app.submitCall('PROCESSING')
    await app.submitCall('QUEUED')
    const second = await app.submitCall('QUEUED')
    app.recognizer.held.at(-1)!.progress(62, 100)
    const text = await until('62 %', async () => {
      const { text } = await olga.open('/recordings')
      return text.includes('62 %') && text
    })
    expect(rowOf(text, failed)).to.contain('The file holds no sound that can be read.')
    expect(text).to.match(/about \d+ (s|min) left/)
    expect(text).to.contain('queued · 1st')
    expect(rowOf(text, second)).to.contain('queued · 2nd')
  })

  it('refreshes itself, quickly while something waits or runs, with the very parts that the page shows', async () => {
    await insertCalls(app, [{}])
    expect((await olga.open('/recordings')).text).to.contain('hx-get="/recordings" hx-trigger="every 20s, refresh"')
    await app.submitCall('PROCESSING')
    const page = (await olga.open('/recordings?status=PROCESSING')).text
    expect(page).to.contain(
      'hx-get="/recordings?status=PROCESSING" hx-trigger="every 3s, refresh" hx-swap="outerMorph"',
    )
    const part = (await olga.open('/recordings?status=PROCESSING', REFRESH)).text
    expect(part.trimStart()).to.match(/^<section id="list"/)
    expect(part).not.to.contain('<html').and.not.to.contain('id="facet-manager"')
    for (const same of [/<tbody>.*<\/tbody>/s, /<div class="toolbar">.*<table/s]) {
      expect(same.exec(part)![0]).to.equal(same.exec(page)![0])
    }
    expect(choices(part, 'status')).to.deep.equal(choices(page, 'status'))
    expect(part)
      .to.contain('id="facet-status" hx-swap-oob="outerMorph"')
      .and.match(/id="count-recordings"[^>]*>2</)
  })

  it('answers a link or form that is exchanged in place with all of the page, also on the way back', async () => {
    const { text, headers } = await olga.open('/recordings?order=asc', IN_PLACE)
    expect(text).to.contain('<html').and.contain('<main id="content" tabindex="-1" hx-history-elt>')
    expect(headers.get('vary')).to.contain('HX-Request-Type')
  })

  it('counts every facet without its own filter, so that one sees what else there is, and leads back out of it', async () => {
    await insertCalls(app, [
      { manager: 'Anna', direction: 'INBOUND' },
      { manager: 'Anna', direction: 'OUTBOUND' },
      { manager: 'Boris', direction: 'INBOUND', source: 'crm' },
      { manager: 'Boris', direction: 'INBOUND', status: 'FAILED' },
    ])
    const all = (await olga.open('/recordings')).text
    expect(choices(all, 'status')).to.deep.equal(['*All 4', 'Done 3', 'Running 0', 'Queued 0', 'Failed 1'])
    expect(choices(all, 'direction')).to.deep.equal(['Incoming 3', 'Outgoing 1'])
    expect(choices(all, 'manager')).to.deep.equal(['Anna 2', 'Boris 2'])
    expect(choices(all, 'source')).to.deep.equal(['Upload 3', 'CRM 1'])
    expect(linkTo(all, 'Boris')).to.equal('/recordings?manager=Boris')
    const chosen = (await olga.open('/recordings?manager=Boris&status=DONE')).text
    expect(idsOf(chosen)).to.have.length(1)
    expect(choices(chosen, 'manager')).to.deep.equal(['Anna 2', '*Boris 1'])
    expect(choices(chosen, 'status')).to.deep.equal(['All 2', '*Done 1', 'Running 0', 'Queued 0', 'Failed 1'])
    expect(choices(chosen, 'direction')).to.deep.equal(['Incoming 1'])
    expect(linkTo(chosen, 'Boris')).to.equal('/recordings?status=DONE')
    expect(linkTo(chosen, 'All')).to.equal('/recordings?manager=Boris')
  })

  it('counts scores by the bands that colour them, each count that of the list behind it', async () => {
    const scores = [0, 49, 50, 60, 69, 70, 100, null]
    await insertCalls(
      app,
      scores.map((score) => ({ score, direction: 'INBOUND' })),
    )
    const all = (await olga.open('/recordings')).text
    expect(choices(all, 'scoreBelow')).to.deep.equal(['below 50 2', '50–69 3', '70 and more 2'])
    for (const [band, count] of [
      ['below 50', 2],
      ['50–69', 3],
      ['70 and more', 2],
    ] as const) {
      const { text } = await olga.open(linkTo(all, band))
      expect(idsOf(text), band).to.have.length(count)
      expect(choices(text, 'scoreBelow'), 'the others stay').to.deep.equal(
        ['below 50 2', '50–69 3', '70 and more 2'].map((one) => (one.startsWith(band) ? `*${one}` : one)),
      )
      expect(text).to.contain(`Score: ${band}`)
      expect(linkTo(text, band), 'out of it').to.equal('/recordings')
    }
    const other = (await olga.open('/recordings?scoreBelow=60')).text
    expect(other).to.contain('Score below: 60')
    expect(choices(other, 'scoreBelow')).to.deep.equal(['below 50 2', '50–69 3', '70 and more 2'])
  })

  it('shows eight managers, and the others when asked for more; departments and scores where there are any', async () => {
    const department = await createDepartment(app, 'Windows', ['Manager 00'])
    const names = Array.from({ length: 11 }, (_, n) => `Manager ${String(n).padStart(2, '0')}`)
    await insertCalls(app, [
      ...names.flatMap((manager, n) => Array.from({ length: 12 - n }, () => ({ manager }))),
      { manager: 'Manager 00', score: 40 },
      { manager: 'Manager 01', score: 60 },
    ])
    const { text } = await olga.open('/recordings')
    const managers = facet(text, 'manager')
    expect(managers.split('<details>')[0]!.match(/<li>/g)).to.have.length(8)
    expect(managers).to.contain('<summary>3 more…</summary>')
    expect(choices(text, 'department')).to.deep.equal(['Windows 13'])
    expect(choices(text, 'scoreBelow')).to.deep.equal(['below 50 1', '50–69 1'])
    const windows = (await olga.open(`/recordings?department=${department}`)).text
    expect(windows).to.contain('<b>13</b> calls').and.contain('Department: Windows')
    const chosen = facet((await olga.open('/recordings?manager=Manager+09')).text, 'manager').split('<details>')[0]!
    expect(chosen, 'who is chosen is among them').to.contain('Manager 09')
    expect(chosen.match(/<li>/g)).to.have.length(8)
    await app.olga.delete(`/v1/departments/${department}`)
  })

  it('finds the calls in which nobody is heard, where there are any', async () => {
    const [silent] = await insertCalls(app, [{ text: '' }, { text: 'Hello' }])
    const { text } = await olga.open('/recordings')
    expect(choices(text, 'noSpeech')).to.deep.equal(['No speech 1'])
    const found = (await olga.open('/recordings?noSpeech=true')).text
    expect(idsOf(found)).to.deep.equal([silent])
    expect(found).to.contain('Speech: No speech')
    await app.db.query('DELETE FROM recordings')
    await insertCalls(app, [{ text: 'Hello' }])
    expect((await olga.open('/recordings')).text).not.to.contain('facet-noSpeech')
  })

  it('shows the months as a strip and the years as a list, of APP_TIMEZONE, each a link to its calls', async () => {
    await insertCalls(app, [
      { at: '2025-12-31T22:00:00Z', duration: 3600 }, // January in Minsk
      { at: '2026-03-10T10:00:00Z', duration: 600 },
      { at: '2026-03-31T20:59:59Z', duration: 300 },
      { at: '2024-05-05T05:00:00Z', duration: 60 },
    ])
    const { text } = await olga.open('/recordings')
    const strip = [...between(text, /<ol class="strip"/, '</ol>').matchAll(/aria-label="([^"]*)"/g)].map(
      ([, name]) => name,
    )
    expect(strip).to.have.length(23)
    expect([strip[0], strip.at(-3), strip.at(-1)]).to.deep.equal(['May 2024: 1', 'January 2026: 1', 'March 2026: 2'])
    expect(between(text, /<nav class="facet months"/, '</nav>')).to.match(/2026 <span>3<.*2024 <span>1</s)
    expect(text).to.match(/<b>4<\/b> calls, 1 h 16 min/)
    const march = /href="([^"]*)" aria-label="March 2026/.exec(text)![1]!.replaceAll('&amp;', '&')
    expect(march).to.equal('/recordings?dateFrom=2026-03-01&dateTo=2026-03-31')
    const chosen = (await olga.open(march)).text
    expect(chosen).to.match(/<b>2<\/b> calls, 15 min/)
    expect(chosen).to.contain('<h2 id="months">March 2026</h2>').and.contain('March 2026: 2" aria-current="true"')
    expect(linkTo(chosen, '2026')).to.equal('/recordings?dateFrom=2026-01-01&dateTo=2026-12-31')
    expect((await olga.open(linkTo(chosen, '2026'))).text)
      .to.contain('<b>3</b> calls')
      .and.contain('<h2 id="months">2026')
  })

  it('marks the words of a search in any form, and shows what stands around the first', async () => {
    const before = 'Это долгий разговор ни о чём, в котором наконец спрашивают: '
    const [id] = await insertCalls(app, [{ text: `${before}когда будет доставка?` }, { text: 'Нет.' }])
    const { text } = await olga.open(`/recordings?q=${encodeURIComponent('доставки')}`)
    expect(idsOf(text)).to.deep.equal([id])
    expect(rowOf(text, id!)).to.match(/>…[^<]{1,24}<mark>доставка<\/mark>\?</)
    expect(rowOf(text, id!), 'the call’s page marks them too').to.match(/href="\/recordings\/[^"?]+\?q=%D0%B4/)
    expect(text).to.contain('value="доставки"')
  })

  it('narrows by phone, call id, days, length and a part of the manager’s name, and takes each away by a link', async () => {
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
      expect(idsOf((await olga.open(`/recordings?${query}`)).text), query).to.deep.equal([id])
    expect(idsOf((await olga.open('/recordings?lengthFrom=1:31')).text))
      .to.have.length(1)
      .and.not.include(id)
    const { text } = await olga.open('/recordings?phone=29123&dateTo=2026-03-05&lengthTo=1:30&order=asc')
    expect(text).to.contain('Remove: Phone: 29123').and.contain('Remove: Call: up to 5 Mar 2026')
    expect(text).to.contain(
      'href="/recordings?dateTo=2026-03-05&amp;lengthTo=1%3A30&amp;order=asc" aria-label="Remove: Phone',
    )
    expect(text).to.contain('<a class="clear" href="/recordings?order=asc">Clear all</a>')
  })

  it('says beside its field what is wrong with a filter, keeps it there, and narrows by the others', async () => {
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
    expect(idsOf(text)).to.deep.equal([id])
    for (const [name, rule] of Object.entries({
      phone: 'At least one digit.',
      dateFrom: 'A day as',
      lengthFrom: 'Minutes, or',
      lengthTo: 'Minutes, or',
      externalCallId: 'Text without control characters.',
    })) {
      expect(text).to.contain(`id="f-${name}-error">${rule}`)
    }
    expect(text).to.contain('value="long"').and.contain('value="&lt;b&gt;"')
    const long = await olga.open(`/recordings?q=${'я'.repeat(501)}&department=nobody`)
    expect([long.status, idsOf(long.text).length]).to.deep.equal([200, 2])
    expect(long.text).to.contain('id="q-error">At most 500 characters.')
    const backwards = await olga.open('/recordings?dateFrom=2026-03-02&dateTo=2026-03-01&lengthFrom=5&lengthTo=4')
    expect([
      ...new Set(backwards.text.match(/It lies before the beginning\.|It is shorter than the least length\./g)),
    ]).to.have.length(2)
  })

  it('takes days as people write them, of one click too, and tells of reversed ones above the table', async () => {
    const { text } = await olga.open('/recordings?dateFrom=1.03.2026&dateTo=2%20Mar%202026%2014:30')
    expect(text).to.contain('value="1 Mar 2026"').and.contain('value="2 Mar 2026 14:30"')
    expect(text).to.match(/<nav class="days".*?Today.*?Yesterday.*?Week.*?Month.*?Period/s)
    const reversed = (await olga.open('/recordings?dateFrom=2026-03-05&dateTo=2026-03-01')).text
    expect(reversed).to.match(/<p class="error" role="alert">[^<]*It lies before the beginning/)
    const russian = await olga.open('/recordings?dateFrom=2026-03-01', { 'Accept-Language': 'ru' })
    expect(russian.text).to.contain('value="01.03.2026"')
  })

  it('may be narrowed to several managers at once: a click adds one, another takes it away', async () => {
    await insertCalls(app, [{ manager: 'Anna' }, { manager: 'Max' }, { manager: 'Ida' }])
    const { text } = await olga.open('/recordings?manager=Nobody%7CNobody%20else')
    expect(text).to.contain('Manager: Nobody, Nobody else')
    const links = (await olga.open('/recordings')).text.match(/href="\/recordings\?manager=[^"]+"/g)!
    const [first, second] = links.map((link) => new URL(link.slice(6, -1), 'http://x').searchParams.get('manager')!)
    const both = (await olga.open(`/recordings?manager=${encodeURIComponent(first!)}`)).text
    const wanted = new URLSearchParams({ manager: `${first}|${second}` }).toString()
    expect(both).to.contain(`href="/recordings?${wanted}"`)
    expect(idsOf((await olga.open(`/recordings?${wanted}`)).text)).to.have.length(2)
  })

  it('keeps order, page size, page and every filter in the address', async () => {
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
    expect(linkTo(wide, 'Done')).to.equal('/recordings?q=%D0%B4%D0%B0&status=DONE&pageSize=50')
  })

  it('takes an address that makes no sense as the first page, and says so past the end', async () => {
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
    expect((await olga.open('/recordings?page=9')).text).to.contain('There is no such page.')
    const none = (await olga.open('/recordings?phone=999&page=4')).text
    expect(none).to.contain('No calls match').and.contain('href="/recordings">Clear all')
  })

  describe('what is selected', () => {
    const statusOf = async (id: string) => (await app.ida.get(`/v1/recordings/${id}`)).json?.status
    const select = (ids: string[]): [string, string][] => ids.map((id) => ['id', id])

    it('is retried, cancelled and deleted by a plain form, which says what came of it and leads back', async () => {
      app.recognizer.answer = (recognition) => recognition.fail('UNSUPPORTED_AUDIO', 'not a sound')
      const failed = await app.submitCall('FAILED')
      app.recognizer.answer = undefined // so that what is retried stays in work
      const [done] = await insertCalls(app, [{}])
      const back = '/recordings?status=FAILED&page=2'
      const retried = await olga.submit('/recordings/retry', [...select([failed, done!, 'x']), ['back', back]])
      expect([retried.status, retried.headers.get('location')]).to.deep.equal([303, back])
      expect(await statusOf(failed)).not.to.equal('FAILED')
      expect(retried.headers.getSetCookie().join()).to.match(/panel_notice=1%20call%20is%20back.*For%201.*HttpOnly/i)
      const shown = await olga.open('/recordings')
      expect(shown.text).to.contain(
        '1 call is back in the queue. For 1 it was not possible: its state does not allow it. 1 is not there, or not yours.',
      )
      expect((await olga.open('/recordings')).text, 'once').not.to.contain('back in the queue')
      await olga.submit('/recordings/cancel', select([failed]))
      expect(await statusOf(failed)).to.equal('CANCELLED')
      const named = [...select([failed, done!]), ['managerName', ' Otto '] as [string, string]]
      await olga.submit('/recordings/manager', named)
      expect((await olga.open('/recordings')).text).to.contain('2 calls have the manager now.')
      for (const id of [failed, done!]) {
        expect((await app.ida.get(`/v1/recordings/${id}`)).json.managerName).to.equal('Otto')
      }
      await olga.submit('/recordings/delete', select([failed, done!, done!]))
      expect((await olga.open('/recordings')).text).to.contain('2 calls deleted.')
      expect(await statusOf(done!)).to.equal(undefined)
      await olga.submit('/recordings/delete', select([done!, '..', '../api-keys', 'x'.repeat(36)]))
      const { text } = await olga.open('/recordings')
      expect(text).to.contain('4 are not there, or not yours.').and.not.contain('deleted')
    })

    it('may be nothing, or lead back to no foreign place', async () => {
      const answer = await olga.submit('/recordings/delete', { back: 'https://evil.example/' })
      expect(answer.headers.get('location')).to.equal('/recordings')
      expect((await olga.open('/recordings')).text).to.contain('Nothing was selected.')
      expect(
        (await olga.submit('/recordings/retry', select(Array.from({ length: 101 }, (_, n) => `x${n}`)))).status,
      ).to.equal(400)
    })

    it('is done by a script with the same form, and what comes back holds the notice', async () => {
      const [failed] = await insertCalls(app, [{ status: 'FAILED' }])
      const answer = await olga.submit('/recordings/retry', select([failed!]), IN_PLACE)
      expect([answer.status, answer.headers.get('location')]).to.deep.equal([303, '/recordings'])
      expect((await olga.open('/recordings', IN_PLACE)).text).to.match(
        /<main id="content".*1 call is back in the queue/s,
      )
    })

    it('is exported as csv, jsonl or zip, as the API sends it', async () => {
      const [one, , three] = await insertCalls(app, [{ text: 'first' }, { text: 'second' }, { text: 'third' }])
      const csv = await olga.open(`/recordings/export?format=csv&id=${one}&id=${three}`)
      expect(csv.status).to.equal(200)
      expect(csv.headers.get('content-type')).to.contain('text/csv')
      expect(csv.headers.get('content-disposition')).to.match(/^attachment; filename=".+\.csv"$/)
      expect(csv.headers.get('x-transcripts-matching')).to.equal('2')
      expect(csv.headers.get('x-transcripts-exported')).to.equal('2')
      expect(csv.text).to.contain('first').and.contain('third').and.not.contain('second')
      expect((await olga.open('/recordings/export?format=jsonl')).text.trim().split('\n')).to.have.length(3)
      const zip = await olga.open(`/recordings/export?format=zip&id=${one}`)
      expect(zip.headers.get('content-type')).to.equal('application/zip')
      expect(zip.text.slice(0, 2)).to.equal('PK')
    })
  })

  it('exports all that the filters choose, whatever page is shown', async () => {
    await insertCalls(app, [
      { manager: 'Anna', text: 'from Anna' },
      { manager: 'Boris' },
      { manager: 'Anna', status: 'FAILED' },
    ])
    const { text } = await olga.open('/recordings?manager=Anna&page=3&pageSize=50')
    expect(text)
      .to.contain('href="/recordings/export?manager=Anna&amp;format=csv" download')
      .and.contain('1 transcript<')
    const file = await olga.open('/recordings/export?manager=Anna&status=FAILED&format=jsonl')
    expect(file.text.trim().split('\n')).to.have.length(1)
    expect(file.text).to.contain('from Anna')
    expect((await olga.open('/recordings/export?format=exe')).status).to.equal(404)
    expect((await olga.open('/recordings/export?format=csv&phone=x')).status).to.equal(400)
    expect((await olga.open('/recordings?status=FAILED')).text).to.contain('/recordings/export?format=csv')
  })

  it('shows a manager their own calls, and offers nothing that they may not do', async () => {
    const [own, others] = await insertCalls(app, [{ manager: 'Max' }, { manager: 'Otto' }])
    const rights = { export: false, manageRecordings: false }
    const max = app.browser({ Cookie: (await createPerson(app, 'Max', { rights })).headers.Cookie! })
    const { text } = await max.open('/recordings')
    expect(idsOf(text)).to.deep.equal([own])
    expect(choices(text, 'manager')).to.deep.equal(['Max 1'])
    expect(text).not.to.match(/type="checkbox"|\/recordings\/(export|retry|delete)|href="\/queues"/)
    expect((await max.open('/recordings/export?format=csv')).status).to.equal(403)
    const refused = await max.submit('/recordings/delete', { id: own! })
    expect(refused.status).to.equal(403)
    expect(refused.text).to.contain('Your role does not allow this.')
    expect((await app.ida.get(`/v1/recordings/${others}`)).status).to.equal(200)
  })

  it('sends a refresh, and a form in place, whose session has ended to the login, and back to its page after it', async () => {
    const current = `${app.panelUrl}/recordings?page=2`
    for (const headers of [REFRESH, IN_PLACE]) {
      const { status, headers: answered } = await app
        .browser()
        .open('/recordings', { ...headers, 'HX-Current-URL': current })
      expect(status).to.equal(204)
      expect(answered.get('hx-redirect')).to.equal('/login?next=%2Frecordings%3Fpage%3D2')
    }
  })

  it('shows everything a caller can put into a field as text', async () => {
    app.recognizer.answer = (recognition) => recognition.finish(NAUGHTY)
    const fields = { managerName: NAUGHTY, externalCallId: NAUGHTY, phoneNumber: `'"><svg onload=alert(1)>` }
    const id = await app.submitCall('DONE', fields)
    const unnamed = await app.submitCall('DONE', {}, '<svg onload=alert(1)>&amp;.wav')
    const query = new URLSearchParams({
      q: `${NAUGHTY} script`,
      manager: NAUGHTY.trim(),
      phone: `<svg onload=1>`,
    }).toString()
    for (const path of ['/recordings', `/recordings?${query}`, `/recordings/${id}`, `/recordings/${unnamed}`]) {
      const { text } = await olga.open(path)
      expect(text, path).not.to.match(/<(svg on|img src=x)|<script>/)
      expect(text, path).to.contain('&lt;script&gt;').and.contain('&lt;%= 7*7 %&gt;')
    }
    expect((await olga.open('/recordings')).text).to.contain('&lt;svg onload=alert(1)&gt;&amp;amp;.wav')
  })

  it('speaks Russian to a browser that prefers it, with Russian plurals and times', async () => {
    await app.submitCall('PROCESSING', { callStartedAt: '2025-03-01T10:00:00Z' })
    await app.submitCall('PROCESSING')
    const { text, headers } = await olga.open('/recordings', { 'Accept-Language': 'ru-RU,ru;q=0.9,en;q=0.8' })
    expect(headers.get('content-language')).to.equal('ru')
    expect(headers.get('vary')).to.contain('Accept-Language')
    expect(text).to.contain('<html lang="ru">').and.contain('<b>2</b> звонка').and.contain('распознаётся')
    expect(text).to.contain('01.03.2025').and.contain('Март 2025: 1')
    expect((await olga.open('/recordings', { 'Accept-Language': 'de' })).text).to.contain('<html lang="en">')
  })

  it('asks the API everything at once', async () => {
    await insertCalls(app, [{}])
    const needed = ['/v1/auth/me', '/v1/recordings', '/v1/recordings/facets', '/v1/recordings/catalog']
    const arrived = new Set<string>()
    let answer: () => void
    const all = new Promise<void>((resolve) => (answer = resolve))
    // Answers none of these questions before all of them have been asked.
    const proxy = http.createServer((incoming, response) => {
      const path = incoming.url!.split('?')[0]!
      arrived.add(path)
      if (needed.every((each) => arrived.has(each))) answer()
      void (needed.includes(path) ? all : Promise.resolve()).then(() => {
        http.get(app.url + incoming.url, { headers: incoming.headers }, (passed) => {
          response.writeHead(passed.statusCode!, passed.headers)
          passed.pipe(response)
        })
      })
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const panel = await startPanel(app.config, `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
    try {
      const signal = AbortSignal.timeout(60_000)
      expect((await fetch(`${panel.url}/recordings`, { headers: olga.headers, signal })).status).to.equal(200)
    } finally {
      await panel.stop()
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
    }
  })

  it('weighs at most 100 KB over the wire on the first context, with a full page of calls', async () => {
    await insertCalls(
      app,
      Array.from({ length: 100 }, (_, n) => ({
        text: `${NAUGHTY} ${n}`.repeat(3),
        manager: `Manager ${n}`,
        phone: `${n}`,
      })),
    )
    const headers = { Cookie: olga.headers.Cookie!, 'Accept-Encoding': 'br' }
    const load = async (path: string) => {
      const { body } = await request(app.panelUrl + path, { headers })
      return (await body.arrayBuffer()).byteLength
    }
    const { text } = await olga.open('/recordings?pageSize=100')
    const files = new Set([...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!))
    expect(files.size).to.be.greaterThan(3)
    const sizes = await Promise.all(['/recordings?pageSize=100', ...files].map(load))
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.within(10_000, 100_000)
  })
})
