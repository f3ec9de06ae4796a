import { expect } from 'chai'
import { insertQueuedRecordings } from '../../test/server.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'

describe('panel: deals of a submitted call', () => {
  let app: TestPanel
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  it('a person can choose a deal for a call once CRM funnels are known', async () => {
    const olga = await app.openOwnerBrowser()
    const [call] = await insertQueuedRecordings(app, 1)
    const open = async () => (await olga.open(`/recordings/${call}`, { 'Accept-Language': 'en' })).text
    expect(await open()).not.to.include('id="deals"')
    await app.db.query(`INSERT INTO crm_funnels (id, name) VALUES (0, 'Sales')`)
    await app.db.query(
      `INSERT INTO crm_deals (id, title, funnel_id, stage_id, outcome, created_at, updated_at)
       VALUES (410, 'Windows', 0, 'NEW', 'open', now(), now())`,
    )
    expect(await open()).to.include('No linked deal')
    const { status } = await olga.submit(`/recordings/${call}/deals`, { dealIds: '410' })
    expect(status).to.equal(303)
    expect(await open()).to.include('id="deal-410"')
  })

  it('a call linked to an unread deal explains this in both languages', async () => {
    const olga = await app.openOwnerBrowser()
    const [call] = await insertQueuedRecordings(app, 1)
    await app.db.query(`INSERT INTO crm_matches (recording_id, state, awaited_deals) VALUES ($1, 'none', '{77}')`, [call])
    const open = async (language: string) => (await olga.open(`/recordings/${call}`, { 'Accept-Language': language })).text
    expect(await open('en')).to.include('The CRM links this call to a deal whose funnel belongs to no department')
    expect(await open('ru')).to.include('звонок привязан к сделке из воронки, которой нет ни у одного отдела')
  }) // prettier-ignore
})
