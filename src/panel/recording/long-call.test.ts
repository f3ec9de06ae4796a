import { mkdir, open as openFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { request } from 'undici'
import { describeInBrowser, waitForElementText } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { waitUntil } from '../../test/wait.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'

const HOURS = 3
const ROWS = 3600
const WORDS = 'Добрый день я бы хотела узнать когда приедет мой заказ водитель ещё не звонил а вы обещали утром'.split(
  ' ',
)

/** Builds a row of three seconds. Every hundredth row contains a giraffe. */
const buildSegment = (n: number) => ({
  start: n * 3,
  end: n * 3 + 2.9,
  channel: n % 2,
  text:
    Array.from({ length: 9 }, (_, i) => `${WORDS[(i * 7 + n * 3 + n * i) % WORDS.length]}${(n * i) % 17}`).join(' ') +
    (n % 100 === 99 ? ' жираф' : ''),
})

describeInBrowser('panel: page of a three-hour call', (chrome) => {
  let app: TestPanel
  let cookie: string
  let id: string

  before(async () => {
    app = await startTestPanel()
    cookie = (await app.openOwnerBrowser()).headers.Cookie!
    const segments = Array.from({ length: ROWS }, (_, n) => buildSegment(n))
    const text = segments.map((one) => one.text).join('\n')
    ;[id] = (await insertCalls(app, [{ text, duration: HOURS * 3600, phone: '+375291234567' }])) as [string]
    await app.db.query('UPDATE transcripts SET segments = $1', [JSON.stringify(segments)])
    const peaks = [0, 1].map((n) => Buffer.from(Array.from({ length: 1000 }, (_, i) => (i * 37 + n * 11) % 100)))
    await app.db.query('INSERT INTO waveforms VALUES ($1, $2, $3)', [id, HOURS * 3600, peaks])
    await app.db.query(`UPDATE recordings SET file_name = 'long.wav', size_bytes = 44 + ${HOURS * 3600 * 8000}`)
    await writeSilence(join(app.config.audioDir, 'inserted', id))
  })
  after(() => app.stop())

  /** Writes three hours of silence as a sparse WAV file (8 bits, 8 kHz), which takes no space on the disk. */
  async function writeSilence(path: string): Promise<void> {
    const size = HOURS * 3600 * 8000
    const head = Buffer.alloc(44)
    head.write('RIFF')
    head.writeUInt32LE(size + 36, 4)
    head.write('WAVEfmt ', 8)
    head.writeUInt32LE(16, 16)
    head.writeUInt16LE(1, 20)
    head.writeUInt16LE(1, 22)
    head.writeUInt32LE(8000, 24)
    head.writeUInt32LE(8000, 28)
    head.writeUInt16LE(1, 32)
    head.writeUInt16LE(8, 34)
    head.write('data', 36)
    head.writeUInt32LE(size, 40)
    await mkdir(dirname(path), { recursive: true })
    const file = await openFile(path, 'w')
    await file.write(head)
    await file.truncate(44 + size)
    await file.close()
  }

  const open = (query = '', options = {}) =>
    chrome.open(`${app.panelUrl}/recordings/${id}${query}`, { cookie, ...options })
  const readAudioPosition = (page: Page) => page.evaluate<number>(`document.getElementById('sound').currentTime`)
  const readCurrentRows = (page: Page) => page.locator('.lines [aria-current]').allTextContents()
  const countShownRows = (page: Page) => page.locator('.lines [data-start]').count()

  for (const query of ['', '?t=9000', '?q=жираф']) {
    it(`the page of a call of three hours has at most 200 KB: ${query || 'no query'}`, async () => {
      const { body } = await request(encodeURI(`${app.panelUrl}/recordings/${id}${query}`), {
        headers: { Cookie: cookie },
      })
      expect((await body.arrayBuffer()).byteLength).to.be.within(20_000, 200_000)
    })
  }

  it('a long call opens at the requested second and loads parts that playback reaches', async () => {
    const page = await open('?t=9000')
    await waitUntil('it stands there', async () => Math.abs((await readAudioPosition(page)) - 8998.5) < 1)
    await waitUntil('its row is marked', async () => (await readCurrentRows(page))[0] === buildSegment(3000).text)
    expect(await page.locator('.lines [aria-current]').isVisible()).to.equal(true)
    await page.evaluate(`new Promise((resolve) => {
      const audio = document.getElementById('sound')
      audio.addEventListener('loadedmetadata', resolve, { once: true })
      audio.preload = 'metadata'
    })`)
    await page.evaluate(`document.getElementById('sound').currentTime = 4000`)
    await waitUntil('it follows', async () => (await readCurrentRows(page))[0] === buildSegment(1333).text)
  })

  it('the search goes to matches in parts that are not loaded, and marks all matches', async () => {
    const page = await open('?q=жираф')
    expect(await page.locator('.found').innerText()).to.equal('1 / 36 matches')
    const readCurrentMatches = () =>
      page.evaluate<string[]>(`[...document.querySelectorAll('mark.current')].map((mark) => mark.dataset.match)`)
    expect(await readCurrentMatches()).to.deep.equal(['1'])
    await page.keyboard.press('p')
    await waitUntil('the last', async () => (await readCurrentMatches()).join() === '36')
    await waitUntil('the playhead', async () => (await readAudioPosition(page)) >= buildSegment(3599).start)
    expect((await page.locator('.wave .ticks').getAttribute('d'))!.split('M')).to.have.length(37)
  })

  it('with word timings, playback of a match in an unloaded part starts at its word', async () => {
    const words = Array.from({ length: ROWS }, (_, n) =>
      buildSegment(n).text.split(' ').map((_, i) => [n * 3 + i * 0.25, n * 3 + i * 0.25 + 0.2, null]),
    ) // prettier-ignore
    await app.db.query(`UPDATE transcripts SET timing = 'exact', words = $1`, [JSON.stringify(words)])
    const page = await open('?q=жираф')
    const waitForRow = (row: number) =>
      waitUntil(
        `it stands at the giraffe of row ${row}`,
        async () => Math.abs((await readAudioPosition(page)) - (row * 3 + 2)) < 0.01,
      )
    await waitForRow(99)
    await page.keyboard.press('p')
    await waitForRow(3599)
    await app.db.query('UPDATE transcripts SET timing = null, words = null')
  })

  it('other parts of the transcript load while scrolling, or by links without scripts', async () => {
    const page = await open()
    const first = await countShownRows(page)
    expect(first).to.be.within(100, 400)
    await page.locator('#part-3450').scrollIntoViewIfNeeded()
    await waitUntil('they come', async () => (await page.locator('#part-3450 li').count()) > 0)
    const unscripted = await open('', { javaScriptEnabled: false })
    await unscripted.locator('#part-3450 a').click()
    await unscripted.waitForURL(/row=3450/)
    expect(await unscripted.locator('.lines [data-start]').last().textContent()).to.equal(buildSegment(3599).text)
  })

  it('a person can copy the whole transcript of a long call', async () => {
    const page = await open()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await Promise.all([waitForElementText(page, '[data-copy]', 'Copied'), page.locator('[data-copy]').click()])
    expect((await page.evaluate<string>('navigator.clipboard.readText()')).split('\n')).to.have.length(ROWS)
  })

  it('if a part of the transcript cannot load, nothing is copied and a message appears', async () => {
    const page = await open()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.evaluate(`navigator.clipboard.writeText('as before')`)
    await page.route('**/lines/1050-*', (route) => route.fulfill({ status: 503 }))
    await Promise.all([
      waitForElementText(page, '[data-copy]', 'Not copied. Try again.'),
      page.locator('[data-copy]').click(),
    ])
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).to.equal('as before')
    await page.unroute('**/lines/1050-*')
    await Promise.all([waitForElementText(page, '[data-copy]', 'Copied'), page.getByText('Copy transcript').click()])
    expect((await page.evaluate<string>('navigator.clipboard.readText()')).split('\n')).to.have.length(ROWS)
    chrome.ignoreErrors(/status of 503/)
  })

  it('the panel returns one part of the transcript, and 404 for invalid ranges', async () => {
    const olga = app.browser({ Cookie: cookie })
    const script = { 'HX-Request': 'true' }
    const part = await olga.open(`/recordings/${id}/lines/150-300`, script)
    expect([...part.text.matchAll(/<li>/g)]).to.have.length(150)
    for (const path of ['3600-3700', 'x', '150', '150-150', '150-301', '-1']) {
      expect((await olga.open(`/recordings/${id}/lines/${path}`, script)).status, path).to.equal(404)
    }
    const plain = await olga.open(`/recordings/${id}/lines/300-450?q=жираф`)
    expect(plain.headers.get('location')).to.equal(`/recordings/${id}?row=300&q=%D0%B6%D0%B8%D1%80%D0%B0%D1%84`)
  })
})
