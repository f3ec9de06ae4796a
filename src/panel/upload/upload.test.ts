import { Blob } from 'node:buffer'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { createLoggedInPerson } from '../../test/people.ts'
import { parseUploadRows } from '../../test/upload-page.ts'
import {
  HTMX_IN_PLACE_HEADERS,
  HTMX_REFRESH_HEADERS,
  startTestPanel,
  type PanelBrowser,
  type TestPanel,
} from '../../test/panel.ts'

describe('panel: upload', () => {
  let app: TestPanel
  let olga: PanelBrowser
  let shop: http.Server
  let shopUrl: string
  before(async () => {
    app = await startTestPanel({ MAX_UPLOAD_MB: 1, ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
    olga = await app.openOwnerBrowser()
    shop = http.createServer((request, response) => {
      response.writeHead(request.url === '/17.wav' ? 200 : 404).end('linked sound')
    })
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
    shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`
  })
  after(async () => {
    await app.stop()
    await new Promise((resolve) => shop.close(resolve))
  })
  afterEach(() => app.db.query('DELETE FROM recordings'))

  /** Submits the form as a browser does: first the fields, then the files. */
  function submit(
    browser: PanelBrowser,
    fields: Record<string, string>,
    files: [name: string, content: string | Uint8Array][],
    headers: Record<string, string> = {},
  ) {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    for (const [name, content] of files) form.append('file', new Blob([content]), name)
    return browser.send('/upload', {
      method: 'POST',
      body: form,
      headers: { 'Sec-Fetch-Site': 'same-origin', ...headers },
    })
  }
  const recordings = async () => (await app.ida.get('/v1/recordings?order=asc')).json.items

  it('a plain form uploads several files with common fields and links to the calls', async () => {
    const page = await olga.open('/upload')
    expect(page.text).to.match(/<form[^>]*method="post" action="\/upload" enctype="multipart\/form-data"/)
    expect(page.text.indexOf('name="managerName"')).to.be.lessThan(page.text.indexOf('name="file"'))
    const fields = {
      managerName: 'Анна',
      phoneNumber: '+375 29 1',
      direction: 'OUTBOUND',
      callStartedAt: '1.03.2026, 10:00',
      priority: '7',
      decoder: 'beam_search',
      callbackUrl: 'https://crm.example.com/x',
      links: '',
    }
    const { status, text } = await submit(olga, fields, [
      ['запись "1".wav', 'first'],
      ['two.wav', 'second'],
    ])
    expect(status).to.equal(200)
    const calls = await recordings()
    expect(parseUploadRows(text).map(({ state, href }) => [state, href])).to.deep.equal(
      calls.map(({ id }: { id: string }) => ['done', `/recordings/${id}`]),
    )
    expect(calls.map(({ fileName }: { fileName: string }) => fileName)).to.deep.equal(['запись "1".wav', 'two.wav'])
    for (const call of calls) {
      expect(call).to.include({
        managerName: 'Анна',
        phoneNumber: '+375 29 1',
        direction: 'OUTBOUND',
        callStartedAt: '2026-03-01T07:00:00.000Z',
        priority: 7,
        decoder: 'beam_search',
        callbackUrl: 'https://crm.example.com/x',
      })
    }
    const { text: sound } = await app.ida.get(`/v1/recordings/${calls[0].id}/audio`)
    expect(sound).to.equal('first')
    expect(text, 'kept for the next ones').to.contain('value="Анна"').and.contain('<option value="OUTBOUND" selected>')
  })

  it('missing fields come from file names, with warnings about unknown managers and invalid phones', async () => {
    const name = '2026-11-01_14-30_+375291234567_Иван_Сидоров_in.wav'
    const { text } = await submit(olga, { phoneNumber: 'abc' }, [[name, 'sound']])
    const [call] = await recordings()
    expect(call).to.include({
      managerName: 'Иван Сидоров',
      phoneNumber: 'abc',
      direction: 'INBOUND',
      callStartedAt: '2026-11-01T11:30:00.000Z',
    })
    expect(text).to.contain('“Иван Сидоров” is a new manager.').and.contain('“abc” is not a phone number.')
    // A script has shown the parsed fields. Emptied fields stay empty, and the manager is known by now.
    const looked = { looked: 'true', managerName: 'иван сидоров', phoneNumber: '103' }
    const again = await submit(olga, looked, [[name, 'other sound']], HTMX_REFRESH_HEADERS)
    expect((await recordings()).at(-1)).to.include({ direction: null, callStartedAt: null })
    expect(again.text).not.to.contain('class="doubt"')
  })

  it('the panel returns the fields parsed from the names of chosen files', async () => {
    const names = ['2026-11-01_14-30_+375291234567_Anna_Berg_out.wav', '"><script>.wav']
    const { status, text } = await olga.submit(
      '/upload/names',
      names.map((name) => ['name', name] as [string, string]),
      HTMX_REFRESH_HEADERS,
    )
    expect(status).to.equal(200)
    expect(text.split('<li ')).to.have.length(3)
    expect(text)
      .to.contain('value="+375291234567"')
      .and.contain('value="1 Nov 2026 14:30"')
      .and.contain('value="Anna Berg"')
    expect(text)
      .to.contain('<option value="OUTBOUND" selected>')
      .and.contain('data-file="&quot;&gt;&lt;script&gt;.wav"')
  })

  it('the upload form can start with the fields of another call', async () => {
    const fields = { managerName: 'Anna', phoneNumber: '+7 1', callStartedAt: '2026-03-01T07:00:00Z', priority: '3' }
    const { json } = await app.ida.upload('sound', fields)
    const { text } = await olga.open(`/upload?as=${json.id}`)
    expect(text).to.contain('name="managerName" value="Anna"').and.contain('name="phoneNumber" value="+7 1"')
    expect(text).to.contain('name="callStartedAt" value="1 Mar 2026 10:00"').and.contain('name="priority" value="3"')
    expect((await olga.open('/upload?as=0197f2a0-0000-7000-8000-000000000000')).status).to.equal(200)
  })

  it('the upload form accepts links and keeps those that failed', async () => {
    const links = `${shopUrl}/17.wav\n ${shopUrl}/18.wav\nftp://x/y http://u:p@x.example/z`
    const { status, text } = await submit(olga, { links, priority: '3', phoneNumber: 'abc' }, [])
    expect(text.match(/“abc” is not a phone number\./g), 'of the one that was taken').to.have.length(1)
    expect(status).to.equal(200)
    expect(parseUploadRows(text).map(({ state, why }) => [state, why])).to.deep.equal([
      ['done', undefined],
      ['failed', 'Responds with status 404 instead of a file.'],
      ['failed', 'Must be an http or https URL.'],
      ['failed', 'Must not contain a user name or password.'],
    ])
    expect(await recordings()).to.have.length(1)
    expect((await recordings())[0]).to.include({ source: 'url', fileName: '17.wav', priority: 3 })
    expect(text).to.match(new RegExp(`>\\s*${shopUrl}/18.wav\nftp://x/y\nhttp://u:p@x.example/z</textarea>`))
  })

  it('a rejected file shows its reason, and the other files are uploaded', async () => {
    const { status, text } = await submit(olga, {}, [
      ['empty.wav', ''],
      ['large <b>.wav', new Uint8Array(3_000_000)],
      ['good.wav', 'sound'],
    ])
    expect(status).to.equal(200)
    expect(parseUploadRows(text).map(({ name, why }) => [name, why])).to.deep.equal([
      ['empty.wav', 'Must not be empty.'],
      ['large &lt;b&gt;.wav', 'The file is larger than 1 MB.'],
      ['good.wav', undefined],
    ])
    expect(text).to.contain('Choose them again')
    expect(await recordings()).to.have.length(1)
  })

  it('an upload accepts 100 files and reports that more are too many', async () => {
    const files = Array.from({ length: 102 }, (_, n): [string, string] => [`${n}.wav`, `sound ${n}`])
    const { status, text } = await submit(olga, { managerName: 'Anna' }, files)
    expect(status).to.equal(400)
    expect(text).to.contain('At most 100 files and 50 links').and.contain('value="Anna"')
    expect(parseUploadRows(text).map(({ name, state }) => `${name} ${state}`)).to.deep.equal(
      files.slice(0, 100).map(([name]) => `${name} done`),
    )
  })

  it('invalid fields show errors, keep their values and store nothing', async () => {
    const wrong = { managerName: '<b>Anna</b>', phoneNumber: 'x'.repeat(65), priority: '11', callbackUrl: 'gopher://x' }
    const { status, text } = await submit(olga, wrong, [['a.wav', 'sound']])
    expect(status).to.equal(400)
    expect(text).to.contain('id="f-phoneNumber-error">Must have at most 64 characters.')
    expect(text).to.contain('id="f-priority-error">Must be at most 10.')
    expect(text).to.contain('id="f-callbackUrl-error">Must be an http or https URL.')
    expect(text).to.contain('value="&lt;b&gt;Anna&lt;/b&gt;"').and.contain('value="gopher://x"')
    expect(parseUploadRows(text)[0]!.why).to.contain('Priority: Must be at most 10.')
    expect(await recordings()).to.have.length(0)
  })

  it('errors of an upload are shown in Russian', async () => {
    const fields = { priority: '11', callbackUrl: 'gopher://x' }
    const files: [string, string][] = [
      ['a.wav', 'sound'],
      ['empty.wav', ''],
    ]
    const { text } = await submit(olga, fields, files, { 'Accept-Language': 'ru' })
    expect(text).to.contain('id="f-priority-error">Не больше 10.')
    expect(text).to.contain('id="f-callbackUrl-error">Адрес должен начинаться с http:// или https://.')
    const empty = await submit(olga, {}, [['empty.wav', '']], { 'Accept-Language': 'ru' })
    expect(parseUploadRows(empty.text)[0]!.why).to.equal('Файл пуст.')
  })

  it('a script gets only the result rows, with the names of invalid fields', async () => {
    const response = await submit(olga, { priority: '11' }, [['a.wav', 'sound']], HTMX_REFRESH_HEADERS)
    expect(response.status).to.equal(200)
    expect(response.text.trimStart()).to.match(/^<ul class="files">/)
    expect(response.text).to.contain('<data value="priority" hidden>Must be at most 10.</data>')
    const [row] = parseUploadRows((await submit(olga, {}, [['a.wav', 'sound']], HTMX_REFRESH_HEADERS)).text)
    expect(row).to.include({ state: 'done', name: 'a.wav' })
  })

  it('an upload without files and links, or with too many links, is rejected', async () => {
    const nothing = await submit(olga, { managerName: 'Anna' }, [['', '']])
    expect(nothing.status).to.equal(400)
    expect(nothing.text).to.contain('Choose a file or enter a link.').and.contain('value="Anna"')
    const links = Array.from({ length: 51 }, (_, n) => `https://x.example/${n}`).join('\n')
    const many = await submit(olga, { links }, [])
    expect(many.status).to.equal(400)
    expect(many.text).to.contain('At most 100 files and 50 links').and.contain('https://x.example/50')
    expect((await olga.submit('/upload', { managerName: 'Anna' })).status).to.equal(400)
  })

  it('only people with manageRecordings can open the upload page', async () => {
    const max = app.browser({
      Cookie: (await createLoggedInPerson(app, 'Max', { rights: { manageRecordings: false } })).headers.Cookie!,
    })
    expect((await max.open('/upload')).status).to.equal(403)
    const refused = await submit(max, {}, [['a.wav', 'sound']])
    expect([refused.status, (await recordings()).length]).to.deep.equal([403, 0])
    expect((await max.open('/recordings')).text).not.to.contain('href="/upload"')
    expect((await olga.open('/recordings')).text).to.contain('href="/upload"')
    const anna = app.browser({
      Cookie: (await createLoggedInPerson(app, 'Anna', { rights: { manageRecordings: true } })).headers.Cookie!,
    })
    const own = await submit(anna, {}, [['a.wav', 'sound']])
    expect(parseUploadRows(own.text)[0]!.state).to.equal('done')
    const loggedOutResponse = await submit(app.browser(), {}, [['a.wav', 'sound']], HTMX_IN_PLACE_HEADERS)
    expect([loggedOutResponse.status, loggedOutResponse.headers.get('hx-redirect')]).to.deep.equal([204, '/login'])
  })

  describeInBrowser('in a browser', (chrome) => {
    it('the page shows fields parsed from file names and warns about unlikely values', async () => {
      const page = await chrome.open(`${app.panelUrl}/upload`, { cookie: olga.headers.Cookie })
      const file = (name: string) => ({ name, mimeType: 'audio/wav', buffer: Buffer.from(name) })
      await page
        .getByLabel('Files')
        .setInputFiles([file('2026-11-01_14-30_+375291234567_Anna_Berg_in.wav'), file('second.wav')])
      const [first, second] = [page.locator('#files > li').nth(0), page.locator('#files > li').nth(1)]
      await first.getByText('Anna Berg · +375291234567 · 1 Nov 2026 14:30').waitFor()
      await second.getByText('no details in the file name').waitFor()
      expect(await first.locator('[data-doubts]').innerText()).to.contain('“Anna Berg” is a new manager.')
      await second.locator('summary').click()
      await second.getByLabel('Phone').fill('abc')
      await second.getByLabel('Manager').click()
      await second.getByText('“abc” is not a phone number.').waitFor()
      await second.getByLabel('Phone').fill('103')
      const forAll = page.locator('.call .field', { has: page.getByLabel('Phone') })
      await forAll.getByLabel('Phone').fill('abc')
      await page.keyboard.press('Tab')
      await forAll.getByText('“abc” is not a phone number.').waitFor()
      await forAll.getByLabel('Phone').fill('')
      await page.locator('.call').getByLabel('Manager').fill('Otto')
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await page.getByText('2 of 2 uploaded.').waitFor()
      const calls = Object.fromEntries((await recordings()).map((call: { fileName: string }) => [call.fileName, call]))
      expect(calls['second.wav']).to.include({ managerName: 'Otto', phoneNumber: '103', callStartedAt: null })
      expect(calls['2026-11-01_14-30_+375291234567_Anna_Berg_in.wav']).to.include({
        managerName: 'Anna Berg',
        phoneNumber: '+375291234567',
        direction: 'INBOUND',
      })
    })
  })
})
