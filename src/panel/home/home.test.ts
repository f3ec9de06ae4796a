import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { waitUntil } from '../../test/wait.ts'
import type { Locator, Page } from 'playwright-core'
import { Temporal } from 'temporal-polyfill'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCheckedCalls, type CheckedCallRow } from '../../test/checked-calls.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'
import { createDepartment, createLoggedInPerson } from '../../test/people.ts'
import { createQuoteEvidence } from '../../test/evidence.ts'
import { OWNER_CREDENTIALS } from '../../test/server.ts'

const today = Temporal.Now.plainDateISO('UTC')
const monday = today.subtract({ days: today.dayOfWeek - 1 })
const atHour = (day: Temporal.PlainDate, hour: number) =>
  day.toZonedDateTime({ timeZone: 'UTC', plainTime: { hour } }).toInstant().toString()

/** Creates twelve calls of a week before the current one, of which some miss the next step. */
const createWeek = (weeksAgo: number, score: number): CheckedCallRow[] =>
  Array.from({ length: 12 }, (_, n) => ({
    at: atHour(monday.subtract({ days: 7 * (weeksAgo + 1) - 1 }), 8 + n),
    manager: 'Anna',
    score: score + n,
    duration: 17,
    verdicts: { greeting: 'met', 'next-step': n % 3 === 0 ? 'missed' : 'met' },
  }))

/** Creates the department Sales with a head and a manager, nine weeks of calls, and four low scores yesterday with audio. */
async function createCompany(app: TestPanel) {
  const sales = await createDepartment(app, 'Sales', ['Anna'])
  const hanna = await createLoggedInPerson(app, 'Hanna', { role: 'head', departments: [sales] })
  const anna = await createLoggedInPerson(app, 'Anna', { departments: [sales] })
  const weeks = Array.from({ length: 9 }, (_, n) => createWeek(n, n === 0 ? 40 : 80)).flat()
  const yesterday = [30, 10, 20, 40].map((score, n) => ({
    ...weeks[n]!,
    at: atHour(today.subtract({ days: 1 }), 23),
    score,
    verdicts: { 'next-step': 'missed' as const },
  }))
  const ids = await insertCheckedCalls(app, [...weeks, ...yesterday])
  await mkdir(join(app.config.audioDir, 'inserted'), { recursive: true })
  for (const id of ids) await copyFile('samples/call.wav', join(app.config.audioDir, 'inserted', id))
  await app.db.query('UPDATE findings SET evidence = $1', [JSON.stringify([createQuoteEvidence('See you then', 2)])])
  await app.db.query(
    `UPDATE findings f SET waits = 'critical' FROM analyses a WHERE a.id = f.analysis_id AND a.score = 10`,
  )
  return { hanna, anna }
}

class CountedPage {
  clicks = 0
  readonly page: Page
  constructor(page: Page) {
    this.page = page
  }

  async click(target: Locator): Promise<void> {
    this.clicks++
    await target.click()
  }

  /** Waits until the call with this name plays. */
  async waitForTrack(name: string): Promise<void> {
    await this.page.locator('[data-track-name]', { hasText: name }).waitFor()
    // page.waitForFunction() evaluates code in the page, which its Content-Security-Policy forbids.
    await waitUntil('it plays', () =>
      this.page.evaluate<boolean>(`(() => {
        const { paused, duration } = document.querySelector('[data-track-audio]')
        return !paused && Number.isFinite(duration)
      })()`),
    )
  }

  /** Seeks to 0.1 s before the end of the current call, so that it ends soon. */
  endTrack = (): Promise<unknown> =>
    this.page.evaluate(`(() => {
      const audio = document.querySelector('[data-track-audio]')
      audio.currentTime = audio.duration - 0.1
    })()`)
}

describeInBrowser('panel: home page', (chrome) => {
  let app: TestPanel
  let company: Awaited<ReturnType<typeof createCompany>>
  before(async () => {
    // Without a worker, no weekly report is stored before all data is inserted.
    app = await startTestPanel({ API_RUN_MODE: 'api', APP_TIMEZONE: 'UTC' })
    company = await createCompany(app)
  })
  after(() => app.stop())

  const open = async (client: { headers: Record<string, string> }, options = {}) =>
    new CountedPage(await chrome.open(app.panelUrl, { cookie: client.headers.Cookie!, ...options }))

  it('a head sees last week’s change and plays the three lowest calls with one click', async () => {
    const home = await open(company.hanna)
    const { page } = home
    expect(await page.locator('.sentence').innerText()).to.match(
      /^The average score fell from 86 to 46, below its usual 86/,
    )
    const names = await page.locator('.lowest [data-track]').evaluateAll((rows) => rows.map(({ id }) => id))
    expect(names).to.have.length(4)
    const scores = await page.locator('.lowest td:first-child').allInnerTexts()
    expect(scores).to.deep.equal(['10', '20', '30', '40'])
    await home.click(page.getByRole('button', { name: /Play these calls/ }))
    for (const row of [0, 1, 2]) {
      await page.locator(`.lowest tbody tr:nth-child(${row + 1})[aria-current]`).waitFor()
      await home.waitForTrack('Anna')
      await home.endTrack()
    }
    await page.locator('#track-player').waitFor({ state: 'hidden' })
    expect(home.clicks).to.be.at.most(2)
  })

  it('a head sees pending reviews with quotes, and managers with unusual figures', async () => {
    const { page } = await open(company.hanna)
    const row = page.locator('.waiting li').first()
    expect(await row.innerText())
      .to.include('critical')
      .and.include('See you then')
      .and.include('Anna')
      .and.include('today')
    expect(await page.locator('.ranges').innerText())
      .to.include('Anna')
      .and.include('below')
    expect(await page.getByRole('link', { name: 'Review 1' }).getAttribute('href')).to.equal('/reviews')
    const finding = await page.locator('.what a').first().getAttribute('href')
    expect(finding).to.match(/^\/reviews\?finding=[0-9a-f-]{36}$/)
  })

  it('a manager sees their week and plays three own calls with one click', async () => {
    const home = await open(company.anna)
    const { page } = home
    expect(await page.locator('.sentence').innerText()).to.equal(
      'Last week your average score fell to 46, below your usual 86.',
    )
    expect(await page.locator('.figures > div').count()).to.equal(5)
    expect(await page.locator('.figures > div').nth(4).innerText()).to.include('too few to compare')
    const badges = await page.locator('.coaching .badge').allInnerTexts()
    expect(badges).to.deep.equal(['missed', 'missed', 'met'])
    await home.click(page.getByRole('button', { name: /Play all three/ }))
    for (const row of [0, 1, 2]) {
      await page.locator(`.coaching > li:nth-child(${row + 1})[aria-current]`).waitFor()
      await home.waitForTrack('')
      await home.endTrack()
    }
    await page.locator('#track-player').waitFor({ state: 'hidden' })
    expect(home.clicks).to.be.at.most(2)
  })

  it('a manager plays one call and reads the advice and the lost points', async () => {
    const { page } = await open(company.anna)
    await page.locator('.coaching [data-play-track]').nth(1).click()
    await page.locator('.coaching > li:nth-child(2)[aria-current]').waitFor()
    expect(await page.locator('.about').innerText()).to.include('Agrees what happens next')
    expect(await page.locator('.lost-points tbody').innerText()).to.include('Agrees the next step')
    expect(await page.locator('.figures .failed-text').allInnerTexts(), 'only below the usual').to.deep.equal(['−40'])
  })

  it('the key R opens the reviews for a head', async () => {
    const { page } = await open(company.hanna)
    await page.keyboard.press('r')
    await page.waitForURL('**/reviews')
  })

  it('P plays the calls, N skips to the next, and missing audio is marked', async () => {
    const { page } = await open(company.anna)
    const track = await page.locator('.coaching [data-track]').nth(1).getAttribute('data-track')
    await page.route(`**${track}`, (request) => request.fulfill({ status: 404 }))
    await page.keyboard.press('p')
    await page.locator('.coaching > li:nth-child(1)[aria-current]').waitFor()
    await page.keyboard.press('n')
    await page.locator('.coaching > li:nth-child(3)[aria-current]').waitFor()
    expect(await page.locator('.coaching > li:nth-child(2)').innerText()).to.include('no recording')
    chrome.ignoreErrors(/404/)
  })

  it('a failed section says so, and Retry loads it', async () => {
    await app.db.query('ALTER TABLE reviews RENAME TO away')
    const { page } = await open(company.anna)
    await page.getByText('Could not load: Answers to your disputes.').waitFor()
    expect(await page.locator('.coaching > li').count()).to.equal(3)
    await app.db.query('ALTER TABLE away RENAME TO reviews')
    await page.getByRole('link', { name: 'Retry' }).click()
    await page.getByText('You have not disputed anything.').waitFor()
  })

  it('home pages fit a phone, in Russian and without scripts', async () => {
    for (const client of [company.hanna, company.anna, app.olga]) {
      const { page } = await open(client, {
        viewport: { width: 390, height: 844 },
        locale: 'ru-RU',
        javaScriptEnabled: false,
      })
      expect(await page.locator('h1').innerText()).to.include('Главная')
      expect(await page.locator('[data-play-tracks]:visible').count()).to.equal(0)
      const width = await page.locator('html').evaluate((root) => root.scrollWidth)
      expect(width).to.equal(390)
    }
  })

  it('a call without stored audio is not offered for playback', async () => {
    await app.db.query('UPDATE recordings SET size_bytes = 0')
    const { page } = await open(company.hanna)
    await page.locator('#lowest').waitFor()
    expect(await page.locator('[data-track], [data-play-tracks]').count()).to.equal(0)
    expect(await page.getByText('no recording').count()).to.equal(4)
    await page.goto(`${app.panelUrl}/reviews`)
    await page.getByText('No recording is stored. Decide from the transcript.').first().waitFor()
    expect(await page.locator('audio').count()).to.equal(0)
    const { rows } = await app.db.query<{ id: string }>('SELECT id FROM recordings LIMIT 1')
    await page.goto(`${app.panelUrl}/recordings/${rows[0]!.id}`)
    await page.getByText('No recording is stored.').waitFor()
    expect(await page.locator('audio').count()).to.equal(0)
    await app.db.query('UPDATE recordings SET size_bytes = 1')
  })

  it('an empty home says what will appear there', async () => {
    const support = await createDepartment(app, 'Support', ['Otto'])
    const head = await createLoggedInPerson(app, 'Hugo', { role: 'head', departments: [support] })
    const otto = await createLoggedInPerson(app, 'Otto', { departments: [support] })
    const { page } = await open(head)
    const text = await page.locator('main').innerText()
    expect(text)
      .to.include('Nothing to review. New disputes appear here.')
      .and.match(/No calls were scored on /)
    const own = await (await open(otto)).page.locator('main').innerText()
    expect(own).to.include('No calls last week.').and.include('You have not disputed anything.')
  })
})

describeInBrowser('panel: first steps of an owner', (chrome) => {
  let app: TestPanel
  before(async () => {
    app = await startTestPanel({ asrUrl: process.env.TEST_ASR_URL! }, { automatic: false })
  })
  after(() => app.stop())

  it('an owner needs five clicks from the first login to a checked call', async () => {
    const owner = new CountedPage(await chrome.open(app.panelUrl))
    const { page } = owner
    await page.getByLabel('E-mail').fill(OWNER_CREDENTIALS.email)
    await page.getByLabel('Password').fill(OWNER_CREDENTIALS.password)
    await page.keyboard.press('Enter')
    await page.locator('#line-checking').waitFor()
    const lines = await page.locator('.checklist > li').evaluateAll((all) => all.map(({ id }) => id))
    expect(lines, 'without the steps of a CRM').to.have.length(7).and.to.include('line-variable')
    expect(await page.getByText('3 of 6 done').count()).to.equal(1)
    await owner.click(page.locator('#line-checking button'))
    await page.locator('#line-checking.done').waitFor()
    await owner.click(page.locator('#line-call a'))
    const chooser = page.waitForEvent('filechooser')
    await owner.click(page.locator('label[for=file]'))
    await (await chooser).setFiles('samples/sales-call.wav')
    await owner.click(page.getByRole('button', { name: 'Upload', exact: true }))
    await owner.click(page.getByRole('link', { name: 'Open', exact: true }))
    await page.locator('#check .score').waitFor()
    expect(await page.locator('.lines .text', { hasText: 'delivery' }).count()).to.be.above(0)
    expect(owner.clicks).to.be.at.most(5)
  })

  it('a complete checklist disappears from the home page', async () => {
    await createLoggedInPerson(app, 'Anna')
    const home = await chrome.open(app.panelUrl, { cookie: app.olga.headers.Cookie! })
    await home.locator('.service').waitFor()
    expect(await home.locator('.checklist > li:not(.done, .later)').allInnerTexts()).to.deep.equal([])
    expect(await home.locator('.checklist').count()).to.equal(0)
  })
})
