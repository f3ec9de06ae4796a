import { expect } from 'chai'
import { openAppCore, type CoreHandle } from '../../app/core.ts'
import { createLogger } from '../lib/log.ts'
import { defineMessages } from '../lib/messages.ts'
import { insertQueuedRecordings, startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { transcriptionQueue } from '../../calls/transcription/queue.ts'
import { rescueExpiredJobs, createQueueWork } from './attempts.ts'
import { JobNotReadyError, type Queue } from './queue.ts'

const testMessages = defineMessages('attempts', { away: { en: 'Away', ru: 'Нет' } })

describe('attempts of jobs', () => {
  let app: TestApp
  let opened: CoreHandle
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    opened = await openAppCore(app.config, createLogger('silent', 'test'))
  })
  after(async () => {
    await opened.close()
    await app.stop()
  })

  it('a process starts no job while a dependency is down, even after the claim began', async () => {
    await insertQueuedRecordings(app, 1)
    const queue: Queue<never> = {
      ...transcriptionQueue,
      isReady: async () => true,
      run: async () => {
        throw new JobNotReadyError(testMessages.away(), 60)
      },
      store: async () => 'done',
    }
    const work = createQueueWork(opened.core, queue)
    const first = (await work.claim())!
    const lock = await app.db.connect()
    try {
      await lock.query('BEGIN; LOCK TABLE recordings IN SHARE ROW EXCLUSIVE MODE')
      const second = work.claim()
      await waitUntil('the second claim is under way', async () => {
        const { rowCount } = await app.db.query(
          `SELECT FROM pg_locks WHERE NOT granted AND relation = 'recordings'::regclass
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        )
        return rowCount
      })
      await work.run(first, new AbortController().signal)
      // Release the first job before the second claim gets the lock.
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

  it('a probe of a paused queue becomes due again if a stop interrupts it', async () => {
    await app.db.query('DELETE FROM recordings')
    await insertQueuedRecordings(app, 1)
    await app.db.query(`INSERT INTO paused_queues (name, cause, probe_at) VALUES ('transcription', 'theirs', now())`)
    const run = async ({ signal }: { signal: AbortSignal }): Promise<never> => {
      signal.throwIfAborted()
      throw new JobNotReadyError(testMessages.away(), 0)
    }
    const queue: Queue<never> = {
      ...transcriptionQueue,
      pauseCause: () => 'theirs',
      isReady: async () => true,
      run: (_, job) => run(job),
    }
    const work = createQueueWork(opened.core, queue)
    for (const [signal, isDue] of [
      [AbortSignal.abort(), true],
      [new AbortController().signal, false],
    ] as const) {
      const attempt = (await work.claim())!
      await work.run(attempt, signal)
      await work.store(attempt)
      const { rows } = await app.db.query('SELECT probe_at <= now() AS "isDue" FROM paused_queues')
      expect(rows).to.deep.equal([{ isDue }])
    }
    await app.db.query('DELETE FROM paused_queues; DELETE FROM recordings')
  })

  it('the metrics count attempts of dead workers by their outcome and duration', async () => {
    const fetchMetric = async (what: 'count' | 'sum', outcome: string) => {
      const text = await (await fetch(app.metricsUrl)).text()
      const name = `svc_attempt_duration_seconds_${what}\\{queue="transcription",outcome="${outcome}"\\}`
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
    }
    await app.db.query('DELETE FROM recordings')
    await insertQueuedRecordings(app, 2)
    await app.db.query(`
      UPDATE recordings SET status = 'PROCESSING', attempt_token = gen_random_uuid(), lease_until = now() - interval '1 s',
             started_at = now() - interval '90 s', attempts = n
        FROM (SELECT id, CASE row_number() OVER () WHEN 1 THEN 1 ELSE 5 END AS n FROM recordings) numbered
       WHERE recordings.id = numbered.id`)
    const outcomes = ['retry', 'failed'] as const
    const before = await Promise.all(outcomes.map((outcome) => fetchMetric('count', outcome)))
    const spent = await fetchMetric('sum', 'failed')
    await rescueExpiredJobs(opened.core, transcriptionQueue)
    const after = await Promise.all(outcomes.map((outcome) => fetchMetric('count', outcome)))
    expect(after).to.deep.equal(before.map((count) => count + 1))
    expect((await fetchMetric('sum', 'failed')) - spent).to.be.within(90, 150)
  })
})
