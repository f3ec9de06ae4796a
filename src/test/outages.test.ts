import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import type { Config } from '../platform/config/config.ts'
import { startRedis, type EmbeddedServer } from '../app/embedded/index.ts'
import { Client } from './client.ts'
import { ServiceProcess } from './process.ts'
import { Proxy } from './proxy.ts'
import { Receiver } from './receiver.ts'
import { ScriptedRecognizer } from './recognizer.ts'
import { insertRecordings, createTestDatabase, type TestDatabase } from './server.ts'
import { times } from './thorough.ts'
import { until } from './wait.ts'

const RESTARTS = times(4, 20)

describe('outages of Redis, Postgres and the recognizer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-outages-'))
  const recognizer = new ScriptedRecognizer()
  const receiver = new Receiver()
  let redis: EmbeddedServer
  let redisProxy: Proxy
  let databaseProxy: Proxy
  let database: TestDatabase
  let process: ServiceProcess
  let ida: Client
  /** Recordings in the queue so far, for the totals. */
  let total = 0

  before(async () => {
    chmodSync(folder, 0o711)
    redis = await startRedis({ folder })
    await Promise.all([recognizer.start(), receiver.start()])
    recognizer.answer = (recognition) => setTimeout(() => recognition.finish(), 20)
    database = await createTestDatabase({ asrUrl: recognizer.url, ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
    redisProxy = await new Proxy(redis.url).open()
    databaseProxy = await new Proxy(database.config.DATABASE_URL!).open()
    await start()
  })
  after(async () => {
    await process.end('SIGKILL')
    await Promise.all([redisProxy, databaseProxy].map((proxy) => proxy.cut()))
    await redis.kill()
    await Promise.all([recognizer.stop(), receiver.stop()])
    await database.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  async function start(): Promise<void> {
    const overrides: Partial<Config> = {
      ...database.config,
      LOG_LEVEL: 'debug',
      REDIS_URL: redisProxy.inPlaceOf(redis.url),
      DATABASE_URL: databaseProxy.inPlaceOf(database.config.DATABASE_URL!),
    }
    process = new ServiceProcess('api', overrides)
    const port = await process.ready()
    ida = new Client(() => `http://127.0.0.1:${port}`, { 'X-API-Key': database.key })
  }
  const query = async (sql: string, ...values: unknown[]) => (await database.db.query(sql, values)).rows
  const insert = async (count: number) => {
    total += count
    return insertRecordings(database, count, receiver.url)
  }
  const upload = async () => {
    total++
    const answer = await ida.upload('x', { callbackUrl: `${receiver.url}/uploaded` })
    expect(answer.status).to.equal(201)
  }
  const allDone = () =>
    until('everything is done and told', async () => {
      const [{ done, told }] = await query(`SELECT (SELECT count(*)::int FROM recordings WHERE status = 'DONE') AS done,
          (SELECT count(*)::int FROM deliveries WHERE status = 'DELIVERED') AS told`)
      return done === total && told === total
    })
  const readiness = async () => {
    const { status, json } = await ida.get('/readyz')
    expect(status).to.equal(200)
    return json
  }
  const unharmed = () => {
    expect(process.exit, 'the process is alive').to.equal(undefined)
    expect(process.text, 'nothing unhandled').to.equal('')
  }
  const ready = { status: 'ready', database: 'up', redis: 'up', asr: 'up', storage: 'up' }
  const becomesReady = () => until('it is ready again', async () => (await readiness()).status === 'ready')

  it('/readyz names the part that is down, always with 200, and /healthz stays ok', async () => {
    await becomesReady()
    expect(await readiness()).to.deep.equal(ready)
    await redisProxy.cut()
    expect(await readiness()).to.deep.equal({ ...ready, status: 'degraded', redis: 'down' })
    await databaseProxy.cut()
    expect(await readiness()).to.deep.equal({ ...ready, status: 'degraded', redis: 'down', database: 'down' })
    await recognizer.stop()
    expect(await readiness()).to.deep.equal({
      status: 'degraded',
      database: 'down',
      redis: 'down',
      asr: 'down',
      storage: 'up',
    })
    expect((await ida.get('/healthz')).json).to.deep.equal({ status: 'ok' })
    await recognizer.start()
    recognizer.status = 'loading'
    await Promise.all([redisProxy.open(), databaseProxy.open()])
    await until('only the recognizer is down', async () => (await readiness()).redis === 'up')
    expect(await readiness()).to.deep.equal({ ...ready, status: 'degraded', asr: 'down' })
    recognizer.status = 'ready'
    await becomesReady()
    unharmed()
  })

  it('/readyz answers 200 within 3 s also when Redis and Postgres hang', async () => {
    const took = async (answer: object) => {
      const startedAt = performance.now()
      expect(await readiness()).to.deep.equal(answer)
      return performance.now() - startedAt
    }
    for (const proxy of [redisProxy, databaseProxy]) proxy.freeze()
    // A busy machine can be slow with one response, but not with ten in a row.
    let least = Infinity
    for (let n = 0; n < 10 && least >= 3000; n++) {
      least = Math.min(least, await took({ ...ready, status: 'degraded', redis: 'down', database: 'down' }))
    }
    expect(least).to.be.below(3000)
    for (const proxy of [redisProxy, databaseProxy]) proxy.thaw()
    await becomesReady()
    unharmed()
  })

  it('work that nobody was notified of is picked up', async () => {
    await insert(100)
    await allDone()
  })

  it(`${RESTARTS} restarts of Redis under load: work goes on each time, and nothing is lost`, async () => {
    for (let restart = 0; restart < RESTARTS; restart++) {
      await insert(5)
      await upload()
      await Promise.all([redisProxy.cut(), restart % 2 === 0 ? redis.stop() : redis.kill()])
      await upload()
      redis = await startRedis({ folder })
      await redisProxy.open(redis.url)
      await upload()
      await allDone()
    }
    unharmed()
    await becomesReady()
  })

  it('notifications arrive again within seconds after the restarts', async () => {
    const notified = (queue: string) => process.lines.filter((line) => line.msg === 'notified' && line.queue === queue)
    const heard = ['transcription', 'callbacks'].map((queue) => [queue, notified(queue).length] as const)
    await until('both queues are notified', async () => {
      await upload()
      return heard.every(([queue, before]) => notified(queue).length > before)
    })
    await allDone()
  })

  it('notifications arrive though the connection broke again and again while it was being made', async () => {
    await process.end('SIGKILL')
    redisProxy.breakNext(12)
    await start()
    await becomesReady()
    const before = process.lines.length
    await until('both queues are notified', async () => {
      await upload()
      const notified = process.lines.slice(before).filter(({ msg }) => msg === 'notified')
      return ['transcription', 'callbacks'].every((name) => notified.some(({ queue }) => queue === name))
    })
    await allDone()
    unharmed()
  })

  it('a Redis that was emptied under load loses no work', async () => {
    const client = new Redis(redis.url)
    await insert(40)
    for (let n = 0; n < 10; n++) {
      await upload()
      await client.flushall()
    }
    await client.script('FLUSH')
    client.disconnect()
    await upload()
    await allDone()
    unharmed()
  })

  it('an outage of Postgres of some seconds loses nothing and costs no attempt', async () => {
    recognizer.answer = undefined
    await insert(6)
    const running = await until('two run', () => recognizer.held.filter(({ closed }) => !closed).length === 2)
    expect(running).to.equal(true)
    receiver.answer = (_, response) => setTimeout(() => response.writeHead(204).end(), 500)
    recognizer.held.filter(({ closed }) => !closed)[0]!.finish()
    await until('a callback runs', () => receiver.got.length >= total - 5)
    await databaseProxy.cut()
    // Both end while nothing can be stored.
    recognizer.held.filter(({ closed }) => !closed).forEach((recognition) => recognition.finish())
    recognizer.answer = (recognition) => setTimeout(() => recognition.finish(), 20)
    await until(
      'it was missed',
      () => process.lines.filter(({ msg }) => msg === 'the workers could not look for jobs').length >= 3,
    )
    expect(await readiness()).to.include({ status: 'degraded', database: 'down' })
    const refused = await ida.upload('x')
    expect(refused.status).to.be.within(500, 503)
    expect(refused.json).to.have.keys('statusCode', 'message', 'error')
    await databaseProxy.open()
    await allDone()
    expect(await query('SELECT id, attempts FROM recordings WHERE attempts <> 1')).to.deep.equal([])
    expect(await query('SELECT id, attempts FROM deliveries WHERE attempts <> 1')).to.deep.equal([])
    await becomesReady()
    unharmed()
  })

  it('Postgres that ends every connection, again and again under load, does not end the process', async () => {
    await insert(60)
    for (let n = 0; n < 20; n++) {
      await query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'svc' AND pid <> pg_backend_pid()`,
      )
      await Promise.all([
        ida.get('/v1/recordings'),
        ida.upload('x').then(({ status }) => void (total += status === 201 ? 1 : 0)),
      ])
    }
    const missing = await query('SELECT count(*)::int AS n FROM recordings')
    total = missing[0].n // an upload whose answer was lost may be there or not
    const passTime = setInterval(() => {
      for (const change of [
        `UPDATE recordings SET lease_until = now() - interval '1 s'
          WHERE status = 'PROCESSING' AND lease_until BETWEEN now() AND now() + interval '27 s'`,
        `UPDATE recordings SET next_attempt_at = now() WHERE status = 'QUEUED' AND next_attempt_at > now()`,
        `UPDATE deliveries SET next_attempt_at = now() WHERE status = 'QUEUED' AND next_attempt_at > now()`,
      ]) {
        query(change).catch(() => undefined) // two of them may lock the same rows in another order
      }
    }, 300)
    try {
      await until('everything is done', async () => {
        const [{ open }] = await query(`SELECT count(*)::int AS open FROM recordings WHERE status <> 'DONE'`)
        return open === 0
      })
    } finally {
      clearInterval(passTime)
    }
    unharmed()
  })

  it('stops with code 0 while Redis is away, starts without it, and works', async () => {
    await redisProxy.cut()
    const { code, seconds } = await process.end()
    expect(code).to.equal(0)
    expect(seconds).to.be.below(30)
    await start()
    const [id] = await insert(1)
    await receiver.arrived(`/${id}`)
    const uploaded = await ida.upload('without Redis')
    expect(uploaded.status).to.equal(201)
    await until('it is done', async () => (await ida.get(`/v1/recordings/${uploaded.json.id}`)).json.status === 'DONE')
    await redisProxy.open()
    await becomesReady()
    unharmed()
    redisProxy.freeze()
    expect((await process.end()).code, 'stopping while Redis hangs').to.equal(0)
    redisProxy.thaw()
  })
})
