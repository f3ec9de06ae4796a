import { expect } from 'chai'
import { apiOperations } from '../api.ts'
import type { Actor } from '../http/access.ts'
import { sha256 } from '../lib/crypto.ts'
import { newId } from '../lib/ids.ts'
import { insertCalls } from '../test/calls.ts'
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
})
