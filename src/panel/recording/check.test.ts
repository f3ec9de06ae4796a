import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { createDepartment, createLoggedInPerson } from '../../test/people.ts'
import { describeInBrowser } from '../../test/browser.ts'
import { MANNERS_RULES, createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments } from '../../test/transcripts.ts'
import { OWNER_CREDENTIALS } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { HTMX_REFRESH_HEADERS, startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

/** A call in which the manager Max does not say goodbye. */
const TALK = makeTurnSegments('Так', 'Это дорого', 'Добрый день', 'Да', 'Заткнитесь')

describeInBrowser('panel: check on the call page', (chrome) => {
  let app: TestPanel
  let olga: PanelBrowser
  let max: PanelBrowser
  let set: string
  let id: string

  before(async () => {
    app = await startTestPanel({ ANALYSIS_SEED_RULES: false })
    set = await createPublishedRuleSet(app.olga, 'manners')
    await createLoggedInPerson(app, 'Max', { rights: { audio: true } })
    olga = await app.openOwnerBrowser()
    max = app.browser()
    await max.submit('/login', { email: 'max@example.com', password: OWNER_CREDENTIALS.password, next: '/' })
    app.recognizer.answer = (recognition) => recognition.finish(TALK)
    id = await uploadChecked({ managerName: 'Max' })
  })
  after(() => app.stop())

  /** Uploads a call and waits until it is transcribed and checked. @returns the id */
  async function uploadChecked(fields = {}): Promise<string> {
    const { id } = (await app.ida.upload(await readFile('samples/call.wav'), fields, 'call.wav')).json
    await waitForCheck(id, 'done')
    return id
  }
  const waitForCheck = (id: string, status: string) =>
    waitUntil(`the check is ${status}`, async () => {
      const { json } = await app.ida.get(`/v1/recordings/${id}/analysis`)
      return json.status === status && json
    })
  const open = (who: PanelBrowser, path = '', options = {}) =>
    chrome.open(`${app.panelUrl}/recordings/${id}${path}`, { cookie: who.headers.Cookie!, ...options })
  const readTexts = async (page: Page, selector: string) =>
    (await page.locator(selector).allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())

  it('the check lists missed rules first with points, then met rules in one line', async () => {
    const page = await open(olga)
    expect(await readTexts(page, '.check .score')).to.deep.equal(['0'])
    expect(await readTexts(page, '.check .note')).to.deep.equal(['100% of points checked · 60 before critical rules'])
    expect(await readTexts(page, '.finding .rule')).to.deep.equal([
      'No insults critical',
      'Says goodbye −40',
      'Greets 0:04 60',
    ])
    expect(await readTexts(page, '.check h3')).to.deep.equal([
      'Missed 2 rules, 40 of 100 points',
      'Met 1 rule, 60 of 100 points',
    ])
    expect(await readTexts(page, '.finding .quote')).to.deep.equal(['Заткнитесь 0:08', '0:04'])
    expect(await readTexts(page, '.finding .why')).to.deep.equal([
      'Change : No insults',
      'Not said in 0:00–0:10. Change : Says goodbye',
    ])
    expect(await readTexts(page, '.check .by')).to.deep.equal(['manners, version 1 · rules'])
    expect(await readTexts(page, '.quoted.met')).to.deep.equal(['Добрый день'])
    expect(await readTexts(page, '.quoted.missed')).to.deep.equal(['Заткнитесь'])
  })

  it('the quotes of a met rule appear when its form opens', async () => {
    const page = await open(olga)
    const rule = page.locator('.finding:has-text("Greets")')
    await rule.locator('.verdict').click()
    await rule.locator('.judging').waitFor()
    expect(await readTexts(page, '.finding:has-text("Greets") .quote')).to.deep.equal(['Добрый день 0:04'])
    await rule.locator('.verdict').click()
    await rule.locator('.judging').waitFor({ state: 'detached' })
  })

  it('a click on a quote plays from 1.5 s before it and highlights it', async () => {
    const page = await open(olga)
    const began = performance.now()
    await page.locator('.finding.met .quote').click()
    const sound = `(({ paused, currentTime }) => ({ paused, now: currentTime }))(document.getElementById('sound'))`
    await waitUntil('it plays', async () => {
      const { paused, now } = await page.evaluate<{ paused: boolean; now: number }>(sound)
      return !paused && now > 2.4 && now < 3 + (performance.now() - began) / 1000 // adds the elapsed time, because playback continues between polls
    })
    expect(await readTexts(page, '.quoted.current')).to.deep.equal(['Добрый день'])
    expect(page.url()).to.equal(`${app.panelUrl}/recordings/${id}`)
  })

  it('a manager can dispute a verdict, and a head with editRules can overturn it', async () => {
    const rule = '.finding:has-text("Says goodbye")'
    const maxPage = await open(max)
    await maxPage.locator(`${rule} .verdict`).click()
    await maxPage.locator('#dispute-comment').fill('Всего хорошего — тоже прощание')
    await maxPage.getByRole('button', { name: 'Dispute' }).click()
    await maxPage.locator('.review.disputed').waitFor()
    expect(await readTexts(maxPage, '.review.disputed')).to.match(/^disputed by Max Всего хорошего/)
    expect(await maxPage.locator('.judging').count()).to.equal(0)

    const page = await open(olga)
    await page.locator(`${rule} .verdict`).press('Enter')
    await page.locator('#judge-verdict').selectOption('met')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('#judge-comment-error').waitFor()
    await page.locator('#judge-comment').fill('Он прав')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator(`${rule}.met`).waitFor()
    expect((await readTexts(page, `${rule} .review`))[0]).to.match(/^olga: met \(automatic: missed\) Он прав/)
    expect(await readTexts(page, '.check .note')).to.deep.equal(['100% of points checked · 100 before critical rules'])
    chrome.ignoreErrors(/status of 400/)
  })

  it('a verdict shows all of its reviews and disputes, oldest first', async () => {
    const page = await open(olga)
    const history = page.locator('.finding:has-text("Says goodbye") .history')
    expect(await history.locator('summary').innerText()).to.equal('History: 2')
    await history.locator('summary').click()
    const entries = (await history.locator('.review').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    expect(entries[0]).to.match(/^disputed by Max Всего хорошего/)
    expect(entries[1]).to.match(/^olga: met Он прав/)
  })

  it('the transcript marks no quotes of an overturned label, which can still be reviewed', async () => {
    const price = { ...MANNERS_RULES[0]!, key: 'price', side: 'client' as const, any: { ru: ['дорого'] } }
    const labels = await createPublishedRuleSet(app.olga, 'topics', { mode: 'label', rules: [price] })
    await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    const [label] = await waitUntil('it has the label', async () => {
      const found = (await app.ida.get(`/v1/recordings/${id}/analysis`)).json.labels
      return found.length > 0 && found
    })
    expect(await readTexts(await open(olga), '.quoted.label')).to.include('дорого')
    const judged = { verdict: 'missed', comment: 'Не о цене' }
    await app.olga.patch(`/v1/recordings/${id}/analysis/findings/${label.id}`, judged)
    const page = await open(olga)
    expect(await readTexts(page, '.quoted')).not.to.include('дорого')
    expect((await readTexts(page, '.labels .review'))[0]).to.match(/^olga: missed \(automatic: met\) Не о цене/)
    await page.locator('.labels a.verdict').click()
    expect(await page.locator('#judge-verdict').inputValue()).to.equal('missed')
    await app.olga.delete(`/v1/rule-sets/${labels}`)
  })

  it('the page polls a queued check and marks the new quotes when it ends', async () => {
    await app.olga.post('/v1/queues/analysis/pause')
    const page = await open(olga)
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.locator('.check[hx-get]').waitFor()
    expect((await readTexts(page, '.check [role=status]'))[0]).to.match(
      /^The check is queued\. Paused manually since .* The previous/,
    )
    await app.db.query('UPDATE transcripts SET segments = $1, text = $2 WHERE recording_id = $3', [JSON.stringify(makeTurnSegments('До свидания')), 'До свидания', id]) // prettier-ignore
    await app.db.query('DELETE FROM paused_queues')
    await page.locator('.quoted:text-is("До свидания")').waitFor()
    expect(await page.locator('.check[hx-get]').count()).to.equal(0)
  })

  it('a person can view the result of another rule set version without review forms', async () => {
    await app.olga.put(`/v1/rule-sets/${set}/draft`, { rules: MANNERS_RULES.slice(0, 2) })
    expect((await app.olga.post(`/v1/rule-sets/${set}/publish`, { revision: 1 })).status).to.equal(200)
    await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    await waitUntil('the new version', async () => (await app.ida.get(`/v1/recordings/${id}/analysis`)).json.ruleSet.version === 2) // prettier-ignore
    const page = await open(olga)
    await page.getByRole('link', { name: '1', exact: true }).click()
    await page.locator('.check .note', { hasText: 'Result of version 1.' }).waitFor()
    await page.waitForLoadState()
    expect(await page.locator('.finding').count()).to.equal(3)
    expect(await page.locator('a.verdict').count()).to.equal(0)
    await page.getByRole('link', { name: 'Show current result' }).click()
    await page.locator('a.verdict').first().waitFor()
    await page.waitForLoadState()
    expect(await page.locator('.finding').count()).to.equal(2)
  })

  it('if several rule sets judged a call, each version link names its rule set', async () => {
    const other = await createPublishedRuleSet(app.olga, 'second', { rules: [MANNERS_RULES[0]!] })
    await app.olga.patch(`/v1/rule-sets/${other}`, { position: 1 })
    await app.olga.patch(`/v1/rule-sets/${set}`, { position: 2 })
    await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    await waitUntil('the other set', async () => (await app.ida.get(`/v1/recordings/${id}/analysis`)).json.ruleSet.key === 'second') // prettier-ignore
    const page = await open(olga)
    expect(await page.locator('.versions').innerText()).to.equal('Versions: second 1 manners 2 manners 1')
    await page.getByRole('link', { name: 'manners 1', exact: true }).click()
    await page.locator('.check .note', { hasText: 'Result of version 1.' }).waitFor()
    expect(await page.locator('.versions b').innerText()).to.equal('manners 1')
    expect(await page.locator('.finding').count()).to.equal(3)
    expect((await app.olga.delete(`/v1/rule-sets/${other}`)).status).to.equal(204)
    await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    await waitUntil('the first set', async () => (await app.ida.get(`/v1/recordings/${id}/analysis`)).json.ruleSet.key === 'manners') // prettier-ignore
  })

  it('a person who can edit rules can pin a call beside the draft', async () => {
    const page = await open(olga)
    await page.getByRole('button', { name: 'Test rules on this call' }).click()
    await page.waitForURL(`**/rule-sets/${set}/draft`)
    expect(await page.locator(`.trial a[href="/recordings/${id}"]`).count()).to.equal(1)
    await page.locator('.trial .score b').waitFor()
    expect((await max.open(`/recordings/${id}`)).text, 'a manager edits none').not.to.contain('Test rules on this call')
    const of = await createDepartment(app, 'Sales', ['Max'])
    await createLoggedInPerson(app, 'Hanna', { role: 'head', departments: [of], rights: { editRules: true } })
    const hanna = app.browser()
    await hanna.submit('/login', { email: 'hanna@example.com', password: OWNER_CREDENTIALS.password, next: '/' })
    const { headers } = await hanna.submit('/rule-sets/call', { call: id, set })
    expect(headers.get('location'), 'the set of all is not hers').to.equal('/rule-sets')
    expect((await hanna.open('/rule-sets')).text).to.contain('Call selected.')
  })

  it('the check explains rules not checked on mono recordings, and marks demo results', async () => {
    const { rows } = await app.db.query('SELECT id FROM analyses WHERE is_current AND recording_id = $1', [id])
    await app.db.query(`UPDATE findings SET verdict = 'unknown', why = '{"code": "speakersUnknown"}' WHERE analysis_id = $1`, [rows[0].id]) // prettier-ignore
    const { text } = await olga.open(`/recordings/${id}`)
    expect(text).to.contain('Mono recording, 2 rules not checked.').and.contain('Not determined: 2')
    await app.db.query(`UPDATE analyses SET provider = 'mock' WHERE id = $1`, [rows[0].id])
    const mock = (await olga.open(`/recordings/${id}`)).text
    expect(mock).to.contain('Demo data, unrelated to this call.').and.not.contain('class="verdict" href')
  })

  it('a call without a check shows none to people who cannot start one', async () => {
    await app.db.query('DELETE FROM analyses')
    expect((await max.open(`/recordings/${id}`)).text).not.to.contain('Call check')
    expect((await max.open(`/recordings/${id}/check`, HTMX_REFRESH_HEADERS)).status).to.equal(200)
    expect((await olga.open(`/recordings/${id}`)).text).to.contain('This call has not been checked.')
    const page = await open(olga)
    await page.getByRole('button', { name: 'Check this call' }).click()
    await waitForCheck(id, 'done')
  })

  it('the page shows that automatic checks are off, and an owner can turn them on', async () => {
    await app.db.query('DELETE FROM analyses')
    await app.olga.put('/v1/analysis/settings', { agentChannel: { default: 0 }, automatic: false })
    const { text } = await max.open(`/recordings/${id}`)
    expect(text).to.contain('Automatic checks are off.').and.not.contain('Turn on automatic checks')
    const page = await open(olga)
    expect(await readTexts(page, '.check [role=status]')).to.deep.equal([
      'This call has not been checked. Automatic checks are off.',
    ])
    await page.getByRole('button', { name: 'Turn on automatic checks' }).click()
    await page.getByText('Automatic checks are on for new calls.').waitFor()
    expect((await app.olga.get('/v1/analysis/settings')).json.automatic).to.equal(true)
    expect(await page.getByRole('button', { name: 'Turn on automatic checks' }).count()).to.equal(0)
  })

  it('without audio, links to a moment and quotes of rules mark the transcript', async () => {
    const silent = await uploadChecked({ managerName: 'Max' })
    await app.db.query('UPDATE recordings SET size_bytes = 0 WHERE id = $1', [silent])
    const page = await chrome.open(`${app.panelUrl}/recordings/${silent}?t=4`, { cookie: max.headers.Cookie! })
    expect(await page.locator('audio').count()).to.equal(0)
    expect(await page.locator('.lines [aria-current]').innerText()).to.equal('Добрый день')
    const address = page.url()
    await page.locator('[data-quote]').first().click()
    await page.locator('.quoted.current').waitFor()
    expect(page.url()).to.equal(address)
  })
})
