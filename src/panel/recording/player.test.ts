import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser, reloadBrowserPage, waitForElementText } from '../../test/browser.ts'
import { waitUntil } from '../../test/wait.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'

const SEGMENTS = [
  { start: 0.5, end: 3, channel: 0, text: 'Good morning, how is my delivery?' },
  { start: 3.5, end: 9, channel: 1, text: 'The deliveries come on Monday.' },
  { start: 9.3, end: 14, channel: 0, text: 'I am sorry about that.' },
  { start: 14.2, end: 17, channel: 1, text: 'Great, thank you.' },
]

/** Uses a real browser, because only a browser shows playback and caching. */
describeInBrowser('panel: player', (chrome) => {
  let app: TestPanel
  let cookie: string
  let id: string

  before(async () => {
    app = await startTestPanel()
    cookie = (await app.openOwnerBrowser()).headers.Cookie!
    app.recognizer.answer = (recognition) => recognition.finish(SEGMENTS)
    id = await submit('call.wav')
    await waitUntil('done', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'DONE')
    await app.db.query('UPDATE recordings SET duration_seconds = 17.5')
  })
  after(() => app.stop())

  const submit = async (name: string): Promise<string> =>
    (await app.ida.upload(await readFile(`samples/${name}`), {}, name)).json.id

  const open = (path: string, options = {}) => chrome.open(app.panelUrl + path, { cookie, ...options })
  const sound = (page: Page) =>
    page.evaluate<{ now: number; paused: boolean; speed: number }>(
      `(({ currentTime, paused, playbackRate }) => ({ now: currentTime, paused, speed: playbackRate }))(document.getElementById('sound'))`,
    )
  /** Waits, because the page marks the row only after the browser reports the new position. */
  const marks = (page: Page, n: number) =>
    waitUntil(`row ${n} alone is marked`, async () => {
      const marked = await page.locator('.lines [aria-current]').allTextContents()
      return marked.length === 1 && marked[0] === SEGMENTS[n]!.text
    })
  /** Adds the elapsed time to the limit, because playback continues while a busy machine delays the poll. */
  const waitForPlaybackBetween = (page: Page, from: number, to: number) => {
    const began = performance.now()
    return waitUntil(`it plays between ${from} and ${to} s`, async () => {
      const { now, paused } = await sound(page)
      return !paused && now > from && now < to + (performance.now() - began) / 1000
    })
  }

  it('a click on a row plays it, and the row being played is highlighted', async () => {
    const page = await open(`/recordings/${id}`)
    await page.locator('.lines [data-start]').nth(2).click()
    await waitForPlaybackBetween(page, 9.3, 12)
    await marks(page, 2)
    await page.locator('.lines li .at').nth(1).click()
    await waitForPlaybackBetween(page, 3.5, 6)
    await marks(page, 1)
    expect(page.url()).to.equal(`${app.panelUrl}/recordings/${id}`)
  })

  it('the audit log records listening when a person plays a call, not on opening', async () => {
    const unheard = await submit('call.wav')
    await waitUntil('done', async () => (await app.ida.get(`/v1/recordings/${unheard}`)).json.status === 'DONE')
    const count = async (action: string) =>
      (await app.db.query('SELECT FROM audit WHERE action = $1 AND object_id = $2', [action, unheard])).rowCount
    const page = await open(`/recordings/${unheard}?t=9.3`)
    await page.waitForLoadState('networkidle')
    await waitUntil('it is opened', async () => (await count('recording.read')) === 1)
    expect(await count('audio.read')).to.equal(0)
    await page.keyboard.press(' ')
    await waitForPlaybackBetween(page, 7.8, 12)
    await waitUntil('it is heard', async () => (await count('audio.read')) === 1)
  })

  it('a click on the waveform seeks, and the waveform shows the played part', async () => {
    const page = await open(`/recordings/${id}`)
    const { x, y, width, height } = (await page.locator('.wave').boundingBox())!
    await page.mouse.click(x + width * 0.6, y + height / 2)
    await waitUntil('it is there', async () => Math.abs((await sound(page)).now - 10.5) < 0.2)
    const share = `document.querySelector('[data-heard]').width.baseVal.value / document.querySelector('.wave').viewBox.baseVal.width`
    await waitUntil('it is shown', async () => Math.abs((await page.evaluate<number>(share)) - 0.6) < 0.02)
    expect(await page.locator('.player .clock').innerText()).to.contain('0:10 / 0:17')
    await marks(page, 2)
  })

  it('the player works with the keyboard: space, arrow keys and the slider', async () => {
    const page = await open(`/recordings/${id}`)
    await page.keyboard.press(' ')
    await waitForPlaybackBetween(page, 0, 3)
    await page.keyboard.press(' ')
    expect((await sound(page)).paused).to.equal(true)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    expect((await sound(page)).now).to.be.within(10, 13)
    await page.keyboard.press('ArrowLeft')
    expect((await sound(page)).now).to.be.within(5, 8)
    await page.locator('[data-position]').focus()
    await page.keyboard.press('ArrowRight')
    expect((await sound(page)).now).to.be.within(10, 13)
    await page.keyboard.press('End')
    expect((await sound(page)).now).to.be.closeTo(17.5, 0.2)
    const readPositionText = () => page.locator('[data-position]').getAttribute('aria-valuetext')
    await waitUntil('it is told', async () => (await readPositionText()) === '0:17 of 0:17')
  })

  it('the search updates while typing, without stopping playback or losing the focus', async () => {
    const page = await open(`/recordings/${id}`)
    await page.locator('.lines [data-start]').nth(1).click()
    await waitForPlaybackBetween(page, 3.5, 8)
    await page.keyboard.press('/')
    await page.keyboard.type('delivery')
    await page.locator('mark').first().waitFor()
    expect(await page.locator('mark').allTextContents()).to.deep.equal(['delivery', 'deliveries'])
    expect(await page.evaluate(`document.activeElement.name`)).to.equal('q')
    expect((await sound(page)).paused).to.equal(false)
    expect(page.url()).to.contain('?q=delivery')
    const readCurrentMatches = () => page.locator('mark.current').allTextContents()
    await page.keyboard.press('Enter')
    expect(await readCurrentMatches()).to.deep.equal(['delivery'])
    await page.keyboard.press('Escape')
    await page.keyboard.press('n')
    expect(await readCurrentMatches()).to.deep.equal(['deliveries'])
    expect(await page.locator('.found').innerText()).to.equal('2 / 2 matches')
    await page.keyboard.press('n')
    expect(await readCurrentMatches()).to.deep.equal(['delivery'])
    await page.keyboard.press('p')
    expect(await readCurrentMatches()).to.deep.equal(['deliveries'])
  })

  it('a page opened with a search selects the first match', async () => {
    const page = await open(`/recordings/${id}?q=deliveries`)
    expect(await page.locator('mark.current').allTextContents()).to.deep.equal(['delivery'])
  })

  it('going to a match moves the playback position to it', async () => {
    const page = await open(`/recordings/${id}?q=deliveries`)
    // Without word timings, the start is 1.5 s before the estimated position, but not before the start of the row.
    const waitForPosition = (at: number) =>
      waitUntil(`it stands at ${at}`, async () => Math.abs((await sound(page)).now - at) < 0.01)
    await waitForPosition(0.8)
    await page.keyboard.press('n')
    await waitForPosition(3.5)
    await marks(page, 1)
    expect((await sound(page)).paused).to.equal(true)
    await page.keyboard.press(' ')
    await waitForPlaybackBetween(page, 3.5, 8)
    await page.keyboard.press('p')
    await waitForPlaybackBetween(page, 0.8, 3)
    const ticks = await page.locator('.wave .ticks').getAttribute('d')
    expect(ticks).to.equal(`M${Math.round((960 * 0.8) / 17.5)} 0v64M${Math.round((960 * 3.5) / 17.5)} 0v64`)
  })

  it('a link with a time opens at this time, and rows copy such links', async () => {
    const page = await open(`/recordings/${id}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const link = page.getByRole('link', { name: 'Copy link to 0:09' })
    await link.click()
    await waitUntil('it is copied', async () => (await page.locator('[data-said]').textContent()) === 'Link copied.')
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).to.equal(`${app.panelUrl}/recordings/${id}?t=9.3`)
    expect(page.url()).not.to.contain('t=')
    const there = await open(copied.replace(app.panelUrl, ''))
    await waitUntil('it stands 1.5 s before', async () => Math.abs((await sound(there)).now - 7.8) < 0.01)
    await marks(there, 2)
    await there.keyboard.press(' ')
    await waitForPlaybackBetween(there, 7.8, 13)
    const unscripted = await open(copied.replace(app.panelUrl, ''), { javaScriptEnabled: false })
    expect(await unscripted.locator('audio').getAttribute('src')).to.match(/#t=9\.3$/)
  })

  it('a link with #play starts playback, also from the second in the address', async () => {
    const heardThere = await submit('call.wav')
    // Waits for the check, which would otherwise overwrite the score.
    await waitUntil(
      'checked',
      async () => (await app.ida.get(`/v1/recordings/${heardThere}/analysis`)).json.status === 'done',
    )
    await app.db.query(
      `UPDATE recordings SET manager_name = 'Anna', call_started_at = '2026-03-31T10:00:00Z', duration_seconds = 60, score = 40
        WHERE id = $1`,
      [heardThere],
    )
    const page = await open('/analytics/weekly?week=2026-W14')
    await page.locator(`a[href="/recordings/${heardThere}#play"]`).first().click()
    await page.waitForURL(`**/recordings/${heardThere}#play`)
    await waitForPlaybackBetween(page, 0.1, 16)
    expect(await page.locator('[data-play]').getAttribute('aria-label')).to.equal('Pause')
    const there = await open(`/recordings/${id}?t=9.3#play`)
    await waitForPlaybackBetween(there, 7.8, 17)
    await there.locator('.lines [data-start]').nth(1).click()
    await waitForPlaybackBetween(there, 3.5, 9)
  })

  it('on a phone, the player is a bar of 56 px at the bottom', async () => {
    const page = await open(`/recordings/${id}`, { viewport: { width: 390, height: 500 } })
    const bar = page.locator('.mini')
    await bar.getByRole('button', { name: 'Play' }).click()
    await waitForPlaybackBetween(page, 0, 8)
    await page.locator('.history').scrollIntoViewIfNeeded()
    const { y, height, width } = (await bar.boundingBox())!
    expect([y + height, height, width]).to.deep.equal([500, 56, 390])
    await bar.getByRole('button', { name: 'Pause' }).click()
    await waitUntil('it pauses', async () => (await sound(page)).paused)
    expect(await bar.isVisible(), 'so that one can go on').to.equal(true)
  })

  it("on a phone, every control of a call's page is at least 40 px", async () => {
    const page = await open(`/recordings/${id}?q=delivery`, { viewport: { width: 390, height: 844 } })
    const small = await page.evaluate<string[]>(`
      [...document.querySelectorAll('#recording :is(a, button, summary, select, input)')]
        .map((one) => [one, one.getBoundingClientRect()])
        .filter(([one, { width, height }]) => one.checkVisibility() && width > 0 && (width < 40 || height < 40))
        .map(([one, { width, height }]) => one.outerHTML.slice(0, 60) + ' ' + width + ' x ' + height)`)
    expect(small).to.deep.equal([])
  })

  it('the player shows that the recording is loading', async () => {
    const page = await open('/recordings')
    let release: (() => void) | undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/playback*', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${app.panelUrl}/recordings/${id}`)
    await page.locator('[data-play]').click()
    await page.getByText('Loading the recording').waitFor({ state: 'attached' })
    release!()
    await waitForPlaybackBetween(page, 0, 8)
    await waitUntil('it plays', async () => (await page.locator('html.buffers').count()) === 0)
  })

  describe('formats that browsers cannot play', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-sounds-'))
    after(() => rm(folder, { recursive: true }))
    const encode = (name: string, ...codec: string[]) => {
      execFileSync('ffmpeg', ['-v', 'error', '-i', 'samples/call.wav', ...codec, join(folder, name)])
      return readFile(join(folder, name))
    }
    const files: [string, () => Promise<Buffer>][] = [
      ['call.amr', () => readFile('samples/call.amr')],
      ['call.gsm', () => encode('call.gsm', '-ac', '1', '-c:a', 'libgsm')],
      ['adpcm.wav', () => encode('adpcm.wav', '-c:a', 'adpcm_ima_wav')],
    ]
    for (const [name, read] of files) {
      it(`the player can play ${name} from any position`, async () => {
        const { json } = await app.ida.upload(await read(), {}, name)
        await waitUntil('done', async () => (await app.ida.get(`/v1/recordings/${json.id}`)).json.status === 'DONE')
        await app.db.query('UPDATE recordings SET duration_seconds = 17.5 WHERE id = $1', [json.id])
        const page = await open(`/recordings/${json.id}`)
        await page.locator('[data-play]').click()
        await waitForPlaybackBetween(page, 0.1, 5)
        await page.locator('.lines [data-start]').nth(2).click()
        await waitForPlaybackBetween(page, 9.3, 12)
        await page.locator('.lines [data-start]').nth(1).click()
        await waitForPlaybackBetween(page, 3.5, 6)
        const length = await page.evaluate<number>(`document.getElementById('sound').duration`)
        expect(length).to.be.closeTo(17.5, 0.1)
        const failure = /cannot-(play|load)/
        expect(await page.evaluate<string>('document.documentElement.className')).not.to.match(failure)
      })
    }
  })

  it('the player keeps the chosen speed after a reload', async () => {
    const page = await open(`/recordings/${id}`)
    await page.locator('.player [data-speed]').selectOption('1.5')
    expect((await sound(page)).speed).to.equal(1.5)
    await reloadBrowserPage(page)
    expect((await sound(page)).speed).to.equal(1.5)
    expect(await page.locator('.player [data-speed]').inputValue()).to.equal('1.5')
  })

  it('the copied transcript names the speakers', async () => {
    const page = await open(`/recordings/${id}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await Promise.all([waitForElementText(page, '[data-copy]', 'Copied'), page.locator('[data-copy]').click()])
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied.split('\n')[1]).to.equal(`Client: ${SEGMENTS[1]!.text}`)
  })

  it('playback continues while the page refreshes and shows the finished transcript', async () => {
    app.recognizer.answer = undefined
    const held = app.recognizer.pending.length
    const waiting = await submit('call.wav')
    const recognition = await waitUntil('it runs', () => app.recognizer.pending[held])
    const page = await open(`/recordings/${waiting}`)
    await page.locator('[data-play]').click()
    await waitForPlaybackBetween(page, 0.2, 5)
    await page.evaluate(`document.getElementById('sound').marked = true`)
    recognition.finish(SEGMENTS)
    await page.locator('.lines [data-start]').first().waitFor()
    await waitForPlaybackBetween(page, 0.5, 17)
    expect(await page.evaluate(`document.getElementById('sound').marked`)).to.equal(true)
    expect(await page.locator('[data-play]').getAttribute('aria-label')).to.equal('Pause')
    app.recognizer.answer = (one) => one.finish(SEGMENTS)
  })

  it('the player reports a format that the browser cannot play, and a missing recording', async () => {
    const amr: string = (await app.ida.upload(Buffer.alloc(5000, 0xfe), {}, 'call.amr')).json.id
    await waitUntil('done', async () => (await app.ida.get(`/v1/recordings/${amr}`)).json.status === 'DONE')
    const page = await open(`/recordings/${amr}`)
    await page.locator('[data-play]').click()
    await page.getByText('Your browser cannot play this format.').waitFor()
    expect(await page.locator('.player .own').isVisible()).to.equal(false)
    const { rows } = await app.db.query('SELECT storage_key FROM recordings WHERE id = $1', [amr])
    await rm(join(app.config.audioDir, rows[0].storage_key))
    await reloadBrowserPage(page)
    await page.locator('[data-play]').click()
    await page.getByText('No recording is stored for this call.').waitFor()
    chrome.ignoreErrors(/status of (404|422)/)
  })

  it("without scripts, the page has the browser's player and a plain search form", async () => {
    const page = await open(`/recordings/${id}`, { javaScriptEnabled: false })
    expect(await page.locator('audio[controls]').isVisible()).to.equal(true)
    expect(await page.locator('.player .own').isVisible()).to.equal(false)
    expect(await page.locator('[data-copy]').isVisible()).to.equal(false)
    await page.locator('input[name=q]').fill('delivery')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL(/q=delivery/)
    expect(await page.locator('mark').allTextContents()).to.deep.equal(['delivery', 'deliveries'])
  })
})
