import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { Client } from 'pg'
import { startPostgres, startRedis, type EmbeddedServer } from './index.ts'
import { findExecutablePath } from '../../platform/lib/find-program.ts'
import { isProcessRunning, pollUntil } from './process.ts'

const LIMIT_MS = 120_000

/** The servers that a parent process has started, as it prints them. */
interface ServerPair {
  postgres: { pid: number; url: string }
  redis: { pid: number; url: string }
}

describe('embedded Postgres and Redis', () => {
  let folder: string
  let started: EmbeddedServer[]
  let parents: ChildProcess[]

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-embedded-'))
    chmodSync(folder, 0o711)
    started = []
    parents = []
  })

  afterEach(async () => {
    for (const parent of parents) parent.kill('SIGKILL')
    await Promise.all(started.map((server) => server.kill()))
    rmSync(folder, { recursive: true, force: true })
  })

  const postgres = async (durable = false) => {
    const server = await startPostgres({ folder: join(folder, 'postgres'), durable })
    started.push(server)
    return server
  }
  const redis = async () => {
    const server = await startRedis({ folder: join(folder, 'redis') })
    started.push(server)
    return server
  }

  it('embedded servers listen on free ports of 127.0.0.1 and require passwords', async () => {
    const [db, store] = [await postgres(), await redis()]
    const ports = [db, store].map(({ url }) => new URL(url).port)
    expect(new Set([...ports, '5432', '6379']).size).to.equal(4)
    expect(await queryDatabase(db.url, 'SHOW listen_addresses')).to.deep.equal([{ listen_addresses: '127.0.0.1' }])
    expect(await catchMessage(queryDatabase(removePassword(db.url), 'SELECT 1'))).to.match(/password/)
    expect(await catchMessage(queryRedis(removePassword(store.url), (client) => client.ping()))).to.match(/NOAUTH/)
  })

  it('durable Postgres uses an eighth of the memory, between 128 MB and 2 GB', async () => {
    const [{ shared_buffers: size }] = (await queryDatabase((await postgres(true)).url, 'SHOW shared_buffers')) as [
      { shared_buffers: string },
    ]
    const megabytes = Number.parseInt(size, 10) * (size.endsWith('GB') ? 1024 : 1)
    const eighth = Math.min(totalmem(), process.constrainedMemory() || Infinity) / 8 / 1024 ** 2
    expect(megabytes).to.equal(Math.floor(Math.min(2048, Math.max(128, eighth))))
  })

  it('embedded servers keep passwords in files that only their user can read', async () => {
    await Promise.all([postgres(), redis()])
    for (const file of ['postgres/password', 'redis/password', 'redis/redis.conf']) {
      expect(statSync(join(folder, file)).mode & 0o777, file).to.equal(0o600)
    }
    expect(statSync(join(folder, 'postgres')).mode & 0o777).to.equal(0o700)
  })

  it('Redis appends every change to its file and evicts nothing', async () => {
    const { url } = await redis()
    const settings = await queryRedis(url, async (client) => [
      await client.config('GET', 'appendonly'),
      await client.config('GET', 'maxmemory-policy'),
    ])
    expect(settings).to.deep.equal([
      ['appendonly', 'yes'],
      ['maxmemory-policy', 'noeviction'],
    ])
  })

  it('Postgres folds the case of Russian letters', async () => {
    const { url } = await postgres()
    const sql = `SELECT lower('ПРИВЕТ') AS lower, to_tsvector('russian', 'Звонков НЕТ')::text AS words`
    expect(await queryDatabase(url, sql)).to.deep.equal([{ lower: 'привет', words: `'звонк':1` }])
  })

  it('embedded servers keep their data after a stop', async () => {
    const [db, store] = [await postgres(), await redis()]
    expect(db.fresh).to.equal(true)
    await writeValues(db.url, store.url)
    await Promise.all([db.stop(), store.stop()])
    expect([db, store].map(({ pid }) => isProcessRunning(pid))).to.deep.equal([false, false])
    const again = await postgres()
    expect(again.fresh).to.equal(false)
    expect(await readValues(again.url, (await redis()).url)).to.deep.equal(['kept', 'kept'])
  })

  it('embedded servers end with a killed parent, and recover at the next start', async function () {
    if (!findExecutablePath('setpriv')) this.skip()
    const { parent, pair } = await startInParent()
    await writeValues(pair.postgres.url, pair.redis.url)
    parent.kill('SIGKILL')
    const [db, store] = [await postgres(), await redis()]
    await pollUntil(
      'the servers have not ended',
      LIMIT_MS,
      undefined,
      () => !isProcessRunning(pair.postgres.pid) && !isProcessRunning(pair.redis.pid),
    )
    expect(await readValues(db.url, store.url)).to.deep.equal(['kept', 'kept'])
  })

  it('embedded servers recover after a kill', async () => {
    const [db, store] = [await postgres(true), await redis()]
    await writeValues(db.url, store.url)
    for (const { pid } of [db, store]) process.kill(pid, 'SIGKILL')
    expect(await Promise.all([db.exited, store.exited])).to.deep.equal(['was ended by SIGKILL', 'was ended by SIGKILL'])
    expect(await readValues((await postgres()).url, (await redis()).url)).to.deep.equal(['kept', 'kept'])
  })

  it('a failed start of a server reports the last lines of its log', async () => {
    const db = await postgres()
    await db.stop()
    rmSync(join(folder, 'postgres/data/global/pg_control'))
    expect(await catchMessage(postgres())).to.match(/Postgres ended with exit code[^]*pg_control/)
  })

  it('an aborted start of a server fails with the reason of the abort', async () => {
    const signal = AbortSignal.abort(new Error('given up'))
    const options = { folder: join(folder, 'postgres'), signal }
    expect(await catchMessage(startPostgres(options))).to.match(/given up/)
  })

  /** Starts both servers in a separate parent process, which the test can kill. */
  async function startInParent(): Promise<{ parent: ChildProcess; pair: ServerPair }> {
    const bundle = join(dirname(process.env['SVC_TEST_BUNDLE']!), 'embedded.js')
    const code = `
      import { startPostgres, startRedis } from ${JSON.stringify(bundle)}
      const postgres = await startPostgres({ folder: ${JSON.stringify(join(folder, 'postgres'))} })
      const redis = await startRedis({ folder: ${JSON.stringify(join(folder, 'redis'))} })
      console.log(JSON.stringify({ postgres, redis }))
      setInterval(() => {}, 1000)`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    parents.push(parent)
    let text = ''
    parent.stdout.on('data', (data: Buffer) => (text += data.toString()))
    await pollUntil('the parent has not started its servers', LIMIT_MS, undefined, () => text.endsWith('\n'))
    return { parent, pair: JSON.parse(text) as ServerPair }
  }
})

async function writeValues(databaseUrl: string, redisUrl: string): Promise<void> {
  await queryDatabase(databaseUrl, `CREATE TABLE t AS SELECT 'kept' AS value`)
  await queryRedis(redisUrl, (client) => client.set('t', 'kept'))
  // Redis writes each change to its file at once, although it syncs the file only once a second.
}

async function readValues(databaseUrl: string, redisUrl: string): Promise<unknown[]> {
  const [row] = await queryDatabase(databaseUrl, 'SELECT value FROM t')
  return [row?.['value'], await queryRedis(redisUrl, (client) => client.get('t'))]
}

async function queryDatabase(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

async function queryRedis<T>(url: string, question: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { retryStrategy: () => null, enableReadyCheck: false })
  client.on('error', () => {})
  try {
    return await question(client)
  } finally {
    client.disconnect()
  }
}

function removePassword(url: string): string {
  const result = new URL(url)
  result.password = ''
  return result.href
}

async function catchMessage(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('it should have failed')
}
