import { expect } from 'chai'
import type { Person } from '../../people/people/entity.ts'
import { auditActionsOf, fetchAuditLog, fetchNewAuditEntries, type AuditEntry } from '../../test/audit.ts'
import { TestClient } from '../../test/client.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { insertQueuedRecordings, OWNER_CREDENTIALS, startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { diffProperties } from './entries.ts'

describe('audit log', () => {
  let app: TestApp
  let recognizer: ScriptedRecognizer
  let olga: Pick<Person, 'id' | 'name' | 'email'>
  before(async () => {
    recognizer = await new ScriptedRecognizer().start()
    recognizer.answer = (recognition) => recognition.finish()
    app = await startTestApp({ asrUrl: recognizer.url, TRANSCRIPTION_ATTEMPTS: 1 })
    const { id, name, email } = (await app.olga.get('/v1/auth/me')).json.person
    olga = { id, name, email }
  })
  after(async () => {
    await app.stop()
    await recognizer.stop()
  })

  const fetchEntries = (filters = '') => fetchAuditLog(app, filters)
  const entriesDuring = (work: () => Promise<unknown>) => fetchNewAuditEntries(app, work)

  it('the audit log records logins, failed logins and logouts without passwords', async () => {
    const password = 'a wrong password'
    const entries = await entriesDuring(async () => {
      const agent = { 'User-Agent': 'test', 'X-Request-Id': 'login-1' }
      const response = await app.nobody.post('/v1/auth/login', OWNER_CREDENTIALS, agent)
      const cookie = response.headers.get('set-cookie')!.split(';')[0]!
      await app.nobody.post('/v1/auth/logout', undefined, { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' })
      await app.nobody.post('/v1/auth/login', { email: OWNER_CREDENTIALS.email.toUpperCase(), password })
      await app.nobody.post('/v1/auth/login', { email: 'nobody@example.com', password })
    })
    expect(auditActionsOf(entries)).to.deep.equal(['login', 'logout', 'login.failed', 'login.failed'])
    const [login, logout, wrong, unknown] = entries as [AuditEntry, AuditEntry, AuditEntry, AuditEntry]
    expect(login).to.deep.include({ person: olga, key: null, address: '127.0.0.1', requestId: 'login-1' })
    expect(logout.person).to.deep.equal(olga)
    expect(wrong).to.deep.include({ person: null, object: { type: 'person', id: olga.id, name: olga.name } })
    expect(wrong.details).to.deep.equal({ email: OWNER_CREDENTIALS.email.toUpperCase() })
    expect(unknown).to.deep.include({ person: null, object: null, details: { email: 'nobody@example.com' } })
    expect(JSON.stringify(entries)).to.not.include(password).and.not.include(OWNER_CREDENTIALS.password)
  })

  it('the audit log records only the first throttled login of a window', async () => {
    await app.restart({ LOGIN_MAX_FAILURES: 2, QUEUE_PREFIX: `${app.config.QUEUE_PREFIX}-t` })
    const entries = await entriesDuring(async () => {
      for (let n = 0; n < 6; n++) await app.nobody.post('/v1/auth/login', { ...OWNER_CREDENTIALS, password: 'wrong' })
    })
    expect(auditActionsOf(entries)).to.deep.equal(['login.failed', 'login.failed', 'login.throttled'])
    expect(entries[2]).to.deep.include({
      address: '127.0.0.1',
      details: { email: OWNER_CREDENTIALS.email },
      person: null,
    })
    await app.restart({ LOGIN_MAX_FAILURES: 1000, QUEUE_PREFIX: `${app.config.QUEUE_PREFIX}-u` })
  })

  it('retry-failed writes an audit entry for each recording', async () => {
    await app.db.query('DELETE FROM recordings')
    const expectAllRetried = async (path: string, client: TestClient) => {
      const ids = await insertQueuedRecordings(app, 3)
      await app.db.query(`UPDATE recordings SET status = 'FAILED', file_name = 'many.wav' WHERE id = ANY($1)`, [ids])
      await app.olga.post('/v1/queues/transcription/pause')
      const entries = await entriesDuring(async () => expect((await client.post(path)).json.retried).to.equal(3))
      expect(entries.map(({ object }) => object?.id ?? '')).to.include.members(ids)
      expect(entries).to.have.length(4)
      for (const id of ids) {
        const [entry] = await fetchEntries(`object=${id}`)
        expect(entry!.action).to.equal('recording.retry')
        expect(entry!.object).to.include({ type: 'recording', id, name: 'many.wav' })
        expect(entry!.details).to.deep.equal({ before: { status: 'FAILED' }, after: { status: 'QUEUED' } })
        expect(entry!.address).to.equal('127.0.0.1')
      }
      await app.db.query('DELETE FROM recordings')
      return entries.find(({ action }) => action === 'recording.retry')!
    }
    expect((await expectAllRetried('/v1/recordings/retry-failed', app.ida)).key!.name).to.equal('Ida')
    expect((await expectAllRetried('/v1/queues/transcription/retry-failed', app.olga)).person).to.deep.equal(olga)
    await app.olga.post('/v1/queues/transcription/resume')
  })

  it('audit entries and sessions have UUIDv7 ids', async () => {
    const { rows } = await app.db.query(
      `SELECT kind, substr(id::text, 15, 1) AS version, count(*)::int AS n
         FROM (SELECT 'entry' AS kind, id FROM audit UNION ALL SELECT 'session', id FROM sessions) AS made
        GROUP BY 1, 2 ORDER BY 1`,
    )
    expect(rows.map(({ kind, version }) => [kind, version])).to.deep.equal([
      ['entry', '7'],
      ['session', '7'],
    ])
    expect(rows[0].n, 'with those of the calls that were retried').to.be.above(8)
  })

  it('the audit log records changes of recordings with values before and after', async () => {
    await app.db.query('DELETE FROM recordings')
    recognizer.answer = (recognition) => recognition.fail('UNSUPPORTED_AUDIO', 'no audio')
    const secret = 'http://127.0.0.1:9333/hook?token=a-secret-of-the-receiver'
    const entries = await entriesDuring(async () => {
      const failed = async (client: TestClient, fields = {}) => {
        const { id } = (await client.upload('x', fields)).json
        await waitUntil('it failed', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'FAILED')
        return id as string
      }
      await app.restart({ ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
      const id = await failed(app.olga, { externalCallId: 'audited', callbackUrl: secret })
      await app.olga.post(`/v1/recordings/${id}/retry`)
      await waitUntil('it failed', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'FAILED')
      expect((await app.ida.post('/v1/recordings/retry-failed')).json.retried).to.equal(1)
      await waitUntil('it failed', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'FAILED')
      expect((await app.olga.post(`/v1/recordings/${id}/cancel`)).status).to.equal(409)
      await app.ida.delete(`/v1/recordings/${id}`)
    })
    recognizer.answer = (recognition) => recognition.finish()
    expect(auditActionsOf(entries).slice(2, 4)).to.have.members(['recording.retry', 'recordings.retry-failed'])
    const retryAll = entries.find(({ action }) => action === 'recordings.retry-failed')!
    const [create, retry, , , remove] = entries as [AuditEntry, AuditEntry, AuditEntry, AuditEntry, AuditEntry]
    expect(auditActionsOf([create, retry, remove])).to.deep.equal([
      'recording.create',
      'recording.retry',
      'recording.delete',
    ])
    expect(create).to.deep.include({ person: olga, key: null })
    expect(create.object).to.include({ type: 'recording', name: 'call.wav' })
    expect(create.details!.after).to.deep.include({ source: 'upload', externalCallId: 'audited' })
    expect(retry.details).to.deep.equal({ before: { status: 'FAILED' }, after: { status: 'QUEUED' } })
    expect(retryAll).to.deep.include({ person: null, details: { retried: 1 } })
    expect(retryAll.key!.name).to.equal('Ida')
    expect(remove.object).to.deep.equal(create.object)
    expect(remove.details!.before).to.include({ externalCallId: 'audited', status: 'FAILED', source: 'upload' })
    expect(JSON.stringify(entries)).to.not.include('a-secret-of-the-receiver')
  })

  it('the audit log records changes of keys and queues, but no repeated request', async () => {
    let key = { id: '', key: '' }
    const entries = await entriesDuring(async () => {
      await app.olga.post('/v1/queues/transcription/pause')
      await app.olga.post('/v1/queues/transcription/pause')
      const [id] = await insertQueuedRecordings(app, 1)
      await app.olga.post(`/v1/recordings/${id}/cancel`)
      await app.olga.post('/v1/queues/transcription/resume')
      await app.olga.post('/v1/queues/transcription/resume')
      await app.db.query(`UPDATE recordings SET status = 'FAILED' WHERE id = $1`, [id])
      await app.olga.post('/v1/queues/transcription/retry-failed')
      await app.olga.post('/v1/queues/callbacks/retry-failed')
      key = (await app.olga.post('/v1/api-keys', { name: 'Audited' })).json
      await app.olga.delete(`/v1/api-keys/${key.id}`)
      await app.olga.delete(`/v1/api-keys/${key.id}`)
    })
    const noted = entries.map(({ action, object }) => [action, object?.name ?? null])
    // Both entries have the same time, because one transaction writes them, so their order is undefined.
    expect(noted.splice(3, 2)).to.have.deep.members([
      ['queue.retry-failed', 'transcription'],
      ['recording.retry', null],
    ])
    expect(noted).to.deep.equal([
      ['queue.pause', 'transcription'],
      ['recording.cancel', null],
      ['queue.resume', 'transcription'],
      ['key.create', 'Audited'],
      ['key.revoke', 'Audited'],
    ])
    expect(entries[1]!.details).to.deep.equal({ before: { status: 'QUEUED' }, after: { status: 'CANCELLED' } })
    expect(JSON.stringify(entries)).to.not.include(key.key)
  })

  it('a change is rolled back if its audit entry cannot be written', async () => {
    await app.db.query(`ALTER TABLE audit ADD CONSTRAINT closed CHECK (action NOT LIKE 'key%') NOT VALID`)
    try {
      expect((await app.olga.post('/v1/api-keys', { name: 'Never' })).status).to.equal(500)
    } finally {
      await app.db.query('ALTER TABLE audit DROP CONSTRAINT closed')
    }
    expect((await app.olga.get('/v1/api-keys')).text).to.not.include('Never')
  })

  it('the database rejects every change or deletion of audit entries', async () => {
    for (const statement of [`UPDATE audit SET action = 'x'`, 'DELETE FROM audit', 'TRUNCATE audit']) {
      const outcome = await app.db.query(statement).catch((error: Error) => error.message)
      expect(outcome, statement).to.equal('the audit log is only added to')
    }
  })

  it('diffProperties() returns only the properties that differ', () => {
    const before = { name: 'Max', rights: { audio: true }, role: 'manager' }
    expect(diffProperties(before, { name: 'Max', rights: { audio: false }, role: undefined })).to.deep.equal({
      before: { rights: { audio: true } },
      after: { rights: { audio: false } },
    })
  })
})
