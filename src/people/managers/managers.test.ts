import { expect } from 'chai'
import { ManagersOfCalls1795328929354 } from '../../../migrations/1795328929354-managers-of-calls.ts'
import { createDataSource } from '../../platform/db/db.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { insertCalls } from '../../test/calls.ts'
import type { RecordingFacetsJson } from '../../calls/list/overview-schema.ts'
import { createDepartment, logInAsPerson } from '../../test/people.ts'
import { OWNER_CREDENTIALS, startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { resolveCallManager } from './service.ts'

describe('manager names', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  /** Returns the manager's name of each call in the order of the ids; null without a manager. */
  const managersOf = async (ids: string[]): Promise<(string | null)[]> => {
    const { rows } = await app.db.query<{ name: string | null }>(
      `SELECT m.name FROM unnest($1::uuid[]) WITH ORDINALITY AS asked (id, n) JOIN recordings r ON r.id = asked.id
         LEFT JOIN managers m ON m.id = r.manager_id ORDER BY n`,
      [ids],
    )
    return rows.map(({ name }) => name)
  }

  it('names that differ only in case, spaces and ё belong to one manager', async () => {
    const names = ['Анна Ковалёва', ' анна ковалёва ', 'АННА КОВАЛЕВА', 'Анна Ковалева', null, '  ']
    const calls = await insertCalls(app, names.map((manager) => ({ manager }))) // prettier-ignore
    const anna = 'Анна Ковалёва'
    expect(await managersOf(calls)).to.deep.equal([anna, anna, anna, anna, null, null])
  })

  it('triggers set the manager of calls and rosters that are written by name only', async () => {
    const calls = await insertCalls(app, [{ manager: 'Before' }, { manager: 'Before' }, { manager: 'Before' }])
    await app.db.query(`UPDATE recordings SET manager_name = 'After' WHERE id = $1`, [calls[1]])
    await app.db.query('UPDATE recordings SET manager_name = NULL WHERE id = $1', [calls[2]])
    expect(await managersOf(calls)).to.deep.equal(['Before', 'After', null])
    const department = await createDepartment(app, 'Old', [])
    await app.db.query('INSERT INTO department_managers (name, department_id) VALUES ($1, $2)', ['AFTER', department])
    expect((await app.olga.get(`/v1/recordings?department=${department}`)).json.total).to.equal(1)
    expect((await app.ida.get(`/v1/recordings/${calls[1]}`)).json.department).to.deep.equal({ id: department, name: 'Old' })
  }) // prettier-ignore

  it('the facets join the spellings of a manager, and the filter finds all', async () => {
    await insertCalls(app, ['Пётр Берёзов', 'пётр берёзов', 'Петр Березов', 'ПЁТР БЕРЕЗОВ'].map((manager) => ({ manager, duration: 60 }))) // prettier-ignore
    for (let added = 0; added < 2; added++) {
      for (const filter of ['', 'minDurationSeconds=1']) {
        const { managers } = (await app.olga.get(`/v1/recordings/facets?${filter}`)).json as RecordingFacetsJson
        const found = managers.filter(({ name }) => /бер[её]зов$/i.test(name))
        expect(found, filter).to.deep.equal([{ name: 'Пётр Берёзов', count: 4 }])
      }
      for (const name of ['"Пётр Берёзов"', '"петр березов"', 'БЕРЕЗОВ'])
        expect((await app.olga.get(`/v1/recordings?manager=${name}`)).json.total, name).to.equal(4)
      await app.db.query('SELECT add_up_recording_counts()')
    }
  })

  it('a person sees calls under another spelling, and only one roster has the name', async () => {
    const [call] = await insertCalls(app, [{ manager: 'Фёдор Орлов' }])
    const department = await createDepartment(app, 'Of Fyodor', ['Федор Орлов', 'Фёдор Орлов'])
    expect((await app.olga.get(`/v1/departments/${department}`)).json.managers).to.deep.equal(['Федор Орлов'])
    expect((await app.ida.get(`/v1/recordings/${call}`)).json.department).to.include({ id: department })
    const { status } = await app.olga.post('/v1/departments', { name: 'Another', managers: ['ФЁДОР ОРЛОВ'] })
    expect(status).to.equal(409)
    const person = { password: OWNER_CREDENTIALS.password, role: 'manager', departments: [department] }
    await app.olga.post('/v1/people', { ...person, email: 'fedor@example.com', name: 'федор орлов' })
    const fyodor = await logInAsPerson(app, 'fedor@example.com')
    expect((await fyodor.get('/v1/recordings')).json.total).to.equal(1)
    const namesake = { ...person, email: 'fyodor@example.com', name: 'Фёдор орлов' }
    expect((await app.olga.post('/v1/people', namesake)).status).to.equal(409)
  })

  it('parallel uploads with a new name create one manager', async () => {
    const names = Array.from({ length: 8 }, (_, n) => (n % 2 ? 'At Once Семён' : 'At once Семен'))
    await Promise.all(names.map((managerName) => app.ida.upload('sound', { managerName })))
    const { rows } = await app.db.query(`SELECT count(*)::int AS n, count(DISTINCT manager_id)::int AS managers
                                             FROM recordings WHERE manager_name ILIKE 'at once %'`)
    expect(rows).to.deep.equal([{ n: 8, managers: 1 }])
  })

  it('a CRM user takes the manager with the same name; a namesake gets another', async () => {
    const [call] = await insertCalls(app, [{ manager: 'Karl Bauer' }])
    const first = await resolveCallManager(app.db, { name: '\u00a0KARL  Bauer', crmUserId: '17' })
    expect(await resolveCallManager(app.db, { name: 'karl bauer' })).to.deep.equal(first)
    expect([first.name]).to.deep.equal(await managersOf([call!]))
    expect(await resolveCallManager(app.db, { name: 'Renamed in the CRM', crmUserId: '17' })).to.deep.equal(first)
    const second = await resolveCallManager(app.db, { name: 'Karl Bauer', crmUserId: '18' })
    expect(second).to.include({ name: 'Karl Bauer (18)' })
    expect(second.id).not.to.equal(first.id)
    expect(await resolveCallManager(app.db, { name: 'Karl Bauer', crmUserId: '18' })).to.deep.equal(second)
  })

  it('parallel transactions assign one manager to a CRM user', async () => {
    const [one, other] = await Promise.all([app.db.connect(), app.db.connect()])
    try {
      for (const client of [one, other]) await client.query('BEGIN')
      const first = await resolveCallManager(one, { name: 'Otto Weber', crmUserId: '19' })
      const second = resolveCallManager(other, { name: 'Otto Weber', crmUserId: '19' })
      await waitUntil('the other one waits', async () => {
        const { rowCount } = await app.db.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        return rowCount === 1
      })
      await one.query('COMMIT')
      expect(await second).to.deep.equal(first)
    } finally {
      for (const client of [one, other]) {
        await client.query('ROLLBACK')
        client.release()
      }
    }
  })

  it('the migration assigns managers to existing calls page by page and counts them once', async () => {
    await app.db.query('ALTER TABLE recordings DISABLE TRIGGER recordings_manager')
    await app.db.query(
      `INSERT INTO recordings (id, source, storage_key, size_bytes, manager_name)
       SELECT gen_random_uuid(), 'crm', 'old/' || n, 1, CASE WHEN n % 4 > 0 THEN ' Old Name ' || n % 4 END
         FROM generate_series(1, 6000) n`,
    )
    await app.db.query('ALTER TABLE recordings ENABLE TRIGGER recordings_manager')
    await app.db.query('SELECT add_up_recording_counts()')
    const db = await createDataSource(app.config.DATABASE_URL!, { poolSize: 1 }).initialize()
    const runner = db.createQueryRunner()
    for (const time of ['once', 'twice']) {
      await new ManagersOfCalls1795328929354().up(runner)
      const { rows } = await app.db.query(
        `SELECT m.name, count(*)::int AS n FROM recordings r LEFT JOIN managers m ON m.id = r.manager_id
          WHERE r.source = 'crm' GROUP BY 1 ORDER BY 1`,
      )
      const old = [1, 2, 3].map((n) => ({ name: `Old Name ${n}`, n: 1500 }))
      expect(rows, time).to.deep.equal([...old, { name: null, n: 1500 }])
    }
    await runner.release()
    await db.destroy()
    for (let added = 0; added < 2; added++) {
      expect((await app.olga.get('/v1/recordings?source=crm')).json.total).to.equal(6000)
      expect((await app.olga.get('/v1/recordings/facets')).json.managers[0].count).to.equal(1500)
      await app.db.query('SELECT add_up_recording_counts()')
    }
  })

  it('the department of a call follows the current roster', async () => {
    const id = generateId()
    const [call] = await insertCalls(app, [{ id, manager: 'Nina' }])
    const department = await createDepartment(app, 'Of Nina', ['nina'])
    const roster = async () => (await app.db.query('SELECT manager_id FROM department_managers WHERE department_id = $1', [department])).rows
    const { rows } = await app.db.query('SELECT manager_id FROM recordings WHERE id = $1', [call])
    expect(await roster()).to.deep.equal(rows)
    await app.olga.patch(`/v1/departments/${department}`, { managers: [] })
    expect(await roster()).to.deep.equal([])
    expect((await app.ida.get(`/v1/recordings/${id}`)).json.department).to.equal(null)
  }) // prettier-ignore
})
