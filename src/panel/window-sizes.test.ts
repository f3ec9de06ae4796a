import { expect } from 'chai'
import { describeInBrowser, reloadBrowserPage } from '../test/browser.ts'
import { fillWidestCells, createSampleData, type SampleIds } from './every-page.test.ts'
import { startTestPanel, type TestPanel } from '../test/panel.ts'

describeInBrowser('panel: screen sizes', (chrome) => {
  let app: TestPanel
  let ids: SampleIds
  let cookie: string
  before(async () => {
    app = await startTestPanel()
    cookie = (await app.openOwnerBrowser()).headers.Cookie!
    ids = await createSampleData(app)
    await fillWidestCells(app, ids)
  })
  after(() => app.stop())

  const open = (path: string, width: number, more = {}) =>
    chrome.open(app.panelUrl + path, { cookie, viewport: { width, height: 844 }, ...more })

  it('columns of the list of calls keep their widths, and no cell is cut', async () => {
    for (const locale of ['en-US', 'ru-RU']) {
      const page = await open('/recordings', 1280, { locale })
      for (const width of [1280, 1359, 1360, 1440]) {
        await page.setViewportSize({ width, height: 844 })
        await reloadBrowserPage(page)
        const head = page.locator('.calls th')
        expect((await page.locator('.calls th.wide').boundingBox())!.width, `${width}`).to.be.at.least(250)
        for (const column of ['phone', 'manager'])
          expect((await page.locator(`.calls th.${column}`).boundingBox())!.width, `${column}, ${width}`).to.equal(140)
        const cut = await head.evaluateAll((cells) =>
          cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent),
        )
        expect(cut, `${width} ${locale}`).to.deep.equal([])
        const shown = await page
          .locator('.calls :is(td.time, td.phone:has(span), td.length, .badge)')
          .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent))
        expect(shown, `${width} ${locale}`).to.deep.equal([])
      }
    }
  })

  it('a phone shows the whole phone number of each call', async () => {
    await app.db.query(`UPDATE recordings SET phone_number = '+375253094427'`)
    for (const locale of ['en-US', 'ru-RU']) {
      const page = await open('/recordings', 390, { locale })
      const numbers = page.locator('.calls td.phone:has(span)')
      expect(await numbers.count()).to.be.above(0)
      const cut = await numbers.evaluateAll((all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
      )
      expect(cut, locale).to.deep.equal([])
    }
  })

  it('a phone shows no hints of keys', async () => {
    for (const path of ['/recordings', `/recordings/${ids.done}`]) {
      const page = await open(path, 390, { hasTouch: true })
      await page.locator('h1').waitFor()
      expect(await page.locator('kbd[aria-hidden]').count(), path).to.be.above(0)
      expect(await page.locator('kbd:visible').count(), path).to.equal(0)
    }
  })

  it('the heading of the list fits on one line at a width of 1001 pixels', async () => {
    const page = await open('/recordings', 1001, { locale: 'ru-RU' })
    expect((await page.locator('main h1').boundingBox())!.height).to.equal(28)
  })

  it('filters are beside the list from 1360 pixels on, and open over it below', async () => {
    const page = await open('/recordings', 1360)
    const [facets, opener] = [page.locator('#facets'), page.locator('[popovertarget=facets]')]
    for (const isBeside of [true, false, true]) {
      await page.setViewportSize({ width: isBeside ? 1360 : 1359, height: 844 })
      await facets.waitFor({ state: isBeside ? 'visible' : 'hidden' })
      expect(await opener.isVisible()).to.equal(!isBeside)
    }
    await page.setViewportSize({ width: 1359, height: 844 })
    await opener.click()
    await facets.waitFor({ state: 'visible' })
  })

  it('the filters of a list are on one line and equally high', async () => {
    for (const locale of ['en-US', 'ru-RU']) {
      const page = await open('/audit', 1280, { locale })
      for (const path of ['/audit', '/people']) {
        await page.goto(app.panelUrl + path)
        const fields = await page
          .locator('.narrowing :is(input:not([type=hidden]), select, button)')
          .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ y, height }) => `${y} ${height}`))
        expect(fields.length).to.be.at.least(4)
        expect(new Set(fields).size, `${path} ${locale}: ${fields.join(', ')}`).to.equal(1)
      }
    }
  })

  it('on a phone, controls have at least 40 by 40 pixels and pages fit', async () => {
    const pages = [
      '/recordings',
      '/recordings?q=delivery&manager=Anna',
      '/upload',
      '/analytics/load',
      '/analytics/deals',
      '/reviews',
    ]
    const calls = [
      `/recordings/${ids.done}?q=delivery&list=`,
      `/recordings/${ids.failed}?list=`,
      `/recordings/${ids.queued}`,
    ]
    const page = await open('/recordings', 390, { hasTouch: true })
    for (const path of [...pages, ...calls]) {
      await page.goto(app.panelUrl + path)
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
      expect(wide, path).to.be.at.most(390)
      const small = await page.locator('main :is(a, button, input, select, summary)').evaluateAll((all) =>
        all
          // Skips elements whose clickable area is larger or need not be: rows, labels, and links within a text.
          .filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
          .filter(
            (one) => !one.closest('.points, .hidden, .skip, .calls .time, dd, p:not(.trail, .client, .walk), label'),
          )
          .map((one) => ({ one, box: one.getBoundingClientRect() }))
          .filter(({ box }) => box.width > 1 && (box.width < 39.5 || box.height < 39.5))
          .map(({ one, box }) => `${one.outerHTML.slice(0, 90)} ${Math.round(box.width)}x${Math.round(box.height)}`),
      )
      expect(small, path).to.deep.equal([])
    }
  })

  it('on a tablet, the text of a call fits and the menu opens', async () => {
    const page = await open('/recordings', 768)
    const { x, width } = (await page.locator(`#r-${ids.done} .note`).boundingBox())!
    expect(x + width).to.be.at.most(768)
    await page.locator('.open-menu').click()
    await page.locator('#menu a[href="/queues"]').waitFor({ state: 'visible' })
  })

  it('role, language and the log-out button are on one line, on phones and desktops', async () => {
    for (const [width, locale] of [
      [390, 'ru-RU'],
      [390, 'en-US'],
      [1280, 'en-US'],
    ] as const) {
      const page = await open('/recordings', width, { locale })
      if (width === 390) await page.locator('.open-menu').click()
      const lines = await page.locator('.own :is(.muted, button)').evaluateAll((all) =>
        all.map((one) => {
          const range = one.ownerDocument.createRange()
          range.selectNodeContents(one.firstChild)
          return Math.round(range.getBoundingClientRect().bottom)
        }),
      )
      expect(new Set(lines).size, `${width} ${locale}: ${lines.join(', ')}`).to.equal(1)
    }
  })

  it('the audit log breaks no Russian action within a word', async () => {
    await app.olga.get(`/v1/recordings/${ids.done}/audio`)
    const page = await open('/audit', 1010, { locale: 'ru-RU' })
    const lines = await page
      .locator('.log td.did', { hasText: 'рослушивание' })
      .first()
      .evaluate((cell) => {
        const range = cell.ownerDocument.createRange()
        const text = cell.firstChild
        const end = text.textContent.indexOf('рослушивание')
        range.setStart(text, end)
        range.setEnd(text, end + 'рослушивание'.length)
        return range.getClientRects().length
      })
    expect(lines).to.equal(1)
  })

  it('on a phone a call without a manager has no line for one', async () => {
    await app.db.query('UPDATE recordings SET manager_name = NULL WHERE id = $1', [ids.cancelled])
    const page = await open('/recordings', 390)
    expect(await page.locator(`#r-${ids.cancelled} .manager`).isVisible()).to.equal(false)
    expect(await page.locator(`#r-${ids.done} .manager`).isVisible()).to.equal(true)
  })

  it('on a phone, queued jobs and their times fit the screen', async () => {
    for (const locale of ['en-US', 'ru-RU']) {
      const page = await open('/queues', 390, { locale })
      expect(await page.evaluate<number>('document.documentElement.scrollWidth'), locale).to.be.at.most(390)
      const boxes = await page
        .locator('.jobs .waiting td.since')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ right, height }) => [right, height]))
      expect(boxes.length).to.be.greaterThan(0)
      for (const [right, height] of boxes) {
        expect(right, locale).to.be.at.most(390)
        expect(height, `${locale}: one line`).to.be.within(1, 30)
      }
    }
  })

  it('on a phone the player is a bar of 56 pixels at the foot', async () => {
    const page = await open(`/recordings/${ids.done}`, 390, { hasTouch: true, viewport: { width: 390, height: 400 } })
    await page.locator('.history').scrollIntoViewIfNeeded()
    const mini = page.locator('.mini')
    await mini.waitFor({ state: 'visible' })
    const { y, height, width } = (await mini.boundingBox())!
    expect([y + height, height, width]).to.deep.equal([400, 56, 390])
  })
})
