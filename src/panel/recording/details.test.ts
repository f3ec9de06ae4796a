import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { createDepartment } from '../../test/people.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'
import { insertCheckedCalls } from '../../test/checked-calls.ts'

describeInBrowser('panel: details of a call', (chrome) => {
  let app: TestPanel
  let path: string
  let cookie: string
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    cookie = (await app.openOwnerBrowser()).headers.Cookie!
    await createDepartment(app, 'Windows', ['Anna'])
    const [id] = await insertCheckedCalls(app, [{ at: '2026-03-17T10:00:00Z', manager: 'Anna', score: 50 }])
    await app.db.query(`UPDATE recordings SET direction = 'INBOUND', duration_seconds = 252`)
    path = `/recordings/${id}`
  })
  after(() => app.stop())

  it('the details are below the check, and Enter opens their form even without scripts', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await chrome.open(app.panelUrl + path, { cookie, javaScriptEnabled })
      const text = (await page.locator('#details dl').innerText()).replace(/\s+/g, ' ')
      expect(text).to.contain('Manager Anna').and.contain('Department Windows').and.contain('4:12')
      const form = page.locator('#edit form')
      expect(await form.isVisible()).to.equal(false)
      await page.locator('#edit summary').focus()
      await page.keyboard.press('Enter')
      expect(await form.isVisible()).to.equal(true)
    }
  })

  it('the details of a call are printed', async () => {
    const page = await chrome.open(app.panelUrl + path, { cookie })
    const height = async () => (await page.locator('#details dl').boundingBox())?.height ?? 0
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('#details dl').isVisible()).to.equal(true)
    expect(await height()).to.be.greaterThan(60)
  })
})
