import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import http from 'node:http'
import { join, relative } from 'node:path'
import { expect } from 'chai'
import type { Config } from '../platform/config/config.ts'
import { Client } from './client.ts'
import { ServiceProcess } from './process.ts'
import { createTestDatabase, type TestDatabase } from './server.ts'
import { times } from './thorough.ts'
import { until } from './wait.ts'

const HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'
const TAIL = '\r\n--b--\r\n'
const SIZE = 2_000_000

const KILLS = times(1, 10)
const AT_ONCE = 12
const ABORTS = times(60, 1000)
const FILLED = times(5, 60)

describe('uploads that break', () => {
  let database: TestDatabase
  let process: ServiceProcess
  let port: number

  before(async () => {
    database = await createTestDatabase()
    await start()
  })
  after(async () => {
    await process.end('SIGKILL')
    await database.remove()
  })

  async function start(overrides: Partial<Config> = {}): Promise<void> {
    process = new ServiceProcess('api', { ...database.config, API_RUN_MODE: 'api', LOG_LEVEL: 'info', ...overrides })
    port = await process.ready()
  }
  const query = async (sql: string) => (await database.db.query(sql)).rows
  const client = () => new Client(() => `http://127.0.0.1:${port}`, { 'X-API-Key': database.key })
  const files = async (folder = database.config.audioDir) =>
    (await readdir(folder, { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && !entry.name.startsWith('.'),
    )

  /** Begins an upload and sends `sent` bytes of its file; it continues when told to. */
  function begin(sent: number) {
    const request = http.request({
      port,
      method: 'POST',
      path: '/v1/recordings',
      headers: {
        'X-API-Key': database.key,
        'Content-Type': 'multipart/form-data; boundary=b',
        'Content-Length': HEAD.length + SIZE + TAIL.length,
      },
    })
    const status = new Promise<number>((resolve) => {
      request.on('response', (response) => resolve(response.resume().statusCode!)).on('error', () => resolve(0))
    })
    const written = new Promise<void>((resolve) => {
      request.write(HEAD)
      request.write(Buffer.alloc(sent, 'y'), () => resolve())
    })
    const finish = () => {
      request.end(Buffer.concat([Buffer.alloc(SIZE - sent, 'y'), Buffer.from(TAIL)]))
      return status
    }
    return { finish, status, written, abort: () => request.destroy() }
  }

  it(`kill -9 at ${KILLS * AT_ONCE} points of uploads: every row has its whole file, and what was answered 201 is there`, async () => {
    let accepted = 0
    const others: number[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const uploads = Array.from({ length: AT_ONCE }, (_, n) =>
        begin(Math.floor((SIZE * (n + kill / KILLS)) / AT_ONCE)),
      )
      await Promise.all(uploads.map(({ written }) => Promise.race([written, until('written', () => process.exit)])))
      // The later half continues, so that the kill also hits syncing, renaming and inserting.
      const finishing = uploads.slice(AT_ONCE / 2).map(({ finish }) => finish())
      // Waits for a success: under load the first response can be an error, which proves nothing about stored files.
      await Promise.any(finishing.map(async (status) => expect(await status).to.equal(201))).catch(() => undefined)
      process.kill('SIGKILL')
      const ends = await Promise.all(finishing)
      accepted += ends.filter((status) => status === 201).length
      others.push(...ends.filter((status) => status !== 201))
      for (const { abort } of uploads) abort()
      await process.ended()
      await start()
      const rows = await query('SELECT storage_key, size_bytes::int AS size FROM recordings')
      for (const { storage_key: key, size } of rows) {
        expect(size).to.equal(SIZE)
        const content = await readFile(join(database.config.audioDir, key))
        expect(content.equals(Buffer.alloc(SIZE, 'y')), `the file of ${key}`).to.equal(true)
      }
      expect(rows.length, 'rows').to.be.at.least(accepted)
    }
    expect(accepted, `201, besides ${others.join()}`).to.be.greaterThan(0)
    const rows = await query('SELECT storage_key FROM recordings')
    const planned = await query('SELECT storage_key FROM file_removals')
    const known = new Set([...rows, ...planned].map(({ storage_key }) => storage_key as string))
    const root = database.config.audioDir
    const keys = (await files()).map((file) => relative(root, join(file.parentPath, file.name)).replace(/\.part$/, ''))
    expect(
      keys.filter((key) => !known.has(key)),
      'files that nobody will take away',
    ).to.deep.equal([])
  })

  it(`${ABORTS} uploads that are broken off leave no file and no row, and the memory does not grow`, async () => {
    const [{ n: rows }] = await query('SELECT count(*)::int AS n FROM recordings')
    const before = (await files()).length
    const abortSome = async (count: number) => {
      for (let done = 0; done < count; done += 20) {
        const uploads = Array.from({ length: 20 }, (_, n) => begin(5000 * n))
        await Promise.all(uploads.map(({ written }) => written))
        for (const { abort, status } of uploads) {
          abort()
          await status
        }
      }
      await until('no file is left', async () => (await files()).length === before)
    }
    await abortSome(20)
    const memory = residentMb()
    await abortSome(ABORTS)
    expect(residentMb() - memory, 'MB more').to.be.below(100)
    expect(await query('SELECT count(*)::int AS n FROM recordings')).to.deep.equal([{ n: rows }])
  })

  const residentMb = () =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${process.pid}/status`, 'utf8'))![1]) / 1024

  it(`a full disk, met at ${FILLED} points: a clear error, no row, nothing left, and it recovers by itself`, async function () {
    const small = join(database.config.audioDir, '..', 'small')
    await mkdir(small)
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', small], { stdio: 'ignore' })
    } catch {
      this.skip() // only root may mount
    }
    await process.end()
    await new ServiceProcess('accept-storage', { ...database.config, audioDir: small }).ended()
    await start({ audioDir: small })
    const [{ n: before }] = await query('SELECT count(*)::int AS n FROM recordings')
    try {
      for (let point = 0; point < FILLED; point++) {
        // From no free page to almost enough for the file.
        const free = Math.floor((SIZE * point) / FILLED)
        execFileSync('fallocate', ['-l', String(3 * 1024 * 1024 - free - 8192), join(small, 'fill')])
        const answer = await client().upload('y'.repeat(SIZE))
        expect(answer.status, `${free} bytes free`).to.equal(507)
        expect(answer.json).to.have.keys('statusCode', 'message', 'error')
        rmSync(join(small, 'fill'))
        await until('nothing is left', async () => (await files(small)).length === 0)
      }
      expect(await query('SELECT count(*)::int AS n FROM recordings')).to.deep.equal([{ n: before }])
      const { status, json } = await client().upload('y'.repeat(SIZE))
      expect(status, 'with room again').to.equal(201)
      expect((await client().get(`/v1/recordings/${json.id}`)).json.sizeBytes).to.equal(SIZE)
      const [file] = await files(small)
      expect(statSync(join(file!.parentPath, file!.name)).size).to.equal(SIZE)
    } finally {
      await process.end('SIGKILL')
      execFileSync('umount', [small])
    }
  })
})
