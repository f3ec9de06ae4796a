import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: filter bar and tabs of reports', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api', APP_TIMEZONE: 'Europe/Minsk' })
    olga = await app.openOwnerBrowser()
    await insertCalls(
      app,
      ['Anna', 'Boris'].map((manager) => ({ at: '2026-03-17T10:00:00Z', manager })),
    )
  })
  after(() => app.stop())

  const tabsOf = (text: string, kind: 'pages' | 'tabs group-tabs' = 'pages') => {
    const [, tabs = ''] = new RegExp(`<nav class="${kind}"[^>]*>(.*?)</nav>`, 's').exec(text) ?? []
    const links = [...tabs.matchAll(/href="([^"]*)"[^>]*>([^<]*)</g)]
    return links.map(([, href, name]) => ({ name, url: new URL(href!.replaceAll('&amp;', '&'), app.panelUrl) }))
  }
  const REPORTS = [
    '/analytics/sales',
    '/analytics/quality',
    '/analytics/refusals',
    '/analytics/weekly',
    '/analytics/correlation',
    '/analytics/load',
    '/analytics/deals',
    '/reconciliation',
  ]

  it('the tabs of reports keep period, department and manager', async () => {
    const { json } = await app.olga.post('/v1/departments', { name: 'North & South', managers: ['Anna', 'Boris'] })
    const asked = {
      from: '2026-03-16',
      to: '2026-03-22',
      department: json.id as string,
      manager: '"Anna"',
      funnel: '1',
    }
    for (const path of REPORTS) {
      const { status, text } = await olga.open(`${path}?${new URLSearchParams(asked).toString()}`)
      expect(status, path).to.equal(200)
      const tabs = tabsOf(text)
      expect(tabs.map(({ name }) => name)).to.deep.equal(['Week', 'Quality', 'Sales', 'Operations'])
      expect(tabs.map(({ url }) => url.pathname)).to.deep.equal([
        '/analytics/weekly',
        '/analytics/quality',
        '/analytics/sales',
        '/analytics/load',
      ])
      for (const { url } of [...tabs, ...tabsOf(text, 'tabs group-tabs')])
        expect(Object.fromEntries(url.searchParams), `${path} to ${url.pathname}`).to.deep.equal(asked)
      const bar = /<form class="from-to" id="report".*?<\/form>/s.exec(text)!
      expect(bar.index, path).to.be.lessThan(text.indexOf('<nav class="pages"'))
      const fields = [...bar[0].matchAll(/ id="f-(\w+)" name/g)].map(([, name]) => name)
      const days = path === '/analytics/weekly' ? ['week'] : ['from', 'to']
      const expectedFields = path === '/reconciliation' ? ['department'] : ['department', 'manager']
      expect(fields, path).to.deep.equal([...days, ...expectedFields])
      const hidden = Object.keys(asked).filter((name) => bar[0].includes(`type="hidden" name="${name}"`))
      const otherFields = [...text.slice(bar.index + bar[0].length).matchAll(/name="(\w+)" form="report"/g)]
      expect([...fields, ...hidden, ...otherFields.map(([, name]) => name)], path).to.include.members(
        Object.keys(asked).filter((name) => name !== 'funnel'),
      )
    }
  })

  it('every report is a tab of its group', async () => {
    const paths = await Promise.all(
      ['weekly', 'quality', 'sales', 'load'].map(async (name) => {
        const { text } = await olga.open(`/analytics/${name}`)
        return tabsOf(text, 'tabs group-tabs').map(({ url }) => url.pathname)
      }),
    )
    expect(['/analytics/weekly', ...paths.flat()].toSorted()).to.deep.equal(REPORTS.toSorted())
  })

  it('the default period of a report carries over to the next tab', async () => {
    const { text } = await olga.open('/analytics/sales')
    const days = [...text.matchAll(/id="f-(from|to)" name="\w+" value="([^"]*)"/g)].map(([, , day]) => day)
    const load = tabsOf(text).find(({ name }) => name === 'Operations')!
    const next = await olga.open(load.url.pathname + load.url.search)
    expect([...next.text.matchAll(/id="f-(from|to)" name="\w+" value="([^"]*)"/g)].map(([, , day]) => day))
      .to.deep.equal(days)
      .and.have.length(2)
  })

  it('the weekly report opens the last complete week of the period', async () => {
    for (const [query, week] of [
      ['from=2026-03-01&to=2026-03-22', '2026-W12'],
      ['from=2026-03-01&to=2026-03-21', '2026-W11'],
      ['from=2026-03-01&to=2026-03-21&week=2026-W08', '2026-W08'],
    ])
      expect((await olga.open(`/analytics/weekly?${query}`)).text, query).to.contain(`value="${week}" selected`)
  })

  describeInBrowser('in a browser', (chrome) => {
    it('a filter of one report applies at once with scripts, otherwise by the button', async () => {
      const { Cookie } = olga.headers
      for (const javaScriptEnabled of [true, false]) {
        const address = `${app.panelUrl}/analytics/load?from=2026-03-01&to=2026-03-31`
        const page = await chrome.open(address, { cookie: Cookie!, javaScriptEnabled })
        await page.getByLabel('Interval').selectOption('week')
        if (!javaScriptEnabled) await page.getByRole('button', { name: 'Show' }).click()
        await page.waitForURL(/interval=week/)
        expect(new URL(page.url()).searchParams.get('from'), page.url()).to.match(/^1 Mar 2026$|^2026-03-01$/)
        await page.locator('figcaption', { hasText: 'Calls per week' }).waitFor()
      }
    })
  })
})
