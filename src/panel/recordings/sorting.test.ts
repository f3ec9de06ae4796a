import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { parseCallRowIds } from '../../test/list-page.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: sort orders of the call list', () => {
  let app: TestPanel
  let olga: PanelBrowser
  let ids: string[]
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    olga = await app.openOwnerBrowser()
    ids = await insertCalls(app, [
      { at: '2026-03-03T07:00:00Z', score: 60, duration: 30, text: 'delivery today' },
      { at: '2026-03-02T07:00:00Z', score: 90, duration: 90, text: 'delivery' },
      { at: '2026-03-01T07:00:00Z', score: 20, duration: 60, text: 'no delivery' },
    ])
  })
  after(() => app.stop())

  const findHeader = (text: string, title: string) =>
    new RegExp(`<th scope="col" class="sortable [^>]*><a href="[^"]*">${title}</a></th>`)
      .exec(text)![0]
      .replaceAll('&amp;', '&')
  const listPlaces = (text: string) => parseCallRowIds(text).map((id) => ids.indexOf(id!))

  it('the first click on Score sorts the lowest scores first', async () => {
    const { text } = await olga.open('/recordings?manager=')
    expect(findHeader(text, 'Call time')).to.contain('aria-sort="descending"')
    expect(findHeader(text, 'Score')).to.contain('href="/recordings?sort=score&order=asc"').and.not.contain('aria-sort')
    const lowest = (await olga.open('/recordings?sort=score&order=asc')).text
    expect(listPlaces(lowest)).to.deep.equal([2, 0, 1])
    expect(findHeader(lowest, 'Score')).to.contain('aria-sort="ascending"').and.contain('sort=score&order=desc')
    expect(findHeader(lowest, 'Call time')).to.contain('href="/recordings"').and.not.contain('aria-sort')
    expect(listPlaces((await olga.open('/recordings?sort=score&order=desc')).text)).to.deep.equal([1, 0, 2])
  })

  it('the first click on Duration sorts the longest calls first', async () => {
    const header = findHeader((await olga.open('/recordings')).text, 'Duration')
    expect(header).to.contain('href="/recordings?sort=durationSeconds&order=desc"')
    expect(listPlaces((await olga.open('/recordings?sort=durationSeconds')).text)).to.deep.equal([1, 2, 0])
  })

  it('search results can be sorted; by default the best match is first', async () => {
    const { text } = await olga.open('/recordings?q=delivery')
    expect(findHeader(text, 'Call time')).to.contain('q=delivery&order=desc').and.not.contain('aria-sort')
    expect(listPlaces((await olga.open('/recordings?q=delivery&sort=score&order=asc')).text)).to.deep.equal([2, 0, 1])
  })

  it('links to filters and neighbours keep the order of the list', async () => {
    const { text } = await olga.open('/recordings?sort=score&order=asc')
    expect(text).to.contain('href="/recordings?status=DONE&amp;sort=score&amp;order=asc"')
    const call = await olga.open(`/recordings/${ids[0]}`, {
      Referer: `${app.panelUrl}/recordings?sort=score&order=asc`,
    })
    expect(call.text).to.match(new RegExp(`/recordings/${ids[2]}[^"]*" rel="prev"`))
    expect(call.text).to.match(new RegExp(`/recordings/${ids[1]}[^"]*" rel="next"`))
  })

  describeInBrowser('in a browser', (chrome) => {
    it('one click on a header sorts the list, and the address keeps the order', async () => {
      const page = await chrome.open(`${app.panelUrl}/recordings`, { cookie: olga.headers.Cookie })
      await page.getByRole('columnheader', { name: 'Score' }).getByRole('link').click()
      await page.waitForURL('**/recordings?sort=score&order=asc')
      await page.locator('th[aria-sort=ascending]').waitFor()
      expect(await page.locator('.calls .score span').allInnerTexts()).to.deep.equal(['20', '60', '90'])
    })

    it('on a phone, the list shows scores and offers the orders in a menu', async () => {
      const page = await chrome.open(`${app.panelUrl}/recordings`, {
        cookie: olga.headers.Cookie,
        viewport: { width: 390, height: 844 },
      })
      expect(await page.locator('.calls .score-low').isVisible()).to.equal(true)
      await page.locator('summary', { hasText: 'newest first' }).click()
      await page.getByRole('link', { name: 'lowest score first' }).click()
      await page.waitForURL('**/recordings?sort=score&order=asc')
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect(overflow).to.be.at.most(0)
    })
  })
})
