import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCheckedCalls, type CheckedCallRow } from '../../test/checked-calls.ts'
import type { TestClient } from '../../test/client.ts'
import { createQuoteEvidence } from '../../test/evidence.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { waitUntil } from '../../test/wait.ts'

const DAY_MS = 86_400_000
const atDay = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()

describeInBrowser('panel: assigned calls', (chrome) => {
  let app: TestPanel
  let cast: TestPeople
  before(async () => {
    app = await startTestPanel({ APP_TIMEZONE: 'UTC' })
    cast = await createTestPeople(app)
  })
  after(() => app.stop())
  beforeEach(() => app.db.query('TRUNCATE assignments, notifications; DELETE FROM recordings'))

  /** Inserts checked calls of Max with audio. */
  async function createCalls(calls: CheckedCallRow[]): Promise<string[]> {
    const ids = await insertCheckedCalls(app, calls.map((call) => ({ manager: 'Max', score: 30, duration: 17, ...call }))) // prettier-ignore
    await mkdir(join(app.config.audioDir, 'inserted'), { recursive: true })
    for (const id of ids) await copyFile('samples/call.wav', join(app.config.audioDir, 'inserted', id))
    await app.db.query('UPDATE findings SET evidence = $1', [JSON.stringify([createQuoteEvidence('See you', 4)])])
    return ids
  }
  const createLowCall = async () =>
    (await createCalls([{ at: atDay(-1), verdicts: { 'next-step': 'missed', greeting: 'missed' } }]))[0]!
  const open = (client: TestClient, path: string, options = {}) =>
    chrome.open(app.panelUrl + path, { cookie: client.headers.Cookie!, ...options })
  const waitForPlayback = (page: Page) =>
    waitUntil('it plays', () => page.evaluate<boolean>(`!document.querySelector('[data-track-audio]').paused`))

  it('a head assigns a call on Home, the manager sees the bell, plays the moment and marks it as heard', async () => {
    await createLowCall()
    const head = await open(cast.hanna, '/')
    await head.locator('#lowest').waitFor()
    await head.keyboard.press('a')
    await head.locator('.lowest [name=reason]:focus').waitFor()
    expect(await head.locator('.lowest [name=reason]').inputValue()).to.equal('Agrees the next step')
    await head.keyboard.type('Name a day before you say goodbye')
    await head.keyboard.press('Enter')
    await head.getByText('Assigned to Max.').waitFor()
    await head.locator('.lowest').getByText('assigned').waitFor()
    expect(await head.locator('.assigned li').innerText())
      .to.include('Name a day before you say goodbye')
      .and.include('from 0:04')
      .and.include('not heard yet')
    const manager = await open(cast.max, '/')
    await manager.getByRole('link', { name: 'Notifications 1 unread' }).waitFor()
    expect(await manager.locator('.assigned li').innerText())
      .to.include('Hanna')
      .and.include('Agrees the next step')
    await manager.locator('.assigned [data-play-track]').click()
    await waitForPlayback(manager)
    await manager.keyboard.press('h')
    await manager.getByText('You have listened to all assigned calls.').waitFor()
    await head.goto(app.panelUrl)
    expect(await head.locator('.assigned li').innerText()).to.match(/heard \d/)
    await head.locator('.lowest summary').waitFor()
  })

  it('the page of a call assigns it from the position of the player, and shows the state to both sides', async () => {
    const id = await createLowCall()
    const head = await open(cast.hanna, `/recordings/${id}`)
    await head.locator('#sound').waitFor({ state: 'attached' })
    await head.keyboard.press('ArrowRight')
    await head.keyboard.press('ArrowRight')
    expect(await head.locator('[data-now]').innerText()).to.equal('0:10')
    await head.keyboard.press('a')
    await head.getByText('from 0:10').waitFor()
    await head.getByLabel('Rule', { exact: true }).selectOption('no rule')
    expect(await head.getByLabel('Reason').inputValue()).to.equal('')
    await head.getByLabel('Reason').fill('Listen to the end')
    await head.locator('.from-moment').waitFor({ state: 'hidden' })
    await head.locator('[data-assign] button').click()
    await head.getByText('You assigned this call to Max').waitFor()
    expect(await head.locator('[data-assign]').count(), 'assigned already').to.equal(0)
    const manager = await open(cast.max, `/recordings/${id}`)
    expect(await manager.locator('.assignment').innerText()).to.match(/Hanna asked you to listen to this call:\s+“?Listen to the end/) // prettier-ignore
    expect(await manager.locator('[data-assign]').count()).to.equal(0)
    await manager.keyboard.press('h')
    await manager.locator('.assignment .score-good').waitFor()
    await head.goto(`${app.panelUrl}/recordings/${id}`)
    expect(await head.locator('.assignment').innerText()).to.match(/heard \d/)
    expect(await head.locator('[data-assign]').count()).to.equal(1)
  })

  it('H marks only a call whose row has the focus', async () => {
    for (const reason of ['Hear the start', 'Hear the end'])
      await cast.hanna.post('/v1/assignments', { recordingId: await createLowCall(), reason })
    const page = await open(cast.max, '/assignments')
    await page.keyboard.press('h')
    await page.getByRole('link', { name: 'Hear the start' }).focus()
    await page.keyboard.press('h')
    await page.getByText(/heard \d/).waitFor()
    const { items } = (await cast.max.get('/v1/assignments?waiting=true')).json
    expect(items.map((one: { reason: string }) => one.reason)).to.deep.equal(['Hear the end'])
  })

  it('a rule of an assignment shows its trend once there are five calls before and after', async () => {
    const id = await createLowCall()
    await createCalls(['missed', 'missed', 'met', 'missed'].map((verdict) => ({ at: atDay(-9), verdicts: { 'next-step': verdict as 'met' } }))) // prettier-ignore
    const { json } = await cast.hanna.post('/v1/assignments', { recordingId: id, reason: 'Name a day', ruleKey: 'next-step' }) // prettier-ignore
    await cast.max.post(`/v1/assignments/${json.id}/acknowledge`)
    const hanna = app.browser({ Cookie: cast.hanna.headers.Cookie! })
    expect((await hanna.open('/assignments')).text).to.include('too few calls to compare')
    await createCalls(['met', 'met', 'met', 'missed', 'met'].map((verdict) => ({ at: atDay(9), verdicts: { 'next-step': verdict as 'met' } }))) // prettier-ignore
    const { text } = await hanna.open('/assignments')
    expect(text).to.include('met in 1 of 5 calls before, in 4 of 5 since').and.include('class="sparkline')
    const max = app.browser({ Cookie: cast.max.headers.Cookie! })
    expect((await max.open('/')).text, 'Home').to.include('met in 1 of 5 calls before, in 4 of 5 since')
    expect((await max.open('/assignments', { 'Accept-Language': 'ru' })).text).to.include(
      'до этого выполнено в 1 из 5 звонков, после — в 4 из 5',
    )
  })

  it('Home shows owners the calls they assigned, and heads those they should hear', async () => {
    const owner = await app.openOwnerBrowser()
    const head = app.browser({ Cookie: cast.hanna.headers.Cookie! })
    expect((await owner.open('/')).text, 'none yet').not.to.include('Calls you assigned')
    expect((await head.open('/')).text, 'none yet').not.to.include('Calls to listen to')
    const [call] = await createCalls([{ manager: 'Hanna', at: atDay(-1) }])
    await app.olga.post('/v1/assignments', { recordingId: call, reason: 'Hear the end' })
    expect((await owner.open('/')).text)
      .to.include('Calls you assigned')
      .and.include('Hear the end')
    expect((await head.open('/')).text)
      .to.include('Calls to listen to')
      .and.include('Hear the end')
      .and.include('Mark as heard')
  })

  it('a call that cannot be assigned keeps the page and says why', async () => {
    const [id] = await createCalls([{ manager: 'Anna', at: atDay(-1), verdicts: { greeting: 'missed' } }])
    const page = await open(cast.hanna, `/recordings/${id}`)
    await page.keyboard.press('a')
    await page.keyboard.press('Enter')
    await page.getByText('The manager of this call has no login.').waitFor()
    chrome.ignoreErrors(/409/)
    await page.goto(app.panelUrl)
    await page.locator('#lowest').waitFor()
    await page.keyboard.press('a')
    await page.keyboard.press('Enter')
    await page.getByText('The manager of this call has no login.').waitFor()
    expect(await page.locator('h1').innerText()).to.include('Home')
  })

  it('a head withdraws an assignment, and without scripts a manager marks a call as heard', async () => {
    const id = await createLowCall()
    const hanna = app.browser({ Cookie: cast.hanna.headers.Cookie! })
    const max = app.browser({ Cookie: cast.max.headers.Cookie! })
    const assign = () =>
      hanna.submit(`/recordings/${id}/assignments`, { reason: 'Hear it', ruleKey: 'greeting', at: '4', next: '/' })
    expect((await assign()).headers.get('location')).to.equal('/')
    const [{ id: first }] = (await cast.max.get('/v1/assignments')).json.items
    expect((await max.submit(`/assignments/${first}/withdraw`)).status).to.equal(403)
    expect((await hanna.submit(`/assignments/${first}/withdraw`, { next: '/assignments' })).status).to.equal(303)
    await assign()
    const [{ id: second, at, rule }] = (await cast.max.get('/v1/assignments')).json.items
    expect([at, rule.key]).to.deep.equal([4, 'greeting'])
    const heard = await max.submit(`/assignments/${second}/heard`, { next: '//evil.example' })
    expect([heard.status, heard.headers.get('location')]).to.deep.equal([303, '/'])
    expect((await cast.max.get('/v1/assignments?waiting=true')).json.total).to.equal(0)
  })
})
