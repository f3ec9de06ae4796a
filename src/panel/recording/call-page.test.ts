import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../../test/browser.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'
import { MANNERS_RULES, createPublishedRuleSet } from '../../test/rule-sets.ts'
import { waitUntil } from '../../test/wait.ts'

const MINUTES = 15
const PHRASES = [
  'Good morning, Northern Windows, how can I help?',
  'We have just bought a house and the windows are original.',
  'How many windows are we talking about?',
  'Nine, and the back door.',
]

/** Builds turns of two segments. The price is at 4:10, and a pause precedes 8:20. */
function buildTalk() {
  return Array.from({ length: MINUTES * 12 }, (_, n) => ({
    start: n * 5,
    end: n * 5 + 4.5,
    channel: Math.floor(n / 2) % 2,
    text: n === 50 ? 'That is too expensive.' : PHRASES[n % 4]!,
  })).filter((_, n) => n < 97 || n > 99)
}

const encodeSilence = (): Buffer =>
  execFileSync(
    'ffmpeg',
    `-v error -f lavfi -i anullsrc=r=8000:cl=mono -t ${MINUTES * 60} -b:a 8k -f mp3 -`.split(' '),
    { maxBuffer: 10_000_000 },
  )

const LABEL = { ...MANNERS_RULES[0]!, key: 'price', name: { en: 'Price', ru: 'Цена' }, side: 'client' as const, any: { en: ['too expensive'] } } // prettier-ignore

describeInBrowser('panel: call page in a browser', (chrome) => {
  let app: TestPanel
  let cookie: string
  let id: string

  before(async () => {
    app = await startTestPanel({ ANALYSIS_SEED_RULES: false })
    cookie = (await app.openOwnerBrowser()).headers.Cookie!
    await createPublishedRuleSet(app.olga, 'manners')
    await createPublishedRuleSet(app.olga, 'topics', { mode: 'label', rules: [LABEL] })
    app.recognizer.answer = (recognition) => recognition.finish(buildTalk())
    id = await upload({ phoneNumber: '+375 (29) 123 45 67', managerName: 'Anna' })
    await app.db.query('UPDATE recordings SET duration_seconds = $1', [MINUTES * 60])
  })
  after(() => app.stop())

  async function upload(fields: Record<string, string>): Promise<string> {
    const { json } = await app.ida.upload(encodeSilence(), fields, 'call.mp3')
    const path = `/v1/recordings/${json.id}/analysis`
    await waitUntil('it is checked', async () => (await app.ida.get(path)).json.status === 'done')
    return json.id
  }

  const open = (query = '', options = {}) =>
    chrome.open(`${app.panelUrl}/recordings/${id}${query}`, { cookie, ...options })
  const readTexts = async (page: Page, selector: string) =>
    (await page.locator(selector).allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
  const readPosition = (page: Page) => page.evaluate<number>(`document.getElementById('sound').currentTime`)
  const PHONE = { viewport: { width: 390, height: 844 } }

  it('a turn of the transcript shows its speaker and time once', async () => {
    const page = await open()
    const turn = page.locator('.lines li').first()
    expect((await turn.innerText()).replace(/\s+/g, ' ').trim()).to.equal(`0:00 Agent ${PHRASES[0]} ${PHRASES[1]}`)
    expect(await turn.locator('[data-start]').count()).to.equal(2)
    expect(await page.locator('.transcript .bar').innerText()).to.contain('turns')
  })

  it('a click on a phrase of a turn plays the audio from this phrase', async () => {
    const page = await open()
    await page.locator('.lines [data-start="15"]').click()
    await waitUntil('it plays from there', async () => (await readPosition(page)) >= 15)
    expect(await readTexts(page, '.lines [aria-current]')).to.deep.equal([PHRASES[3]])
  })

  it('a long call is divided into chapters, and a folded chapter shows its first phrase', async () => {
    const page = await open()
    expect(await readTexts(page, '.chapter h3')).to.deep.equal(['Beginning', 'Price', 'After 16 s of silence'])
    const last = page.locator('.chapter').last()
    expect(await last.locator('.gist').isVisible()).to.equal(false)
    await last.locator('summary').click()
    expect(await last.locator('.gist').innerText()).to.equal('“Good morning, Northern Windows, how can I help?”')
    expect(await last.locator('.lines').isVisible()).to.equal(false)
  })

  it('the keys [ and ] go to other chapters and open a folded chapter', async () => {
    const page = await open()
    await page.locator('#chapter-2 > summary').click()
    await page.keyboard.press(']')
    await waitUntil('the second', async () => (await readPosition(page)) === 250)
    expect(await page.locator('#chapter-2').getAttribute('open')).to.equal('')
    await page.locator('[data-chapter-mark].current', { hasText: 'Price' }).waitFor()
    await page.keyboard.press(']')
    await waitUntil('the third', async () => (await readPosition(page)) === 500)
    await page.keyboard.press('[')
    await page.keyboard.press('[')
    await waitUntil('the first', async () => (await readPosition(page)) === 0)
  })

  it('the key E or one click opens the edit form of a call', async () => {
    const page = await open()
    await page.keyboard.press('e')
    await waitUntil('its first field has the focus', () =>
      page.evaluate<boolean>(`document.activeElement.name === 'phoneNumber'`),
    )
    const clicked = await open()
    await clicked.locator('#edit summary').click()
    expect(await clicked.locator('#edit input').first().isVisible()).to.equal(true)
  })

  it("a call's page formats its phone number, independent of how it was typed", async () => {
    const page = await open()
    expect(await page.locator('h1').innerText()).to.contain('+375 29 123-45-67')
    expect(await page.locator('#details').innerText()).to.contain('+375 29 123-45-67')
  })

  it('the page of a call has one scroll bar, and its player stays visible', async () => {
    const page = await open()
    await page.mouse.wheel(0, 3000)
    await waitUntil('it has scrolled', () => page.evaluate<boolean>('scrollY > 1000'))
    expect((await page.locator('#player').boundingBox())!.y).to.equal(0)
    const scrollers = await page.evaluate<string[]>(`[...document.querySelectorAll('#recording *')]
      .filter((one) => one.scrollHeight > one.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(one).overflowY))
      .map((one) => one.className)`)
    expect(scrollers).to.deep.equal([])
  })

  it('on a phone, the check precedes the transcript, and the player is at the bottom', async () => {
    const page = await open('', PHONE)
    const top = async (selector: string) => (await page.locator(selector).first().boundingBox())!.y
    expect(await top('#check')).to.be.lessThan(await top('.transcript'))
    expect(await top('.transcript')).to.be.lessThan(await top('#details'))
    const { y, height } = (await page.locator('.mini').boundingBox())!
    expect([y + height, height]).to.deep.equal([844, 56])
    await page.evaluate(`
      const position = document.querySelector('[data-position]')
      position.value = 260
      position.dispatchEvent(new Event('input', { bubbles: true }))`)
    await page.locator('.mini', { hasText: '4:20 Price' }).waitFor()
    await page.getByRole('button', { name: '5 s back' }).click()
    await waitUntil('it is back', async () => (await readPosition(page)) === 255)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(390)
  })

  it('the transcript underlines quotes of met rules, missed rules and labels', async () => {
    const page = await open()
    expect((await readTexts(page, '.quoted.met'))[0]).to.equal('Good morning')
    await page.locator('.labels .quote').click()
    await page.locator('.quoted.label.current').waitFor()
    expect(await readTexts(page, '.quoted.label')).to.deep.equal(['too expensive'])
  })

  /** Opens a page that records its layout shifts, as Chromium reports them. */
  async function openMeasured(query: string, options = {}) {
    const page = await chrome.open(`${app.panelUrl}/login`, { cookie, ...options })
    await page.addInitScript(`
      window.shifts = []
      new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map(({ value, sources }) =>
        ({ value, of: sources.map(({ node, previousRect, currentRect }) => (node?.outerHTML?.slice(0, 80) ?? String(node?.nodeName)) + JSON.stringify([previousRect, currentRect])) }))))
        .observe({ type: 'layout-shift', buffered: true })`)
    await page.goto(`${app.panelUrl}/recordings/${id}${query}`, { waitUntil: 'networkidle' })
    return page
  }
  async function expectNoShift(page: Page) {
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    const shifts = await page.evaluate<{ value: number; of: string[] }[]>('window.shifts')
    const sum = shifts.reduce((total, { value }) => total + value, 0)
    expect(sum, JSON.stringify(shifts)).to.be.lessThan(0.01)
  }

  for (const [name, options] of [
    ['desktop', {}],
    ['phone', PHONE],
  ] as const) {
    it(`the page of a call does not shift while it loads on a ${name}`, async () => {
      await expectNoShift(await openMeasured('', options))
      await expectNoShift(await openMeasured('?q=windows', options))
      await expectNoShift(await openMeasured('?t=600', options))
    })

    it(`the page of a call does not shift while parts load on a ${name}`, async () => {
      const page = await openMeasured('?t=600', options)
      for (const step of [-300, 300]) {
        for (let n = 0; n < 12; n++) await page.mouse.wheel(0, step)
        await page.waitForLoadState('networkidle')
        await expectNoShift(page)
      }
      expect(await page.locator('.rows-to-come').count()).to.be.lessThan(2)
    })
  }

  it('the page of a call does not shift while a check runs and ends', async () => {
    const page = await openMeasured('')
    await app.olga.post('/v1/queues/analysis/pause')
    await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    await page.goto(page.url(), { waitUntil: 'load' })
    await page.locator('.check[hx-get]').waitFor()
    await expectNoShift(page)
    await app.db.query('DELETE FROM paused_queues')
    await page.locator('.check:not([hx-get])').waitFor()
    await expectNoShift(page)
  })
})
