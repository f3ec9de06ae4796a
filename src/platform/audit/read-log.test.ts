import type { Actor } from '../http/actor.ts'
import { expect } from 'chai'
import { sha256 } from '../lib/crypto.ts'
import { generateId } from '../lib/ids.ts'
import type { Person } from '../../people/people/entity.ts'
import { auditActionsOf, fetchAuditLog, fetchNewAuditEntries } from '../../test/audit.ts'
import { insertCalls } from '../../test/calls.ts'
import { createDepartment } from '../../test/people.ts'
import { createRuleSet, MANNERS_RULES } from '../../test/rule-sets.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { insertQueuedRecordings, OWNER_CREDENTIALS, startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { AuditReadLog } from './read-log.ts'

describe('audit entries of reads', () => {
  let app: TestApp
  let olga: Pick<Person, 'id' | 'name' | 'email'>
  const recognizer = new ScriptedRecognizer()
  before(async () => {
    await recognizer.start()
    recognizer.answer = (recognition) => recognition.finish()
    app = await startTestApp({ asrUrl: recognizer.url })
    const { id, name, email } = (await app.olga.get('/v1/auth/me')).json.person
    olga = { id, name, email }
  })
  after(async () => {
    await app.stop()
    await recognizer.stop()
  })

  const entriesDuring = (work: () => Promise<unknown>) => fetchNewAuditEntries(app, work)
  async function createDoneCall(fields: Record<string, string> = {}): Promise<string> {
    const { id } = (await app.ida.upload('some sound', fields)).json
    await waitUntil('it is done', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'DONE')
    return id
  }

  it('the audit log records reads by people, but not by keys', async () => {
    const id = await createDoneCall({ phoneNumber: '+375291112233' })
    const paths = [
      `/v1/recordings/${id}`,
      `/v1/recordings/${id}/audio`,
      `/v1/recordings/${id}/transcript?format=txt`,
      '/v1/recordings?phone=2911&manager=Max',
      '/v1/transcripts?phone=2911',
      '/v1/transcripts/export?format=csv&phone=2911',
      '/v1/recordings/catalog?phone=2911',
      '/v1/recordings/facets?phone=2911',
      '/v1/queues/transcription/jobs?calls=true',
      '/v1/home',
      '/v1/stats/overview',
      '/v1/audit/export?from=2026-01-01',
    ]
    const entries = await entriesDuring(async () => {
      for (const path of paths) expect((await app.olga.get(path)).status, path).to.equal(200)
      for (const path of paths.slice(0, -1).filter((one) => one !== '/v1/home'))
        expect((await app.ida.get(path)).status, path).to.equal(200)
    })
    const actions = 'recording.read audio.read transcript.read recordings.list transcripts.list transcripts.export'
    const counts = 'recordings.catalog recordings.facets queue.jobs home.read stats.overview'
    expect(auditActionsOf(entries)).to.deep.equal([...`${actions} ${counts}`.split(' '), 'audit.export'])
    for (const { person, address } of entries)
      expect({ person, address }).to.deep.equal({ person: olga, address: '127.0.0.1' })
    for (const { object } of entries.slice(0, 3)) expect(object).to.include({ type: 'recording', id, name: 'call.wav' })
    expect(entries[2]!.details).to.deep.equal({ format: 'txt' })
    expect(entries[3]!.details).to.deep.include({ phone: '2911', manager: 'Max', page: 1 })
    expect(entries[5]!.details).to.deep.include({ format: 'csv', phone: '2911' })
    expect(entries[6]!.details).to.deep.include({ phone: '2911' })
    expect(entries[8]!.details).to.deep.include({ name: 'transcription', calls: true })
    const without = await entriesDuring(() => app.olga.get('/v1/queues/callbacks/jobs'))
    expect(without, 'jobs that tell nothing of calls').to.deep.equal([])
  })

  it('the audit log records reads of people, departments, keys and rule sets', async () => {
    const department = await createDepartment(app, 'Sales')
    const { id: set, key } = await createRuleSet(app.olga, 'read')
    await app.olga.post(`/v1/rule-sets/${set}/publish`, { revision: 1 })
    const [call] = await insertCalls(app, [{ fileName: 'heard.wav' }])
    const reads: [path: string, action: string, object?: [type: string, id: string, name: string], details?: object][] =
      [
        ['/v1/people?role=owner', 'person.list', undefined, { role: 'owner' }],
        [`/v1/people/${olga.id}`, 'person.read', ['person', olga.id, olga.name]],
        ['/v1/departments', 'department.list'],
        [`/v1/departments/${department}`, 'department.read', ['department', department, 'Sales']],
        ['/v1/api-keys', 'key.list'],
        ['/v1/audit?pageSize=1', 'audit.list', undefined, { pageSize: 1 }],
        ['/v1/crm/roster', 'crm.roster-read'],
        ['/v1/rule-sets', 'rules.list'],
        [`/v1/rule-sets/${set}`, 'rules.read', ['ruleSet', set, key]],
        [`/v1/rule-sets/${set}/versions`, 'rules.versions', ['ruleSet', set, key]],
        [`/v1/rule-sets/${set}/versions/1`, 'rules.read', ['ruleSet', set, key], { version: '1' }],
        [`/v1/recordings/${call}/speakers`, 'recording.read', ['recording', call!, 'heard.wav']],
      ]
    for (const [path, action, object, details = {}] of reads) {
      await app.db.query(
        `ALTER TABLE audit DISABLE TRIGGER USER; DELETE FROM audit; ALTER TABLE audit ENABLE TRIGGER USER`,
      )
      expect((await app.olga.get(path)).status, path).to.equal(200)
      const { rows } = await app.db.query('SELECT * FROM audit')
      expect(rows, path).to.have.length(1)
      const { object_type, object_id, object_name } = rows[0]
      expect([rows[0].action, rows[0].person_id], path).to.deep.equal([action, olga.id])
      expect(object_type && [object_type, object_id, object_name], path).to.deep.equal(object ?? null)
      expect(rows[0].details, path).to.deep.include(details)
    }
  })

  it('a failed read writes no audit entry', async () => {
    // A queued call can be transcribed during the test, so insert a failed one.
    const [id] = await insertCalls(app, [{ status: 'FAILED' }])
    const entries = await entriesDuring(async () => {
      expect((await app.olga.get('/v1/recordings/01890a5d-ac96-774b-bcce-b302099a8057')).status).to.equal(404)
      expect((await app.olga.get('/v1/recordings?page=0')).status).to.equal(400)
      expect((await app.olga.get(`/v1/recordings/${id}/transcript`)).status).to.equal(409)
    })
    expect(entries).to.deep.equal([])
  })

  it('the audit log records a repeated read once in ten minutes', async () => {
    const id = await createDoneCall()
    const read = () => app.olga.get(`/v1/recordings/${id}`)
    const list = (page: number) => app.olga.get(`/v1/recordings?page=${page}&direction=INBOUND`)
    const ranges = () =>
      Promise.all([0, 1, 2, 3].map((n) => app.olga.get(`/v1/recordings/${id}/audio`, { Range: `bytes=${n}-` })))
    const all = async () => {
      await ranges()
      for (let n = 0; n < 3; n++) await Promise.all([read(), list(1)])
      await list(2)
    }
    const once = await entriesDuring(async () => {
      await all()
      await app.restart()
      await all()
    })
    expect(auditActionsOf(once).sort()).to.deep.equal([
      'audio.read',
      'recording.read',
      'recordings.list',
      'recordings.list',
    ])
    await app.restart()
    await app.db.query(`ALTER TABLE audit DISABLE TRIGGER USER; UPDATE audit SET at = at - interval '11 minutes';
                          ALTER TABLE audit ENABLE TRIGGER USER`)
    expect(auditActionsOf(await entriesDuring(read))).to.deep.equal(['recording.read'])
  })

  it('a repeated read from another address or session gets its own entry', async () => {
    await app.restart({ TRUSTED_PROXY_HOPS: 1 })
    const id = await createDoneCall()
    const login = await app.nobody.post('/v1/auth/login', OWNER_CREDENTIALS)
    const elsewhere = { ...app.olga.headers, Cookie: login.headers.get('set-cookie')!.split(';')[0]! }
    const read = async (headers: Record<string, string>, from: string) =>
      (await app.olga.get(`/v1/recordings/${id}`, { ...headers, 'X-Forwarded-For': from })).status
    const all = async () => {
      for (const from of ['198.51.100.1', '198.51.100.2']) {
        for (const headers of [app.olga.headers, elsewhere]) expect(await read(headers, from)).to.equal(200)
      }
    }
    const entries = await entriesDuring(async () => {
      await all()
      await app.restart({ TRUSTED_PROXY_HOPS: 1 })
      await all()
    })
    expect(entries.map(({ action, address }) => [action, address])).to.deep.equal([
      ['recording.read', '198.51.100.1'],
      ['recording.read', '198.51.100.1'],
      ['recording.read', '198.51.100.2'],
      ['recording.read', '198.51.100.2'],
    ])
    await app.restart({ TRUSTED_PROXY_HOPS: 0 })
  })

  it('a read fails if its audit entry cannot be written', async () => {
    const [id] = await insertQueuedRecordings(app, 1)
    await app.db.query(`ALTER TABLE audit ADD CONSTRAINT closed CHECK (action <> 'recording.read') NOT VALID`)
    try {
      expect((await app.olga.get(`/v1/recordings/${id}`)).status).to.equal(500)
      expect((await app.ida.get(`/v1/recordings/${id}`)).status).to.equal(200)
    } finally {
      await app.db.query('ALTER TABLE audit DROP CONSTRAINT closed')
    }
    expect((await app.olga.get(`/v1/recordings/${id}`)).status).to.equal(200)
  })

  it('reads of two object types with the same id get separate entries', async () => {
    const [recording] = await insertCalls(app, [{ fileName: 'call.wav' }])
    const { person } = (await app.olga.get('/v1/auth/me')).json
    const actor: Actor = { kind: 'person', person: { ...person, seenManagers: [] }, sessionHash: sha256(generateId()) }
    const log = new AuditReadLog({ pool: app.db })
    await log.record(actor, 'recording.read', { type: 'recording', id: recording! }, undefined)
    await log.record(actor, 'recording.read', { type: 'department', id: recording! }, undefined)
    await log.record(actor, 'recording.read', { type: 'department', id: recording! }, undefined)
    const { rows } = await app.db.query(
      'SELECT object_type, object_name FROM audit WHERE object_id = $1 ORDER BY object_type DESC',
      [recording],
    )
    expect(rows).to.deep.equal([
      { object_type: 'recording', object_name: 'call.wav' },
      { object_type: 'department', object_name: null },
    ])
  })

  it('the audit log records rule trials, comment previews, backtests and model requests once', async () => {
    const [recording] = await insertCalls(app, [{ at: '2026-03-02T10:00:00Z', fileName: 'tried.wav' }])
    const { id: set } = await createRuleSet(app.olga, 'tried')
    const { json: backtest } = await app.olga.post(`/v1/rule-sets/${set}/backtests`, {
      from: '2026-03-01',
      to: '2026-04-01',
    })
    const findEntryOf = async (read: () => Promise<{ status: number; text: string }>) => {
      for (const { status, text } of [await read(), await read()]) expect(status, text).to.equal(200)
      const { action, object, details } = (await fetchAuditLog(app))[0]!
      return { action, object: object && [object.type, object.id], details }
    }
    const rules = MANNERS_RULES.slice(0, 1)
    const call = ['recording', recording]
    const trial = () => app.olga.post(`/v1/rule-sets/${set}/draft/try`, { recordingId: recording, rules })
    expect(await findEntryOf(trial)).to.deep.equal({ action: 'rules.try', object: call, details: { ruleSetId: set } })
    const preview = () => app.olga.get(`/v1/crm/writing/preview?recordingId=${recording}`)
    expect(await findEntryOf(preview)).to.deep.equal({ action: 'crm.preview', object: call, details: {} })
    const changed = () => app.olga.get(`/v1/backtests/${backtest.id}/calls`)
    expect(await findEntryOf(changed)).to.deep.include({
      action: 'backtest.calls',
      object: ['backtest', backtest.id],
    })
    const requests = () => app.olga.get(`/v1/model-requests?recordingId=${recording}`)
    const entry = await findEntryOf(requests)
    expect(entry).to.include({ action: 'model.requests', object: null })
    expect(entry.details).to.include({ recordingId: recording })
    const entries = (await fetchAuditLog(app)).map(({ action }) => action)
    for (const action of ['rules.try', 'crm.preview', 'backtest.calls', 'model.requests']) {
      expect(
        entries.filter((one) => one === action),
        action,
      ).to.have.length(1)
    }
  })
})
