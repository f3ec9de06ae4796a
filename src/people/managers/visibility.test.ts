import { SYSTEM_ACTOR, type Actor } from '../../platform/http/actor.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { requireOperationAccess } from '../../platform/http/access.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { visibleRecordingsCondition } from './visibility.ts'

describe('visibility of recordings', () => {
  let app: TestApp
  let cast: TestPeople
  let total: number
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    cast = await createTestPeople(app)
    const calls = await insertCalls(app, [{ manager: 'Anna' }, { manager: ' MAX ' }, { manager: 'Otto' }, {}])
    total = calls.length
  })
  after(() => app.stop())

  /** Counts the recordings that an actor sees with the condition joined to another one. */
  const count = async (actor: Actor) => {
    const p = new SqlParameters()
    const text = `SELECT count(*)::int AS n FROM recordings r WHERE ${p.and([{ sql: 'r.source = ?', values: ['upload'] }, ...visibleRecordingsCondition(actor)])}`
    const { rows } = await app.db.query<{ n: number }>(text, p.values)
    return rows[0]!.n
  }

  it('the service and keys see all recordings, and an anonymous caller none', async () => {
    expect(await count(SYSTEM_ACTOR)).to.equal(total)
    expect(await count({ kind: 'key', id: '', name: '' })).to.equal(total)
    expect(await count({ kind: 'nobody' })).to.equal(0)
  })

  it('the list of recordings applies visibility with and without other filters', async () => {
    const listed = async (query = '') => {
      const clients = [app.olga, cast.hanna, cast.max, cast.otto]
      return Promise.all(clients.map(async (client) => (await client.get(`/v1/recordings${query}`)).json.total))
    }
    expect(await listed()).to.deep.equal([total, 2, 1, 1])
    expect(await listed('?source=upload')).to.deep.equal([total, 2, 1, 1])
    expect(await listed('?source=crm')).to.deep.equal([0, 0, 0, 0])
  })

  it('the system actor cannot call API operations', () => {
    for (const access of ['self', 'owner', 'ownerOrKey', 'ownerOrHead', 'scoped'] as const) {
      expect(() => requireOperationAccess(SYSTEM_ACTOR, { access }), access).to.throw('Missing or invalid credentials')
    }
  })

  it('only people/managers compares the names of managers in SQL', () => {
    const files = readdirSync('src', { recursive: true })
      .map((name) => join('src', String(name)))
      .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|^src\/(test|people\/managers|crm\/managers)\//.test(name))
    expect(files).to.include('src/people/auth/actor.ts')
    const spelling = /lower\(\s*btrim\((?!name\)|\$1\)\) AND id)/
    expect(files.filter((file) => spelling.test(readFileSync(file, 'utf8')))).to.deep.equal([])
    const known = ['src/people/auth/actor.ts', 'src/people/auth/service.ts', 'src/platform/http/actor.ts']
    expect(files.filter((file) => readFileSync(file, 'utf8').includes('seenManagers'))).to.have.members(known)
  })
})
