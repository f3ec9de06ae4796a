import { expect } from 'chai'
import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import type { TestClient } from '../../test/client.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments, replaceTranscript } from '../../test/transcripts.ts'
import { waitUntil } from '../../test/wait.ts'

/** The bell of an open page refreshes after this time: views/_bell.eta. */
const BELL_REFRESH_MS = 4000

describeInBrowser('panel: notifications', (chrome) => {
  let app: TestPanel
  let cast: TestPeople
  before(async () => {
    app = await startTestPanel({ ANALYSIS_SEED_RULES: false })
    cast = await createTestPeople(app)
    await createPublishedRuleSet(app.olga, 'manners')
  })
  after(() => app.stop())
  beforeEach(() => app.db.query('TRUNCATE notifications, notification_settings'))

  const createCall = async (manager = 'Max') => (await insertCalls(app, [{ manager, duration: 60 }]))[0]!
  const comment = (client: TestClient, id: string, more: object = {}) =>
    client.post(`/v1/recordings/${id}/comments`, { at: 42, text: 'Well said', ...more })
  const browse = ({ headers }: TestClient): PanelBrowser => app.browser({ Cookie: headers.Cookie! })
  const open = (client: TestClient, path: string, options = {}) =>
    chrome.open(app.panelUrl + path, { cookie: client.headers.Cookie!, ...options })

  it('the bell of an open page shows new notifications, which a person opens, filters and marks as read', async () => {
    const [first, second] = [await createCall(), await createCall()]
    await comment(cast.hanna, first, { mentions: [cast.max.id] })
    const page = await open(cast.max, '/')
    const bell = page.getByRole('link', { name: 'Notifications' })
    await page.getByRole('link', { name: 'Notifications 1 unread' }).waitFor()
    await page.clock.install()
    await page.goto(`${app.panelUrl}/recordings`)
    await page.getByRole('link', { name: 'Notifications 1 unread' }).waitFor()
    await comment(cast.hanna, second)
    await page.clock.fastForward(BELL_REFRESH_MS)
    await page.getByRole('link', { name: 'Notifications 2 unread' }).waitFor({ timeout: 5000 })
    await bell.click()
    await page.waitForURL('**/notifications')
    const lines = page.locator('.notifications li')
    expect(await lines.allInnerTexts()).to.have.length(2)
    expect(await lines.nth(0).innerText()).to.match(/Hanna commented at 0:42\s+“?Well said/)
    expect(await lines.nth(1).innerText()).to.include('Hanna mentioned you at 0:42')
    expect(await page.locator('.notifications li.is-unread').count()).to.equal(2)
    await page.locator('section').nth(1).getByRole('button', { name: 'Mark as read' }).click()
    await page.getByRole('link', { name: 'Notifications 1 unread' }).waitFor()
    await page.getByRole('link', { name: 'Unread', exact: true }).click()
    await page.waitForURL('**/notifications?unread=true')
    expect(await lines.count()).to.equal(1)
    await page.getByRole('link', { name: /Hanna commented/ }).click()
    await page.waitForURL(`**/recordings/${second}?comment=*`)
    await waitUntil('the badge is gone', async () => (await page.locator('#unread').innerText()) === '')
    await page.goto(`${app.panelUrl}/notifications?unread=true`)
    await page.getByText('You have read everything.').waitFor()
  })

  it('a dispute and a critical miss lead to the rule on the page of the call', async () => {
    const [id] = await insertCalls(app, [{ manager: 'Max', at: new Date().toISOString() }])
    await replaceTranscript(app, id!, makeTurnSegments('Заткнитесь', 'Да'))
    await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    const { findings } = await waitUntil('it is checked', async () => {
      const { json } = await app.olga.get(`/v1/recordings/${id}/analysis`)
      return json.status === 'done' && (json as AnalysisJson)
    })
    const idOf = (key: string) => findings.find(({ rule }) => rule.key === key)!.id
    await cast.max.post(`/v1/recordings/${id}/analysis/findings/${idOf('greeting')}/dispute`, { comment: 'I did' })
    const page = await open(cast.hanna, '/notifications')
    await page.getByRole('link', { name: /Max disputed “Greets”/ }).click()
    await page.waitForURL(`**/recordings/${id}?judge=${idOf('greeting')}#finding-${idOf('greeting')}`)
    await page.locator(`#finding-${idOf('greeting')} textarea`).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: /Critical rule missed: “No insults”/ }).click()
    await page.waitForURL(`**/recordings/${id}#finding-${idOf('insults')}`)
    await cast.hanna.patch(`/v1/recordings/${id}/analysis/findings/${idOf('greeting')}`, { verdict: 'met', comment: 'Yes' }) // prettier-ignore
    const { text } = await browse(cast.max).open('/notifications', { 'Accept-Language': 'ru' })
    expect(text).to.include('отвечает на ваше возражение «Поздоровался»: выполнено')
  })

  it('a call that moved to another department is neither shown nor counted', async () => {
    const id = await createCall()
    await comment(cast.hanna, id)
    const max = browse(cast.max)
    expect((await max.open('/notifications/bell')).text).to.include('1 unread')
    await app.db.query(`UPDATE recordings SET manager_name = 'Otto' WHERE id = $1`, [id])
    expect((await max.open('/notifications/bell')).text).to.equal('')
    const { text } = await max.open('/notifications')
    expect(text).to.include('No notifications yet.').and.not.include('Well said')
    expect((await browse(cast.otto).open('/notifications')).text).to.include('No notifications yet.')
  })

  it('an empty list does not repeat the title of its page', async () => {
    const { text } = await browse(cast.otto).open('/notifications')
    expect(text).to.include('<h1>Notifications</h1>').and.not.include('<h2>')
  })

  it('the bell of a lost session or an initial password changes nothing on the page', async () => {
    expect((await app.browser().open('/notifications/bell')).status).to.equal(204)
    await app.db.query('UPDATE people SET must_change_password = true WHERE id = $1', [cast.otto.id])
    expect((await browse(cast.otto).open('/notifications/bell')).status).to.equal(204)
    await app.db.query('UPDATE people SET must_change_password = false WHERE id = $1', [cast.otto.id])
  })

  it('a person switches kinds off in the settings, and a manager sees only those that they can get', async () => {
    const page = await open(cast.max, '/notifications')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('somebody mentions me').waitFor()
    expect(await page.locator('[name=kinds]').count()).to.equal(6)
    await page.getByLabel('somebody comments on my call').uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Settings saved.').waitFor()
    expect(await page.getByLabel('somebody comments on my call').isChecked()).to.equal(false)
    const { kinds } = (await cast.max.get('/v1/notifications/settings')).json
    expect(kinds).to.include({ comment: false, mention: true, dispute: true })
  })

  it('a call shows its latest three notifications and the number of the others', async () => {
    const id = await createCall()
    for (const text of ['First', 'Second', 'Third', 'Fourth']) await comment(cast.hanna, id, { text })
    const { text } = await browse(cast.max).open('/notifications')
    expect(text).to.include('Fourth').and.include('1 more about this call').and.not.include('First')
  })

  it('an invalid id marks nothing as read', async () => {
    await comment(cast.hanna, await createCall())
    for (const fields of [{ id: 'x' }, { recording: 'x' }] as Record<string, string>[])
      expect((await browse(cast.max).submit('/notifications/read', fields)).status).to.equal(400)
    expect((await cast.max.get('/v1/notifications/count')).json.unread).to.equal(1)
  })

  it('only a person who follows its link marks a notification as read', async () => {
    const call = await createCall()
    await comment(cast.hanna, call)
    const max = browse(cast.max)
    const [path] = /\/notifications\/[^"]+\/open[^"]*/.exec((await max.open('/notifications')).text)!
    const follow = (method: string, headers: Record<string, string>) =>
      max.send(path.replaceAll('&amp;', '&'), { method, headers })
    const countUnread = async () => (await cast.max.get('/v1/notifications/count')).json.unread
    for (const [method, headers] of [
      ['GET', { 'Sec-Purpose': 'prefetch' }],
      ['GET', { 'Sec-Fetch-Site': 'cross-site' }],
      ['HEAD', {}],
    ] as const) {
      const { status, headers: answered } = await follow(method, headers)
      expect([status, answered.get('Location')!.split('=')[0]]).to.deep.equal([303, `/recordings/${call}?comment`])
      expect(await countUnread(), JSON.stringify([method, headers])).to.equal(1)
    }
    await follow('GET', { 'Sec-Fetch-Site': 'same-origin' })
    expect(await countUnread()).to.equal(0)
  })

  it('a long list has pages, and names and texts are escaped', async () => {
    for (let n = 0; n < 21; n++) await comment(cast.hanna, await createCall(), { text: '<img src=x onerror=hit()>' })
    const page = await open(cast.max, '/notifications')
    expect(await page.locator('.notifications section').count()).to.equal(20)
    expect(await page.locator('.notifications img').count()).to.equal(0)
    await page.getByRole('link', { name: 'Next page' }).click()
    await page.waitForURL('**/notifications?page=2')
    expect(await page.locator('.notifications section').count()).to.equal(1)
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await waitUntil('all are read', async () => (await page.locator('li.is-unread').count()) === 0)
  })
})
