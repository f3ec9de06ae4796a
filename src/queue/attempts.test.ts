import { expect } from 'chai'
import { openCore, type OpenedCore } from '../core.ts'
import { createLog } from '../lib/log.ts'
import { defineMessages } from '../lib/messages.ts'
import { insertRecordings, startTestApp, type TestApp } from '../test/server.ts'
import { until } from '../test/wait.ts'
import { transcriptionQueue } from '../transcription/queue.ts'
import { workOf } from './attempts.ts'
import { NotReady, type Queue } from './queue.ts'

const said = defineMessages('attempts', { away: 'Away' })

describe('attempts at a job', () => {
  let app: TestApp
  let opened: OpenedCore
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    opened = await openCore(app.config, createLog('silent', 'test'))
  })
  after(async () => {
    await opened.close()
    await app.stop()
  })

  it('while what they need is away none begins, though its claim was already under way', async () => {
    await insertRecordings(app, 1)
    const queue: Queue<never> = {
      ...transcriptionQueue,
      isReady: async () => true,
      run: async () => {
        throw new NotReady(said.away(), 60)
      },
      store: async () => 'done',
    }
    const work = workOf(opened.core, queue)
    const first = (await work.claim())!
    const lock = await app.db.connect()
    try {
      await lock.query('BEGIN; LOCK TABLE recordings IN SHARE ROW EXCLUSIVE MODE')
      const second = work.claim()
      await until('the second claim is under way', async () => {
        const { rowCount } = await app.db.query(
          `SELECT FROM pg_locks WHERE NOT granted AND relation = 'recordings'::regclass
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        )
        return rowCount
      })
      await work.run(first, new AbortController().signal)
      // What the first does next, before the second gets through.
      await lock.query(`
        UPDATE recordings SET status = 'QUEUED', attempts = 0, attempt_token = NULL, lease_until = NULL;
        COMMIT`)
      expect(await second).to.equal(undefined)
    } finally {
      lock.release()
      first.heartbeat.stop()
    }
    const { rows } = await app.db.query('SELECT status, attempts FROM recordings')
    expect(rows).to.deep.equal([{ status: 'QUEUED', attempts: 0 }])
  })
})
