import { expect } from 'chai'
import type { Config } from '../../platform/config/config.ts'
import { TestClient } from '../../test/client.ts'
import { OWNER_CREDENTIALS, startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('keys and logins', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 1000 })
  })
  after(() => app.stop())

  const withKey = (key: string, how: 'X-API-Key' | 'Authorization' = 'X-API-Key') =>
    new TestClient(() => app.url, { [how]: how === 'Authorization' ? `Bearer ${key}` : key })

  async function createKey(name = 'test'): Promise<{ id: string; key: string }> {
    return (await app.olga.post('/v1/api-keys', { name })).json
  }

  describe('API keys', () => {
    it('the API shows a key only at its creation and stores a hash', async () => {
      const { status, json } = await app.olga.post('/v1/api-keys', { name: 'CRM' })
      expect(status).to.equal(201)
      expect(json).to.have.all.keys('id', 'name', 'prefix', 'key', 'createdAt', 'lastUsedAt')
      expect(json.key).to.match(/^svc_[A-Za-z0-9_-]{40,}$/)
      expect(json.key.startsWith(json.prefix)).to.equal(true)
      const listed = (await app.olga.get('/v1/api-keys')).text
      expect(listed).to.include(json.id).and.not.include(json.key)
      const { rows } = await app.db.query('SELECT row_to_json(k)::text AS row FROM api_keys k')
      expect(rows.map(({ row }) => row).join()).to.not.include(json.key)
    })

    it('a key is valid in X-API-Key and in Authorization: Bearer', async () => {
      const { key } = await createKey()
      for (const how of ['X-API-Key', 'Authorization'] as const) {
        expect((await withKey(key, how).get('/v1/recordings')).status).to.equal(200)
      }
    })

    it('a missing, wrong or revoked key gets 401 with the same message', async () => {
      const { id, key } = await createKey()
      expect((await app.olga.delete(`/v1/api-keys/${id}`)).status).to.equal(204)
      const basic = new TestClient(() => app.url, {
        Authorization: `Basic ${Buffer.from(`a:${key}`).toString('base64')}`,
      })
      for (const client of [app.nobody, withKey('svc_wrong'), withKey(''), withKey(key), basic]) {
        const { status, json } = await client.get('/v1/recordings')
        expect(status).to.equal(401)
        expect(json).to.deep.equal({
          statusCode: 401,
          message: 'Missing or invalid credentials',
          error: 'Unauthorized',
        })
      }
    })

    it('a revoked key gets 401 on all further requests', async () => {
      const client = withKey((await createKey()).key)
      expect((await client.get('/v1/recordings')).status).to.equal(200)
      const { id } = (await app.olga.get('/v1/api-keys')).json.items[0]
      await app.olga.delete(`/v1/api-keys/${id}`)
      const responses = await Promise.all(Array.from({ length: 100 }, () => client.get('/v1/recordings')))
      expect(responses.every(({ status }) => status === 401)).to.equal(true)
      expect((await app.olga.delete(`/v1/api-keys/${id}`)).status).to.equal(404)
    })

    it('the list of keys shows their last use', async () => {
      const { id, key } = await createKey()
      const shown = async () =>
        (await app.olga.get('/v1/api-keys')).json.items.find((item: { id: string }) => item.id === id)
      expect((await shown()).lastUsedAt).to.equal(null)
      await withKey(key).get('/v1/recordings')
      await waitUntil('the last use is written', async () => (await shown()).lastUsedAt)
    })

    it('the API does not write the last use of a key on every request', async () => {
      const { id, key } = await createKey()
      const version = async () =>
        (await app.db.query('SELECT xmin::text, last_used_at FROM api_keys WHERE id = $1', [id])).rows[0]
      await withKey(key).get('/v1/recordings')
      const written = await waitUntil('it is written', async () => {
        const row = await version()
        return row.last_used_at && row
      })
      await Promise.all(Array.from({ length: 50 }, () => withKey(key).get('/v1/recordings')))
      expect(await version()).to.deep.equal(written)
    })

    it('a key cannot manage keys or act as a person', async () => {
      for (const response of [
        await app.ida.get('/v1/api-keys'),
        await app.ida.post('/v1/api-keys', { name: 'more' }),
        await app.ida.get('/v1/auth/me'),
        await app.ida.post('/v1/auth/logout'),
      ]) {
        expect(response.status).to.equal(403)
        expect(response.json.message).to.equal('Your role does not allow this')
      }
    })

    it('a key needs a valid name', async () => {
      for (const body of [{}, { name: '' }, { name: 'x'.repeat(101) }, { name: 1 }, { name: 'a\nb' }]) {
        const { status, json } = await app.olga.post('/v1/api-keys', body)
        expect(status).to.equal(400)
        expect(json.message[0]).to.match(/^name /)
      }
    })
  })

  describe('login', () => {
    const setCookie = async () =>
      (await app.nobody.post('/v1/auth/login', OWNER_CREDENTIALS)).headers.get('set-cookie')!

    it('a login returns the person and sets the cookie svc_session', async () => {
      const response = await app.nobody.post('/v1/auth/login', { ...OWNER_CREDENTIALS, email: 'OLGA@example.COM' })
      expect(response.status).to.equal(200)
      expect(response.json.person).to.include({ email: OWNER_CREDENTIALS.email, role: 'owner' })
      expect(response.json.person.rights).to.deep.equal({
        audio: true,
        export: true,
        manageRecordings: true,
        analytics: true,
        editRules: true,
      })
      expect(response.headers.get('set-cookie')).to.match(
        /^svc_session=[\w-]+\.[\w-]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/,
      )
    })

    it('COOKIE_SECURE marks the session cookie Secure', async () => {
      await app.restart({ COOKIE_SECURE: true })
      expect(await setCookie()).to.match(/; Secure$/)
      await app.restart({ COOKIE_SECURE: false })
    })

    it('a wrong password and an unknown e-mail get the same 401', async () => {
      const wrong = await app.nobody.post('/v1/auth/login', { ...OWNER_CREDENTIALS, password: 'wrong' })
      const unknown = await app.nobody.post('/v1/auth/login', { ...OWNER_CREDENTIALS, email: 'nobody@example.com' })
      expect(wrong.status).to.equal(401)
      expect(unknown.json).to.deep.equal(wrong.json)
      expect(wrong.headers.get('set-cookie')).to.equal(null)
    })

    it('/v1/auth/me returns the person until a logout ends the session', async () => {
      const cookie = (await setCookie()).split(';')[0]!
      const client = new TestClient(() => app.url, { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' })
      expect((await client.get('/v1/auth/me')).json.person.email).to.equal(OWNER_CREDENTIALS.email)
      const logout = await client.post('/v1/auth/logout')
      expect(logout.status).to.equal(204)
      expect(logout.headers.get('set-cookie')).to.match(/^svc_session=; .*Max-Age=0/)
      expect((await client.get('/v1/auth/me')).status).to.equal(401)
    })

    it('the API rejects two different session cookies, or more than ten', async () => {
      const values = [(await setCookie()).split(';')[0]!, (await setCookie()).split(';')[0]!]
      const me = (...cookies: string[]) => app.nobody.get('/v1/auth/me', { Cookie: cookies.join('; ') })
      expect((await me(values[0]!, values[0]!)).status).to.equal(200)
      const junk = Array.from({ length: 9 }, () => 'svc_session=junk')
      const refused = [values, values.toReversed(), [values[0]!, ...junk, values[1]!], ['svc_session=junk', ...values]]
      for (const cookies of refused) {
        const { status, json } = await me(...cookies)
        expect([status, json.message]).to.deep.equal([
          401,
          'The request has two different session cookies. Delete the cookies of this site, then log in again',
        ])
      }
      const Cookie = values.join('; ')
      const origin = { Cookie, 'Sec-Fetch-Site': 'same-origin' }
      expect((await app.nobody.post('/v1/auth/login', OWNER_CREDENTIALS, origin)).status).to.equal(401)
    })

    it('the API rejects a forged cookie and one of an ended session', async () => {
      const value = (await setCookie()).split(';')[0]!.split('=')[1]!
      const [token, signature] = value.split('.') as [string, string]
      const me = (cookie: string) => app.nobody.get('/v1/auth/me', { Cookie: `svc_session=${cookie}` })
      expect((await me(value)).status).to.equal(200)
      // Another host of the same domain can set a cookie with our name.
      for (const tossed of [
        `junk; svc_session=${value}`,
        `${token}.x; svc_session=; svc_session=${value}`,
        `${value}; svc_session=junk`,
      ])
        expect((await me(tossed)).status, tossed).to.equal(200)
      expect((await me(`junk; svc_session=${token}.x`)).status).to.equal(401)
      const changed = (text: string) => (text.startsWith('x') ? 'y' : 'x') + text.slice(1)
      for (const forged of [
        token,
        `${token}.`,
        `${token}.${changed(signature)}`,
        `${changed(token)}.${signature}`,
        '',
      ]) {
        expect((await me(forged)).status, forged).to.equal(401)
      }
      await app.db.query('UPDATE sessions SET expires_at = now()')
      expect((await me(value)).status).to.equal(401)
      const again = await app.nobody.post('/v1/auth/login', OWNER_CREDENTIALS)
      app.olga.headers.Cookie = again.headers.get('set-cookie')!.split(';')[0]!
    })

    it('a deactivated person gets 401 on the next request and cannot log in', async () => {
      await app.db.query('UPDATE people SET active = false')
      expect((await app.olga.get('/v1/auth/me')).status).to.equal(401)
      expect((await app.nobody.post('/v1/auth/login', OWNER_CREDENTIALS)).status).to.equal(401)
      await app.db.query('UPDATE people SET active = true')
      expect((await app.olga.get('/v1/auth/me')).status).to.equal(200)
    })

    it('the database stores passwords as Argon2id hashes', async () => {
      const { rows } = await app.db.query('SELECT password_hash FROM people')
      expect(rows[0].password_hash).to.match(/^\$argon2id\$/)
    })

    it('the first owner is created only while no person exists', async () => {
      await app.restart({ BOOTSTRAP_ADMIN_EMAIL: 'second@example.com' })
      const { rows } = await app.db.query('SELECT email FROM people')
      expect(rows).to.deep.equal([{ email: OWNER_CREDENTIALS.email }])
    })
  })

  describe('changes with a session cookie', () => {
    const cookieOnly = () => ({ Cookie: app.olga.headers.Cookie! })
    const attempt = (headers: Record<string, string>) =>
      app.nobody.post('/v1/api-keys', { name: 'x' }, { ...cookieOnly(), ...headers })

    it('a change with a cookie from a foreign origin gets 403', async () => {
      for (const headers of [
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
        { Origin: 'https://evil.example' },
        { Origin: 'null' },
      ] as Record<string, string>[]) {
        expect((await attempt(headers)).status, JSON.stringify(headers)).to.equal(403)
      }
    })

    it('a change with a cookie from our own origin succeeds', async () => {
      expect((await attempt({ 'Sec-Fetch-Site': 'same-origin' })).status).to.equal(201)
      expect((await attempt({ Origin: app.url })).status).to.equal(201)
    })
  })

  describe('failed logins', () => {
    /** Restarts the API and waits for Redis, because without Redis each process counts alone. */
    const restart = async (overrides: Partial<Config>) => {
      await app.restart(overrides)
      await waitUntil('Redis is reached', async () => (await app.nobody.get('/readyz')).json.redis === 'up')
    }
    const fail = (headers: Record<string, string> = {}) =>
      app.nobody.post('/v1/auth/login', { ...OWNER_CREDENTIALS, password: 'wrong' }, headers)

    it('after LOGIN_MAX_FAILURES failures, every login gets 429 with Retry-After', async () => {
      await restart({ LOGIN_MAX_FAILURES: 3, QUEUE_PREFIX: `${app.config.QUEUE_PREFIX}-a` })
      for (let i = 0; i < 3; i++) expect((await fail({ 'X-Forwarded-For': `10.0.0.${i}` })).status).to.equal(401)
      const response = await fail({ 'X-Forwarded-For': '10.0.0.9' })
      expect(response.status).to.equal(429)
      expect(Number(response.headers.get('retry-after'))).to.be.within(1, 300)
      expect(response.json.error).to.equal('Too Many Requests')
      expect((await app.nobody.post('/v1/auth/login', OWNER_CREDENTIALS)).status).to.equal(429)
    })

    it('parallel logins do not exceed the limit of failures', async () => {
      await restart({ QUEUE_PREFIX: `${app.config.QUEUE_PREFIX}-b` })
      const statuses = (await Promise.all(Array.from({ length: 20 }, () => fail()))).map(({ status }) => status)
      expect(statuses.filter((status) => status === 401)).to.have.length(3)
      expect(statuses.filter((status) => status === 429)).to.have.length(17)
    })

    it('successful logins do not count as failures', async () => {
      await app.restart({ QUEUE_PREFIX: `${app.config.QUEUE_PREFIX}-c` })
      for (let i = 0; i < 6; i++)
        expect((await app.nobody.post('/v1/auth/login', OWNER_CREDENTIALS)).status).to.equal(200)
    })

    it('failed logins count by the address that TRUSTED_PROXY_HOPS proxies report', async () => {
      await restart({ TRUSTED_PROXY_HOPS: 1, QUEUE_PREFIX: `${app.config.QUEUE_PREFIX}-d` })
      for (let i = 0; i < 3; i++) await fail({ 'X-Forwarded-For': `10.9.9.${i}, 203.0.113.1` })
      expect((await fail({ 'X-Forwarded-For': '10.9.9.9, 203.0.113.1' })).status).to.equal(429)
      expect((await fail({ 'X-Forwarded-For': '203.0.113.1, 203.0.113.2' })).status).to.equal(401)
    })
  })
})
