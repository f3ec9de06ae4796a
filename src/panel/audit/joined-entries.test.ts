import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'
import { waitUntil } from '../../test/wait.ts'

describeInBrowser('panel: actions in the audit log', (chrome) => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    await insertCalls(app, [{ manager: 'Max', text: 'a lot of noise and shutters' }])
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())

  interface Item {
    action: string
    details: { q?: string } | null
  }
  const listNames = async (): Promise<string[]> => {
    const { items } = (await app.olga.get('/v1/audit?action=recordings.list&order=asc')).json as { items: Item[] }
    return items.map(({ action, details }) => `${action} ${details?.q ?? ''}`.trim())
  }

  it('each search in the list is an entry, and a refresh is none', async () => {
    const page = await chrome.open(`${app.panelUrl}/recordings`, { cookie: olga.headers.Cookie! })
    const actionId = () => page.locator('#content').getAttribute('data-action-id')
    for (const q of ['noise', 'shutters']) {
      await page.locator('#q').fill(q)
      await page.locator('#q').press('Enter')
      await page.waitForURL(`**/recordings?q=${q}`)
    }
    await waitUntil('all are recorded', async () => (await listNames()).length === 3)
    expect(await listNames()).to.deep.equal(['recordings.list', 'recordings.list noise', 'recordings.list shutters'])

    const refresh = page.waitForRequest((request) => request.headers()['hx-source'] === 'section#list')
    await page.evaluate(`document.getElementById('list').dispatchEvent(new Event('refresh'))`)
    expect((await refresh).headers()['x-action-id']).to.equal(await actionId())
  })
})
