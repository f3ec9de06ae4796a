import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { TestMailServer } from '../../test/mail-server.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { waitUntil } from '../../test/wait.ts'

describeInBrowser('panel: notifications by e-mail', (chrome) => {
  const mail = new TestMailServer()
  let app: TestPanel
  let cast: TestPeople
  before(async () => {
    await mail.start()
    const PUBLIC_BASE_URL = 'https://calls.example.com'
    app = await startTestPanel({ SMTP_URL: mail.url(), SMTP_FROM: 'calls@example.com', PUBLIC_BASE_URL })
    app.config.PUBLIC_BASE_URL = app.panelUrl // known only after the start
    cast = await createTestPeople(app)
  })
  after(async () => {
    await app.stop()
    await mail.stop()
  })

  it('a person chooses e-mails at once, gets one, and its link opens their notifications', async () => {
    const cookie = cast.max.headers.Cookie!
    const page = await chrome.open(`${app.panelUrl}/notifications/settings`, { cookie })
    expect(await page.getByLabel('E-mails').inputValue()).to.equal('none')
    await page.getByLabel('E-mails').selectOption('at once')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Settings saved.').waitFor()
    expect(await page.getByLabel('E-mails').inputValue()).to.equal('immediate')
    const [id] = await insertCalls(app, [{ manager: 'Max' }])
    await cast.hanna.post(`/v1/recordings/${id}/comments`, { at: 1, text: 'Well said' })
    await app.db.query('UPDATE notification_emails SET next_attempt_at = now()')
    const { text } = await waitUntil('the e-mail arrives', () => mail.received[0])
    const [, href] = /href="([^"]*)">Open notifications/.exec(text)!
    await page.goto(href!)
    await page.getByText('Well said').waitFor()
  })
})
