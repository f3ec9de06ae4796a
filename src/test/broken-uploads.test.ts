import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import http from 'node:http'
import { join, relative } from 'node:path'
import { expect } from 'chai'
import type { Config } from '../platform/config/config.ts'
import { TestClient } from './client.ts'
import { ServiceProcess } from './service-process.ts'
import { createTestDatabase, type TestDatabase } from './server.ts'
import { chooseRepeatCount } from './repeat-count.ts'
import { waitUntil } from './wait.ts'

const PART_HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'
const PART_TAIL = '\r\n--b--\r\n'
const FILE_BYTES = 2_000_000

const KILL_COUNT = chooseRepeatCount(1, 10)
const PARALLEL_UPLOADS = 12
const ABORT_COUNT = chooseRepeatCount(60, 1000)
const FULL_DISK_COUNT = chooseRepeatCount(5, 60)

describe('broken uploads', () => {
  let database: TestDatabase
  let process: ServiceProcess
  let port: number

  before(async () => {
    database = await createTestDatabase()
    await startApi()
  })
  after(async () => {
    await process.stop('SIGKILL')
    await database.remove()
  })

  async function startApi(overrides: Partial<Config> = {}): Promise<void> {
    process = new ServiceProcess('api', { ...database.config, API_RUN_MODE: 'api', LOG_LEVEL: 'info', ...overrides })
    port = await process.waitUntilReady()
  }
  const queryRows = async (sql: string) => (await database.db.query(sql)).rows
  const client = () => new TestClient(() => `http://127.0.0.1:${port}`, { 'X-API-Key': database.key })
  const files = async (folder = database.config.audioDir) =>
    (await readdir(folder, { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && !entry.name.startsWith('.'),
    )

  /** Sends `sent` bytes of an upload. The returned function sends the rest. */
  function beginUpload(sent: number) {
    const request = http.request({
      port,
      method: 'POST',
      path: '/v1/recordings',
      headers: {
        'X-API-Key': database.key,
        'Content-Type': 'multipart/form-data; boundary=b',
        'Content-Length': PART_HEAD.length + FILE_BYTES + PART_TAIL.length,
      },
    })
    const status = new Promise<number>((resolve) => {
      request.on('response', (response) => resolve(response.resume().statusCode!)).on('error', () => resolve(0))
    })
    const written = new Promise<void>((resolve) => {
      request.write(PART_HEAD)
      request.write(Buffer.alloc(sent, 'y'), () => resolve())
    })
    const finish = () => {
      request.end(Buffer.concat([Buffer.alloc(FILE_BYTES - sent, 'y'), Buffer.from(PART_TAIL)]))
      return status
    }
    return { finish, status, written, abort: () => request.destroy() }
  }

  it(`after kill -9 at ${KILL_COUNT * PARALLEL_UPLOADS} points of uploads, every row has its whole file`, async () => {
    let accepted = 0
    const others: number[] = []
    for (let kill = 0; kill < KILL_COUNT; kill++) {
      const uploads = Array.from({ length: PARALLEL_UPLOADS }, (_, n) =>
        beginUpload(Math.floor((FILE_BYTES * (n + kill / KILL_COUNT)) / PARALLEL_UPLOADS)),
      )
      await Promise.all(uploads.map(({ written }) => Promise.race([written, waitUntil('written', () => process.exit)])))
      // Half of the uploads continue, so that the kill also interrupts syncing, renaming and inserting.
      const finishing = uploads.slice(PARALLEL_UPLOADS / 2).map(({ finish }) => finish())
      // Wait for a success, because under load the first response can be an error, which proves nothing about stored files.
      await Promise.any(finishing.map(async (status) => expect(await status).to.equal(201))).catch(() => undefined)
      process.kill('SIGKILL')
      const ends = await Promise.all(finishing)
      accepted += ends.filter((status) => status === 201).length
      others.push(...ends.filter((status) => status !== 201))
      for (const { abort } of uploads) abort()
      await process.waitForExit()
      await startApi()
      const rows = await queryRows('SELECT storage_key, size_bytes::int AS size FROM recordings')
      for (const { storage_key: key, size } of rows) {
        expect(size).to.equal(FILE_BYTES)
        const content = await readFile(join(database.config.audioDir, key))
        expect(content.equals(Buffer.alloc(FILE_BYTES, 'y')), `the file of ${key}`).to.equal(true)
      }
      expect(rows.length, 'rows').to.be.at.least(accepted)
    }
    expect(accepted, `201, besides ${others.join()}`).to.be.greaterThan(0)
    const rows = await queryRows('SELECT storage_key FROM recordings')
    const planned = await queryRows('SELECT storage_key FROM file_removals')
    const known = new Set([...rows, ...planned].map(({ storage_key }) => storage_key as string))
    const root = database.config.audioDir
    const keys = (await files()).map((file) => relative(root, join(file.parentPath, file.name)).replace(/\.part$/, ''))
    expect(
      keys.filter((key) => !known.has(key)),
      'files that nobody will take away',
    ).to.deep.equal([])
  })

  it(`${ABORT_COUNT} aborted uploads leave no file or row, and memory does not grow`, async () => {
    const [{ n: rows }] = await queryRows('SELECT count(*)::int AS n FROM recordings')
    const before = (await files()).length
    const abortSome = async (count: number) => {
      for (let done = 0; done < count; done += 20) {
        const uploads = Array.from({ length: 20 }, (_, n) => beginUpload(5000 * n))
        await Promise.all(uploads.map(({ written }) => written))
        for (const { abort, status } of uploads) {
          abort()
          await status
        }
      }
      await waitUntil('no file is left', async () => (await files()).length === before)
    }
    await abortSome(20)
    const memory = residentMb()
    await abortSome(ABORT_COUNT)
    expect(residentMb() - memory, 'MB more').to.be.below(100)
    expect(await queryRows('SELECT count(*)::int AS n FROM recordings')).to.deep.equal([{ n: rows }])
  })

  const residentMb = () =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${process.pid}/status`, 'utf8'))![1]) / 1024

  it(`a full disk at ${FULL_DISK_COUNT} points of an upload gives 507 and leaves nothing`, async function () {
    const small = join(database.config.audioDir, '..', 'small')
    await mkdir(small)
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', small], { stdio: 'ignore' })
    } catch {
      this.skip() // Only root can mount.
    }
    await process.stop()
    await new ServiceProcess('accept-storage', { ...database.config, audioDir: small }).waitForExit()
    await startApi({ audioDir: small })
    const [{ n: before }] = await queryRows('SELECT count(*)::int AS n FROM recordings')
    try {
      for (let point = 0; point < FULL_DISK_COUNT; point++) {
        // The free space ranges from no page to almost enough for the file.
        const free = Math.floor((FILE_BYTES * point) / FULL_DISK_COUNT)
        execFileSync('fallocate', ['-l', String(3 * 1024 * 1024 - free - 8192), join(small, 'fill')])
        const answer = await client().upload('y'.repeat(FILE_BYTES))
        expect(answer.status, `${free} bytes free`).to.equal(507)
        expect(answer.json).to.have.keys('statusCode', 'message', 'error')
        rmSync(join(small, 'fill'))
        await waitUntil('nothing is left', async () => (await files(small)).length === 0)
      }
      expect(await queryRows('SELECT count(*)::int AS n FROM recordings')).to.deep.equal([{ n: before }])
      const { status, json } = await client().upload('y'.repeat(FILE_BYTES))
      expect(status, 'with room again').to.equal(201)
      expect((await client().get(`/v1/recordings/${json.id}`)).json.sizeBytes).to.equal(FILE_BYTES)
      const [file] = await files(small)
      expect(statSync(join(file!.parentPath, file!.name)).size).to.equal(FILE_BYTES)
    } finally {
      await process.stop('SIGKILL')
      execFileSync('umount', [small])
    }
  })
})
