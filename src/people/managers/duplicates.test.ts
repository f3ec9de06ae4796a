import { expect } from 'chai'
import pg from 'pg'
import { migrations } from '../../../migrations/index.ts'
import { CallsOfOneManager1795792199564 } from '../../../migrations/1795792199564-calls-of-one-manager.ts'
import { OneManagerEach1795792198701 } from '../../../migrations/1795792198701-one-manager-each.ts'
import { createDataSource } from '../../platform/db/db.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { createDatabaseFromTemplate } from '../../test/server.ts'

describe('merge of managers whose names differ by ё and е', () => {
  let drop: () => Promise<void>
  let sql: pg.Pool
  const [sales, support] = [generateId(), generateId()]
  const read = async (text: string, values: unknown[] = []) => (await sql.query(text, values)).rows

  /** Inserts managers in two spellings with calls of each. One call of CRM user 7 has no name, another has a corrected name. */
  async function insertDuplicates() {
    await sql.query(`INSERT INTO departments (id, name) VALUES ('${sales}', 'Sales'), ('${support}', 'Support')`)
    const names = ['Пётр Ковалёв', 'Петр Ковалев', 'Алёна', 'Алена', 'Фёдор', 'Федор', 'Семён', 'Семен', 'Артём', 'Артем']
    for (const name of names) await sql.query('SELECT manager_named($1)', [name])
    await sql.query(`UPDATE managers SET crm_user_id = '7' WHERE name = 'Петр Ковалев'`)
    await sql.query(`UPDATE managers SET crm_user_id = length(name)::text WHERE name IN ('Фёдор')`)
    await sql.query(`UPDATE managers SET crm_user_id = '66' WHERE name IN ('Федор')`)
    await sql.query(`INSERT INTO department_managers (name, department_id) VALUES ('Пётр Ковалёв', '${sales}'),
      ('Алёна', '${sales}'), ('Алена', '${support}')`)
    await sql.query(`INSERT INTO people (id, email, name, role, password_hash)
      SELECT gen_random_uuid(), n || '@example.com', n, 'manager', 'x' FROM unnest('{Семён,Семен}'::text[]) n`)
    await sql.query(
      `INSERT INTO recordings (id, source, storage_key, size_bytes, manager_name, external_call_id)
       SELECT gen_random_uuid(), 'upload', id, 1, name, id FROM unnest($1::text[], $2::text[]) AS c (name, id)`,
      [[...names, 'пётр ковалёв', null, 'Артем'], [...names, 'small', 'nameless', 'corrected']],
    )
    await sql.query(`INSERT INTO crm_calls (id, call_id, user_id, type, duration_seconds, started_at, load_state, recording_id)
      SELECT row_number() OVER (), external_call_id, '7', 2, 60, now(), 'received', id FROM recordings
       WHERE external_call_id IN ('nameless', 'corrected')`)
    await sql.query(`INSERT INTO audit (id, action, object_type, object_id, details)
      SELECT gen_random_uuid(), 'recording.correct', 'recording', id, '{"after": {"managerName": "Артем"}}' FROM recordings
       WHERE external_call_id = 'corrected'`)
    await sql.query('SELECT add_up_recording_counts()')
  } // prettier-ignore

  before(async () => {
    const database = await createDatabaseFromTemplate('template0')
    drop = () => database.drop()
    sql = new pg.Pool({ connectionString: database.url, max: 2 })
    sql.on('error', () => undefined)
    const db = await createDataSource(database.url, { poolSize: 1 }).initialize()
    const runner = db.createQueryRunner()
    const first = migrations.indexOf(OneManagerEach1795792198701)
    for (const Migration of migrations.slice(0, first)) await new Migration().up(runner)
    await insertDuplicates()
    await runner.startTransaction()
    await new OneManagerEach1795792198701().up(runner)
    await runner.commitTransaction()
    for (let n = 0; n < 2; n++) await new CallsOfOneManager1795792199564().up(runner)
    await runner.release()
    await db.destroy()
  })
  after(async () => {
    await sql.end()
    await drop()
  })

  const managersOf = (...ids: string[]) =>
    read(
      `SELECT r.external_call_id AS id, r.manager_name AS shown, m.name AS manager FROM recordings r JOIN managers m ON m.id = r.manager_id
        WHERE r.external_call_id = ANY($1) ORDER BY 1`,
      [ids],
    )

  it('the migration merges two spellings into the manager with a CRM user', async () => {
    expect(await managersOf('Пётр Ковалёв', 'small')).to.deep.equal([
      { id: 'small', shown: 'пётр ковалёв', manager: 'Петр Ковалев' },
      { id: 'Пётр Ковалёв', shown: 'Пётр Ковалёв', manager: 'Петр Ковалев' },
    ])
    expect(await read(`SELECT count(*)::int AS n FROM managers`)).to.deep.equal([{ n: 10 }])
    const roster = `SELECT d.name, m.name AS manager FROM department_managers d JOIN managers m ON m.id = d.manager_id
                     WHERE d.department_id = $1 ORDER BY 1`
    expect(await read(roster, [sales])).to.deep.equal([
      { name: 'Алёна', manager: 'Алёна' },
      { name: 'Пётр Ковалёв', manager: 'Петр Ковалев' },
    ])
  })

  it('the migration keeps two managers if CRM users, rosters or accounts differ', async () => {
    const names = ['Алёна', 'Алена', 'Фёдор', 'Федор', 'Семён', 'Семен']
    const found = await managersOf(...names)
    expect(found.map(({ manager }) => manager)).to.have.members(names)
    expect(found.every(({ shown, manager }) => shown === manager)).to.equal(true)
  })

  it('a CRM call belongs to its CRM user unless a person chose another manager', async () => {
    expect(await managersOf('nameless', 'corrected')).to.deep.equal([
      { id: 'corrected', shown: 'Артем', manager: 'Артём' },
      { id: 'nameless', shown: 'Петр Ковалев', manager: 'Петр Ковалев' },
    ])
  })

  it('the counters by manager stay exact for the previous release', async () => {
    await sql.query('SELECT add_up_recording_counts()')
    const counted = await read(
      `SELECT m.id, sum(c.n)::int AS n FROM recording_counts c JOIN managers m ON m.name_key = lower(btrim(c.name))
        WHERE c.kind = 'manager' GROUP BY 1 ORDER BY 1`,
    )
    const rows = await read('SELECT manager_id AS id, count(*)::int AS n FROM recordings GROUP BY 1 ORDER BY 1')
    expect(counted).to.deep.equal(rows)
  })

  it('the previous release can add another spelling to a roster without a second entry', async () => {
    await sql.query(`INSERT INTO department_managers (name, department_id) VALUES ('ПЕТР КОВАЛЕВ', $1) ON CONFLICT (name_key) DO NOTHING`, [support]) // prettier-ignore
    expect(await read('SELECT name FROM department_managers WHERE department_id = $1', [support])).to.deep.equal([
      { name: 'Алена' },
    ])
  })
})
