import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../../test/browser.ts'
import { MANNERS_RULES, createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments } from '../../test/transcripts.ts'
import { waitUntil } from '../../test/wait.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

const WORDS = Array.from({ length: 9 }, (_, n) => `Слово ${n}`)

describeInBrowser('panel: decisions in Reviews', (chrome) => {
  let app: TestPanel
  let olga: PanelBrowser
  let calls: string[]
  before(async () => {
    app = await startTestPanel({ ANALYSIS_SEED_RULES: false })
    await createPublishedRuleSet(app.olga, 'manners', { rules: MANNERS_RULES.slice(0, 1) })
    olga = await app.openOwnerBrowser()
    app.recognizer.answer = (recognition) => recognition.finish(makeTurnSegments(...WORDS))
    const audio = await readFile('samples/call.wav')
    calls = []
    for (let n = 0; n < 3; n++) calls.push((await app.ida.upload(audio, { managerName: 'Max' })).json.id)
    for (const id of calls) {
      const finding = await waitUntil('it is checked', async () => (await readGreeting(id)) as { id: string })
      const path = `/v1/recordings/${id}/analysis/findings/${finding.id}`
      await app.olga.post(`${path}/dispute`, { comment: 'I did' })
    }
  })
  after(() => app.stop())

  const readGreeting = async (id: string) => (await app.olga.get(`/v1/recordings/${id}/analysis`)).json.findings[0]
  const open = async (path: string, options = {}): Promise<Page> => {
    const page = await chrome.open(app.panelUrl + path, { cookie: olga.headers.Cookie!, ...options })
    await page.locator('.finding-card.current').waitFor()
    return page
  }
  const waitForDecision = (n: number) =>
    waitUntil('it is decided', async () => (await readGreeting(calls[n]!)).verdict === 'met')

  it('a link names the finding that Reviews begin with', async () => {
    const { id } = await readGreeting(calls[2]!)
    const page = await open(`/reviews?finding=${id}`)
    expect(await page.locator('.finding-card.current').getAttribute('id')).to.equal(`w-${id}`)
    expect(await page.locator('.finding-card').count()).to.equal(3)
  })

  it('a review shows the whole searched part on request', async () => {
    const page = await open('/reviews')
    const card = page.locator('.finding-card.current')
    expect(await card.locator('.context p').allInnerTexts()).to.deep.equal(WORDS.slice(-3))
    await card.getByRole('link', { name: 'Show the searched part' }).click()
    await waitUntil('all are shown', async () => (await card.locator('.context p').count()) === WORDS.length)
    expect(page.url()).to.equal(`${app.panelUrl}/reviews`)
  })

  it('audio that does not load can be loaded again', async () => {
    const page = await open('/reviews')
    await page.context().setOffline(true)
    await page.keyboard.press('s')
    const card = page.locator('.finding-card.current')
    await card.getByText('The recording did not load.').waitFor()
    await page.context().setOffline(false)
    await card.getByRole('button', { name: 'Retry' }).click()
    const isPlaying = `!document.querySelector('.finding-card.current audio').paused`
    await waitUntil('it plays', async () => page.evaluate<boolean>(isPlaying))
    chrome.ignoreErrors(/ERR_INTERNET_DISCONNECTED|Failed to load/)
  })

  it('the default reason is reading if there is no recording, else listening', async () => {
    const page = await open('/reviews?reason=disputed')
    const reasons = () =>
      page
        .locator('.finding-card [name=reason]')
        .evaluateAll((inputs) => inputs.map((input) => input.getAttribute('value')!))
    expect(await reasons()).to.deep.equal(['disputed', 'disputed', 'disputed'])
    await app.db.query(`UPDATE findings SET waits = 'random'`)
    await app.db.query('UPDATE recordings SET size_bytes = 0 WHERE id = $1', [calls[0]])
    await page.goto(`${app.panelUrl}/reviews?reason=random`)
    expect(await reasons()).to.have.members(['heard', 'heard', 'read'])
    const { id } = await readGreeting(calls[0]!)
    const card = page.locator(`#w-${id}`)
    await page.locator(`[data-row="${id}"] a`).click()
    expect(await card.innerText()).to.include('Decided after reading')
    await card.getByRole('button', { name: 'Change to met' }).click()
    await waitForDecision(0)
    expect((await readGreeting(calls[0]!)).review.comment).to.equal('Decided after reading')
  })

  it('decided reviews have a tab, where the person can undo a decision', async () => {
    const page = await open('/reviews?reason=decided')
    expect(await page.locator('.tabs [aria-current]').innerText()).to.equal('Decided')
    expect(await page.locator('[data-outcome]').allInnerTexts()).to.deep.equal(['met'])
    await page.getByRole('button', { name: 'Undo the decision' }).click()
    await page.getByText('Decision undone.').waitFor()
    await page.getByText('No decisions yet').waitFor()
    expect((await readGreeting(calls[0]!)).verdict).to.equal('missed')
  })
})
