import http from 'node:http'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { unauthorizedError, type HttpError } from '../../platform/errors.ts'
import { PANEL_CLIENT_HEADER, formatPanelClientHeader } from '../../platform/lib/client-address.ts'
import { startTestPanelServer } from '../../test/panel.ts'
import { fetchAuditLog } from '../../test/audit.ts'
import { OWNER_CREDENTIALS, startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { LoginThrottle } from './login-throttle.ts'

const LIMIT = 3

/** Describes a login attempt as a reverse proxy or a client sends it from this machine. */
interface LoginAttempt {
  /** Local address of the TCP connection. */
  socket?: string
  forwarded?: string
  headers?: Record<string, string>
  password?: string
  email?: string
}

type LoginEntry = (attempt: LoginAttempt) => Promise<{ status: number; headers: http.IncomingHttpHeaders }>

function postAttempt(
  url: string,
  body: string,
  type: string,
  { socket, forwarded, headers }: LoginAttempt,
): ReturnType<LoginEntry> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, {
      method: 'POST',
      agent: false,
      ...(socket && { localAddress: socket }),
      headers: { 'Content-Type': type, ...(forwarded && { 'X-Forwarded-For': forwarded }), ...headers },
    })
    request.once('response', (response) => {
      response.resume()
      response.once('end', () => resolve({ status: response.statusCode!, headers: response.headers }))
    })
    request.once('error', reject)
    request.end(body)
  })
}

describe('login throttle', () => {
  let app: TestApp
  let panel: { url: string; stop(): Promise<void> }
  let round = 0
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: LIMIT })
    panel = await startTestPanelServer(app.config, app.url)
  })
  after(async () => {
    await panel.stop()
    await app.stop()
  })

  /** Restarts the API and the panel with a new queue prefix, so that both start without counted failures. */
  async function restartBehindProxies(
    hops: number,
    panelSecret: string | undefined = app.config.SESSION_SECRET,
  ): Promise<void> {
    const QUEUE_PREFIX = `${app.config.QUEUE_PREFIX.split('-r')[0]}-r${round++}`
    await app.restart({ TRUSTED_PROXY_HOPS: hops, QUEUE_PREFIX })
    await panel.stop()
    panel = await startTestPanelServer({ ...app.config, SESSION_SECRET: panelSecret }, app.url)
  }

  const logInAtApi: LoginEntry = ({ email = OWNER_CREDENTIALS.email, password = 'wrong', ...attempt }) =>
    postAttempt(`${app.url}/v1/auth/login`, JSON.stringify({ email, password }), 'application/json', attempt)
  const logInAtPanel: LoginEntry = ({ email = OWNER_CREDENTIALS.email, password = 'wrong', ...attempt }) =>
    postAttempt(
      `${panel.url}/login`,
      new URLSearchParams({ email, password }).toString(),
      'application/x-www-form-urlencoded',
      attempt,
    )

  /** Returns an attempt with a forged X-Forwarded-For (`claimed`) that reaches us through this many proxies. */
  function proxiedAttempt(hops: number, client: string, claimed: string): LoginAttempt {
    if (hops === 0) return { socket: client, forwarded: claimed }
    const proxies = ['203.0.113.250', '203.0.113.251'].slice(0, hops - 1)
    return { forwarded: [claimed, client, ...proxies].join(', ') }
  }

  const entries: [string, LoginEntry, number | undefined][] = [
    ['the API', logInAtApi, 200],
    ['the panel', logInAtPanel, 303],
  ]
  for (const [name, logInThrough, success] of entries) {
    for (const hops of [0, 1, 2]) {
      it(`${name} counts logins by the client’s real address (proxies: ${hops})`, async () => {
        await restartBehindProxies(hops)
        const [clumsy, other] = hops === 0 ? ['127.0.0.2', '127.0.0.3'] : ['198.51.100.2', '198.51.100.3']
        const claims = ['10.0.0.1', '10.0.0.2, 10.0.0.3', other, 'unknown', '2001:db8::1', '']
        for (let n = 0; n < LIMIT; n++) {
          expect((await logInThrough(proxiedAttempt(hops, clumsy, claims[n]!))).status, `failure ${n + 1}`).to.equal(
            401,
          )
        }
        for (const claim of claims) {
          const { status, headers } = await logInThrough(proxiedAttempt(hops, clumsy, claim))
          expect(status, `claiming ${claim}`).to.equal(429)
          expect(Number(headers['retry-after'])).to.be.within(1, 300)
        }
        const right = { ...proxiedAttempt(hops, clumsy, ''), password: OWNER_CREDENTIALS.password }
        expect((await logInThrough(right)).status, 'the right password too').to.equal(429)
        // A client that forges the address of another client does not use up that client's attempts.
        expect(
          (await logInThrough({ ...proxiedAttempt(hops, other, ''), password: OWNER_CREDENTIALS.password })).status,
        ).to.equal(success)
        const refused = (await fetchAuditLog(app, 'action=login.throttled'))[0]!
        expect(refused.address, 'the address in the audit log').to.equal(clumsy)
      })
    }
  }

  it('the API accepts the address in X-Panel-Client only with a valid proof', async () => {
    await restartBehindProxies(0)
    const proof = formatPanelClientHeader(app.config.SESSION_SECRET!, '198.51.100.9')
    const forgeries = [
      '198.51.100.1',
      '198.51.100.1 x',
      formatPanelClientHeader('another secret of thirty-two characters', '198.51.100.1'),
      proof.replace('198.51.100.9', '198.51.100.1'),
      ' ',
    ]
    for (let n = 0; n < LIMIT; n++) {
      expect((await logInAtApi({ headers: { [PANEL_CLIENT_HEADER]: forgeries[n]! } })).status).to.equal(401)
    }
    for (const forged of forgeries) {
      expect((await logInAtApi({ headers: { [PANEL_CLIENT_HEADER]: forged } })).status, forged).to.equal(429)
    }
    expect((await logInAtApi({ headers: { [PANEL_CLIENT_HEADER]: proof } })).status).to.equal(401)
  })

  it('a panel without the secret passes on addresses through trusted proxies', async () => {
    await restartBehindProxies(1, undefined)
    for (let n = 0; n < LIMIT; n++) await logInAtPanel({ forwarded: '198.51.100.2' })
    expect((await logInAtPanel({ forwarded: '198.51.100.2' })).status).to.equal(429)
    expect((await logInAtPanel({ forwarded: '198.51.100.3' })).status).to.equal(401)
    expect((await logInAtApi({ forwarded: '198.51.100.2' })).status, 'the same person at the API').to.equal(429)
  })

  it('failures count by the /64 of IPv6 and by mapped IPv4 addresses', async () => {
    await restartBehindProxies(1)
    const from = async (forwarded: string) => (await logInAtApi({ forwarded })).status
    for (const host of ['::1', ':ffff::2', ':a:b:c:d']) expect(await from(`2001:db8:1:2${host}`)).to.equal(401)
    expect(await from('2001:0DB8:0001:0002::77')).to.equal(429)
    expect(await from('2001:db8:1:3::1')).to.equal(401)
    for (const address of ['198.51.100.7', '::ffff:198.51.100.7', '::ffff:c633:6407']) {
      expect(await from(address)).to.equal(401)
    }
    expect(await from('198.51.100.7')).to.equal(429)
    expect(await from('198.51.100.8')).to.equal(401)
  })

  it('only wrong passwords count as failures, not invalid requests or server errors', async () => {
    await restartBehindProxies(0)
    for (let n = 0; n < 2 * LIMIT; n++)
      expect((await logInAtApi({ password: OWNER_CREDENTIALS.password })).status).to.equal(200)
    for (let n = 0; n < 2 * LIMIT; n++) expect((await logInAtApi({ email: '' })).status).to.equal(400)
    await app.db.query('ALTER TABLE people RENAME TO people_away')
    for (let n = 0; n < 2 * LIMIT; n++) expect((await logInAtApi({})).status).to.equal(500)
    await app.db.query('ALTER TABLE people_away RENAME TO people')
    for (let n = 0; n < LIMIT; n++) expect((await logInAtApi({})).status).to.equal(401)
    expect((await logInAtApi({})).status).to.equal(429)
  })

  it('parallel logins at API and panel do not exceed the limit of failures', async () => {
    await restartBehindProxies(0)
    const attempts = Array.from({ length: 30 }, (_, n) => (n % 2 ? logInAtApi : logInAtPanel)({ socket: '127.0.0.4' }))
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).to.have.length(LIMIT)
    expect(statuses.filter((status) => status === 429)).to.have.length(30 - LIMIT)
  })

  it('parallel logins with the right password all succeed below the limit', async () => {
    await restartBehindProxies(0)
    const socket = '127.0.0.5'
    const before = (await fetchAuditLog(app, 'action=login.throttled')).length
    const right = (count: number) =>
      Promise.all(Array.from({ length: count }, () => logInAtApi({ socket, password: OWNER_CREDENTIALS.password })))
    for (let failed = 0; failed < LIMIT; failed++) {
      for (const { status } of await right(4 * LIMIT)) expect(status, `after ${failed} failures`).to.equal(200)
      expect((await logInAtApi({ socket })).status).to.equal(401)
    }
    expect((await fetchAuditLog(app, 'action=login.throttled')).length).to.equal(before)
    for (const { status } of await right(2 * LIMIT)) expect(status).to.equal(429)
    expect((await fetchAuditLog(app, 'action=login.throttled')).length).to.equal(before + 1)
  })

  it('attempts under way in other processes count together', async () => {
    await restartBehindProxies(0)
    const redis = new Redis(app.config.REDIS_URL!)
    await redis.ping() // wait for the connection
    const throttles = [1, 2, 3].map(() => new LoginThrottle(app.config, redis))
    let underWay = 0
    let most = 0
    const wrong = async () => {
      most = Math.max(most, ++underWay)
      await new Promise(setImmediate)
      underWay--
      throw unauthorizedError()
    }
    const attempts = Array.from({ length: 30 }, (_, n) =>
      throttles[n % 3]!.runAttempt({ address: '127.0.0.6' }, wrong, async () => {}),
    )
    const ended = (await Promise.allSettled(attempts)) as PromiseRejectedResult[]
    redis.disconnect()
    const statuses = ended.map(({ reason }) => (reason as HttpError).statusCode)
    expect(statuses.filter((status) => status === 401)).to.have.length(LIMIT)
    expect(statuses.filter((status) => status === 429)).to.have.length(30 - LIMIT)
    expect(most).to.be.within(1, LIMIT)
  })

  it('wrong current passwords count by person, separately from logins', async () => {
    await restartBehindProxies(0)
    const login = await logInAtApi({ password: OWNER_CREDENTIALS.password })
    const Cookie = login.headers['set-cookie']![0]!.split(';')[0]!
    const change = async (currentPassword: string, newPassword = OWNER_CREDENTIALS.password) =>
      (await app.nobody.post('/v1/auth/password', { currentPassword, newPassword }, { Cookie })).status
    for (let n = 0; n < LIMIT; n++) expect(await change('wrong'), `wrong ${n + 1}`).to.equal(400)
    expect(await change('wrong')).to.equal(429)
    expect(await change(OWNER_CREDENTIALS.password), 'the right one too').to.equal(429)
    for (let n = 0; n < LIMIT; n++) expect((await logInAtApi({})).status, `login ${n + 1}`).to.equal(401)
    expect((await logInAtApi({})).status).to.equal(429)
    await restartBehindProxies(0)
    for (let n = 0; n <= LIMIT; n++) await logInAtApi({})
    expect(await change(OWNER_CREDENTIALS.password), 'after too many failed logins').to.equal(204)
  })

  it('failures expire after LOGIN_FAILURE_WINDOW_SECONDS', async () => {
    const prefix = `${app.config.QUEUE_PREFIX}-f`
    let seconds = 0
    const socket = '127.0.0.9'
    const right = async () => (await logInAtApi({ socket, password: OWNER_CREDENTIALS.password })).status
    // On a busy machine, the window can end before the limit is reached. Retry with a longer window.
    await waitUntil('the limit is reached', async () => {
      await app.restart({ LOGIN_FAILURE_WINDOW_SECONDS: ++seconds, QUEUE_PREFIX: prefix + seconds })
      for (let n = 0; n < LIMIT; n++) await logInAtApi({ socket })
      return (await right()) === 429
    })
    await waitUntil('the failures are forgotten', async () => (await right()) === 200)
    await app.restart({ LOGIN_FAILURE_WINDOW_SECONDS: 300 })
  })

  it('an unknown e-mail takes as much CPU time as a wrong password', async () => {
    await app.restart({ LOGIN_MAX_FAILURES: 1000, QUEUE_PREFIX: `${app.config.QUEUE_PREFIX}-w` })
    /** Measures the CPU time (ms) of this process, which runs the API. Wall-clock time also includes other processes. */
    const workOf = async (email: string): Promise<number> => {
      const before = process.cpuUsage()
      for (let n = 0; n < 4; n++) expect((await logInAtApi({ email })).status).to.equal(401)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000
    }
    // Use the minimum of several rounds, because other work of this process only adds time.
    let [unknown, known] = [Infinity, Infinity]
    for (let round = 0; round < 5; round++) {
      known = Math.min(known, await workOf(OWNER_CREDENTIALS.email))
      unknown = Math.min(unknown, await workOf('nobody@example.com'))
    }
    expect(unknown / known, `${unknown} ms and ${known} ms`).to.be.within(0.6, 1.7)
  })
})
