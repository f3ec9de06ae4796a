import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls, createLoggedInManager } from '../../test/calls.ts'
import { parseCallRowIds } from '../../test/list-page.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

const createCalls = (count: number, call: Parameters<typeof insertCalls>[1][number] = {}) =>
  Array.from({ length: count }, (_, n) => ({ at: new Date(1.7e12 + n * 6e4).toISOString(), ...call }))

describe('panel: actions on the whole list', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())
  afterEach(() => app.db.query('DELETE FROM recordings'))

  const countCalls = async (query: string): Promise<number> =>
    (await app.olga.get(`/v1/recordings?${query}`)).json.total
  /** Submits an action and continues it like the page until it ends. @returns the text of the last page */
  async function submitWhole(
    action: string,
    fields: Record<string, string>,
    { all = new Date().toISOString(), browser = olga } = {},
  ): Promise<string> {
    let { text } = await browser.submit(`/recordings/${action}`, { all, ...fields })
    while (text.includes('action="/recordings/bulk"')) {
      const inputs = text.matchAll(/<input type="hidden" name="(.*?)" value="(.*?)">/g)
      const next = [...inputs].map(([, name, value]): [string, string] => [name!, value!.replaceAll('&amp;', '&')])
      text = (await browser.submit('/recordings/bulk', next)).text
    }
    return text
  }

  it('an action on the whole list changes all calls that match the filters', async () => {
    await insertCalls(app, [...createCalls(30, { status: 'FAILED' }), ...createCalls(3)])
    const text = await submitWhole('retry', { back: '/recordings?status=FAILED' })
    expect(text).to.contain('30 calls queued again.').and.contain('30 of 30')
    expect([await countCalls('status=QUEUED'), await countCalls('status=DONE')]).to.deep.equal([30, 3])
  })

  it('a retry of the whole list changes only failed and cancelled calls', async () => {
    await insertCalls(app, [...createCalls(2, { status: 'FAILED' }), ...createCalls(1, { status: 'CANCELLED' }), {}])
    expect(await submitWhole('retry', { back: '/recordings' }))
      .to.contain('3 calls queued again.')
      .and.not.contain('skipped')
    expect(await submitWhole('retry', { back: '/recordings?status=DONE' })).to.contain(
      'No calls have a suitable status.',
    )
  })

  it('an action on the whole list skips calls that arrived after it was shown', async () => {
    await insertCalls(app, createCalls(2))
    const shownAt = new Date().toISOString()
    await insertCalls(app, createCalls(1, { createdAt: new Date(Date.now() + 1000).toISOString() }))
    expect(await submitWhole('delete', { back: '/recordings' }, { all: shownAt })).to.contain('2 calls deleted.')
    expect(await countCalls('')).to.equal(1)
  })

  it('a bulk action links to the calls that it could not change', async () => {
    const ids = await insertCalls(app, [...createCalls(2, { status: 'FAILED' }), ...createCalls(2)])
    const progress = { action: 'retry', total: '4', remainingIds: ids.join(), back: '/recordings' }
    const { text } = await olga.submit('/recordings/bulk', progress)
    expect(text).to.contain('2 calls queued again.').and.contain('2 calls skipped because of their status.')
    const [, href] = /<a href="([^"]*)">Show unchanged calls<\/a>/.exec(text)!
    const failed = await olga.open(href!.replaceAll('&amp;', '&'))
    expect(parseCallRowIds(failed.text)).to.have.members(ids.slice(2))
    expect(failed.text).to.contain('Selected calls: 2')
  })

  it('a bulk action needs the permissions of the single action and writes its audit entries', async () => {
    const [id] = await insertCalls(app, createCalls(1, { manager: 'Anna', status: 'FAILED' }))
    await submitWhole('retry', { back: '/recordings' })
    const { items } = (await app.olga.get(`/v1/audit?action=recording.retry`)).json
    expect(items[0].object.id).to.equal(id)
    const max = await createLoggedInManager(app, 'Max', { manageRecordings: true })
    const browser = app.browser({ Cookie: max.headers.Cookie! })
    expect(await submitWhole('delete', { back: '/recordings' }, { browser })).to.contain(
      'No calls have a suitable status.',
    )
    expect(await countCalls('')).to.equal(1)
  })

  it('an export of the whole list contains all calls that match the filters', async () => {
    await insertCalls(app, [...createCalls(30, { text: 'yes' }), ...createCalls(2, { text: 'no', manager: 'Anna' })])
    const query = new URLSearchParams({
      all: '2030-01-01T00:00:00Z',
      back: '/recordings?manager=Anna',
      format: 'jsonl',
    })
    const { text } = await olga.open(`/recordings/export?${query.toString()}`)
    expect(text.trim().split('\n')).to.have.length(2)
  })

  describeInBrowser('in a browser', (chrome) => {
    it('a person can select the whole list after a page and sees the progress', async () => {
      await insertCalls(app, createCalls(300))
      const page = await chrome.open(`${app.panelUrl}/recordings`, { cookie: olga.headers.Cookie })
      await page.locator('[data-all]').check()
      await page.getByText('25 selected').waitFor()
      await page.getByRole('button', { name: 'Select all 300' }).click()
      await page.getByText('300 selected').waitFor()
      await page.getByText('Delete 300', { exact: true }).click()
      await page.getByText('Calls to delete: 300').waitFor()
      await page.getByRole('button', { name: 'Delete calls' }).click()
      await page.getByText('300 calls deleted.').waitFor()
      expect(await countCalls('')).to.equal(0)
      await page.getByRole('link', { name: 'Back to calls' }).click()
      await page.waitForURL('**/recordings')
    })

    it('a retry of the whole list names the number of calls and asks first', async () => {
      await insertCalls(app, createCalls(60, { status: 'FAILED' }))
      const page = await chrome.open(`${app.panelUrl}/recordings`, { cookie: olga.headers.Cookie })
      await page.locator('[data-all]').check()
      await page.getByRole('button', { name: 'Retry 25' }).waitFor()
      await page.getByRole('button', { name: 'Select all 60' }).click()
      await page.locator('summary', { hasText: 'Retry 60' }).click()
      expect(await page.getByRole('button', { name: /^Retry \d/ }).isVisible()).to.equal(false)
      await page.getByText('Calls to retry: 60').waitFor()
      expect(await countCalls('status=FAILED')).to.equal(60)
      await page.locator('#selection .sure').getByRole('button', { name: 'Retry', exact: true }).click()
      await page.getByText('60 calls queued again.').waitFor()
    })

    it('unchecking a call ends the selection of the whole list', async () => {
      await insertCalls(app, createCalls(30))
      const page = await chrome.open(`${app.panelUrl}/recordings`, { cookie: olga.headers.Cookie })
      await page.locator('[data-all]').check()
      await page.getByRole('button', { name: 'Select all 30' }).click()
      await page.locator('[name=id]').first().uncheck()
      await page.getByText('24 selected').waitFor()
      expect(await page.locator('[name=all]').isDisabled()).to.equal(true)
    })
  })
})
