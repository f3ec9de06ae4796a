import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../../test/browser.ts'
import { createDepartment, createLoggedInPerson } from '../../test/people.ts'
import { MANNERS_RULES, createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments } from '../../test/transcripts.ts'
import { OWNER_CREDENTIALS } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

/** Max says his name at 0:04 and does not greet. */
const TALK = makeTurnSegments('Алло', 'Да', 'Это Макс', 'Слушаю', 'Пока')
const DISPUTES = 10

describeInBrowser('panel: triage of reviews', (chrome) => {
  let app: TestPanel
  let hanna: PanelBrowser
  let calls: string[]

  before(async () => {
    app = await startTestPanel({ ANALYSIS_SEED_RULES: false })
    // The rule set has only the greeting, so no other rule is in the random sample.
    await createPublishedRuleSet(app.olga, 'manners', { rules: MANNERS_RULES.slice(0, 1) })
    const sales = await createDepartment(app, 'Sales', ['Max'])
    const rights = { audio: true, editRules: true }
    await createLoggedInPerson(app, 'Max', { departments: [sales], rights: { audio: true } })
    await createLoggedInPerson(app, 'Hanna', { role: 'head', departments: [sales], rights })
    hanna = app.browser()
    await hanna.submit('/login', { email: 'hanna@example.com', password: OWNER_CREDENTIALS.password, next: '/' })
    app.recognizer.answer = (recognition) => recognition.finish(TALK)
    const audio = await readFile('samples/call.wav')
    calls = []
    for (let n = 0; n < DISPUTES; n++) calls.push((await app.ida.upload(audio, { managerName: 'Max' })).json.id)
    for (const id of calls) await waitUntil('it is checked', async () => (await readGreeting(id)) !== undefined)
    await app.db.query(
      `INSERT INTO waveforms (recording_id, duration_seconds, peaks) SELECT id, 10, ARRAY['\\x6400'::bytea] FROM recordings`,
    )
  })
  after(() => app.stop())
  /** Disputes every greeting again before each test, so the history of a finding grows. */
  beforeEach(async () => {
    for (const id of calls) await dispute(id)
  })

  const readGreeting = async (id: string) => (await app.olga.get(`/v1/recordings/${id}/analysis`)).json.findings[0]
  async function dispute(id: string): Promise<void> {
    const { id: finding, verdict } = await readGreeting(id)
    const path = `/v1/recordings/${id}/analysis/findings/${finding}`
    if (verdict === 'met') await app.olga.patch(path, { verdict: 'missed' })
    await app.olga.post(`${path}/dispute`, { comment: 'I say my name at 0:04' })
  }
  const countDisputed = async () => (await app.olga.get('/v1/reviews/counts')).json.waiting.disputed
  const open = async (path = '/reviews', options = {}): Promise<Page> => {
    const page = await chrome.open(app.panelUrl + path, { cookie: hanna.headers.Cookie!, ...options })
    await page.locator('.finding-card.current').waitFor()
    return page
  }
  const currentId = (page: Page) => page.locator('.finding-card.current').getAttribute('id')
  const readAudio = (page: Page) =>
    page.evaluate<{ now: number; paused: boolean }>(
      `(({ currentTime, paused }) => ({ now: currentTime, paused }))(document.querySelector('.finding-card.current audio'))`,
    )
  /** Waits until playback starts 1.5 s before the quoted sentence, which is at 4 s. */
  async function waitUntilHeard(page: Page): Promise<void> {
    const began = performance.now()
    await waitUntil('it plays from 2.5 s', async () => {
      const { now, paused } = await readAudio(page)
      return !paused && now > 2.5 && now < 3.5 + (performance.now() - began) / 1000
    })
  }
  const waitForOutcome = (page: Page, n: number, text: string) =>
    waitUntil(`row ${n} says ${text}`, async () => {
      const row = page.locator('[data-outcome]').nth(n)
      return (await row.innerText()).includes(text)
    })

  it('the audit log names Reviews and a call opened from it', async () => {
    const page = await open()
    await waitUntil('a waveform is loaded', async () => {
      const { rowCount } = await app.db.query(`SELECT FROM audit WHERE action = 'recording.waveform'`)
      return rowCount! > 0
    })
    await page.keyboard.press('o')
    await page.waitForURL('**/recordings/**')
    const entries = (await app.olga.get('/v1/audit?action=reviews.list,recording.read&order=asc')).json
    expect(entries.items.map(({ action }: { action: string }) => action)).to.deep.equal([
      'reviews.list',
      'recording.read',
    ])
  })

  it('the audit log records listening only for verdicts that were played', async () => {
    const countListening = async () =>
      (await app.db.query(`SELECT FROM audit WHERE action = 'audio.read' AND person_name = 'Hanna'`)).rowCount
    const page = await open()
    await waitUntilHeard(page)
    await page.waitForLoadState('networkidle')
    await waitUntil('one is recorded', async () => (await countListening()) === 1)
    await page.keyboard.press('s')
    await waitUntilHeard(page)
    await waitUntil('the next one too', async () => (await countListening()) === 2)
  })

  it('a head hears and decides ten disputes with ten keys, without a page load', async () => {
    const page = await open()
    let pagesLoaded = 0
    page.on('framenavigated', () => (pagesLoaded += 1))
    let keysPressed = 0
    const seen = new Set<string | null>()
    for (let n = 0; n < DISPUTES; n++) {
      await waitUntilHeard(page)
      seen.add(await currentId(page))
      await page.keyboard.press(n % 2 ? 'y' : 'n')
      keysPressed += 1
    }
    await page.getByText('All decided: 10 today, 5 changed to met.').waitFor()
    expect([keysPressed, pagesLoaded, seen.size]).to.deep.equal([10, 0, 10])
    expect(await countDisputed()).to.equal(0)
    expect(await page.locator('#count-reviews').innerText(), 'no badge at 0').to.equal('')
    const decided = await Promise.all(calls.map(readGreeting))
    const met = decided.filter(({ verdict }) => verdict === 'met')
    expect(met).to.have.length(5)
    expect(met[0].review.comment).to.equal('Agreed with the dispute')
  })

  it('the manager sees the decision with its reason and the dispute', async () => {
    const page = await open()
    await page.keyboard.press('y')
    await waitForOutcome(page, 0, 'changed to met')
    const max = app.browser()
    await max.submit('/login', { email: 'max@example.com', password: OWNER_CREDENTIALS.password, next: '/' })
    const decided = await waitUntil('one is met', async () => {
      const findings = await Promise.all(calls.map(readGreeting))
      return calls[findings.findIndex(({ verdict }) => verdict === 'met')]
    })
    const text = (await max.open(`/recordings/${decided}`)).text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
    expect(text).to.match(/Hanna: met .*Agreed with the dispute/)
    expect(text).to.include('I say my name at 0:04')
  })

  it('a review shows the quote in context, dispute, reason, effect and history', async () => {
    const page = await open()
    const card = page.locator('.finding-card.current')
    expect(await card.locator('.context p').allInnerTexts()).to.deep.equal(['Алло', 'Да', 'Это Макс', 'Слушаю', 'Пока'])
    expect(await card.locator('.context .now p').innerText()).to.equal('Это Макс')
    const text = (await card.innerText()).replace(/\s+/g, ' ')
    for (const part of [
      'I say my name at 0:04',
      'was said by the manager in 0:00–0:10.',
      'Score: 100 if met, 0 if missed',
    ])
      expect(text).to.include(part)
    expect(text).to.match(/Change to met Y Keep as missed N/)
    expect(text).to.match(/Checked by “manners”, version 1: missed/)
    expect(await card.locator('.decide .primary').count(), 'no button is suggested').to.equal(0)
  })

  for (const locale of ['en-US', 'ru-RU']) {
    it(`the layout does not shift or wrap at 1280 px in ${locale}`, async () => {
      const page = await chrome.open(`${app.panelUrl}/login`, {
        cookie: hanna.headers.Cookie!,
        locale,
        viewport: { width: 1280, height: 800 },
      })
      await page.addInitScript(`
        window.shift = 0
        new PerformanceObserver((list) => list.getEntries().forEach((entry) => (window.shift += entry.value)))
          .observe({ type: 'layout-shift', buffered: true })`)
      await page.goto(`${app.panelUrl}/reviews`)
      await waitUntilHeard(page)
      const { shift, ...lines } = await page.evaluate<Record<string, number>>(`({
        shift: window.shift,
        buttons: new Set([...document.querySelectorAll('.current .decide button')].map((one) => one.offsetTop)).size,
        speakers: Math.max(...[...document.querySelectorAll('.current .context b')].map((one) => one.getClientRects().length)),
        filters: new Set([...document.querySelectorAll('.narrowing select')].map((one) => one.offsetTop)).size,
      })`)
      expect(shift).to.be.below(0.05)
      expect(lines).to.deep.equal({ buttons: 1, speakers: 1, filters: 1 })
    })
  }

  it('u undoes the last decision, and the history keeps both', async () => {
    const page = await open()
    const first = await currentId(page)
    const before = await countDisputed()
    await page.keyboard.press('y')
    await waitForOutcome(page, 0, 'changed to met')
    expect(await countDisputed()).to.equal(before - 1)
    await page.keyboard.press('u')
    expect(await currentId(page)).to.equal(first)
    await waitUntil('it waits again', async () => (await countDisputed()) === before)
    const item = (await app.olga.get('/v1/reviews?reason=disputed')).json.items.find(
      ({ id }: { id: string }) => `w-${id}` === first,
    )
    expect(item.reviews.slice(-2).map(({ kind }: { kind: string }) => kind)).to.deep.equal(['verdict', 'undo'])
    expect(item.verdict).to.equal('missed')
    await page.keyboard.press('n')
    await waitForOutcome(page, 0, 'kept as missed')
  })

  it('c comments, Ctrl Enter leaves the field, s skips, space pauses, arrows skip 5 s', async () => {
    const page = await open()
    await waitUntilHeard(page)
    await page.keyboard.press(' ')
    const { now, paused } = await readAudio(page)
    expect(paused).to.equal(true)
    await page.keyboard.press('ArrowRight')
    expect((await readAudio(page)).now).to.be.closeTo(now + 5, 0.2)
    await page.keyboard.press('ArrowLeft')
    expect((await readAudio(page)).now).to.be.closeTo(now, 0.2)
    const skipped = await currentId(page)
    await page.keyboard.press('s')
    const commented = await currentId(page)
    expect(commented).not.to.equal(skipped)
    await page.keyboard.press('c')
    await page.keyboard.type('you say so')
    expect(await currentId(page), 'letters of a comment decide nothing').to.equal(commented)
    await page.keyboard.press('Control+Enter')
    await page.keyboard.press('y')
    await waitForOutcome(page, 1, 'changed to met')
    const reviews = (await Promise.all(calls.map(readGreeting))).flatMap(({ reviews: all }) => all)
    expect(reviews.map(({ comment }) => comment)).to.include('you say so')
    await page.keyboard.press('o')
    await page.waitForURL('**/recordings/**')
  })

  it('a conflict names the person who decided first and shows the next verdict', async () => {
    const page = await open()
    const id = (await currentId(page))!.slice(2)
    const item = (await app.olga.get('/v1/reviews?reason=disputed')).json.items.find(
      (one: { id: string }) => one.id === id,
    )
    const path = `/v1/recordings/${item.recording.id}/analysis/findings/${id}`
    await app.olga.patch(path, { verdict: 'met', comment: 'She is right' })
    await page.keyboard.press('n')
    await page.locator('[data-message]', { hasText: /^olga changed this to met at \d\d:\d\d$/ }).waitFor()
    expect(await currentId(page)).not.to.equal(`w-${id}`)
    expect((await readGreeting(item.recording.id)).verdict, 'the decision of the other stays').to.equal('met')
  })

  it('an offline decision is marked as not saved and sent again later', async () => {
    const page = await open()
    await page.context().setOffline(true)
    await page.keyboard.press('n')
    await waitForOutcome(page, 0, 'not saved')
    await page.getByText('Your decisions are not saved yet').waitFor()
    await page.context().setOffline(false)
    await waitForOutcome(page, 0, 'kept as missed')
    chrome.ignoreErrors(/ERR_INTERNET_DISCONNECTED|Failed to load/)
  })

  it('a person without audio permission can decide with keys', async () => {
    await app.db.query(`UPDATE people SET rights = rights || '{"audio": false}' WHERE name = 'Hanna'`)
    const page = await open()
    expect(await page.locator('audio').count()).to.equal(0)
    await page.keyboard.press('n')
    await waitForOutcome(page, 0, 'kept as missed')
    await app.db.query(`UPDATE people SET rights = rights || '{"audio": true}' WHERE name = 'Hanna'`)
  })

  it('reviews are filtered by manager and rule, and an empty result can be cleared', async () => {
    const page = await open('/reviews?manager=Max&rule=manners/greeting')
    expect(await page.locator('.finding-card').count()).to.equal(DISPUTES)
    await page.goto(`${app.panelUrl}/reviews?rule=manners/none`)
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await page.locator('.finding-card.current').waitFor()
  })

  it('a head confirms a page of the random sample with one button, and u takes it back', async () => {
    await app.db.query(`UPDATE findings SET waits = 'random'`)
    const countRandom = async () => (await app.olga.get('/v1/reviews/counts')).json.waiting.random
    const page = await open('/reviews?reason=random')
    await page.keyboard.press('s')
    const confirm = page.locator('[data-confirm] button')
    expect(await confirm.innerText()).to.equal(`Confirm the verdicts on this page: ${DISPUTES - 1}`)
    await confirm.click()
    await waitUntil('all but the skipped one are saved', async () => (await countRandom()) === 1)
    await page.keyboard.press('u')
    // An undone verdict waits as disputed again, as it did before the test drew it.
    await waitUntil('all wait again', async () => (await countDisputed()) === DISPUTES - 1)
    expect(await page.locator('[data-progress]').innerText()).to.equal(`0 decided, ${DISPUTES} left`)
    const { rows } = await app.db.query<{ actions: number }>(
      `SELECT count(DISTINCT action_id)::int AS actions
         FROM (SELECT action_id FROM audit WHERE action IN ('analysis.review', 'analysis.undo') AND person_name = 'Hanna'
                ORDER BY id DESC LIMIT $1) last`,
      [2 * (DISPUTES - 1)],
    )
    expect(rows[0]!.actions, 'confirming and undoing are one entry each').to.equal(2)
  })

  it('without scripts, a head confirms a page of the random sample', async () => {
    await app.db.query(`UPDATE findings SET waits = 'random'`)
    const page = await open('/reviews?reason=random', { javaScriptEnabled: false })
    await page.getByRole('button', { name: `Confirm the verdicts on this page: ${DISPUTES}` }).click()
    await page.getByText(`${DISPUTES} verdicts confirmed.`).waitFor()
    expect((await app.olga.get('/v1/reviews/counts')).json.waiting.random).to.equal(0)
  })

  it('without scripts, each verdict has its own form', async () => {
    const page = await open('/reviews', { javaScriptEnabled: false })
    expect(await page.locator('.finding-card:visible').count()).to.equal(DISPUTES)
    await page.getByRole('button', { name: 'Change to met' }).first().click()
    await page.getByText('Decision saved.').waitFor()
    expect(await page.locator('.finding-card').count()).to.equal(DISPUTES - 1)
  })
})
