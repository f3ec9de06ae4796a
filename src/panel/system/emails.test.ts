import { expect } from 'chai'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'

describe('panel: e-mails in System', () => {
  let app: TestPanel
  before(async () => {
    const mail = {
      SMTP_URL: 'smtp://127.0.0.1:9',
      SMTP_FROM: 'calls@example.com',
      PUBLIC_BASE_URL: 'https://calls.example.com',
    }
    app = await startTestPanel({ API_RUN_MODE: 'api', ...mail })
  })
  after(() => app.stop())

  it('the page shows that e-mails are on, and the last failure', async () => {
    const olga = await app.openOwnerBrowser()
    const findRow = async () => /E-mails<\/th>([^]*?)<\/tr>/.exec((await olga.open('/system')).text)![1]!
    expect(await findRow())
      .to.include('<span class="badge done">on</span>')
      .and.not.include('failure')
    await app.db.query(`INSERT INTO notification_emails (id, person_id, status, finished_at, last_error)
                        SELECT gen_random_uuid(), id, 'FAILED', now(), 'rejected (550)' FROM people LIMIT 1`)
    expect(await findRow()).to.match(/last failure at .*: rejected \(550\)/)
  })
})
