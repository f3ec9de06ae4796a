import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls, createLoggedInManager } from '../../test/calls.ts'
import { holdCall } from '../../test/bulk-actions.ts'
import { parseCallRowIds } from '../../test/list-page.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'
import { waitUntil } from '../../test/wait.ts'

const createCalls = (count: number, call: Parameters<typeof insertCalls>[1][number] = {}) =>
  Array.from({ length: count }, (_, n) => ({ at: new Date(1.7e12 + n * 6e4).toISOString(), ...call }))

describe('panel: actions on the whole list', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel()
    olga = await app.openOwnerBrowser()
    await app.olga.post('/v1/queues/transcription/pause')
  })
  after(() => app.stop())
  afterEach(async () => {
    await app.db.query('DELETE FROM recordings')
    await app.db.query('DELETE FROM bulk_actions')
  })

  const countCalls = async (query: string): Promise<number> =>
    (await app.olga.get(`/v1/recordings?${query}`)).json.total
  /** Submits an action and waits until it ends. @returns the text of its page */
  async function submitWhole(
    action: string,
    fields: Record<string, string>,
    { all = new Date().toISOString(), browser = olga } = {},
  ): Promise<string> {
    const { headers } = await browser.submit(`/recordings/${action}`, { all, ...fields })
    return openEnded(headers.get('location')!, browser)
  }
  const openEnded = (path: string, browser = olga): Promise<string> =>
    waitUntil('the action has ended', async () => {
      const { text } = await browser.open(path)
      return !text.includes('hx-get="/recordings/bulk/') && text
    })

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

  it('after midnight, an action and an export still cover the period that the list showed', async () => {
    const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    const [shown, ...others] = await insertCalls(
      app,
      [2, 1, 0].map((days) => ({ at: dayBefore(days) })),
    )
    const fields = { back: '/recordings?period=yesterday' }
    const all = dayBefore(1)
    const query = new URLSearchParams({ ...fields, all, format: 'jsonl' }).toString()
    const { text } = await olga.open(`/recordings/export?${query}`)
    expect(text.trim().split('\n').map((line) => JSON.parse(line).id)).to.deep.equal([shown]) // prettier-ignore
    expect(await submitWhole('delete', fields, { all })).to.contain('1 call deleted.')
    expect(parseCallRowIds((await olga.open('/recordings')).text)).to.have.members(others)
  })

  it('a bulk action links to the calls that it could not change', async () => {
    const ids = await insertCalls(app, [...createCalls(2, { status: 'FAILED' }), ...createCalls(2)])
    const { json } = await app.olga.post('/v1/bulk-actions', { action: 'retry', ids })
    const text = await openEnded(`/recordings/bulk/${json.id}`)
    expect(text).to.contain('2 calls queued again.').and.contain('2 calls skipped because of their status.')
    const [, href] = /<a href="([^"]*)"[^>]*>Show unchanged calls<\/a>/.exec(text)!
    const failed = await olga.open(href!.replaceAll('&amp;', '&'))
    expect(parseCallRowIds(failed.text)).to.have.members(ids.slice(2))
    expect(failed.text).to.contain('Selected calls: 2')
  })

  it('a bulk action needs the permissions of the single action and writes its audit entries', async () => {
    const [id] = await insertCalls(app, createCalls(1, { manager: 'Anna', status: 'FAILED' }))
    await submitWhole('retry', { back: '/recordings' })
    const { items } = (await app.olga.get(`/v1/audit?action=recording.retry`)).json
    expect(items[0].operations.map(({ object }: { object: { id: string } | null }) => object?.id)).to.deep.equal([
      undefined,
      id,
    ])
    const max = await createLoggedInManager(app, 'Max', { manageRecordings: true })
    const browser = app.browser({ Cookie: max.headers.Cookie! })
    expect(await submitWhole('delete', { back: '/recordings' }, { browser })).to.contain(
      'No calls have a suitable status.',
    )
    expect(await countCalls('')).to.equal(1)
  })

  it('an action leads back to its list', async () => {
    await insertCalls(app, createCalls(1, { status: 'FAILED' }))
    const text = await submitWhole('retry', { back: '/recordings?status=FAILED' })
    expect(text).to.contain('href="/recordings?status=FAILED"')
    const { id } = (await app.olga.get('/v1/bulk-actions')).json.items[0]
    expect((await olga.open(`/recordings/bulk/${id}?back=//evil.example`)).text).to.contain('href="/recordings"')
  })

  it('the list shows running actions and those that ended within an hour', async () => {
    const [id] = await insertCalls(app, createCalls(1, { status: 'FAILED' }))
    const call = await holdCall(app, id!)
    await olga.submit('/recordings/retry', { all: new Date().toISOString(), back: '/recordings' })
    expect((await olga.open('/recordings')).text).to.match(/Retry calls<\/a> <progress.*0 of 1</)
    await call.release()
    await waitUntil('it ended', async () => (await olga.open('/recordings')).text.includes('1 call queued again.'))
    await app.db.query(`UPDATE bulk_actions SET finished_at = now() - interval '61 minutes'`)
    expect((await olga.open('/recordings')).text).not.to.contain('queued again')
  })

  it('a rejected action returns to the list with the reason', async () => {
    await insertCalls(app, createCalls(1))
    const fields = { all: new Date().toISOString(), back: '/recordings?status=DONE', managerName: 'x'.repeat(256) }
    const { status, headers } = await olga.submit('/recordings/manager', fields)
    expect([status, headers.get('location')]).to.deep.equal([303, '/recordings?status=DONE'])
    expect((await olga.open('/recordings')).text).to.contain('at most 255 characters')
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
    async function startDelete(count: number) {
      const page = await chrome.open(`${app.panelUrl}/recordings`, { cookie: olga.headers.Cookie })
      await page.locator('[data-all]').check()
      await page.getByText('25 selected').waitFor()
      await page.getByRole('button', { name: `Select all ${count}` }).click()
      await page.getByText(`${count} selected`).waitFor()
      await page.getByText(`Delete ${count}`, { exact: true }).click()
      await page.getByText(`Calls to delete: ${count}`).waitFor()
      await page.getByRole('button', { name: 'Delete calls' }).click()
      await page.waitForURL('**/recordings/bulk/*')
      return page
    }

    it('a person can close the page of an action on the whole list; the list shows its progress', async () => {
      const ids = await insertCalls(app, createCalls(300))
      const call = await holdCall(app, ids[100]!)
      const page = await startDelete(300)
      await page.getByText('192 of 300').waitFor() // the batch of 8 calls with the held one waits
      await page.getByText('You can close this page.').waitFor()
      await page.goto(`${app.panelUrl}/recordings`)
      await page.locator('.running').getByText('192 of 300').waitFor()
      await page.close()
      await call.release()
      await waitUntil('all calls are deleted', async () => (await countCalls('')) === 0)
      const later = await chrome.open(`${app.panelUrl}/recordings`, { cookie: olga.headers.Cookie })
      await later.getByText('300 calls deleted.').waitFor()
      await later.getByRole('link', { name: 'Delete calls' }).click()
      await later.getByText('300 of 300').waitFor()
      await later.getByRole('link', { name: 'Back to calls' }).click()
      await later.waitForURL('**/recordings')
    })

    it('a person can stop an action on the whole list', async () => {
      const ids = await insertCalls(app, createCalls(40))
      const call = await holdCall(app, ids[20]!)
      const page = await startDelete(40)
      await page.getByText('16 of 40').waitFor()
      await page.locator('summary', { hasText: 'Stop' }).click()
      await page.getByText('Stop the action?').waitFor()
      // The open confirmation survives the refreshes.
      await page.waitForResponse((response) => response.url().includes('/recordings/bulk/'))
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByText('stopped', { exact: true }).waitFor()
      await call.release()
      await page.getByText('24 of 40').waitFor()
      expect(await countCalls('')).to.equal(16)
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
