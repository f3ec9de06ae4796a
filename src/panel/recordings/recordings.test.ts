import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { request } from 'undici'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { createDepartment, createLoggedInPerson } from '../../test/people.ts'
import { parseFacetChoices, parseCallRowIds, findCallRowHtml } from '../../test/list-page.ts'
import { waitUntil } from '../../test/wait.ts'
import {
  HTMX_IN_PLACE_HEADERS,
  HTMX_REFRESH_HEADERS,
  startTestPanelServer,
  startTestPanel,
  type PanelBrowser,
  type TestPanel,
} from '../../test/panel.ts'

const HOSTILE_TEXT = `"'><script>alert(1)</script><img src=x onerror=alert(1)> hx-get="/x" {{7*7}} <%= 7*7 %> \u202E`

describe('panel: call list', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel()
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())
  afterEach(async () => {
    app.recognizer.answer = undefined
    await app.db.query('DELETE FROM recordings')
  })

  it('an empty list links to the upload, and shows filters once there is a call', async () => {
    const { text } = await olga.open('/recordings')
    expect(text).to.contain('No calls yet').and.contain('href="/upload">Upload</a>').and.contain('href="/api-keys"')
    expect(text).not.to.match(/id="facets"|class="search"/)
    expect(text).to.contain('hx-trigger="every 3s" hx-target="#content" hx-select="#content"')
    await insertCalls(app, [{}])
    expect((await olga.open('/recordings', HTMX_IN_PLACE_HEADERS)).text)
      .to.contain('id="facets"')
      .and.not.contain('No calls yet')
  })

  it('an empty list explains whose calls will appear to people who cannot upload', async () => {
    const own = app.browser({
      Cookie: (await createLoggedInPerson(app, 'Max First', { rights: { manageRecordings: false } })).headers.Cookie!,
    })
    const { text } = await own.open('/recordings')
    expect(text)
      .to.contain('Calls of the manager “Max First” appear here')
      .and.not.match(/curl|\/upload/)
    const windows = await createDepartment(app, 'Doors', [])
    const more = { role: 'head' as const, departments: [windows], rights: { manageRecordings: false } }
    const head = app.browser({ Cookie: (await createLoggedInPerson(app, 'Hanna', more)).headers.Cookie! })
    expect((await head.open('/recordings')).text)
      .to.contain('Calls of your departments’ managers')
      .and.not.match(/curl|\/upload/)
  })

  it("a row shows the call's time in APP_TIMEZONE, phone, manager, duration, score and excerpt", async () => {
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
    const row = findCallRowHtml(text, id!)
    for (const shown of [
      '+375 29 123-45-67',
      'Анна Ковалёва',
      '2 Mar 2025 02:30',
      '↙',
      '4:12',
      'class="score-good">86<',
    ]) {
      expect(row).to.contain(shown)
    }
    expect(row, 'done, but no badge for it').to.contain('class="hidden">done<').and.not.contain('class="badge')
    expect(row).to.contain('Good afternoon, how may I help you?').and.contain(`href="/recordings/${id}"`)
    expect(text).to.match(/<b>1<\/b> call, 4 min\b/)
  })

  it('a row shows the file name without a phone, and “no speech” for silence', async () => {
    app.recognizer.answer = (recognition) => recognition.finish([])
    const id = await app.submitCall('DONE')
    const { text } = await olga.open('/recordings')
    expect(findCallRowHtml(text, id)).to.contain('call.wav').and.contain('no speech')
    expect(text).not.to.contain('>Score<')
  })

  it('the list shows failure reasons, the progress of transcriptions and queue positions', async () => {
    app.recognizer.answer = (recognition) => recognition.fail('UNSUPPORTED_AUDIO', 'not a sound')
    const failed = await app.submitCall('FAILED')
    app.recognizer.answer = undefined
    await app.submitCall('PROCESSING')
    await app.submitCall('PROCESSING')
    await app.submitCall('QUEUED')
    const second = await app.submitCall('QUEUED')
    app.recognizer.pending.at(-1)!.progress(62, 100)
    const text = await waitUntil('62%', async () => {
      const { text } = await olga.open('/recordings')
      return text.includes('62%') && text
    })
    expect(findCallRowHtml(text, failed)).to.contain('class="badge failed">failed<')
    expect(findCallRowHtml(text, failed)).to.contain('The file is damaged or has no audio.')
    expect(text).to.contain('queued · 1st')
    expect(findCallRowHtml(text, second)).to.contain('queued · 2nd')
  })

  it('the list polls every 3 s while calls are pending, else every 20 s', async () => {
    await insertCalls(app, [{}])
    expect((await olga.open('/recordings')).text).to.contain('hx-get="/recordings" hx-trigger="every 20s, refresh"')
    await app.submitCall('PROCESSING')
    const page = (await olga.open('/recordings?status=PROCESSING')).text
    expect(page).to.contain(
      'hx-get="/recordings?status=PROCESSING" hx-trigger="every 3s, refresh" hx-swap="outerMorph"',
    )
    const part = (await olga.open('/recordings?status=PROCESSING', HTMX_REFRESH_HEADERS)).text
    expect(part.trimStart()).to.match(/^<section id="list"/)
    expect(part).not.to.contain('<html').and.not.to.contain('id="facet-manager"')
    for (const same of [/<tbody>.*<\/tbody>/s, /<div class="toolbar">.*<table/s]) {
      expect(same.exec(part)![0]).to.equal(same.exec(page)![0])
    }
    expect(parseFacetChoices(part, 'status')).to.deep.equal(parseFacetChoices(page, 'status'))
    expect(part)
      .to.contain('id="facet-status" hx-swap-oob="outerMorph"')
      .and.match(/id="count-recordings"[^>]*>2</)
  })

  it('an htmx navigation gets the whole page', async () => {
    const { text, headers } = await olga.open('/recordings?order=asc', HTMX_IN_PLACE_HEADERS)
    expect(text).to.contain('<html').and.contain('<main id="content" tabindex="-1" hx-history-elt data-action-id=')
    expect(headers.get('vary')).to.contain('HX-Request-Type')
  })

  it('a manager sees only their own calls and no actions without permission', async () => {
    const [own, others] = await insertCalls(app, [{ manager: 'Max' }, { manager: 'Otto' }])
    const rights = { export: false, manageRecordings: false }
    const max = app.browser({ Cookie: (await createLoggedInPerson(app, 'Max', { rights })).headers.Cookie! })
    const { text } = await max.open('/recordings')
    expect(parseCallRowIds(text)).to.deep.equal([own])
    expect(parseFacetChoices(text, 'manager')).to.deep.equal(['Max 1'])
    expect(text).not.to.match(/type="checkbox"|\/recordings\/(export|retry|delete)|href="\/queues"/)
    expect((await max.open('/recordings/export?format=csv')).status).to.equal(403)
    const refused = await max.submit('/recordings/delete', { id: own! })
    expect(refused.status).to.equal(403)
    expect(refused.text).to.contain('You do not have access.')
    expect((await app.ida.get(`/v1/recordings/${others}`)).status).to.equal(200)
  })

  it('an htmx request without a session redirects to the login, then back', async () => {
    const current = `${app.panelUrl}/recordings?page=2`
    for (const headers of [HTMX_REFRESH_HEADERS, HTMX_IN_PLACE_HEADERS]) {
      const { status, headers: answered } = await app
        .browser()
        .open('/recordings', { ...headers, 'HX-Current-URL': current })
      expect(status).to.equal(204)
      expect(answered.get('hx-redirect')).to.equal('/login?next=%2Frecordings%3Fpage%3D2')
    }
  })

  it('the panel escapes HTML in all fields of a call', async () => {
    app.recognizer.answer = (recognition) => recognition.finish(HOSTILE_TEXT)
    const fields = { managerName: HOSTILE_TEXT, externalCallId: HOSTILE_TEXT, phoneNumber: `'"><svg onload=alert(1)>` }
    const id = await app.submitCall('DONE', fields)
    const unnamed = await app.submitCall('DONE', {}, '<svg onload=alert(1)>&amp;.wav')
    const query = new URLSearchParams({
      q: `${HOSTILE_TEXT} script`,
      manager: HOSTILE_TEXT.trim(),
      phone: `<svg onload=1>`,
    }).toString()
    for (const path of ['/recordings', `/recordings?${query}`, `/recordings/${id}`, `/recordings/${unnamed}`]) {
      const { text } = await olga.open(path)
      expect(text, path).not.to.match(/<(svg on|img src=x)|<script>/)
      expect(text, path).to.contain('&lt;script&gt;').and.contain('&lt;%= 7*7 %&gt;')
    }
    expect((await olga.open('/recordings')).text).to.contain('&lt;svg onload=alert(1)&gt;&amp;amp;.wav')
  })

  it('the list is in Russian for a browser that prefers Russian', async () => {
    await app.submitCall('PROCESSING', { callStartedAt: '2025-03-01T10:00:00Z' })
    await app.submitCall('PROCESSING')
    const { text, headers } = await olga.open('/recordings', { 'Accept-Language': 'ru-RU,ru;q=0.9,en;q=0.8' })
    expect(headers.get('content-language')).to.equal('ru')
    expect(headers.get('vary')).to.contain('Accept-Language')
    expect(text).to.contain('<html lang="ru">').and.contain('<b>2</b> звонка').and.contain('распознаётся')
    expect(text).to.contain('01.03.2025').and.contain('Март 2025: 1')
    expect((await olga.open('/recordings', { 'Accept-Language': 'de' })).text).to.contain('<html lang="en">')
  })

  it('the list sends its API requests in parallel', async () => {
    await insertCalls(app, [{}])
    const needed = ['/v1/recordings', '/v1/recordings/facets', '/v1/recordings/catalog']
    const arrived = new Set<string>()
    let answer: () => void
    const all = new Promise<void>((resolve) => (answer = resolve))
    // The proxy holds all responses back until all requests have arrived, so serial requests would time out.
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
    const panel = await startTestPanelServer(app.config, `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
    try {
      const signal = AbortSignal.timeout(60_000)
      expect((await fetch(`${panel.url}/recordings`, { headers: olga.headers, signal })).status).to.equal(200)
    } finally {
      await panel.stop()
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
    }
  })

  it('the first visit of a full list transfers at most 100 KB', async () => {
    await insertCalls(
      app,
      Array.from({ length: 100 }, (_, n) => ({
        text: `${HOSTILE_TEXT} ${n}`.repeat(3),
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

  describeInBrowser('in a browser', (chrome) => {
    it('a person can select text in a row, and a click opens the call', async () => {
      const text = 'Good afternoon, how may I help you?'
      const [id] = await insertCalls(app, [{ phone: '+375 29 123-45-67', manager: 'Paula', text }])
      // Without the permission to listen, because this call has no audio.
      const cookie = (await createLoggedInPerson(app, 'Paula', { rights: { audio: false } })).headers.Cookie!
      const page = await chrome.open(`${app.panelUrl}/recordings`, { cookie })
      const selected = () => page.evaluate<string>('getSelection().toString().trim()')
      for (const [cell, shown] of Object.entries({ phone: '+375 29 123-45-67', manager: 'Paula', note: text })) {
        const { x, y, width, height } = (await page.locator(`td.${cell} > [title]`).boundingBox())!
        const middle = y + height / 2
        const titleScript = `document.elementFromPoint(${x + width / 2}, ${middle}).title`
        expect(await page.evaluate(titleScript), cell).to.equal(shown)
        await page.mouse.move(x + 1, middle)
        await page.mouse.down()
        await page.mouse.move(x + width, middle, { steps: 3 })
        await page.mouse.up()
        expect(await selected()).to.equal(shown)
      }
      expect(page.url()).to.equal(`${app.panelUrl}/recordings`)
      await page.locator('h1').click()
      await page.locator('td.phone > *').click()
      await page.waitForURL(`**/recordings/${id}`)
    })

    it('a new call does not move rows under the pointer or focus', async () => {
      await insertCalls(app, [{}])
      const page = await chrome.open(`${app.panelUrl}/recordings`, { cookie: olga.headers.Cookie })
      const refreshes = async () => {
        const came = page.waitForResponse((response) => new URL(response.url()).pathname === '/recordings')
        await page.evaluate(`document.getElementById('list').dispatchEvent(new CustomEvent('refresh'))`)
        await came
      }
      const rows = () => page.locator('#list tbody tr').count()
      const offer = page.getByText('1 new')
      const isThere = [
        () => page.locator('#list tbody tr').first().hover(),
        () => page.locator('#list tbody .time a').first().focus(),
      ]
      for (const [n, goThere] of isThere.entries()) {
        await goThere()
        await insertCalls(app, [{}])
        await refreshes()
        await offer.waitFor()
        expect(await rows()).to.equal(n + 1)
        await page.mouse.move(0, 0)
        await page.evaluate('document.activeElement.blur()')
        await refreshes()
        await waitUntil('the new call is there', async () => (await rows()) === n + 2)
        await offer.waitFor({ state: 'hidden' })
      }
    })
  })
})
