import { expect } from 'chai'
import { apiOperations } from '../api.ts'
import type { Person } from '../people/entity.ts'
import { auditOf, type AuditEntry } from '../test/audit.ts'
import { Client } from '../test/client.ts'
import { ScriptedRecognizer } from '../test/recognizer.ts'
import { insertRecordings, OLGA, startTestApp, type TestApp } from '../test/server.ts'
import { until } from '../test/wait.ts'
import { CHANGES, type ChangeAction } from './actions.ts'
import { difference } from './record.ts'

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

  const audit = (filters = '') => auditOf(app, filters)
  const actionsOf = (entries: AuditEntry[]) => entries.map(({ action }) => action)
  /** What stands in the log after `work` and did not before, the oldest first. */
  async function during(work: () => Promise<unknown>): Promise<AuditEntry[]> {
    const before = new Set((await audit()).map(({ id }) => id))
    await work()
    return (await audit()).filter(({ id }) => !before.has(id)).toReversed()
  }
  async function doneCall(fields: Record<string, string> = {}): Promise<string> {
    const { id } = (await app.ida.upload('some sound', fields)).json
    await until('it is done', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'DONE')
    return id
  }

  it('notes logins, failed ones with the e-mail typed, logouts and throttled logins, never a password', async () => {
    const password = 'a wrong password'
    const entries = await during(async () => {
      const agent = { 'User-Agent': 'test', 'X-Request-Id': 'login-1' }
      const answer = await app.nobody.post('/v1/auth/login', OLGA, agent)
      const cookie = answer.headers.get('set-cookie')!.split(';')[0]!
      await app.nobody.post('/v1/auth/logout', undefined, { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' })
      await app.nobody.post('/v1/auth/login', { email: OLGA.email.toUpperCase(), password })
      await app.nobody.post('/v1/auth/login', { email: 'nobody@example.com', password })
    })
    expect(actionsOf(entries)).to.deep.equal(['login', 'logout', 'login.failed', 'login.failed'])
    const [login, logout, wrong, unknown] = entries as [AuditEntry, AuditEntry, AuditEntry, AuditEntry]
    expect(login).to.deep.include({ person: olga, key: null, address: '127.0.0.1', requestId: 'login-1' })
    expect(logout.person).to.deep.equal(olga)
    expect(wrong).to.deep.include({ person: null, object: { type: 'person', id: olga.id, name: olga.name } })
    expect(wrong.details).to.deep.equal({ email: OLGA.email.toUpperCase() })
    expect(unknown).to.deep.include({ person: null, object: null, details: { email: 'nobody@example.com' } })
    expect(JSON.stringify(entries)).to.not.include(password).and.not.include(OLGA.password)
  })

  it('notes the first throttled login of a window, and none of those that follow', async () => {
    await app.restart({ LOGIN_MAX_FAILURES: 2, QUEUE_PREFIX: `${app.config.QUEUE_PREFIX}-t` })
    const entries = await during(async () => {
      for (let n = 0; n < 6; n++) await app.nobody.post('/v1/auth/login', { ...OLGA, password: 'wrong' })
    })
    expect(actionsOf(entries)).to.deep.equal(['login.failed', 'login.failed', 'login.throttled'])
    expect(entries[2]).to.deep.include({ address: '127.0.0.1', details: { email: OLGA.email }, person: null })
    await app.restart({ LOGIN_MAX_FAILURES: 1000, QUEUE_PREFIX: `${app.config.QUEUE_PREFIX}-u` })
  })

  it('notes people’s reads of recordings, audio, transcripts and exports, and of no key', async () => {
    const id = await doneCall({ phoneNumber: '+375291112233' })
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
      '/v1/stats/overview',
      '/v1/audit/export?from=2026-01-01',
    ]
    const entries = await during(async () => {
      for (const path of paths) expect((await app.olga.get(path)).status, path).to.equal(200)
      for (const path of paths.slice(0, -1)) expect((await app.ida.get(path)).status, path).to.equal(200)
    })
    const actions = 'recording.read audio.read transcript.read recordings.list transcripts.list transcripts.export'
    const counts = 'recordings.catalog recordings.facets queue.jobs stats.overview'
    expect(actionsOf(entries)).to.deep.equal([...`${actions} ${counts}`.split(' '), 'audit.export'])
    for (const { person, address } of entries)
      expect({ person, address }).to.deep.equal({ person: olga, address: '127.0.0.1' })
    for (const { object } of entries.slice(0, 3)) expect(object).to.include({ type: 'recording', id, name: 'call.wav' })
    expect(entries[2]!.details).to.deep.equal({ format: 'txt' })
    expect(entries[3]!.details).to.deep.include({ phone: '2911', manager: 'Max', page: 1 })
    expect(entries[5]!.details).to.deep.include({ format: 'csv', phone: '2911' })
    expect(entries[6]!.details).to.deep.include({ phone: '2911' })
    expect(entries[8]!.details).to.deep.include({ name: 'transcription', calls: true })
    const without = await during(() => app.olga.get('/v1/queues/callbacks/jobs'))
    expect(without, 'jobs that tell nothing of calls').to.deep.equal([])
  })

  it('notes no read that was refused or led to nothing', async () => {
    const [id] = await insertRecordings(app, 1)
    const entries = await during(async () => {
      expect((await app.olga.get('/v1/recordings/01890a5d-ac96-774b-bcce-b302099a8057')).status).to.equal(404)
      expect((await app.olga.get('/v1/recordings?page=0')).status).to.equal(400)
      expect((await app.olga.get(`/v1/recordings/${id}/transcript`)).status).to.equal(409)
    })
    expect(entries).to.deep.equal([])
  })

  it('notes the same read by the same person once in ten minutes, whichever process serves it', async () => {
    const id = await doneCall()
    const read = () => app.olga.get(`/v1/recordings/${id}`)
    const list = (page: number) => app.olga.get(`/v1/recordings?page=${page}&direction=INBOUND`)
    const ranges = () =>
      Promise.all([0, 1, 2, 3].map((n) => app.olga.get(`/v1/recordings/${id}/audio`, { Range: `bytes=${n}-` })))
    const all = async () => {
      await ranges()
      for (let n = 0; n < 3; n++) await Promise.all([read(), list(1)])
      await list(2)
    }
    const once = await during(async () => {
      await all()
      await app.restart()
      await all()
    })
    expect(actionsOf(once).sort()).to.deep.equal(['audio.read', 'recording.read', 'recordings.list', 'recordings.list'])
    await app.restart()
    await app.db.query(`ALTER TABLE audit DISABLE TRIGGER USER; UPDATE audit SET at = at - interval '11 minutes';
                          ALTER TABLE audit ENABLE TRIGGER USER`)
    expect(actionsOf(await during(read))).to.deep.equal(['recording.read'])
  })

  it('notes the same read again from another address, and in another session', async () => {
    await app.restart({ TRUSTED_PROXY_HOPS: 1 })
    const id = await doneCall()
    const login = await app.nobody.post('/v1/auth/login', OLGA)
    const elsewhere = { ...app.olga.headers, Cookie: login.headers.get('set-cookie')!.split(';')[0]! }
    const read = async (headers: Record<string, string>, from: string) =>
      (await app.olga.get(`/v1/recordings/${id}`, { ...headers, 'X-Forwarded-For': from })).status
    const all = async () => {
      for (const from of ['198.51.100.1', '198.51.100.2']) {
        for (const headers of [app.olga.headers, elsewhere]) expect(await read(headers, from)).to.equal(200)
      }
    }
    const entries = await during(async () => {
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

  it('notes of each recording that it was retried when all were', async () => {
    await app.db.query('DELETE FROM recordings')
    const retried = async (path: string, client: Client) => {
      const ids = await insertRecordings(app, 3)
      await app.db.query(`UPDATE recordings SET status = 'FAILED', file_name = 'many.wav' WHERE id = ANY($1)`, [ids])
      await app.olga.post('/v1/queues/transcription/pause')
      const entries = await during(async () => expect((await client.post(path)).json.retried).to.equal(3))
      expect(entries.map(({ object }) => object?.id ?? '')).to.include.members(ids)
      expect(entries).to.have.length(4)
      for (const id of ids) {
        const [entry] = await audit(`object=${id}`)
        expect(entry!.action).to.equal('recording.retry')
        expect(entry!.object).to.include({ type: 'recording', id, name: 'many.wav' })
        expect(entry!.details).to.deep.equal({ before: { status: 'FAILED' }, after: { status: 'QUEUED' } })
        expect(entry!.address).to.equal('127.0.0.1')
      }
      await app.db.query('DELETE FROM recordings')
      return entries.find(({ action }) => action === 'recording.retry')!
    }
    expect((await retried('/v1/recordings/retry-failed', app.ida)).key!.name).to.equal('Ida')
    expect((await retried('/v1/queues/transcription/retry-failed', app.olga)).person).to.deep.equal(olga)
    await app.olga.post('/v1/queues/transcription/resume')
  })

  it('answers no read whose entry cannot be written', async () => {
    const [id] = await insertRecordings(app, 1)
    await app.db.query(`ALTER TABLE audit ADD CONSTRAINT closed CHECK (action <> 'recording.read') NOT VALID`)
    try {
      expect((await app.olga.get(`/v1/recordings/${id}`)).status).to.equal(500)
      expect((await app.ida.get(`/v1/recordings/${id}`)).status).to.equal(200)
    } finally {
      await app.db.query('ALTER TABLE audit DROP CONSTRAINT closed')
    }
    expect((await app.olga.get(`/v1/recordings/${id}`)).status).to.equal(200)
  })

  it('notes every change of recordings, by people and by keys, with before and after', async () => {
    await app.db.query('DELETE FROM recordings')
    recognizer.answer = (recognition) => recognition.fail('UNSUPPORTED_AUDIO', 'no audio')
    const secret = 'http://127.0.0.1:59999/hook?token=a-secret-of-the-receiver'
    const entries = await during(async () => {
      const failed = async (client: Client, fields = {}) => {
        const { id } = (await client.upload('x', fields)).json
        await until('it failed', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'FAILED')
        return id as string
      }
      await app.restart({ ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
      const id = await failed(app.olga, { externalCallId: 'audited', callbackUrl: secret })
      await app.olga.post(`/v1/recordings/${id}/retry`)
      await until('it failed', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'FAILED')
      expect((await app.ida.post('/v1/recordings/retry-failed')).json.retried).to.equal(1)
      await until('it failed', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'FAILED')
      expect((await app.olga.post(`/v1/recordings/${id}/cancel`)).status).to.equal(409)
      await app.ida.delete(`/v1/recordings/${id}`)
    })
    recognizer.answer = (recognition) => recognition.finish()
    expect(actionsOf(entries).slice(2, 4)).to.have.members(['recording.retry', 'recordings.retry-failed'])
    const retryAll = entries.find(({ action }) => action === 'recordings.retry-failed')!
    const [create, retry, , , remove] = entries as [AuditEntry, AuditEntry, AuditEntry, AuditEntry, AuditEntry]
    expect(actionsOf([create, retry, remove])).to.deep.equal([
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

  it('notes cancelling, keys and queues, and nothing where nothing changed', async () => {
    let key = { id: '', key: '' }
    const entries = await during(async () => {
      await app.olga.post('/v1/queues/transcription/pause')
      await app.olga.post('/v1/queues/transcription/pause')
      const [id] = await insertRecordings(app, 1)
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
    // In one transaction, at the same moment.
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

  it('stores a change and its entry together or not at all', async () => {
    await app.db.query(`ALTER TABLE audit ADD CONSTRAINT closed CHECK (action NOT LIKE 'key%') NOT VALID`)
    try {
      expect((await app.olga.post('/v1/api-keys', { name: 'Never' })).status).to.equal(500)
    } finally {
      await app.db.query('ALTER TABLE audit DROP CONSTRAINT closed')
    }
    expect((await app.olga.get('/v1/api-keys')).text).to.not.include('Never')
  })

  it('is only added to: the database refuses to change, delete or empty it', async () => {
    for (const statement of [`UPDATE audit SET action = 'x'`, 'DELETE FROM audit', 'TRUNCATE audit']) {
      const outcome = await app.db.query(statement).catch((error: Error) => error.message)
      expect(outcome, statement).to.equal('the audit log is only added to')
    }
  })

  it('tells of every operation: a change has its action, a read of calls its audit', () => {
    const changes: Record<string, ChangeAction> = {
      login: 'login',
      logout: 'logout',
      changeMe: 'person.change',
      changeOwnPassword: 'password.change',
      endOwnOtherSessions: 'session.end',
      endOwnSession: 'session.end',
      createApiKey: 'key.create',
      revokeApiKey: 'key.revoke',
      createPerson: 'person.create',
      changePerson: 'person.change',
      deactivatePerson: 'person.deactivate',
      createDepartment: 'department.create',
      changeDepartment: 'department.change',
      deleteDepartment: 'department.delete',
      createRecording: 'recording.create',
      createRecordingFromUrl: 'recording.create',
      createRecordingFromStorage: 'recording.create',
      correctRecording: 'recording.correct',
      retryDelivery: 'recording.callback',
      chooseDeals: 'recording.deals',
      changeAnalysisSettings: 'settings.change',
      changeSpeakers: 'recording.speakers',
      rerunAnalysis: 'analysis.rerun',
      judgeFinding: 'analysis.review',
      disputeFinding: 'analysis.dispute',
      createAnalysisRun: 'analysis.run',
      confirmAnalysisRun: 'analysis.run-confirm',
      cancelAnalysisRun: 'analysis.run-cancel',
      createBacktest: 'backtest.start',
      cancelBacktest: 'backtest.cancel',
      createRuleSet: 'rules.create',
      changeRuleSet: 'rules.change',
      archiveRuleSet: 'rules.archive',
      saveRuleSetDraft: 'rules.draft',
      deleteRuleSetDraft: 'rules.draft-delete',
      publishRuleSetDraft: 'rules.publish',
      restoreRuleSetVersion: 'rules.restore',
      retryRecording: 'recording.retry',
      cancelRecording: 'recording.cancel',
      deleteRecording: 'recording.delete',
      retryFailedRecordings: 'recordings.retry-failed',
      checkCrmConnection: 'crm.check',
      confirmCrmAutomation: 'crm.confirm',
      enableCrmAutomation: 'crm.enable',
      pauseCrmAutomation: 'crm.pause',
      resumeCrmAutomation: 'crm.resume',
      disableCrmAutomation: 'crm.disable',
      runCrmStep: 'crm.step-run',
      resetCrmStep: 'crm.step-reset',
      resetCrm: 'crm.reset',
      determineCrmManagers: 'crm.determine',
      putCrmRoster: 'crm.roster',
      changeCrmWriting: 'crm.writing',
      estimateCrmHistory: 'crm.estimate',
      startCrmLoad: 'crm.load',
      pauseCrmLoad: 'crm.load-pause',
      resumeCrmLoad: 'crm.load-resume',
      cancelCrmLoad: 'crm.load-cancel',
      changeIngestion: 'ingestion.pause',
      pauseQueue: 'queue.pause',
      resumeQueue: 'queue.resume',
      retryFailedJobs: 'queue.retry-failed',
    }
    // States, which tell nothing of what was said.
    const states = [
      'system',
      'readSpeakers',
      'listRuleSets',
      'readRuleSet',
      'listRuleSetVersions',
      'readRuleSetVersion',
      'listFailureReasons',
    ]
    const operations = apiOperations()
    const changing = operations.filter(({ method }) => method !== 'get').map(({ id }) => id)
    // Asked by POST because of what they take; nobody changes anything by them.
    const asking = ['tryRuleSetDraft', 'estimateRuleSetDraft', 'receiveCrmEvent']
    expect(changing).to.have.members([...Object.keys(changes), ...asking])
    // Shown to few, and data of calls all the same.
    const shown = operations.filter(({ id }) =>
      [
        'tryRuleSetDraft',
        'listBacktestCalls',
        'previewCrmComment',
        'listModelRequests',
        'listJobs',
        'listReviews',
      ].includes(id),
    )
    expect(shown.filter(({ audit }) => !audit).map(({ id }) => id)).to.deep.equal([])
    const silent = operations.filter(({ method, access, audit }) => method === 'get' && access === 'scoped' && !audit)
    expect(silent.map(({ id }) => id)).to.have.members(states)
    expect(
      Object.values(changes).concat('login.failed', 'login.throttled', 'password.failed', 'ingestion.resume'),
    ).to.include.members([...CHANGES])
  })

  it('says of a change what differs', () => {
    const before = { name: 'Max', rights: { audio: true }, role: 'manager' }
    expect(difference(before, { name: 'Max', rights: { audio: false }, role: undefined })).to.deep.equal({
      before: { rights: { audio: true } },
      after: { rights: { audio: false } },
    })
  })
})
