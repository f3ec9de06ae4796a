import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { VARIABLES } from '../platform/config/config.ts'
import { TestClient, type TestResponse } from './client.ts'
import { ServiceProcess } from './service-process.ts'
import { CallbackReceiver } from './callback-receiver.ts'
import { ScriptedRecognizer } from './scripted-recognizer.ts'
import { OWNER_CREDENTIALS, createTestDatabase, type TestDatabase } from './server.ts'
import { waitUntil } from './wait.ts'

/** Creates a secret that occurs nowhere else by chance, and that is long enough for every variable. */
const makeCanary = (name: string): string => `canary-${createHash('sha256').update(name).digest('hex').slice(0, 40)}`

/** These secrets are whole URLs; those of REQUIRED_SECRETS cannot change, because the test app needs them. */
const SECRET_URLS = ['CRM_WEBHOOK_URL', 'CRM_WRITE_WEBHOOK_URL'] as const
const REQUIRED_SECRETS = ['DATABASE_URL', 'REDIS_URL', 'BOOTSTRAP_ADMIN_PASSWORD']

describe('secrets in outputs', () => {
  const recognizer = new ScriptedRecognizer()
  const receiver = new CallbackReceiver()
  const canaries = new Map<string, string>()
  const errors: string[] = []
  let database: TestDatabase
  let api: ServiceProcess
  let base: string
  let metricsPort: number
  let nobody: TestClient
  let ida: TestClient

  before(async () => {
    await Promise.all([recognizer.start(), receiver.start()])
    receiver.answer = (_, response) => response.writeHead(500).end()
    database = await createTestDatabase({ asrUrl: recognizer.url, ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
    const overrides: Record<string, unknown> = { ...database.config, LOG_LEVEL: 'trace' }
    const secretNames = Object.entries(VARIABLES)
      .filter(([name, variable]) => 'secret' in variable && !REQUIRED_SECRETS.includes(name))
      .map(([name]) => name)
    for (const name of secretNames) overrides[name] = plantCanary(name)
    for (const name of SECRET_URLS) overrides[name] = `https://crm.example.com/rest/1/${plantCanary(name)}/`
    Object.assign(overrides, {
      SMTP_URL: `smtp://calls:${plantCanary('SMTP_URL')}@127.0.0.1:9`,
      SMTP_FROM: 'calls@example.com',
      PUBLIC_BASE_URL: 'https://calls.example.com',
    })
    plantUrlPassword('DATABASE_URL', database.config.DATABASE_URL!)
    canaries.set('BOOTSTRAP_ADMIN_PASSWORD', OWNER_CREDENTIALS.password)
    canaries.set('the API key', database.key)
    api = new ServiceProcess('api', overrides)
    const port = await api.waitUntilReady()
    metricsPort = api.lines.find(({ msg }) => msg === 'ready')!.metricsPort as number
    base = `http://127.0.0.1:${port}`
    nobody = new TestClient(() => base, {})
    ida = new TestClient(() => base, { 'X-API-Key': database.key })
  })
  after(async () => {
    await api.stop('SIGKILL')
    await Promise.all([recognizer.stop(), receiver.stop()])
    await database.remove()
  })

  function plantCanary(name: string): string {
    canaries.set(name, makeCanary(name))
    return makeCanary(name)
  }
  function plantUrlPassword(name: string, url: string): void {
    const { password } = new URL(url)
    if (password) canaries.set(`the password in ${name}`, decodeURIComponent(password))
  }
  /** Checks the status of an error and stores its response for the search. */
  const failing = async (answer: Promise<TestResponse>, status: number) => {
    const { status: given, text, headers } = await answer
    expect(given).to.equal(status)
    errors.push(text, JSON.stringify([...headers]))
  }

  it('no secret appears in logs, errors, /docs-json, /metrics or the audit log', async () => {
    const login = await nobody.post('/v1/auth/login', OWNER_CREDENTIALS)
    const cookie = login.headers.get('set-cookie')!.split(';')[0]!
    canaries.set('the session cookie', cookie.split('=')[1]!)
    const olga = new TestClient(() => base, { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' })
    const { key } = (await olga.post('/v1/api-keys', { name: 'new' })).json
    canaries.set('a new API key', key)

    // These requests contain wrong credentials of every kind, and secrets in wrong fields.
    await failing(
      nobody.post('/v1/auth/login', { ...OWNER_CREDENTIALS, password: plantCanary('a wrong password') }),
      401,
    )
    await failing(nobody.post('/v1/auth/login', { email: 1, password: plantCanary('a password beside a fault') }), 400)
    await failing(ida.get('/v1/recordings', { 'X-API-Key': plantCanary('a wrong key') }), 401)
    await failing(nobody.get('/v1/recordings', { Authorization: `Bearer ${plantCanary('a wrong bearer')}` }), 401)
    await failing(nobody.get('/v1/recordings', { Authorization: `Basic ${plantCanary('basic credentials')}` }), 401)
    await failing(nobody.get('/v1/auth/me', { Cookie: `svc_session=${plantCanary('a forged cookie')}.x` }), 401)
    await failing(nobody.get(`/v1/nothing?token=${plantCanary('a query of an unknown address')}`), 404)
    await failing(ida.get(`/v1/recordings?token=${plantCanary('an unknown parameter')}`), 400)
    await failing(ida.get(`/v1/recordings?order=${plantCanary('a wrong parameter')}`), 400)
    await failing(nobody.get('/v1/recordings', { Referer: `https://x.example/?t=${plantCanary('a referer')}` }), 401)
    await failing(
      nobody.send('/v1/auth/login', {
        method: 'POST',
        body: `{"password": "${plantCanary('broken JSON')}`,
        headers: { 'Content-Type': 'application/json' },
      }),
      400,
    )
    const upload = (audio: string, callbackUrl: string) => ida.upload(audio, { callbackUrl })
    await failing(upload('x', `http://user:${plantCanary('a password in a link')}@x.example/`), 400)

    // The recording fails, and so does its callback to an address with a token.
    const token = plantCanary('a token in callbackUrl')
    recognizer.answer = (recognition) => recognition.fail('UNSUPPORTED_AUDIO', 'no audio')
    expect((await upload('a', `${receiver.url}/hook?token=${token}`)).status).to.equal(201)
    await waitUntil('the callback was tried', () => receiver.received.length > 0)
    await waitUntil('the log tells of it', () => api.lines.some(({ msg }) => msg === 'callback'))

    // The mail server cannot be reached.
    await database.db.query(`
      WITH owner AS (SELECT id FROM people), settings AS (
        INSERT INTO notification_settings (person_id, email) SELECT id, 'immediate' FROM owner), email AS (
        INSERT INTO notification_emails (id, person_id) SELECT gen_random_uuid(), id FROM owner RETURNING id, person_id)
      INSERT INTO notifications (id, person_id, kind, cause, email_id) SELECT id, person_id, 'weeklyReport', 'W1', id FROM email`)
    const emails = await waitUntil('the e-mail was tried', async () => {
      const { text } = await olga.get('/v1/queues/notifications/jobs')
      return text.includes('mail server') && text
    })

    // The statement fails with a database error that contains the row.
    await database.db.query(`ALTER TABLE recordings ADD CONSTRAINT none CHECK (external_call_id <> 'refused')`)
    const details = {
      externalCallId: 'refused',
      callbackUrl: `${receiver.url}/?token=${plantCanary('a row that is refused')}`,
    }
    await failing(ida.upload('x', details), 500)
    await waitUntil('the log tells of it', () => api.lines.some(({ msg }) => msg === 'request failed'))

    const texts = {
      log: api.lines.map((line) => JSON.stringify(line)).join('\n') + api.text,
      errors: errors.join('\n'),
      'docs-json': (await nobody.get('/docs-json')).text,
      metrics: await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
      emails,
      system: (await ida.get('/v1/system')).text,
      audit: (await olga.get('/v1/audit/export')).text,
    }
    expect(canaries.size).to.be.at.least(20)
    expect(api.lines.length).to.be.greaterThan(20)
    const leaks: string[] = []
    for (const [name, secret] of canaries) {
      // The first 20 characters also count as a leak, because the database truncates values in errors.
      const forms = [secret.slice(0, 20), encodeURIComponent(secret), Buffer.from(secret).toString('base64')]
      for (const [source, text] of Object.entries(texts)) {
        if (forms.some((form) => text.includes(form))) leaks.push(`${name} in the ${source}`)
      }
    }
    expect(leaks).to.deep.equal([])
  })

  it('each log line of a request has its id, also lines of services', async () => {
    const id = `trace-${Date.now()}`
    const from = api.lines.length
    const login = await nobody.post('/v1/auth/login', OWNER_CREDENTIALS)
    const headers = {
      'X-Request-Id': id,
      Cookie: login.headers.get('set-cookie')!.split(';')[0]!,
      'Sec-Fetch-Site': 'same-origin',
    }
    const paused = await nobody.post('/v1/queues/transcription/pause', undefined, headers)
    expect(paused.headers.get('x-request-id')).to.equal(id)
    await failing(ida.upload('x', { externalCallId: 'refused' }), 500)
    const lines = await waitUntil('the end of both is logged', () => {
      const since = api.lines.slice(from)
      const ended = (one: unknown) => since.some(({ msg, requestId }) => msg === 'request' && requestId === one)
      const failed = since.find(({ msg }) => msg === 'request failed')
      return failed && ended(failed.requestId) && ended(id) && since
    })
    expect(lines.filter(({ requestId }) => requestId === id).map(({ msg }) => msg)).to.deep.equal([
      'the queue is paused',
      'request',
    ])
    expect(lines.filter(({ msg, requestId }) => msg === 'request' && !requestId)).to.deep.equal([])
    const failed = lines.find(({ msg }) => msg === 'request failed')!
    const end = lines.find(({ msg, requestId }) => msg === 'request' && requestId === failed.requestId)!
    expect(end).to.include({ method: 'POST', path: '/v1/recordings', operation: 'createRecording', status: 500 })
    expect(failed.err).to.have.all.keys('type', 'message', 'code', 'table', 'constraint', 'stack')
    expect(lines.filter(({ msg, requestId }) => msg === 'callback' && requestId)).to.deep.equal([])
  })
})
