import { expect } from 'chai'
import { apiOperations } from '../api.ts'
import type { Actor } from '../http/access.ts'
import { sha256 } from '../lib/crypto.ts'
import { newId } from '../lib/ids.ts'
import { auditOf } from '../test/audit.ts'
import { insertCalls } from '../test/calls.ts'
import { makeSet, MANNERS } from '../test/rule-sets.ts'
import { startTestApp, type TestApp } from '../test/server.ts'
import { ReadLog } from './reads.ts'

describe('reads in the audit log', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  it('an operation whose read is noted says what its {id} names', () => {
    const noted = apiOperations().filter(({ audit, path }) => audit && path.includes('{id}'))
    expect(noted.map(({ id }) => id)).to.include('readRecording')
    const unsaid = noted.filter(({ auditObject }) => auditObject === undefined)
    expect(unsaid.map(({ id }) => id)).to.deep.equal([])
  })

  it('an id is noted as that of what it names, and the same id of something else once more', async () => {
    const [recording] = await insertCalls(app, [{ fileName: 'call.wav' }])
    const { person } = (await app.olga.get('/v1/auth/me')).json
    const actor: Actor = { kind: 'person', person: { ...person, seenManagers: [] }, sessionHash: sha256(newId()) }
    const log = new ReadLog({ pool: app.db })
    await log.note(actor, 'recording.read', { type: 'recording', id: recording! }, undefined)
    await log.note(actor, 'recording.read', { type: 'department', id: recording! }, undefined)
    await log.note(actor, 'recording.read', { type: 'department', id: recording! }, undefined)
    const { rows } = await app.db.query(
      'SELECT object_type, object_name FROM audit WHERE object_id = $1 ORDER BY object_type DESC',
      [recording],
    )
    expect(rows).to.deep.equal([
      { object_type: 'recording', object_name: 'call.wav' },
      { object_type: 'department', object_name: null },
    ])
  })

  it('whoever tries rules on a call, previews its comment, or looks at a backtest or the requests to the model is noted, once', async () => {
    const [recording] = await insertCalls(app, [{ at: '2026-03-02T10:00:00Z', fileName: 'tried.wav' }])
    const { id: set } = await makeSet(app.olga, 'tried')
    const { json: backtest } = await app.olga.post(`/v1/rule-sets/${set}/backtests`, {
      from: '2026-03-01',
      to: '2026-04-01',
    })
    const notedBy = async (read: () => Promise<{ status: number; text: string }>) => {
      for (const { status, text } of [await read(), await read()]) expect(status, text).to.equal(200)
      const { action, object, details } = (await auditOf(app))[0]!
      return { action, object: object && [object.type, object.id], details }
    }
    const rules = MANNERS.slice(0, 1)
    const call = ['recording', recording]
    const trial = () => app.olga.post(`/v1/rule-sets/${set}/draft/try`, { recordingId: recording, rules })
    expect(await notedBy(trial)).to.deep.equal({ action: 'rules.try', object: call, details: { ruleSetId: set } })
    const preview = () => app.olga.get(`/v1/crm/writing/preview?recordingId=${recording}`)
    expect(await notedBy(preview)).to.deep.equal({ action: 'crm.preview', object: call, details: {} })
    const changed = () => app.olga.get(`/v1/backtests/${backtest.id}/calls`)
    expect(await notedBy(changed)).to.deep.include({
      action: 'backtest.calls',
      object: ['backtest', backtest.id],
    })
    const requests = () => app.olga.get(`/v1/model-requests?recordingId=${recording}`)
    const seen = await notedBy(requests)
    expect(seen).to.include({ action: 'model.requests', object: null })
    expect(seen.details).to.include({ recordingId: recording })
    const entries = (await auditOf(app)).map(({ action }) => action)
    for (const action of ['rules.try', 'crm.preview', 'backtest.calls', 'model.requests']) {
      expect(
        entries.filter((one) => one === action),
        action,
      ).to.have.length(1)
    }
  })
})
