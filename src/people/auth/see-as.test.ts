import { expect } from 'chai'
import { listApiOperations } from '../../app/api.ts'
import { fetchAuditLog } from '../../test/audit.ts'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { insertShared } from '../../test/work-objects.ts'
import { OWNER_CREDENTIALS, startTestApp, type TestApp } from '../../test/server.ts'
import { canUseSeeAs } from '../../platform/http/access.ts'

describe('header X-See-As', () => {
  let app: TestApp
  let cast: TestPeople
  before(async () => {
    app = await startTestApp()
    cast = await createTestPeople(app)
    await insertCalls(app, [{ manager: 'Max' }, { manager: 'Max' }, { manager: 'Anna' }, { manager: 'Otto' }])
  })
  after(() => app.stop())

  const as = (person: { id: string }) => ({ 'X-See-As': person.id })
  const total = async (headers: Record<string, string>) =>
    (await app.olga.get('/v1/recordings', headers)).json.total as number

  it('an owner with X-See-As sees what that head or manager sees', async () => {
    expect([await total(as(cast.max)), await total(as(cast.hanna)), await total({})]).to.deep.equal([2, 3, 4])
    for (const path of ['/v1/recordings', '/v1/recordings/facets', '/v1/recordings/catalog', '/v1/people']) {
      const [seen, own] = [await app.olga.get(path, as(cast.hanna)), await cast.hanna.get(path)]
      expect([seen.status, seen.json], path).to.deep.equal([own.status, own.json])
    }
    const others = (await cast.otto.get('/v1/recordings')).json.items[0].id as string
    expect((await app.olga.get(`/v1/recordings/${others}`, as(cast.max))).status).to.equal(404)
  })

  it('an owner with X-See-As sees no private views and playlists of that person', async () => {
    for (const table of ['saved_views', 'playlists'] as const) {
      const path = table === 'playlists' ? '/v1/playlists' : '/v1/views'
      await insertShared(app, table, cast.max.id)
      const shared = await insertShared(app, table, cast.max.id, cast.sales)
      const { items } = (await app.olga.get(path, as(cast.max))).json
      expect(
        items.map(({ id }: { id: string }) => id),
        path,
      ).to.deep.equal([shared])
      expect((await cast.max.get(path)).json.items, path).to.have.length(2)
    }
  })

  it('/v1/auth/me with X-See-As returns the person with reading rights only', async () => {
    await app.olga.patch('/v1/auth/me', { language: 'ru' })
    const { person } = (await app.olga.get('/v1/auth/me', as(cast.max))).json
    expect(person).to.include({ id: cast.max.id, role: 'manager', language: 'ru' })
    expect(person.rights).to.deep.equal({
      audio: true,
      export: true,
      manageRecordings: false,
      analytics: true,
      editRules: false,
    })
    await app.olga.patch(`/v1/people/${cast.max.id}`, { rights: { export: false } })
    expect((await app.olga.get('/v1/transcripts', as(cast.max))).status).to.equal(403)
    await app.olga.patch(`/v1/people/${cast.max.id}`, { rights: { export: true } })
  })

  it('X-See-As gets 403 from changes and from reads that do not support it', async () => {
    const id = (await cast.max.get('/v1/recordings')).json.items[0].id as string
    const refused: string[] = []
    for (const operation of listApiOperations()) {
      if (operation.access === 'public' || canUseSeeAs(operation)) continue
      const path = operation.path.replace('{id}', id).replace(/\{\w+\}/g, 'x')
      const method = operation.method.toUpperCase()
      const { status } = await app.olga.send(path, { method, headers: as(cast.max) })
      expect(status, `${method} ${path}`).to.equal(403)
      refused.push(operation.id)
    }
    expect(refused).to.include.members(['deleteRecording', 'createPerson', 'logout', 'listOwnSessions', 'listAudit'])
    expect(await total({})).to.equal(4)
  })

  it('only owners can send X-See-As, and only for active heads and managers', async () => {
    for (const [caller, whom] of [
      [cast.hanna, cast.max.id],
      [cast.max, cast.hanna.id],
      [cast.max, cast.max.id],
      [app.ida, cast.max.id],
      [app.olga, (await app.olga.get('/v1/auth/me')).json.person.id],
      [app.olga, '0197f2a0-0000-7000-8000-000000000000'],
      [app.olga, 'x'],
      [app.olga, `${cast.max.id}, ${cast.otto.id}`],
    ] as const) {
      expect((await caller.get('/v1/recordings', { 'X-See-As': whom })).status, whom).to.equal(403)
    }
    await app.olga.patch(`/v1/people/${cast.otto.id}`, { active: false })
    expect((await app.olga.get('/v1/recordings', as(cast.otto))).status).to.equal(403)
  })

  it('the audit log records X-See-As under the name of the owner', async () => {
    await total(as(cast.max))
    const entries = await fetchAuditLog(app, 'action=recordings.list')
    const seen = entries.filter(({ details }) => details?.seeAs === 'Max')
    expect(new Set(seen.map(({ person }) => person!.email))).to.deep.equal(new Set([OWNER_CREDENTIALS.email]))
  })

  it('the API description lists X-See-As only for reads that support it', async () => {
    const { paths } = (await app.olga.get('/docs-json')).json
    const takes = (path: string, method = 'get') =>
      (paths[path][method].parameters as { name: string; in: string }[]).some(
        (one) => one.in === 'header' && one.name === 'X-See-As',
      )
    expect([takes('/v1/recordings'), takes('/v1/auth/me'), takes('/v1/people')]).to.deep.equal([true, true, true])
    expect([takes('/v1/recordings', 'post'), takes('/v1/audit'), takes('/v1/auth/sessions')]).to.deep.equal([
      false, false, false,
    ]) // prettier-ignore
  })
})
