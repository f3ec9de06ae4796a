import http from 'node:http'
import { expect } from 'chai'
import type { Config } from '../platform/config/config.ts'
import { findFreePort } from '../app/embedded/index.ts'
import { TestClient } from './client.ts'
import { ServiceProcess } from './service-process.ts'
import { CallbackReceiver } from './callback-receiver.ts'
import { ScriptedRecognizer } from './scripted-recognizer.ts'
import { insertQueuedRecordings, createTestDatabase, type TestDatabase } from './server.ts'
import { chooseRepeatCount } from './repeat-count.ts'
import { waitUntil } from './wait.ts'

const KILL_COUNT = chooseRepeatCount(3, 50)
const JOB_COUNT = chooseRepeatCount(32, 200)
const STOP_COUNT = chooseRepeatCount(2, 50)

describe('API and worker processes', () => {
  let database: TestDatabase
  let recognizer: ScriptedRecognizer
  let receiver: CallbackReceiver
  let started: ServiceProcess[]

  beforeEach(async () => {
    started = []
    recognizer = await new ScriptedRecognizer().start()
    receiver = await new CallbackReceiver().start()
    database = await createTestDatabase({ asrUrl: recognizer.url, ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
  })
  afterEach(async () => {
    await Promise.all(started.map((process) => process.stop('SIGKILL')))
    await Promise.all([recognizer.stop(), receiver.stop()])
    await database.remove()
  })

  function startApi(overrides: Partial<Config> = {}, execArgv: string[] = []): ServiceProcess {
    const process = new ServiceProcess('api', { ...database.config, LOG_LEVEL: 'info', ...overrides }, {}, execArgv)
    started.push(process)
    return process
  }
  const client = (port: number) => new TestClient(() => `http://127.0.0.1:${port}`, { 'X-API-Key': database.key })
  const queryRows = async (sql: string, ...values: unknown[]) => (await database.db.query(sql, values)).rows
  const loadStatuses = async () =>
    Object.fromEntries(
      (await queryRows('SELECT status, count(*)::int AS n FROM recordings GROUP BY 1')).map(({ status, n }) => [
        status,
        n,
      ]),
    )
  /** Responds after a random delay around `ms`, because real recognition takes time. */
  const answerSoon = (ms: number) => {
    recognizer.answer = (recognition) => setTimeout(() => recognition.finish(), ms * (0.5 + Math.random()))
  }
  const expectEachCallbackOnce = async (ids: string[]) => {
    await waitUntil('every callback has arrived', () => ids.every((id) => receiver.callbacksTo(`/${id}`).length > 0))
    for (const id of ids) {
      const names = new Set(receiver.callbacksTo(`/${id}`).map(({ headers }) => headers['x-svc-delivery']))
      expect(names.size, 'delivery ids of one recording and event').to.equal(1)
    }
    expect(await queryRows('SELECT recording_id FROM deliveries GROUP BY 1 HAVING count(*) > 1')).to.deep.equal([])
  }

  it('two APIs and two workers on shared data complete each of 40 calls once', async () => {
    const serving = [startApi({ API_RUN_MODE: 'api' }), startApi({ API_RUN_MODE: 'api' })]
    const clients = (await Promise.all(serving.map((process) => process.waitUntilReady()))).map(client)
    const callbackUrl = `${receiver.url}/shared`
    const ids = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => (await clients[n % 2]!.upload(`call ${n}`, { callbackUrl })).json.id),
    )
    expect(await loadStatuses(), 'API_RUN_MODE=api takes no work').to.deep.equal({ QUEUED: 40 })
    const apiPort = await findFreePort()
    const working = [startApi({ API_RUN_MODE: 'worker', apiPort }), startApi({ API_RUN_MODE: 'worker' })]
    await Promise.all(working.map((process) => process.waitUntilReady()))
    const slots = 2 * database.config.TRANSCRIPTION_CONCURRENCY
    await waitUntil('each has taken as many as it may', () => recognizer.pending.length === slots)
    answerSoon(60)
    for (const recognition of recognizer.pending) recognition.finish()
    await waitUntil('all are done', async () => (await loadStatuses()).DONE === 40)
    await waitUntil('all are told', () => receiver.callbacksTo('/shared').length >= 40)
    expect(recognizer.pending).to.have.length(40)
    expect(new Set(recognizer.pending.map(({ audio }) => audio.toString())).size).to.equal(40)
    expect(await queryRows('SELECT FROM transcripts')).to.have.length(40)
    const told = receiver.callbacksTo('/shared').map(({ body }) => JSON.parse(body.toString()).recording.id as string)
    expect(told).to.have.members(ids)
    const shares = () => working.map(({ lines }) => lines.filter(({ msg }) => msg === 'transcribed').length)
    await waitUntil('both have told what they did', () => shares().reduce((sum, n) => sum + n) === 40)
    expect(Math.min(...shares()), 'the share of the lesser').to.be.at.least(database.config.TRANSCRIPTION_CONCURRENCY)
    const nobody = await fetch(`http://127.0.0.1:${apiPort}/healthz`).catch(() => 'nobody')
    expect(nobody, 'API_RUN_MODE=worker serves no HTTP').to.equal('nobody')
    for (const process of started) expect((await process.stop()).code).to.equal(0)
  })

  it(`${KILL_COUNT} kills of a worker under ${JOB_COUNT} jobs lose no job and duplicate no delivery`, async () => {
    const lasting = { API_RUN_MODE: 'worker', TRANSCRIPTION_ATTEMPTS: 20 } as const
    answerSoon(120)
    const ids = await insertQueuedRecordings(database, JOB_COUNT, receiver.url)
    const workers = [startApi(lasting), startApi(lasting)]
    const passTime = setInterval(() => {
      // Instead of waiting 30 s for leases and pauses, expire each lease without a heartbeat for 3 s.
      for (const table of ['recordings', 'deliveries']) {
        for (const change of [
          `UPDATE ${table} SET lease_until = now() - interval '1 s'
            WHERE status = 'PROCESSING' AND lease_until BETWEEN now() AND now() + interval '27 s'`,
          `UPDATE ${table} SET next_attempt_at = now() WHERE status = 'QUEUED' AND next_attempt_at > now()`,
        ]) {
          queryRows(change).catch(() => undefined) // Two statements can lock the same rows in different order, so a deadlock is ignored.
        }
      }
    }, 200)
    try {
      for (let kill = 0; kill < KILL_COUNT; kill++) {
        const worker = workers[kill % 2]!
        await worker.waitUntilReady()
        await waitUntil('it works', () => worker.lines.some(({ msg }) => msg === 'transcribed'), 2000).catch(
          () => undefined,
        )
        worker.kill('SIGKILL')
        workers[kill % 2] = startApi(lasting)
      }
      await waitUntil('all are done', async () => (await loadStatuses()).DONE === JOB_COUNT)
      await expectEachCallbackOnce(ids)
      const open = `SELECT FROM deliveries WHERE status <> 'DELIVERED'`
      await waitUntil('all deliveries are recorded', async () => (await queryRows(open)).length === 0)
    } finally {
      clearInterval(passTime)
    }
    expect(await queryRows('SELECT FROM transcripts')).to.have.length(JOB_COUNT)
  }).timeout(chooseRepeatCount(300_000, 600_000))

  it('SIGTERM releases running jobs uncounted and completes open requests and deliveries', async () => {
    let release: (() => void) | undefined
    receiver.answer = (_, response) => (release = () => response.writeHead(204).end())
    const process = startApi()
    const port = await process.waitUntilReady()
    const [told] = await insertQueuedRecordings(database, 1, receiver.url)
    await waitUntil('the first recognition runs', () => recognizer.pending.length === 1)
    await insertQueuedRecordings(database, 20)
    const upload = await beginUpload(port)
    recognizer.pending[0]!.finish()
    await waitUntil('a delivery and two recognitions run', () => release && recognizer.pending.length === 3)
    const ending = process.stop('SIGTERM')
    await waitUntil('it is stopping', () => process.lines.some(({ msg }) => msg === 'stopping'))
    await waitUntil('the recognitions are aborted', () => recognizer.pending.slice(1).every(({ aborted }) => aborted))
    const answer = await upload.finish()
    answer.resume()
    expect(answer.statusCode, 'the upload that was under way').to.equal(201)
    release!()
    const { code, seconds } = await ending
    expect(code).to.equal(0)
    expect(seconds).to.be.below(30)
    expect(process.text).to.equal('')
    expect(await loadStatuses()).to.deep.equal({ DONE: 1, QUEUED: 21 })
    expect(await queryRows('SELECT FROM recordings WHERE status = $1 AND attempts > 0', 'QUEUED')).to.deep.equal([])
    expect(await queryRows('SELECT status FROM deliveries')).to.deep.equal([{ status: 'DELIVERED' }])
    recognizer.answer = (recognition) => recognition.finish()
    await startApi().waitUntilReady()
    await waitUntil('all are done', async () => (await loadStatuses()).DONE === 22)
    expect(await queryRows('SELECT FROM recordings WHERE attempts <> 1')).to.deep.equal([])
    expect(receiver.callbacksTo(`/${told}`)).to.have.length(1)
  })

  it(`${STOP_COUNT} stops by SIGTERM under load exit with 0 and count no attempt`, async () => {
    answerSoon(100)
    const ids = await insertQueuedRecordings(database, STOP_COUNT * 20, receiver.url)
    for (let round = 0; round < STOP_COUNT; round++) {
      const process = startApi()
      await process.waitUntilReady()
      await waitUntil('it works', () => process.lines.some(({ msg }) => msg === 'transcribed'))
      const { code, seconds } = await process.stop('SIGTERM')
      expect(code, process.text).to.equal(0)
      expect(seconds).to.be.below(30)
      expect(await queryRows(`SELECT FROM recordings WHERE status = 'PROCESSING'`)).to.deep.equal([])
      expect(await queryRows(`SELECT FROM deliveries WHERE status = 'PROCESSING'`)).to.deep.equal([])
    }
    startApi()
    await waitUntil('all are done', async () => (await loadStatuses()).DONE === STOP_COUNT * 20)
    await expectEachCallbackOnce(ids)
    expect(await queryRows('SELECT FROM recordings WHERE attempts <> 1')).to.deep.equal([])
  }).timeout(chooseRepeatCount(300_000, 600_000))

  it('clocks that differ by 400 days change neither pauses nor leases', async () => {
    const skewed = (days: number) => [
      '--import',
      `data:text/javascript,${encodeURIComponent(`
        const Real = Date, shift = ${days} * 86400000
        globalThis.Date = class extends Real {
          constructor(...given) { given.length > 0 ? super(...given) : super(Real.now() + shift) }
          static now() { return Real.now() + shift }
        }`)}`,
    ]
    recognizer.answer = (recognition) => recognition.fail('INTERNAL', 'the first time')
    receiver.answer = (_, response) => response.writeHead(503).end()
    for (const days of [400, -400]) startApi({ API_RUN_MODE: 'worker' }, skewed(days))
    await Promise.all(started.map((process) => process.waitUntilReady()))
    const ids = await insertQueuedRecordings(database, 10, receiver.url)
    const pauses = (table: string) =>
      queryRows(`SELECT attempts, extract(epoch FROM next_attempt_at - now())::float AS pause FROM ${table}
              WHERE status = 'QUEUED' AND attempts > 0`)
    const all = await waitUntil('all have failed once', async () => {
      const rows = await pauses('recordings')
      return rows.length === 10 && rows
    })
    recognizer.answer = (recognition) => recognition.finish()
    await queryRows('UPDATE recordings SET next_attempt_at = now()')
    const told = await waitUntil('all were refused once', async () => {
      const rows = await pauses('deliveries')
      return rows.length === 10 && rows
    })
    for (const { attempts, pause } of [...all, ...told]) {
      expect(attempts).to.equal(1)
      // The pause comes from the database's clock. The worker's clock differs by 400 days and would give a pause of zero or of
      // years.
      expect(pause).to.be.within(0, 30)
    }
    expect(receiver.received).to.have.length(10)
    receiver.answer = (_, response) => response.writeHead(204).end()
    await queryRows('UPDATE deliveries SET next_attempt_at = now()')
    await waitUntil('all are told', () => receiver.received.length === 20)
    await expectEachCallbackOnce(ids)
    expect(await queryRows('SELECT FROM recordings WHERE attempts <> 2')).to.deep.equal([])
  })

  it('a taken port ends the process with code 1 and leaves no job claimed', async () => {
    const other = http.createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    await insertQueuedRecordings(database, 3)
    const process = startApi({ apiPort: (other.address() as { port: number }).port })
    expect(await process.waitForExit()).to.deep.equal({ code: 1, signal: null })
    other.close()
    expect(process.text).to.match(/^svc: port \d+ of 127\.0\.0\.1 is taken by another process\n$/)
    await waitUntil('nothing is claimed', async () => (await loadStatuses()).QUEUED === 3, 1000)
  })

  /** Begins an upload, which the test continues and ends. */
  async function beginUpload(port: number) {
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nsome sound'
    const tail = ' and the rest\r\n--b--\r\n'
    const request = http.request({
      port,
      method: 'POST',
      path: '/v1/recordings',
      headers: {
        'X-API-Key': database.key,
        'Content-Type': 'multipart/form-data; boundary=b',
        'Content-Length': head.length + tail.length,
      },
    })
    const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
      request.on('response', resolve).on('error', reject)
    })
    request.write(head)
    await waitUntil('the upload has begun', async () => (await queryRows('SELECT FROM file_removals')).length > 0)
    return {
      finish() {
        request.end(tail)
        return answered
      },
    }
  }
})
