import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { findFreePort } from '../../platform/lib/free-port.ts'
import { TestClient } from '../../test/client.ts'
import { ServiceProcess } from '../../test/service-process.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { createTestDatabase, type TestDatabase } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

const PASSWORD = 'the-password'

describe('external Redis', () => {
  const recognizer = new ScriptedRecognizer()
  let folder: string
  let database: TestDatabase
  let redis: ChildProcess
  let api: ServiceProcess | undefined
  let port: number
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-redis-'))
    await recognizer.start()
    recognizer.answer = (recognition) => recognition.finish('hello')
    database = await createTestDatabase({ asrUrl: recognizer.url, LOG_LEVEL: 'info' })
  })
  beforeEach(async () => (port = await findFreePort()))
  afterEach(async () => {
    await api?.stop('SIGKILL')
    redis.kill('SIGKILL')
  })
  after(async () => {
    await recognizer.stop()
    await database.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  function startRedis(settings: string): void {
    const file = join(folder, `${port}.conf`)
    writeFileSync(file, `bind 127.0.0.1\nrequirepass ${PASSWORD}\ndir ${folder}\n${settings}`)
    redis = spawn('redis-server', [file], { stdio: 'ignore' })
  }

  const command = (password: string, ...args: string[]) =>
    execFileSync('redis-cli', ['-p', String(port), '-a', password, '--no-auth-warning', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })

  /**
   * Starts an API with Redis at this URL, which can be down.
   * @returns a client with an API key
   */
  async function startWithoutRedis(REDIS_URL: string, env: NodeJS.ProcessEnv = {}): Promise<TestClient> {
    api = new ServiceProcess('api', { ...database.config, REDIS_URL }, env)
    const apiPort = await api.waitUntilReady()
    return new TestClient(() => `http://127.0.0.1:${apiPort}`, { 'X-API-Key': database.key })
  }

  /**
   * Starts an API and waits until it can reach Redis.
   * @returns a client with an API key
   */
  async function startApi(REDIS_URL: string, env: NodeJS.ProcessEnv = {}): Promise<TestClient> {
    const client = await startWithoutRedis(REDIS_URL, env)
    await waitUntil('the store answers', async () => (await client.get('/readyz')).json.redis === 'up')
    return client
  }

  it('the service reaches Redis over TLS with a rediss URL', async () => {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=redis', '-addext', 'subjectAltName=IP:127.0.0.1']
    const made = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      key,
      '-out',
      cert,
      ...subject,
    ]
    execFileSync('openssl', made, { stdio: 'ignore' })
    startRedis(`port 0\ntls-port ${port}\ntls-cert-file ${cert}\ntls-key-file ${key}\ntls-auth-clients no\n`)
    const client = await startApi(`rediss://:${PASSWORD}@127.0.0.1:${port}`, { NODE_EXTRA_CA_CERTS: cert })
    const { id } = (await client.upload('x')).json
    await waitUntil('it is done', async () => (await client.get(`/v1/recordings/${id}`)).json.status === 'DONE')
    const { json } = await client.get('/v1/system')
    expect(json.redis.version).to.be.a('string')
    expect(
      (await fetch(`http://127.0.0.1:${port}`).catch((error: Error) => error)) instanceof Error,
      'no plain text',
    ).to.equal(true)
  })

  it('/v1/system warns about a Redis without persistence or with eviction', async () => {
    startRedis(`port ${port}\nsave ""\nappendonly no\nmaxmemory-policy allkeys-lru\n`)
    const client = await startApi(`redis://:${PASSWORD}@127.0.0.1:${port}`)
    const wrong = (await client.get('/v1/system')).json
    expect(wrong.redis).to.include({ persistence: 'off', evictionPolicy: 'allkeys-lru' })
    const persistence = wrong.warnings.find((text: string) => text.includes('does not save data to disk'))
    const eviction = wrong.warnings.find((text: string) => text.includes('allkeys-lru'))
    expect([persistence, eviction], JSON.stringify(wrong.warnings)).to.not.include(undefined)

    command(PASSWORD, 'CONFIG', 'SET', 'appendonly', 'yes')
    command(PASSWORD, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
    const right = (await client.get('/v1/system')).json
    expect(right.redis).to.include({ persistence: 'aof', evictionPolicy: 'noeviction' })
    expect(right.warnings.join()).to.not.match(/Redis/)

    const gone = once(redis, 'exit')
    redis.kill('SIGKILL')
    await gone
    const down = (await client.get('/v1/system')).json
    expect(down.redis).to.include({ version: null })
    expect(down.warnings.join()).to.match(/Redis is not responding/)
  })

  const isListening = () =>
    waitUntil('it listens', () => {
      try {
        return command(PASSWORD, 'PING').includes('PONG')
      } catch {
        return false
      }
    })
  const told = (code: string) => api!.lines.find((line) => line.code === code && line.level === 'warn')
  const unharmed = () => {
    expect(api!.exit, api!.text).to.equal(undefined)
    expect(api!.text).to.equal('')
  }

  for (const [name, credentials, code] of [
    ['a wrong password', ':wrong-secret@', 'WRONGPASS'],
    ['no password', '', 'NOAUTH'],
  ] as const)
    it(`with ${name} in REDIS_URL, the service is degraded until Redis accepts it`, async () => {
      startRedis(`port ${port}\n`)
      await isListening()
      const client = await startWithoutRedis(`redis://${credentials}127.0.0.1:${port}`)
      for (let n = 0; n < 3; n++) {
        const { id } = (await client.upload('x')).json
        await waitUntil('it is done', async () => (await client.get(`/v1/recordings/${id}`)).json.status === 'DONE')
      }
      expect((await client.get('/readyz')).json).to.include({ status: 'degraded', redis: 'down' })
      const line = await waitUntil('the log tells it', () => told(code))
      expect(line.advice).to.match(/password/)
      expect(api!.lines.filter((other) => other.code === code)).to.have.length(1)
      unharmed()

      command(PASSWORD, 'CONFIG', 'SET', 'requirepass', credentials && 'wrong-secret')
      await waitUntil('it is up', async () => (await client.get('/readyz')).json.redis === 'up')
      await waitUntil('the log tells that it is over', () =>
        api!.lines.some(({ msg }) => /can be used again/.test(msg!)),
      )
      await waitUntil('both notifiers are connected', () =>
        /(?:cmd=brpoplpush[^]*){2}/.test(command('wrong-secret', 'CLIENT', 'LIST')),
      )
      unharmed()
      expect(JSON.stringify(api!.lines)).to.not.include('wrong-secret')
    })

  it('the log has the reason if Redis stops or rejects a command', async () => {
    startRedis(`port ${port}\n`)
    await isListening()
    command(PASSWORD, 'ACL', 'SETUSER', 'svc', 'on', '>svc', '~*', '&*', '+@all', '-evalsha')
    const client = await startApi(`redis://svc:svc@127.0.0.1:${port}`)
    // The notifier sends nothing before its own connection is open, so the upload is repeated.
    const refusal = await waitUntil('the refusal is told', async () => {
      await client.upload('x')
      return told('NOPERM')
    })
    expect(refusal).to.include.keys('reason', 'advice')
    const gone = once(redis, 'exit')
    redis.kill('SIGKILL')
    await gone
    expect(await waitUntil('the end is told', () => told('ECONNREFUSED'))).to.include.keys('reason', 'advice')
    unharmed()
  })
})
