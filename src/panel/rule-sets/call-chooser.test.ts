import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments, replaceTranscript } from '../../test/transcripts.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'
import { waitUntil } from '../../test/wait.ts'

describeInBrowser('panel: choice of a call for testing rules', (chrome) => {
  let app: TestPanel
  let cookie: string
  let setId: string
  let calls: string[]
  before(async () => {
    app = await startTestPanel({ ANALYSIS_SEED_RULES: false })
    cookie = (await app.openOwnerBrowser()).headers.Cookie!
    setId = await createPublishedRuleSet(app.olga, 'manners')
    const managers = ['Max', 'Nora', 'Otto']
    const createCall = (manager: string, n: number) => ({ manager, phone: `+37529111000${n}`, at: timeBefore(n) })
    calls = await insertCalls(app, managers.map(createCall))
    const texts = [['Good morning'], ['Ahoy'], ['Goodbye']]
    for (const [n, id] of calls.entries()) await replaceTranscript(app, id, makeTurnSegments(...texts[n]!))
    for (const id of calls.slice(0, 2)) {
      await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
      await waitUntil('the call has a score', async () => {
        return (await app.olga.get(`/v1/recordings/${id}`)).json.score !== null
      })
    }
  })
  after(() => app.stop())

  const timeBefore = (hours: number) => new Date(Date.now() - hours * 3600_000).toISOString()
  const open = (path: string, options = {}) => chrome.open(app.panelUrl + path, { cookie, ...options })
  const newRule = () => open(`/rule-sets/${setId}/draft/new`)

  it('the rule form offers recent checked calls with manager, time and score', async () => {
    const page = await newRule()
    const choices = page.getByRole('list', { name: 'Recent calls' }).getByRole('button')
    const texts = (await choices.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    expect(texts).to.have.length(2)
    expect(texts[0]).to.match(/^\+375 29 111-00-00 score 60 Max · /)
    expect(await choices.first().locator('.score-middle').count()).to.equal(1)
  })

  it('one click tests the typed rule on a call without losing the input', async () => {
    const page = await newRule()
    await page.getByLabel('Name in English').fill('Sailor')
    await page.locator('.chips-edit').getByLabel('Phrases', { exact: true }).fill('ahoy')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /Nora/ }).click()
    await page.locator('#trial .badge.met').waitFor()
    expect(await page.getByLabel('Name in English').inputValue()).to.equal('Sailor')
    expect(await page.locator('.chips-edit li span').allInnerTexts()).to.deep.equal(['ahoy'])
    await page.goto(`${app.panelUrl}/rule-sets/${setId}/draft/rules/greeting`)
    await page.locator('#trial').getByText('Nora').waitFor()
    await page.locator('.chips-edit').getByLabel('Phrases', { exact: true }).fill('ahoy')
    await page.keyboard.press('Enter')
    await page.locator('#trial .badge.met').waitFor()
  })

  it('a call can be found by phone number while typing, or by manager', async () => {
    const page = await newRule()
    await page.getByLabel('Name in English').fill('Farewell')
    await page.getByLabel('Phone, manager or address').fill('111-00-02')
    const found = page.getByRole('list', { name: 'Found calls' }).getByRole('button')
    await found.getByText('Otto').waitFor()
    expect(await found.count()).to.equal(1)
    await page.getByLabel('Phone, manager or address').fill('nora')
    await found.getByText('Nora').waitFor()
    await page.getByLabel('Phone, manager or address').fill('+++')
    await page.getByText('No calls found.').waitFor()
    expect(await page.getByLabel('Name in English').inputValue()).to.equal('Farewell')
  })

  it('a person can choose a call for testing rules without scripts', async () => {
    const page = await open(`/rule-sets/${setId}/draft/new`, { javaScriptEnabled: false })
    await page.getByLabel('Name in English').fill('Sailor')
    await page.getByLabel('Phrases', { exact: true }).fill('ahoy')
    await page.getByRole('button', { name: /Nora/ }).click()
    expect(await page.locator('#trial .badge').innerText()).to.equal('met')
    expect(await page.getByLabel('Name in English').inputValue()).to.equal('Sailor')
  })
})
