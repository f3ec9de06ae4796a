import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'
import { createDepartment } from '../../test/people.ts'

describe('panel: new people from a roster', () => {
  let app: TestPanel
  let olga: PanelBrowser
  let exportDepartment: string
  before(async () => {
    app = await startTestPanel()
    olga = await app.openOwnerBrowser()
    await createDepartment(app, 'Sales')
    exportDepartment = await createDepartment(app, 'Export', ['Clara Stone'])
  })
  after(() => app.stop())

  it('for a manager of a roster, the error names the department to select', async () => {
    const fields = { name: 'clara stone', email: 'clara@example.com', role: 'manager', password: '' }
    const { status, text } = await olga.submit('/people/new', Object.entries(fields))
    expect(status).to.equal(409)
    expect(text).to.match(/id="f-departments-error">Select Export: clara stone is in its roster\.</)
    const russian = await olga.submit('/people/new', Object.entries(fields), { 'Accept-Language': 'ru' })
    expect(russian.text).to.contain('Выберите отдел «Export»')
    const saved = await olga.submit('/people/new', Object.entries({ ...fields, departments: exportDepartment }))
    expect(saved.status).to.equal(200)
    await app.db.query(`DELETE FROM people WHERE name = 'clara stone'`)
  })

  describeInBrowser('in a browser', (chrome) => {
    it('a manager’s name in a roster selects its department; other roles select none', async () => {
      const page = await chrome.open(`${app.panelUrl}/people/new`, { cookie: olga.headers.Cookie! })
      const box = page.getByLabel('Export', { exact: true })
      await page.getByLabel('Head:').check()
      await page.getByLabel('Name').fill('Clara Stone')
      expect(await box.isChecked()).to.equal(false)
      await page.getByLabel('Manager:').check()
      await page.getByLabel('Sales').check()
      await page.getByLabel('Name').fill('clara  Stone')
      expect(await box.isChecked()).to.equal(true)
      expect(await page.getByLabel('Sales').isChecked()).to.equal(false)
    })
  })
})
