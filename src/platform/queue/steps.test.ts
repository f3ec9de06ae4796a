import { expect } from 'chai'
import { openAppCore, type CoreHandle } from '../../app/core.ts'
import { createLogger } from '../lib/log.ts'
import { defineMessages } from '../lib/messages.ts'
import { createTestDatabase, type TestDatabase } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { StepRunLostError, runStep, type StepPage, type Step, type StepRun } from './steps.ts'

const TABLES = `
  CREATE TABLE walks (
    place text PRIMARY KEY,
    due_at timestamptz NOT NULL DEFAULT now(),
    run_token uuid,
    lease_until timestamptz,
    last_run_at timestamptz,
    last_error text,
    message_json jsonb,
    cursor jsonb
  );
  CREATE TABLE visited (house integer NOT NULL)`

const testMessages = defineMessages('walk', { broke: { en: '{fault}: the way is blocked', ru: '{fault}: пути нет' } })

describe('background steps', () => {
  const HOUSES = [1, 2, 3]
  /** Runs before each visit of a house. */
  let onTheWay: (house: number, run: StepRun<number>) => Promise<void> = async () => undefined
  const walk: Step<number> = {
    name: 'walk',
    table: 'walks',
    keyOf: () => ({ place: 'Main Street' }),
    intervalSeconds: 0,
    leaseSeconds: 3,
    keepsCursor: true,
    async *pages(_, run): AsyncGenerator<StepPage<number>> {
      for (const house of HOUSES.filter((house) => house > (run.cursor ?? 0))) {
        await onTheWay(house, run)
        yield {
          cursor: house,
          commit: async (sql) => void (await sql.query({ text: 'INSERT INTO visited VALUES ($1)', values: [house] })),
        }
      }
    },
    reasonOf: (error) => testMessages.broke({ fault: (error as Error).message }),
  }

  let database: TestDatabase
  let opened: CoreHandle
  before(async () => {
    database = await createTestDatabase()
    await database.db.query(TABLES)
    opened = await openAppCore(database.config, createLogger('silent', 'test'))
  })
  after(async () => {
    await opened.close()
    await database.remove()
  })
  afterEach(async () => {
    onTheWay = async () => undefined
    await database.db.query('DELETE FROM walks; DELETE FROM visited')
  })

  const run = () => runStep(opened.core, walk)
  const loadVisited = async (): Promise<number[]> =>
    (await database.db.query('SELECT house FROM visited ORDER BY house')).rows.map(({ house }) => house)
  const loadRow = async () => (await database.db.query('SELECT * FROM walks')).rows[0]
  const breakAt = (broken: number) => {
    onTheWay = async (house) => {
      if (house === broken) throw new Error('The bridge is up')
    }
  }

  it('a step commits each page and clears lease and cursor at its end', async () => {
    await run()
    expect(await loadVisited()).to.deep.equal([1, 2, 3])
    expect(await loadRow()).to.include({ lease_until: null, cursor: null, last_error: null })
    await run()
    expect(await loadVisited(), 'the next run begins anew').to.have.length(6)
  })

  it('a failed step stores the reason, and the next run continues after the last page', async () => {
    breakAt(3)
    const message = await run().catch((error: Error) => error.message)
    expect(message).to.equal('The bridge is up')
    expect(await loadVisited()).to.deep.equal([1, 2])
    expect(await loadRow()).to.include({
      lease_until: null,
      cursor: 2,
      last_error: 'The bridge is up: the way is blocked',
    })
    expect((await loadRow()).message_json).to.deep.include({ id: 'walk.broke', values: { fault: 'The bridge is up' } })
    onTheWay = async () => undefined
    await run()
    expect(await loadVisited()).to.deep.equal([1, 2, 3])
  })

  it('one process runs a step; another continues it after the lease expires', async () => {
    await database.db.query(`INSERT INTO walks (place, cursor, run_token, lease_until)
      VALUES ('Main Street', '1', gen_random_uuid(), now() + interval '1 hour')`)
    await run()
    expect(await loadVisited()).to.deep.equal([])
    await database.db.query(`UPDATE walks SET lease_until = now() - interval '1 s'`)
    await run()
    expect(await loadVisited()).to.deep.equal([2, 3])
  })

  it('a step renews its lease during a long page', async () => {
    onTheWay = async (house) => {
      if (house > 1) return
      await waitUntil('the lease was renewed', async () => {
        const { rows } = await database.db.query(`SELECT lease_until > due_at + interval '4 s' AS renewed FROM walks`)
        return rows[0].renewed
      })
    }
    await run()
    expect(await loadVisited()).to.deep.equal([1, 2, 3])
  })

  it('a step aborts and writes nothing after another process took it over', async () => {
    let reason: unknown
    onTheWay = async (house, { signal }) => {
      if (house < 2) return
      await database.db.query('UPDATE walks SET run_token = gen_random_uuid()')
      await waitUntil('it is told', () => signal.aborted)
      reason = signal.reason
    }
    await run()
    expect(reason).to.be.an.instanceof(StepRunLostError)
    expect(await loadVisited()).to.deep.equal([1])
  })

  it('a stop aborts a step, and the next run continues it at once', async () => {
    const stopping = new AbortController()
    onTheWay = async (house, { signal }) => {
      if (house < 2) return
      stopping.abort()
      signal.throwIfAborted()
    }
    await runStep(opened.core, walk, stopping.signal)
    expect(await loadVisited()).to.deep.equal([1])
    const { rows } = await database.db.query('SELECT last_error, run_token, lease_until < now() AS is_free FROM walks')
    expect(rows, 'no heartbeat may renew it').to.deep.equal([{ last_error: null, run_token: null, is_free: true }])
    onTheWay = async () => undefined
    await run()
    expect(await loadVisited()).to.deep.equal([1, 2, 3])
  })

  it('a stopped step still commits its current page', async () => {
    const stopping = new AbortController()
    onTheWay = (house) => Promise.resolve(void (house === 2 && stopping.abort()))
    await runStep(opened.core, walk, stopping.signal)
    expect(await loadVisited()).to.deep.equal([1, 2])
  })

  it('a late heartbeat does not revive an ended step', async () => {
    const end = async () => {
      await waitUntil('a heartbeat waits for the row', async () => {
        const { rows } = await database.db.query('SELECT FROM pg_locks WHERE NOT granted')
        return rows.length > 0
      })
    }
    await runStep(opened.core, { ...walk, leaseSeconds: 0.3, end })
    const { rows } = await database.db.query('SELECT FROM pg_locks WHERE NOT granted')
    expect([rows, (await loadRow()).lease_until]).to.deep.equal([[], null])
  })

  it('a step does not start before it is due', async () => {
    await database.db.query(`INSERT INTO walks (place, due_at) VALUES ('Main Street', now() + interval '1 hour')`)
    await run()
    expect(await loadVisited()).to.deep.equal([])
  })
})
