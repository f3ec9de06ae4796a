import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { openAppCore } from '../../app/core.ts'
import { createLogger } from '../lib/log.ts'
import { TestS3Server } from '../../test/s3-server.ts'
import { ServiceProcess } from '../../test/service-process.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { insertQueuedRecordings, startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

const MARK_KEY = 'uploads/.svc-database'

describe('storage mark', () => {
  const recognizer = new ScriptedRecognizer()
  let app: TestApp
  before(async () => {
    await recognizer.start()
    recognizer.answer = (recognition) => recognition.finish('x')
  })
  after(() => recognizer.stop())
  beforeEach(async () => {
    app = await startTestApp({ asrUrl: recognizer.url, ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
  })
  afterEach(() => app.stop())

  const markPath = () => join(app.config.audioDir, MARK_KEY)
  const fetchReadiness = async () => (await app.nobody.get('/readyz')).json
  const waitForStorage = (state: string) =>
    waitUntil(`storage ${state}`, async () => (await fetchReadiness()).storage === state)
  const fetchWarnings = async (): Promise<string[]> => (await app.olga.get('/v1/system')).json.warnings
  const statuses = async () => {
    const { rows } = await app.db.query(
      'SELECT status, sum(attempts)::int AS attempts, count(*)::int AS n FROM recordings GROUP BY 1',
    )
    return rows
  }
  const waitUntilDone = (n: number) =>
    waitUntil('all are done', async () => (await statuses()).some((row) => row.status === 'DONE' && row.n === n))
  /** Waits until workers have polled the recognizer at least three times. */
  const severalLooks = () => {
    const previousRequests = recognizer.stateRequests
    return waitUntil('workers have looked for work', () => recognizer.stateRequests > previousRequests + 2)
  }

  it('a new database marks its storage', async () => {
    await waitForStorage('up')
    const { rows } = await app.db.query('SELECT id FROM storage_owner')
    expect((await readFile(markPath(), 'utf8')).trim()).to.equal(rows[0].id)
    expect(await fetchWarnings()).to.deep.equal([])
  })

  it('an empty database marks a storage with files only with accept-storage', async () => {
    await waitForStorage('up')
    await rm(markPath())
    await writeFile(join(app.config.audioDir, 'uploads/of-another'), 'some sound')
    await app.restart()
    await waitForStorage('down')
    expect((await fetchWarnings())[0]).to.match(/has no mark and contains files of unknown calls/)
    expect((await app.ida.upload('sound')).status).to.equal(503)
    const accepting = new ServiceProcess('accept-storage', app.config)
    expect((await accepting.waitForExit()).code).to.equal(0)
    await waitForStorage('up')
  })

  it('parallel processes create one mark', async () => {
    const opened = await Promise.all(
      Array.from({ length: 4 }, () => openAppCore(app.config, createLogger('silent', 'test'))),
    )
    await waitForStorage('up')
    for (let round = 0; round < 5; round++) {
      await rm(markPath())
      expect(await Promise.all(opened.map(({ core }) => core.ownership.refresh()))).to.deep.equal(Array(4).fill('ours'))
    }
    await Promise.all(opened.map(({ close }) => close()))
  })

  it('a database marks a storage that contains the audio of its calls', async () => {
    await insertQueuedRecordings(app, 30)
    await waitUntilDone(30)
    await rm(markPath())
    await app.restart()
    await waitForStorage('up')
    expect(await readFile(markPath(), 'utf8')).to.match(/^[0-9a-f-]{36}\n$/)
  })

  it('calls stay queued and uploads get 503 while the storage is not mounted', async () => {
    const { audioDir } = app.config
    await waitForStorage('up')
    await app.db.query(`INSERT INTO paused_queues (name) VALUES ('transcription')`)
    await insertQueuedRecordings(app, 25)
    await app.restart({ audioDir: `${audioDir}-unmounted` })
    await app.db.query('DELETE FROM paused_queues')
    await waitForStorage('down')
    expect(await fetchReadiness()).to.include({ status: 'degraded' })
    await severalLooks()
    expect(await statuses()).to.deep.equal([{ status: 'QUEUED', attempts: 0, n: 25 }])
    expect((await fetchWarnings())[0]).to.match(/empty or belongs to another database.*accept-storage/)
    expect((await app.ida.upload('x')).status).to.equal(503)
    await app.restart({ audioDir })
    await waitUntilDone(25)
  })

  it('calls stay queued while the storage is away, and continue afterwards', async () => {
    const { audioDir } = app.config
    await waitForStorage('up')
    const log = createLogger('silent', 'test')
    const loggedLines: string[][] = []
    log.error = (text: string) => void loggedLines.push(['error', text])
    log.info = (text: string) => void loggedLines.push(['info', text])
    const { core, close } = await openAppCore(app.config, log)
    expect(await core.ownership.refresh()).to.equal('ours')
    await app.db.query(`INSERT INTO paused_queues (name) VALUES ('transcription')`)
    await insertQueuedRecordings(app, 25)
    await rename(audioDir, `${audioDir}-away`)
    await app.db.query('DELETE FROM paused_queues')
    await waitForStorage('down')
    await severalLooks()
    for (let n = 0; n < 2; n++) expect(await core.ownership.refresh()).to.equal('unmarked')
    expect(await statuses()).to.deep.equal([{ status: 'QUEUED', attempts: 0, n: 25 }])
    await rename(`${audioDir}-away`, audioDir)
    for (let n = 0; n < 2; n++) expect(await core.ownership.refresh()).to.equal('ours')
    expect(loggedLines.map(([level]) => level)).to.deep.equal(['error', 'info'])
    expect(loggedLines[0]![1]).to.match(/empty or belongs to another database.*accept-storage/)
    expect(loggedLines[1]![1]).to.equal('the audio storage is the right one again')
    await close()
    await waitUntilDone(25)
  })

  it('a call whose audio is missing fails alone', async () => {
    await waitForStorage('up')
    await app.db.query(`INSERT INTO paused_queues (name) VALUES ('transcription')`)
    const [id] = await insertQueuedRecordings(app, 3)
    await rm(join(app.config.audioDir, 'inserted', id!))
    await app.db.query('DELETE FROM paused_queues')
    await waitUntilDone(2)
    await waitUntil('it has failed', async () => (await statuses()).some(({ status }) => status === 'FAILED'))
    const { rows } = await app.db.query('SELECT error_code FROM recordings WHERE id = $1', [id])
    expect(rows).to.deep.equal([{ error_code: 'AUDIO_MISSING' }])
  })

  it('the service does not use the storage of another database before accept-storage', async () => {
    await waitForStorage('up')
    const own = await readFile(markPath(), 'utf8')
    await writeFile(markPath(), '00000000-0000-4000-8000-000000000000\n')
    await app.restart()
    await insertQueuedRecordings(app, 2)
    await waitForStorage('down')
    await severalLooks()
    expect(await statuses()).to.deep.equal([{ status: 'QUEUED', attempts: 0, n: 2 }])
    expect((await fetchWarnings())[0]).to.match(/has the mark of another database.*accept-storage/)
    const command = new ServiceProcess('accept-storage', app.config)
    expect(await command.waitForExit(), command.text).to.deep.equal({ code: 0, signal: null })
    expect(await readFile(markPath(), 'utf8')).to.equal(own)
    await waitUntilDone(2)
  })

  it('the API warns of a full and of an almost full disk', async () => {
    await waitForStorage('up')
    await app.restart({ MAX_UPLOAD_MB: 1e9 })
    expect(await fetchReadiness()).to.include({ status: 'degraded', storage: 'down' })
    expect((await fetchWarnings())[0]).to.match(/^The disk of the audio storage is full: \d+ MB free/)
    const { freeBytes } = (await app.olga.get('/v1/system')).json.storage
    await app.restart({ MAX_UPLOAD_MB: Math.floor(freeBytes / 1024 / 1024 / 3) })
    await waitForStorage('up')
    expect((await fetchWarnings())[0]).to.match(/^The disk of the audio storage is almost full: \d+ MB free/)
  })
})

describe('storage mark in S3', () => {
  const recognizer = new ScriptedRecognizer()
  const s3 = new TestS3Server()
  let app: TestApp
  before(async () => {
    await Promise.all([recognizer.start(), s3.start()])
    recognizer.answer = (recognition) => recognition.finish('x')
    app = await startTestApp({ asrUrl: recognizer.url, ...s3.config, STORAGE_KIND: 's3' })
  })
  after(async () => {
    await app.stop()
    await Promise.all([recognizer.stop(), s3.stop()])
  })

  it('calls stay queued while the configured bucket belongs to no known calls', async () => {
    const waitForStorage = (state: string) =>
      waitUntil(`storage ${state}`, async () => (await app.nobody.get('/readyz')).json.storage === state)
    await waitForStorage('up')
    await app.db.query(`INSERT INTO paused_queues (name) VALUES ('transcription')`)
    for (let n = 0; n < 3; n++) expect((await app.ida.upload(`x${n}`)).status).to.equal(201)
    const bucket = app.config.S3_BUCKET
    await app.restart({ S3_BUCKET: `${bucket}-other` })
    await app.db.query('DELETE FROM paused_queues')
    await waitForStorage('down')
    const previousRequests = recognizer.stateRequests
    await waitUntil('workers have looked for work', () => recognizer.stateRequests > previousRequests + 2)
    const { rows } = await app.db.query('SELECT status, attempts FROM recordings')
    expect(rows).to.deep.equal(Array.from({ length: 3 }, () => ({ status: 'QUEUED', attempts: 0 })))
    await app.restart({ S3_BUCKET: bucket })
    await waitUntil('all are done', async () => {
      const { rows: done } = await app.db.query(`SELECT FROM recordings WHERE status = 'DONE'`)
      return done.length === 3
    })
  })

  it('the API warns while the S3 service is not responding', async () => {
    const system = async () => (await app.olga.get('/v1/system')).json
    const isTold = async () =>
      (await system()).warnings.includes('The audio storage is not responding. Calls stay queued.')
    expect(await isTold()).to.equal(false)
    s3.fault = () => 503
    try {
      await waitUntil('it is told', isTold)
      expect((await system()).warningIds[0]).to.equal('storage.away')
      expect((await app.nobody.get('/readyz')).json).to.include({ status: 'degraded', storage: 'down' })
    } finally {
      s3.fault = () => undefined
    }
    await waitUntil('it is told no longer', async () => !(await isTold()))
  })
})
