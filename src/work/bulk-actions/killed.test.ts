import { expect } from 'chai'
import { holdCall } from '../../test/bulk-actions.ts'
import { insertCalls } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { ServiceProcess } from '../../test/service-process.ts'
import { waitUntil } from '../../test/wait.ts'

describe('actions on many calls in killed processes', function () {
  this.timeout(180_000) // starting a process takes long on a busy machine
  let app: TestApp
  let workers: ServiceProcess[] = []
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    await app.olga.post('/v1/queues/transcription/pause')
  })
  after(() => app.stop())
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.stop('SIGKILL')))
    workers = []
    await app.db.query('DELETE FROM recordings')
  })

  async function startWorker(): Promise<ServiceProcess> {
    const worker = new ServiceProcess('api', { ...app.config, LOG_LEVEL: 'info', API_RUN_MODE: 'worker' })
    workers.push(worker)
    await worker.waitUntilReady()
    return worker
  }
  const count = async (sql: string): Promise<number> => (await app.db.query(sql)).rowCount!

  for (const [action, changedSql, auditAction] of [
    ['retry', `SELECT FROM recordings WHERE status = 'QUEUED'`, 'recording.retry'],
    ['delete', `SELECT FROM generate_series(1, 100 - (SELECT count(*)::int FROM recordings))`, 'recording.delete'],
  ] as const)
    it(`after kill -9 in a batch, another process continues: ${action}`, async () => {
      const ids = await insertCalls(
        app,
        Array.from({ length: 100 }, () => ({ status: 'FAILED' })),
      )
      const { json } = await app.olga.post('/v1/bulk-actions', { action, ids })
      const call = await holdCall(app, ids[44]!)
      const first = await startWorker()
      // The batch of the held call is the sixth of 8 calls.
      await waitUntil('the other calls of the batch are changed', async () => (await count(changedSql)) === 47)
      await first.stop('SIGKILL')
      await call.release()
      await startWorker()
      const ended = await waitUntil('the action is done', async () => {
        const { json: now } = await app.olga.get(`/v1/bulk-actions/${json.id}`)
        return now.state === 'done' && now
      })
      expect(ended.counts).to.deep.equal({ done: 100, refused: 0, denied: 0, absent: 0, failed: 0 })
      expect(await count(`SELECT FROM audit WHERE action = '${auditAction}'`)).to.equal(100)
      expect(await count(changedSql)).to.equal(100)
    })
})
