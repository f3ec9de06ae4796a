import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import pg from 'pg'
import type { QueryRunner } from 'typeorm'
import { migrations } from '../../../migrations/index.ts'
import { createDatabaseFromTemplate } from '../../test/server.ts'

const MIGRATION_NAME = 'CheckAndPauses'

describe('migrations of pauses, automatic checks and recalculations', () => {
  let database: { url: string; drop(): Promise<void> }
  let db: pg.Client
  const query = async (text: string, values?: unknown[]) => (await db.query(text, values)).rows as object[]
  const runner = {
    query,
    startTransaction: () => query('BEGIN'),
    commitTransaction: () => query('COMMIT'),
    rollbackTransaction: () => query('ROLLBACK'),
  } as unknown as QueryRunner
  const all = migrations.map((Migration) => new Migration())
  const at = all.findIndex(({ constructor }) => constructor.name.startsWith(MIGRATION_NAME))
  beforeEach(async () => {
    database = await createDatabaseFromTemplate('template0')
    db = new pg.Client({ connectionString: database.url })
    await db.connect()
    for (const migration of all.slice(0, at)) await migration.up(runner)
  })
  afterEach(async () => {
    await db.end()
    await database.drop()
  })

  const migrate = async () => {
    for (const migration of all.slice(at, at + 2)) await migration.up(runner)
  }
  const automatic = async () =>
    (await db.query(`SELECT value -> 'automatic' AS on FROM settings WHERE name = 'analysis'`)).rows[0]?.on
  const insertCall = async (id = randomUUID()) => {
    await db.query(
      `INSERT INTO recordings (id, source, storage_key, size_bytes, status) VALUES ($1, 'upload', $2, 1, 'DONE')`,
      [id, id],
    )
    return id
  }
  const insertCheck = (recordingId: string, columns: Record<string, unknown> = {}) => {
    const given = { id: randomUUID(), recording_id: recordingId, ...columns }
    const names = Object.keys(given)
    return db.query(
      `INSERT INTO analyses (${names.join(', ')}) VALUES (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
      Object.values(given),
    )
  }

  it('the migration leaves automatic checks off if nothing was checked and the CRM is off', async () => {
    await migrate()
    expect(await automatic()).to.equal(undefined)
  })

  it('the migration turns automatic checks on if checks exist, and keeps other settings', async () => {
    await db.query(`INSERT INTO settings (name, value) VALUES ('analysis', '{"agentChannel": {"default": 1}}')`)
    await insertCheck(await insertCall())
    await migrate()
    const { rows } = await db.query(`SELECT value FROM settings WHERE name = 'analysis'`)
    expect(rows).to.deep.equal([{ value: { agentChannel: { default: 1 }, automatic: true } }])
  })

  it('the migration turns automatic checks on if the automation is on', async () => {
    await db.query(`INSERT INTO crm_automation (state, host) VALUES ('on', 'company.example')`)
    await migrate()
    expect(await automatic()).to.equal(true)
  })

  it('the migration alters recordings without waiting for transactions that write checks', async () => {
    const writer = new pg.Client({ connectionString: database.url })
    await writer.connect()
    try {
      await writer.query('BEGIN; LOCK TABLE analyses IN ROW EXCLUSIVE MODE')
      await db.query(`SET lock_timeout = '5s'`)
      await all[at]!.up(runner)
    } finally {
      await writer.end()
    }
  })

  it('the migration distinguishes pauses by the service from pauses by people', async () => {
    await db.query(`INSERT INTO paused_queues (name) VALUES ('analysis'), ('callbacks')`)
    await db.query(`INSERT INTO settings (name, value) VALUES ('model-state', '{"reason": "refused"}')`)
    await db.query(
      `INSERT INTO crm_automation (state, writing_reason, writing_reason_code) VALUES ('on', 'denied', 'ACCESS_DENIED')`,
    )
    await migrate()
    const { rows } = await db.query('SELECT name, cause, reason, reason_code AS code FROM paused_queues ORDER BY name')
    expect(rows).to.deep.equal([
      { name: 'analysis', cause: '', reason: 'refused', code: null },
      { name: 'callbacks', cause: null, reason: null, code: null },
      { name: 'crm-write', cause: '', reason: 'denied', code: 'ACCESS_DENIED' },
    ])
  })

  it('the migration separates mock scores from real ones and keeps checks of recalculations', async () => {
    const [call, run] = [await insertCall(), randomUUID()]
    await db.query(
      `INSERT INTO analysis_runs (id, state, from_at, to_at, estimate, person_id, person_name, scope)
       VALUES ($1, 'running', now(), now(), '{}', gen_random_uuid(), 'olga', '{}')`,
      [run],
    )
    await insertCheck(call, { status: 'DONE', provider: 'mock', is_current: true, score: 92, run_id: run })
    await migrate()
    const { rows } = await db.query('SELECT score, mock_score AS mock FROM recordings')
    expect(rows).to.deep.equal([{ score: null, mock: 92 }])
    const checksOfRuns = () => query('SELECT run_id, count(*)::int AS checks FROM analysis_run_checks GROUP BY 1')
    expect(await checksOfRuns()).to.deep.equal([{ run_id: run, checks: 1 }])
    await insertCheck(call, { run_id: run })
    expect(await checksOfRuns(), 'with one that the previous release asks for').to.deep.equal([
      { run_id: run, checks: 2 },
    ])
  })
})
