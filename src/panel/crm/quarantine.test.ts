import { expect } from 'chai'
import { runInTransaction } from '../../platform/db/db.ts'
import { openAppCore } from '../../app/core.ts'
import { parsePortalRows } from '../../crm/bitrix24/fields.ts'
import { storePortalRows } from '../../crm/quarantine/store.ts'
import { createLogger } from '../../platform/lib/log.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: quarantine of CRM rows', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    olga = await app.openOwnerBrowser()
    await app.db.query(`INSERT INTO crm_steps (name, invalid_values) VALUES ('calls', 3)`)
  })
  after(() => app.stop())

  const open = async (path: string, language = 'en') =>
    (await olga.open(path, { 'Accept-Language': language })).text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

  it('Sync steps lists rows in quarantine with step, reason and value, in pages', async () => {
    expect(await open('/automation/steps')).to.not.include('Quarantine')
    const rows = Array.from({ length: 30 }, (_, n) => ({ ID: String(n + 1), CALL_ID: n === 29 ? '<b>\0' : null }))
    const parsed = parsePortalRows(rows, (fields) => fields.required('CALL_ID', fields.text('CALL_ID')))
    const opened = await openAppCore(app.config, createLogger('silent', 'test'))
    const kind = { step: 'calls', id: 'ID', keyOf: String } as const
    await runInTransaction(opened.core.db, (sql) =>
      storePortalRows(sql, kind, parsed, () => Promise.resolve({ new: 0, changed: 0 })),
    )
    await opened.close()
    const first = await open('/automation/steps')
    expect(first).to.include('3 invalid values skipped.').and.include('30 rows in quarantine.')
    expect(first).to.include('Calls 30 CALL_ID is missing or invalid &lt;b&gt;\u2400')
    expect(first).to.include('1–25 of 30')
    expect(await open('/automation/steps?page=2')).to.include('26–30 of 30')
    const russian = await open('/automation/steps', 'ru')
    expect(russian).to.include('Звонки 30 CALL_ID: значение отсутствует или недопустимо')
    expect(russian).to.include('Пропущены 3 недопустимых значения.').and.include('В карантине 30 строк.')
  })
})
