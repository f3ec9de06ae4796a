import { expect } from 'chai'
import { defineMessages } from '../lib/messages.ts'
import { BACKGROUND_QUEUES } from '../../app/queues.ts'
import {
  createTestDatabase,
  insertQueuedRecordings,
  startTestApp,
  type TestApp,
  type TestDatabase,
} from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { endJob } from './claims.ts'
import { listQueuesWithDueJobs, listQueuesWithExpiredJobs } from './due-queues.ts'
import type { Queue } from './queue.ts'

describe('due queues', () => {
  let test: TestDatabase
  before(async () => {
    test = await createTestDatabase()
  })
  after(() => test.remove())
  afterEach(() => test.db.query('DELETE FROM recordings'))

  const listDueQueues = async () => (await listQueuesWithDueJobs(test.db, BACKGROUND_QUEUES)).map(({ name }) => name)
  const listExpiredQueues = async () =>
    (await listQueuesWithExpiredJobs(test.db, BACKGROUND_QUEUES)).map(({ name }) => name)

  it('only queues with a due job are listed as due', async () => {
    expect(await listDueQueues()).to.deep.equal([])
    await insertQueuedRecordings(test, 2)
    expect(await listDueQueues()).to.deep.equal(['transcription'])
    await test.db.query(`UPDATE recordings SET next_attempt_at = now() + interval '1 min'`)
    expect(await listDueQueues()).to.deep.equal([])
  })

  it('only queues with an expired lease are listed as expired', async () => {
    await insertQueuedRecordings(test, 1)
    const claim = (seconds: number) =>
      test.db.query(
        `UPDATE recordings SET status = 'PROCESSING', attempt_token = gen_random_uuid(), started_at = now(),
                lease_until = now() + make_interval(secs => $1)`,
        [seconds],
      )
    await claim(60)
    expect([await listDueQueues(), await listExpiredQueues()]).to.deep.equal([[], []])
    await claim(-1)
    expect([await listDueQueues(), await listExpiredQueues()]).to.deep.equal([[], ['transcription']])
  })

  for (const [what, ask, index] of [
    ['due', listQueuesWithDueJobs, /_waiting/],
    ['expired', listQueuesWithExpiredJobs, /_running|_active/],
  ] as const) {
    it(`Postgres finds the first ${what} job of each queue with an index`, async () => {
      let text = ''
      await ask({ query: async (statement) => ((text = statement.text), { rows: [], rowCount: 0 }) }, BACKGROUND_QUEUES)
      const client = await test.db.connect()
      await client.query('SET enable_seqscan = off; SET enable_bitmapscan = off')
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (COSTS off) ${text}`)
      client.release(true)
      const steps = rows.map((row) => row['QUERY PLAN'])
      for (const { table } of BACKGROUND_QUEUES) {
        const step = steps.find((one) => new RegExp(`Scan.* on ${table}\\b`).test(one))
        expect(step, table).to.match(index)
      }
      expect(steps.filter((step) => step.includes('Sort'))).to.deep.equal([])
    })
  }
})

const JOBS = `
  CREATE TABLE parcels (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(), status text NOT NULL DEFAULT 'QUEUED',
    attempts integer NOT NULL DEFAULT 0, next_attempt_at timestamptz NOT NULL DEFAULT now(), attempt_token uuid,
    lease_until timestamptz, last_error text, message_json jsonb, started_at timestamptz, finished_at timestamptz)`

const testMessages = defineMessages('parcels', {
  workerDied: { en: 'The courier died', ru: 'Курьер умер' },
  broken: { en: 'The parcel was lost', ru: 'Посылка потеряна' },
})

describe('queue with a missing table', () => {
  const parcels: Queue<string> = {
    name: 'parcels',
    table: 'parcels',
    order: 'next_attempt_at, id',
    concurrency: () => 1,
    attempts: () => 2,
    firstPauseSeconds: () => 1800,
    leaseSeconds: 6,
    messages: { workerDied: testMessages.workerDied(), broken: testMessages.broken() },
    run: async () => 'SENT',
    store: async (core, claim, status) => ((await endJob(core.pool, claim, status)) ? 'done' : 'lost'),
  }
  let app: TestApp
  before(async () => {
    const queues = [{ ...parcels, name: 'nowhere', table: 'no_such_table' }, parcels]
    app = await startTestApp({ API_RUN_MODE: 'worker' }, { queues, prepare: JOBS })
  })
  after(() => app.stop())

  const ends = (status: string, columns = '') =>
    waitUntil(status, async () => {
      const { rows } = await app.db.query(`SELECT status, attempts${columns} FROM parcels`)
      return rows[0]?.status === status && rows[0]
    })

  it('a queue whose table is missing does not stop the jobs of other queues', async () => {
    await app.db.query('INSERT INTO parcels DEFAULT VALUES')
    expect(await ends('SENT')).to.include({ attempts: 1 })
  })

  it('a queue whose table is missing does not stop the rescue of other queues', async () => {
    await app.db.query(
      `UPDATE parcels SET status = 'PROCESSING', attempt_token = gen_random_uuid(), started_at = now(), lease_until = now()`,
    )
    expect(await ends('QUEUED', ', last_error')).to.include({ last_error: 'The courier died' })
  })
})
