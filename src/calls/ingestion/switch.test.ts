import { expect } from 'chai'
import type { TestClient } from '../../test/client.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('ingestion settings', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  it('ingestion has no source by default', async () => {
    const none = {
      source: 'none',
      prefix: null,
      paused: false,
      lastRunAt: null,
      found: 0,
      registered: 0,
      failed: 0,
      lastError: null,
    }
    expect((await app.ida.get('/v1/ingestion')).json).to.deep.equal(none)
    expect((await app.olga.get('/v1/ingestion')).json).to.deep.equal(none)
    expect((await app.nobody.get('/v1/ingestion')).status).to.equal(401)
  })

  it('only an owner can pause and resume the ingestion, and the audit log records it', async () => {
    const change = (client: TestClient, body: unknown) => client.put('/v1/ingestion', body)
    expect((await change(app.ida, { paused: true })).status).to.equal(403)
    expect((await change(app.nobody, { paused: true })).status).to.equal(401)
    const wrong = await change(app.olga, { paused: 'yes' })
    expect([wrong.status, wrong.json.message]).to.deep.equal([400, ['paused must be a boolean']])
    for (const paused of [true, true, false, false])
      expect((await change(app.olga, { paused })).json.paused).to.equal(paused)
    const { rows } = await app.db.query(`SELECT action FROM audit WHERE action LIKE 'ingestion%' ORDER BY id`)
    expect(rows.map(({ action }) => action)).to.deep.equal(['ingestion.pause', 'ingestion.resume'])
  })
})
