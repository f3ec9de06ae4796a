import { expect } from 'chai'
import { AUDIT_ACTIONS } from '../../platform/audit/actions.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { insertQueuedRecordings, OWNER_CREDENTIALS } from '../../test/server.ts'
import { buildAuditDetails } from './view.ts'
import type { Language } from '../frame/i18n.ts'
import { createPanelLanguages } from '../words.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

const [en, ru] = createPanelLanguages('Europe/Minsk') as [Language, Language]
const HOSTILE_NAME = `"><img src=x onerror=alert(1)> =1+1 ‮оглА <%= 1 %>`

describe('panel: audit log', () => {
  let app: TestPanel
  let cast: TestPeople
  let olga: PanelBrowser
  let call: string
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 1000, APP_TIMEZONE: 'Europe/Minsk' })
    cast = await createTestPeople(app)
    olga = await app.openOwnerBrowser()
    call = (await insertQueuedRecordings(app, 1))[0]!
    await app.db.query(`UPDATE recordings SET manager_name = 'Max', file_name = 'call.mp3'`)
    await cast.max.get(`/v1/recordings/${call}`)
    await cast.hanna.get('/v1/recordings?q=delivery&status=DONE,FAILED&period=thisWeek')
    await app.olga.patch(`/v1/people/${cast.max.id}`, { rights: { export: false }, language: 'ru' })
    await app.olga.post('/v1/api-keys', { name: HOSTILE_NAME })
    await app.ida.post(`/v1/recordings/${call}/cancel`)
    await app.nobody.post('/v1/auth/login', { email: 'who@example.com', password: 'wrong' })
    // Creates entries at the first and last moment of 1 May and the first of 2 May, in the service's time zone.
    await app.db.query(
      `INSERT INTO audit (id, at, action, person_id, person_name, person_email)
       SELECT gen_random_uuid(), at::timestamptz, 'logout', $1, 'Max', 'max@example.com'
         FROM unnest(ARRAY['2026-05-01T00:00:00+03:00', '2026-05-01T23:59:59+03:00', '2026-05-02T00:00:00+03:00']) AS at`,
      [cast.max.id],
    )
  })
  after(() => app.stop())

  const rows = (text: string) =>
    [...text.matchAll(/<tr id="a-[^]*?<\/tr>/g)].map(([row]) =>
      [...row.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell]) =>
        cell!
          .replace(/<[^>]*>/g, '')
          .replace(/\s+/g, ' ')
          .trim(),
      ),
    )
  const open = async (query = '') => (await olga.open(`/audit?${query}`, { 'Accept-Language': 'en' })).text
  const did = async (query: string) => rows(await open(query)).map(([, who, action]) => `${who} ${action}`)

  it('an entry shows person, action, object, old and new values, and address', async () => {
    const found = rows(await open('from=2026-06-01'))
    const find = (action: string) => found.find((row) => row[2] === action)!.slice(1)
    const [who, did, what, ...rest] = find('opened a call')
    expect([who, did, ...rest]).to.deep.equal(['Max', 'opened a call', '', '127.0.0.1'])
    expect(what).to.match(/^call call\.mp3 · \d+ \w+ \d\d:\d\d$/)
    expect(find('changed a person')[3]).to.equal('can export yes → no language — → Русский')
    expect(find('listed calls').slice(0, 4)).to.deep.equal([
      'Hanna',
      'listed calls',
      '',
      'search delivery period This week status done, failed',
    ])
    expect(find('cancelled a call').slice(0, 2)).to.deep.equal(['key Ida', 'cancelled a call'])
    expect(find('cancelled a call')[3]).to.equal('status queued → cancelled')
    expect(find('login failed').slice(0, 4)).to.deep.equal([
      'not logged in',
      'login failed',
      '',
      'e-mail who@example.com',
    ])
    expect(await open())
      .to.contain(`href="/recordings/${call}"`)
      .and.contain(`href="/people/${cast.max.id}"`)
  })

  it('the log is filtered by person, action, object and days in the address', async () => {
    expect(await did(`person=${cast.max.id}&from=2026-06-01`)).to.deep.equal(['Max opened a call', 'Max logged in'])
    expect(await did('action=login.failed')).to.deep.equal(['not logged in login failed'])
    expect(await did(`object=${call}&order=asc`)).to.deep.equal(['Max opened a call', 'key Ida cancelled a call'])
    const day = (await open('from=2026-05-01&to=2026-05-01')).match(/datetime="[^"]+"/g)
    expect(day).to.deep.equal(['datetime="2026-05-01T20:59:59.000Z"', 'datetime="2026-04-30T21:00:00.000Z"'])
    expect(rows(await open('to=2026-05-02'))).to.have.length(3)
    const chosen = await open(`person=${cast.max.id}&action=logout&from=2026-05-01`)
    expect(chosen)
      .to.match(new RegExp(`value="${cast.max.id}"[^>]* selected`))
      .and.match(/value="logout" selected/)
    expect(chosen).to.contain('name="from" value="1 May 2026"')
    const about = await open(`object=${call}`)
    expect(about)
      .to.match(/object: call\.mp3 · [^<]+<\/bdi>/)
      .and.contain('<a href="/audit">All objects</a>')
  })

  it('a page and a search of a person are one entry each', async () => {
    const actions = AUDIT_ACTIONS.filter((action) => action !== 'audit.list').join()
    for (const path of [`/recordings/${call}`, '/recordings?q=delivery+van', '/queues', '/people']) {
      const since = new Date().toISOString()
      expect((await olga.open(path)).status, path).to.equal(200)
      const { total } = (await app.olga.get(`/v1/audit?from=${since}&action=${actions}`)).json
      expect(total, path).to.equal(1)
    }
  })

  it('an entry lists its further operations', async () => {
    await olga.open('/recordings?q=rented+van')
    const entry = rows(await open('action=recordings.list'))[0]!
    expect(entry[4])
      .to.match(/and \d more/)
      .and.to.include('rented van')
  })

  it('every action is a filter of the log', async () => {
    const offered = [...(await open()).matchAll(/<option value="([^"]+)"/g)].map(([, value]) => value)
    expect(offered).to.include.members([...AUDIT_ACTIONS])
  })

  it('a call is named by phone and time, a deleted one by its stored name', async () => {
    const [deletedCall, otherCall] = await insertQueuedRecordings(app, 2)
    await app.db.query(
      `UPDATE recordings SET phone_number = '+375291234567', call_started_at = '2026-05-03T10:00:00Z', file_name = 'a.wav'
        WHERE id = ANY ($1)`,
      [[deletedCall, otherCall]],
    )
    for (const id of [deletedCall, otherCall]) await app.olga.get(`/v1/recordings/${id}`)
    await app.ida.delete(`/v1/recordings/${deletedCall}`)
    const what = async (id: string) => rows(await open(`object=${id}&action=recording.read`)).map((row) => row[3])
    expect((await what(otherCall!)).join()).to.match(/^call \+375 29 123-45-67 · 3 May( 2026)? 13:00$/)
    expect(await what(deletedCall!)).to.deep.equal(['call a.wav'])
  })

  it('reads of people and rule sets are shown by name in both languages', async () => {
    await app.olga.get(`/v1/people/${cast.otto.id}`)
    const { items } = (await app.olga.get('/v1/rule-sets')).json
    const set = items[0] as { id: string; key: string }
    await app.olga.get(`/v1/rule-sets/${set.id}/versions/1`)
    const read = async (query: string, language: string) =>
      rows((await olga.open(`/audit?${query}`, { 'Accept-Language': language })).text).map((row) => row.slice(2, 5))
    const person = `action=person.read&object=${cast.otto.id}`
    expect(await read(person, 'en')).to.deep.equal([['opened a person', 'person Otto', '']])
    expect(await read(person, 'ru')).to.deep.equal([['просмотр сотрудника', 'сотрудник Otto', '']])
    const version = `action=rules.read&object=${set.id}`
    expect(await read(version, 'en')).to.deep.equal([['opened a rule set', `rule set ${set.key}`, 'version 1']])
    expect(await read(version, 'ru')).to.deep.equal([['просмотр набора правил', `набор правил ${set.key}`, 'версия 1']])
  })

  it('a rule is shown by its name', () => {
    const details = { after: { rule: 'needs', ruleName: { en: 'Asks about the need', ru: 'Выяснил потребность' } } }
    expect(buildAuditDetails(details, en)).to.deep.equal([
      { name: en.words.audit.fields.rule, value: 'Asks about the need' },
    ])
  })

  it('a change of notification settings is shown in words', async () => {
    const { kinds } = (await cast.max.get('/v1/notifications/settings')).json
    const muted = { mention: false, comment: false, view: false, decision: false, weeklyReport: false, dispute: false }
    await cast.max.put('/v1/notifications/settings', {
      kinds: { ...kinds, ...muted, assignment: false },
      email: 'daily',
    })
    const { text } = await olga.open('/audit?action=notifications.settings', { 'Accept-Language': 'ru' })
    expect(rows(text)[0]!.join(' '))
      .to.include('→ невыполненные критичные правила')
      .and.include('письма не присылать → раз в день')
  })

  it('a kept verdict is shown', () => {
    const details = { before: { verdict: 'missed' }, after: { rule: 'needs', verdict: 'missed' } }
    expect(buildAuditDetails(details, en)).to.deep.include({ name: en.words.audit.fields.verdict, value: 'missed' })
  })

  it('a time has seconds, and its title the time zone', async () => {
    const text = await open('to=2026-05-01')
    expect(text).to.match(/title="1 May 2026, 23:59:59 \(Europe\/Minsk\)">1 May( 2026)? 23:59:59</)
  })

  it('reads and changes have separate tabs', async () => {
    const actions = async (query: string) => new Set((await did(`${query}&from=2026-06-01`)).map((text) => text))
    const [reads, changes] = [await actions('kind=reads'), await actions('kind=changes')]
    expect(reads).to.include('Max opened a call').and.not.include('key Ida cancelled a call')
    expect(changes).to.include('key Ida cancelled a call').and.not.include('Max opened a call')
    expect(await open('kind=reads')).to.contain('<a href="/audit?kind=reads" aria-current="true">Reads</a>')
    expect((await olga.open('/audit/export?kind=changes')).text).not.to.contain('recording.read')
  })

  it('an invalid day is kept with an error and does not filter the log', async () => {
    const backwards = await open('from=2026-05-02&to=2026-05-01')
    expect(backwards)
      .to.match(/id="e-to">The end date is before the start date\.</)
      .and.contain('name="to" value="1 May 2026"')
    expect(rows(backwards).length).to.be.greaterThan(0)
    expect(await open('from=2.05.2026&to=1%20мая%202026')).to.contain('id="e-to">The end date is before')
    expect(await open('from=2026-02-30')).to.match(/id="e-from">Enter a date such as/)
    expect(await open('from=2026-02-30&to=x')).to.match(/id="e-to">Enter a date such as/)
  })

  it('unknown filter values are ignored, and an unknown object is shown as text', async () => {
    const total = rows(await open()).length
    expect(rows(await open('person=nobody&action=fly&page=x&order=up'))).to.have.length(total)
    const { status, text } = await olga.open(`/audit?object=${encodeURIComponent(HOSTILE_NAME + '\0')}`)
    expect(status).to.equal(200)
    expect(text).to.contain('&quot;&gt;&lt;img src=x').and.not.contain('<img src=x')
    expect(await open())
      .to.contain('&lt;%= 1 %&gt;')
      .and.not.contain('<img src=x')
  })

  it('the log has pages of 50 entries', async () => {
    await app.db.query(
      `INSERT INTO audit (id, at, action, object_type, object_id)
       SELECT gen_random_uuid(), '2026-04-01', 'recording.read', 'recording', 'pages' FROM generate_series(1, 120)`,
    )
    const first = await open('object=pages')
    expect(rows(first)).to.have.length(50)
    expect(first).to.contain('1–50 of 120').and.contain('href="/audit?object=pages&amp;page=3"')
    expect(rows(await open('object=pages&page=3'))).to.have.length(20)
    expect(await open('object=pages&page=9')).to.contain('This page does not exist.')
    expect(await open('object=nothing')).to.contain('No entries found')
  })

  it('the CSV export uses the filters of the log', async () => {
    const page = await open(`person=${cast.max.id}&to=2026-05-01`)
    const href = /href="(\/audit\/export\?[^"]+)"/.exec(page)![1]!.replaceAll('&amp;', '&')
    const { status, headers, text } = await olga.open(href)
    expect(status).to.equal(200)
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).to.match(/^attachment; filename="audit-/)
    expect(text.split('\r\n')).to.have.length(2 + 2)
    const all = (await olga.open('/audit/export?action=key.create')).text
    expect(all).to.contain('onerror=alert(1)').and.contain('""><img')
    expect((await olga.open('/audit')).text).to.contain('exported the audit log')
  })

  it('only owners can open the audit log', async () => {
    const hanna = app.browser()
    await hanna.submit('/login', { email: 'hanna@example.com', password: OWNER_CREDENTIALS.password, next: '/' })
    for (const path of ['/audit', '/audit/export']) expect((await hanna.open(path)).status).to.equal(403)
    expect((await hanna.open('/recordings')).text).to.not.contain('href="/audit"')
  })

  it('the audit log is in Russian for a Russian browser', async () => {
    const { text } = await olga.open('/audit', { 'Accept-Language': 'ru' })
    expect(text)
      .to.contain('<h1>Журнал действий</h1>')
      .and.contain('отмена распознавания')
      .and.contain('Все сотрудники')
  })

  it('details omit empty fields and format lists, numbers and times', () => {
    const words = (details: object, language = en) =>
      buildAuditDetails(details as Record<string, unknown>, language).map(({ name, before, value }) => [
        name,
        before,
        value,
      ])
    const after = {
      name: 'Max',
      role: 'manager',
      rights: { audio: true, export: false },
      departments: [],
      language: null,
    }
    expect(words({ after })).to.deep.equal([
      ['name', undefined, 'Max'],
      ['role', undefined, 'manager'],
      ['can listen', undefined, 'yes'],
    ])
    expect(words({ before: {}, after: { password: 'changed' } }, ru)).to.deep.equal([['пароль', undefined, 'изменён']])
    expect(words({ page: 1, pageSize: 25, order: 'desc', ids: ['a', 'b'], dateFrom: '2026-05-01' })).to.deep.equal([
      ['calls', undefined, '2'],
      ['from', undefined, '1 May 2026'],
    ])
    expect(
      words({ by: 'call', to: '2026-05-02', from: '2026-05-01' }, ru),
      'from its beginning to its end',
    ).to.deep.equal([
      ['считать по', undefined, 'дате звонка'],
      ['с', undefined, '1 мая 2026'],
      ['по', undefined, '2 мая 2026'],
    ])
    expect(words({ before: { departments: ['A'] }, after: { departments: ['A', 'B'] } })).to.deep.equal([
      ['departments', 'A', 'A, B'],
    ])
    expect(words({ by: 'silent', outcome: 'won', before: 'Offer' }, ru)).to.deep.equal([
      ['считать по', undefined, 'забытые сейчас'],
      ['исход', undefined, 'выиграна'],
      ['последняя стадия', undefined, 'Offer'],
    ])
    expect(words({ unheard: { of: 1200 } })).to.deep.equal([['unheard.of', undefined, '1,200']])
  })
})
