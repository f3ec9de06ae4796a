import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../../test/browser.ts'
import { createCalibration, judgeCalibrationCall, submitCalibration } from '../../test/calibrations.ts'
import type { TestClient } from '../../test/client.ts'
import { createDepartment, createLoggedInPerson } from '../../test/people.ts'
import { createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments } from '../../test/transcripts.ts'
import { OWNER_CREDENTIALS } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

type Reviewer = TestClient & { id: string }

describeInBrowser('panel: calibrations', (chrome) => {
  let app: TestPanel
  let people: Record<'hanna' | 'hugo', Reviewer>
  let browsers: Record<'hanna' | 'hugo', PanelBrowser>
  let calls: string[]

  before(async () => {
    app = await startTestPanel({ ANALYSIS_SEED_RULES: false })
    await createPublishedRuleSet(app.olga, 'manners')
    const sales = await createDepartment(app, 'Sales', ['Max'])
    const logIn = async (name: string) => {
      const browser = app.browser()
      const email = `${name.toLowerCase()}@example.com`
      await browser.submit('/login', { email, password: OWNER_CREDENTIALS.password, next: '/' })
      return browser
    }
    const create = (name: string) => createLoggedInPerson(app, name, { role: 'head', departments: [sales] })
    people = { hanna: await create('Hanna'), hugo: await create('Hugo') }
    browsers = { hanna: await logIn('Hanna'), hugo: await logIn('Hugo') }
    app.recognizer.answer = (recognition) => recognition.finish(makeTurnSegments('Алло', 'Да', 'Это Макс', 'Пока'))
    const audio = await readFile('samples/call.wav')
    calls = []
    for (const phoneNumber of ['+375291112233', '+375294445566'])
      calls.push((await app.ida.upload(audio, { managerName: 'Max', phoneNumber })).json.id)
    for (const id of calls)
      await waitUntil('it is checked', async () => {
        const { json } = await app.olga.get(`/v1/recordings/${id}/analysis`)
        return json.status === 'done'
      })
  })
  after(() => app.stop())
  beforeEach(() => app.db.query('TRUNCATE calibrations CASCADE'))

  const createForBoth = () => createCalibration(people.hanna, calls, [people.hanna.id, people.hugo.id])
  const open = (name: 'hanna' | 'hugo', path: string): Promise<Page> =>
    chrome.open(app.panelUrl + path, { cookie: browsers[name].headers.Cookie! })
  const currentRule = (page: Page) => page.locator('article.current h2').innerText()
  const outcomes = (page: Page) => page.locator('[data-outcome]').allInnerTexts()

  it('two people judge calls with keys, submit, and compare their verdicts', async () => {
    const page = await open('hanna', '/calibrations')
    await page.getByRole('link', { name: 'New calibration' }).first().click()
    await page.getByLabel('Name').fill('March')
    await page.getByLabel('Hugo').check()
    await page.getByLabel('These calls instead').fill(calls.map((id) => `${app.panelUrl}/recordings/${id}`).join('\n'))
    await page.getByRole('button', { name: 'Create calibration' }).click()
    await page.getByRole('link', { name: 'Start' }).click()
    await page.locator('article.current:focus').waitFor()
    expect(await currentRule(page)).to.equal('Greets')
    await page.keyboard.press('y')
    await waitUntil('the verdict is saved', async () => (await outcomes(page))[0] === 'met')
    expect(await currentRule(page)).to.equal('Says goodbye')
    await page.keyboard.press('s')
    await page.keyboard.press('n')
    await waitUntil('the skipped rule is shown', async () => (await currentRule(page)) === 'Says goodbye')
    await page.keyboard.press('u')
    await waitUntil('the verdict is deleted', async () => (await outcomes(page))[2] === '')
    await page.keyboard.press('n')
    await waitUntil('the skipped rule is shown', async () => (await currentRule(page)) === 'Says goodbye')
    await page.keyboard.press('c')
    await page.keyboard.type('He hangs up')
    await page.keyboard.press('Enter')
    await page.keyboard.press('n')
    await page.getByRole('link', { name: 'Next call' }).click()
    await page.getByText('0 decided, 3 left').waitFor()
    await page.locator('article.current:focus').waitFor()
    for (const key of ['y', 'y', 'n']) await page.keyboard.press(key)
    await page.getByRole('link', { name: 'Check and submit' }).click()
    await page.getByRole('button', { name: 'Submit verdicts' }).click()
    await page.getByText('Figures appear when two participants have submitted').waitFor()
    const [id] = /[0-9a-f-]{36}/.exec(page.url())!
    await submitCalibration(people.hugo, id, { greeting: 'met', farewell: 'met', insults: 'missed' })
    await page.reload()
    const text = await page.locator('main').innerText()
    expect(text)
      .to.include('Hanna and Hugo')
      .and.include('83% (5 of 6)')
      .and.include('1 of 2')
      .and.include('He hangs up')
    const listen = page.getByRole('link', { name: /^Listen from/ })
    expect(await listen.getAttribute('href')).to.match(/^\/recordings\/[0-9a-f-]{36}\?t=\d+#play$/)
  })

  it('shows nothing of the others before the submission', async () => {
    const id = await createForBoth()
    const readPages = async () => {
      const paths = ['/calibrations', `/calibrations/${id}`, `/calibrations/${id}/calls/${calls[0]}`, '/reviews']
      const pages = await Promise.all(paths.map((path) => browsers.hanna.open(path)))
      return pages.map(({ text }) => text.replaceAll(/data-action-id="[^"]*"/g, '')).join('\n')
    }
    const before = await readPages()
    await submitCalibration(people.hugo, id, { greeting: 'met', farewell: 'met', insults: 'missed' })
    expect(await readPages()).to.equal(before)
  })

  it('counts the calibrations that need verdicts beside the reviews', async () => {
    const id = await createForBoth()
    const reviews = await open('hugo', '/reviews')
    await reviews.getByRole('link', { name: 'Calibrations (1)' }).click()
    await reviews.getByText('1 calibration waiting for your verdicts').waitFor()
    await submitCalibration(people.hugo, id, { greeting: 'met', farewell: 'met', insults: 'missed' })
    await reviews.reload()
    await reviews.getByRole('link', { name: 'Calibrations', exact: true }).waitFor()
  })

  it('starts at the first rule without a verdict, and changes earlier verdicts', async () => {
    const id = await createForBoth()
    await judgeCalibrationCall(people.hugo, id, calls[0]!, { greeting: 'met' }, 'Early')
    const page = await open('hugo', `/calibrations/${id}/calls/${calls[0]}`)
    await page.locator('article.current:focus').waitFor()
    expect(await currentRule(page)).to.equal('Says goodbye')
    await page.getByRole('link', { name: 'Greets' }).click()
    expect(await page.locator('article.current [name=comment]').inputValue()).to.equal('Early')
    await page.keyboard.press('n')
    await waitUntil('the verdict is changed', async () => (await outcomes(page))[0] === 'missed')
  })

  it('plays the call from a line of the transcript', async () => {
    const page = await open('hugo', `/calibrations/${await createForBoth()}/calls/${calls[0]}`)
    await page.getByRole('button', { name: 'Play from 0:04' }).click()
    await waitUntil('it plays', () =>
      page.evaluate<boolean>(
        `(({ currentTime, paused }) => !paused && currentTime > 3)(document.querySelector('audio'))`,
      ),
    )
  })

  it('shows a long transcript in part, with a link to all of it', async () => {
    const path = `/calibrations/${await createForBoth()}/calls/${calls[0]}`
    const count = async (query: string) => (await browsers.hugo.open(path + query)).text.split('data-seek').length - 1
    const { rows } = await app.db.query('SELECT segments FROM transcripts WHERE recording_id = $1', [calls[0]])
    const store = (segments: object[]) =>
      app.db.query('UPDATE transcripts SET segments = $2 WHERE recording_id = $1', [calls[0], JSON.stringify(segments)])
    await store(Array.from({ length: 250 }, (_, n) => ({ ...rows[0].segments[0], start: n })))
    expect((await browsers.hugo.open(path)).text).to.include('href="?lines=all"')
    expect([await count(''), await count('?lines=all')]).to.deep.equal([200, 250])
    await store(rows[0].segments)
  })

  it('works without scripts', async () => {
    const id = await createForBoth()
    const path = `/calibrations/${id}/calls/${calls[0]}`
    const [, action] = /action="(\/calibrations\/[^"]+)"/.exec((await browsers.hugo.open(path)).text)!
    const { status, headers } = await browsers.hugo.submit(action!, { verdict: 'not_applicable', comment: 'Cut off' })
    expect([status, headers.get('location')?.split('#')[0]]).to.deep.equal([303, path])
    const { text } = await browsers.hugo.open(path)
    expect(text).to.include('Your verdict: not applicable').and.include('Cut off').and.include('Verdict saved.')
    const { text: rejected } = await browsers.hugo.submit('/calibrations/new', { name: '', 'random.calls': '30' })
    expect(rejected).to.include('id="f-name-error"').and.include('id="f-random.calls-error"')
  })
})
