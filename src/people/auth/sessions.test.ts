import { expect } from 'chai'
import { hashPassword } from './passwords.ts'
import { fetchAuditLog, type AuditEntry } from '../../test/audit.ts'
import { TestClient } from '../../test/client.ts'
import { OWNER_CREDENTIALS, startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('sessions', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 1000 })
  })
  after(() => app.stop())

  /** Logs the owner Olga in with this User-Agent and returns a client with the new session. */
  async function openBrowser(userAgent = 'Firefox', headers: Record<string, string> = {}): Promise<TestClient> {
    const response = await app.nobody.post('/v1/auth/login', OWNER_CREDENTIALS, { 'User-Agent': userAgent, ...headers })
    expect(response.status).to.equal(200)
    return new TestClient(() => app.url, {
      Cookie: response.headers.get('set-cookie')!.split(';')[0]!,
      'Sec-Fetch-Site': 'same-origin',
      'User-Agent': userAgent,
    })
  }
  const list = async (client: TestClient) => (await client.get('/v1/auth/sessions')).json.items
  const isIn = async (client: TestClient) => (await client.get('/v1/auth/me')).status === 200
  const startAnew = () => app.db.query('DELETE FROM sessions')

  it('a person sees only their own sessions, with address and browser', async () => {
    await startAnew()
    const [one, two] = [await openBrowser('Firefox'), await openBrowser('Chrome on a phone')]
    await app.db.query(
      `INSERT INTO people (id, email, name, role, password_hash) VALUES (gen_random_uuid(), 'other@example.com', 'Other', 'manager', 'x');
       INSERT INTO sessions (token_hash, person_id, expires_at) SELECT 'other', id, now() + '1 day' FROM people WHERE name = 'Other';
       INSERT INTO sessions (token_hash, person_id, expires_at) SELECT 'ended', id, now() FROM people WHERE name <> 'Other'`,
    )
    const sessions = await list(one)
    expect(sessions.map(({ userAgent, current }: never) => [userAgent, current])).to.deep.equal([
      ['Firefox', true],
      ['Chrome on a phone', false],
    ])
    expect(sessions[0].address).to.equal('127.0.0.1')
    expect(Date.parse(sessions[0].expiresAt) - Date.parse(sessions[0].createdAt)).to.equal(168 * 3600 * 1000)
    const { text } = await two.get('/v1/auth/sessions')
    expect(text).to.not.include(two.headers.Cookie!.split('=')[1]!.split('.')[0]!)
  })

  it('the cookie and the session expire after SESSION_TTL_HOURS', async () => {
    await app.restart({ SESSION_TTL_HOURS: 2 })
    const response = await app.nobody.post('/v1/auth/login', OWNER_CREDENTIALS)
    expect(response.headers.get('set-cookie')).to.include('; Max-Age=7200;')
    const client = new TestClient(() => app.url, { Cookie: response.headers.get('set-cookie')!.split(';')[0]! })
    const [session] = await list(client)
    expect(Date.parse(session.expiresAt) - Date.parse(session.createdAt)).to.equal(2 * 3600 * 1000)
    await app.db.query(`UPDATE sessions SET expires_at = now() WHERE id = $1`, [session.id])
    expect((await client.get('/v1/auth/me')).status).to.equal(401)
    await app.restart({ SESSION_TTL_HOURS: 168 })
  })

  it('a login ends the previous session of the browser', async () => {
    const before = await openBrowser()
    const after = await openBrowser('Firefox', { Cookie: before.headers.Cookie!, 'Sec-Fetch-Site': 'same-origin' })
    expect(after.headers.Cookie).to.not.equal(before.headers.Cookie)
    expect(await isIn(before)).to.equal(false)
    expect(await isIn(after)).to.equal(true)
  })

  it('a failed login does not end the session of the browser', async () => {
    const client = await openBrowser()
    expect((await client.post('/v1/auth/login', { ...OWNER_CREDENTIALS, password: 'wrong' })).status).to.equal(401)
    expect(await isIn(client)).to.equal(true)
  })

  it('a login ignores the session token that the browser sends', async () => {
    const forged = `svc_session=${'x'.repeat(43)}.${'y'.repeat(43)}`
    const client = await openBrowser('Firefox', { Cookie: forged, 'Sec-Fetch-Site': 'same-origin' })
    expect(client.headers.Cookie).to.not.include('xxx')
  })

  it('a person can end one of their sessions', async () => {
    await startAnew()
    const [one, two] = [await openBrowser(), await openBrowser()]
    const other = (await list(one)).find(({ current }: { current: boolean }) => !current)
    expect((await one.delete(`/v1/auth/sessions/${other.id}`)).status).to.equal(204)
    expect(await isIn(two)).to.equal(false)
    expect((await one.delete(`/v1/auth/sessions/${other.id}`)).status).to.equal(404)
    const entry = (await fetchAuditLog({ olga: one }, 'action=session.end'))[0]!
    expect(entry.object).to.deep.equal({ type: 'session', id: other.id, name: null })
  })

  it('a person cannot end sessions of other people', async () => {
    const client = await openBrowser()
    const { rows } = await app.db.query(`SELECT id FROM sessions WHERE token_hash = 'other'`)
    await app.db.query(`INSERT INTO sessions (token_hash, person_id, expires_at)
      SELECT 'theirs', id, now() + '1 day' FROM people WHERE name = 'Other'`)
    const theirs = (await app.db.query(`SELECT id FROM sessions WHERE token_hash = 'theirs'`)).rows[0].id
    expect((await client.delete(`/v1/auth/sessions/${theirs}`)).status).to.equal(404)
    expect((await client.delete('/v1/auth/sessions')).status).to.equal(204)
    const left = await app.db.query(`SELECT FROM sessions WHERE token_hash = 'theirs'`)
    expect(left.rowCount).to.equal(1)
    expect(rows).to.have.length(0)
  })

  it('a person can end all other sessions; ending the current one logs out', async () => {
    await startAnew()
    const clients = [await openBrowser(), await openBrowser(), await openBrowser()] as const
    expect((await clients[0].delete('/v1/auth/sessions')).status).to.equal(204)
    expect(await Promise.all(clients.map(isIn))).to.deep.equal([true, false, false])
    const [session] = await list(clients[0])
    const response = await clients[0].delete(`/v1/auth/sessions/${session.id}`)
    expect(response.headers.get('set-cookie')).to.match(/^svc_session=; .*Max-Age=0/)
    expect(await isIn(clients[0])).to.equal(false)
  })

  it('the API updates the last use of a session at most once a minute', async () => {
    await app.restart({ TRUSTED_PROXY_HOPS: 1 })
    await startAnew()
    const client = await openBrowser()
    const row = async () => (await app.db.query('SELECT xmin::text, last_seen_at, address FROM sessions')).rows[0]
    const fresh = await row()
    await Promise.all(
      Array.from({ length: 20 }, () => client.get('/v1/auth/me', { 'X-Forwarded-For': '198.51.100.1' })),
    )
    expect(await row(), 'a minute is not over').to.deep.equal(fresh)
    await app.db.query(`UPDATE sessions SET last_seen_at = now() - interval '61 seconds'`)
    const seen = () =>
      Promise.all(Array.from({ length: 20 }, () => client.get('/v1/auth/me', { 'X-Forwarded-For': '198.51.100.2' })))
    await seen()
    const written = await waitUntil('it is written', async () => {
      const now = await row()
      return now.address === '198.51.100.2' && now
    })
    await seen()
    expect(await row(), 'once').to.deep.equal(written)
    await app.restart({ TRUSTED_PROXY_HOPS: 0 })
  })

  describe('change of the own password', () => {
    const NEW = 'a new and much longer one'
    const change = (client: TestClient, currentPassword: string, newPassword: string) =>
      client.post('/v1/auth/password', { currentPassword, newPassword })

    it('a changed password ends all other sessions of the person', async () => {
      await startAnew()
      const [one, two] = [await openBrowser(), await openBrowser()]
      expect((await change(one, OWNER_CREDENTIALS.password, NEW)).status).to.equal(204)
      expect([await isIn(one), await isIn(two)]).to.deep.equal([true, false])
      expect((await app.nobody.post('/v1/auth/login', OWNER_CREDENTIALS)).status).to.equal(401)
      expect((await app.nobody.post('/v1/auth/login', { ...OWNER_CREDENTIALS, password: NEW })).status).to.equal(200)
      const [entry] = await fetchAuditLog({ olga: one }, 'action=password.change')
      expect(entry).to.deep.include({ details: null })
      expect(entry!.object!.type).to.equal('person')
      expect((await change(one, NEW, OWNER_CREDENTIALS.password)).status).to.equal(204)
    })

    it('a wrong current password or an invalid new one gets 400', async () => {
      const client = await openBrowser()
      const other = await openBrowser()
      const cases: [string, string, RegExp][] = [
        ['wrong', NEW, /^currentPassword /],
        [OWNER_CREDENTIALS.password, 'short', /^newPassword /],
        ['', NEW, /^currentPassword /],
        [OWNER_CREDENTIALS.password, 'x'.repeat(1025), /^newPassword /],
      ]
      for (const [current, next, message] of cases) {
        const { status, json } = await change(client, current, next)
        expect(status).to.equal(400)
        expect(json.message[0]).to.match(message)
      }
      expect(await isIn(other)).to.equal(true)
      expect((await app.nobody.post('/v1/auth/login', OWNER_CREDENTIALS)).status).to.equal(200)
    })

    it('the audit log records a wrong current password with the person', async () => {
      const client = await openBrowser()
      const noted = async () =>
        (await client.get('/v1/audit?action=password.failed')).json as { total: number; items: AuditEntry[] }
      const { total } = await noted()
      expect((await change(client, 'not my password', NEW)).status).to.equal(400)
      expect((await noted()).total).to.equal(total + 1)
      const [entry] = (await noted()).items
      expect(entry!.person!.email).to.equal(OWNER_CREDENTIALS.email)
      expect(entry!.object).to.deep.equal({ type: 'person', id: entry!.person!.id, name: entry!.person!.name })
      expect(JSON.stringify(entry)).to.not.include('not my password')
    })

    it('wrong current passwords count by person, separately from logins', async () => {
      await app.restart({ LOGIN_MAX_FAILURES: 2, QUEUE_PREFIX: `${app.config.QUEUE_PREFIX}-p` })
      await waitUntil('Redis is reached', async () => (await app.nobody.get('/readyz')).json.redis === 'up')
      const client = await openBrowser()
      for (let n = 0; n < 4; n++)
        expect((await change(client, OWNER_CREDENTIALS.password, OWNER_CREDENTIALS.password)).status).to.equal(204)
      for (let n = 0; n < 2; n++) expect((await change(client, 'wrong', NEW)).status).to.equal(400)
      const refused = await change(client, OWNER_CREDENTIALS.password, NEW)
      expect(refused.status).to.equal(429)
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 300)
      expect((await app.nobody.post('/v1/auth/login', OWNER_CREDENTIALS)).status).to.equal(200)
    })

    it('only one of several parallel password changes succeeds', async () => {
      await app.restart({ LOGIN_MAX_FAILURES: 1000, QUEUE_PREFIX: `${app.config.QUEUE_PREFIX}-q` })
      const client = await openBrowser()
      const responses = await Promise.all(
        [1, 2, 3].map((n) => change(client, OWNER_CREDENTIALS.password, `${NEW} ${n}`)),
      )
      expect(responses.map(({ status }) => status)).to.have.members([204, 400, 400])
    })

    it('a person can choose any password of 8 to 1024 characters', async () => {
      await app.restart({ LOGIN_MAX_FAILURES: 2, QUEUE_PREFIX: `${app.config.QUEUE_PREFIX}-r` })
      let password = 'to be changed again'
      await app.db.query('UPDATE people SET password_hash = $1 WHERE email = $2', [
        await hashPassword(password),
        OWNER_CREDENTIALS.email,
      ])
      const response = await app.nobody.post('/v1/auth/login', { ...OWNER_CREDENTIALS, password })
      const client = new TestClient(() => app.url, {
        Cookie: response.headers.get('set-cookie')!.split(';')[0]!,
        'Sec-Fetch-Site': 'same-origin',
      })
      for (const guessed of ['password1', OWNER_CREDENTIALS.email, 'qwertyuiop', '1234567890']) {
        expect((await change(client, password, guessed)).status, guessed).to.equal(204)
        password = guessed
      }
      expect((await change(client, password, OWNER_CREDENTIALS.password)).status).to.equal(204)
    })
  })

  it('a person can choose the language en, ru or none', async () => {
    const client = await openBrowser()
    for (const language of ['ru', 'en', null]) {
      const { status, json } = await client.patch('/v1/auth/me', { language })
      expect(status).to.equal(200)
      expect(json.person.language).to.equal(language)
      expect((await client.get('/v1/auth/me')).json.person.language).to.equal(language)
    }
    for (const body of [{ language: 'de' }, {}, { language: 'ru', role: 'owner' }]) {
      expect((await client.patch('/v1/auth/me', body)).status).to.equal(400)
    }
    const entries = await fetchAuditLog({ olga: client }, 'action=person.change')
    expect(entries.map(({ details }) => details!.after.language)).to.deep.equal([null, 'en', 'ru'])
    expect(entries[0]!.details!.before).to.deep.equal({ language: 'en' })
  })
})
