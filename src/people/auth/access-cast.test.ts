import { mkdir, writeFile } from 'node:fs/promises'
import { join as path } from 'node:path'
import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { createDepartment, createTestPeople, createLoggedInPerson, type TestPeople } from '../../test/people.ts'
import { TestClient } from '../../test/client.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

/** One row per call: the manager's name, and the department that has this manager (null if none). */
const CALLS: [manager: string | null, department: 'Sales' | 'Support' | null][] = [
  ['Max', 'Sales'],
  ['  mAX ', 'Sales'],
  ['Anna', 'Sales'],
  ['ANNA', 'Sales'],
  ['Otto', 'Support'],
  ['otto', 'Support'],
  ['Hanna', null],
  ['Nobody', null],
  ['Maxim', null],
  [null, null],
]
const VISIBLE_MANAGERS: Record<string, (string | null)[]> = {
  olga: CALLS.map(([manager]) => manager),
  ida: CALLS.map(([manager]) => manager),
  hanna: ['Max', '  mAX ', 'Anna', 'ANNA', 'Hanna'],
  max: ['Max', '  mAX '],
  otto: ['Otto', 'otto'],
  nora: [],
}
const STATUSES = ['DONE', 'FAILED', 'QUEUED', 'CANCELLED']

describe('visibility of calls for each person', () => {
  let app: TestApp
  let cast: TestPeople
  let callers: Record<string, TestClient>
  /** Maps each manager to the ids of their calls, one call per status. */
  const ids = new Map<string | null, string[]>()
  const idsOf = (who: string) => VISIBLE_MANAGERS[who]!.flatMap((manager) => ids.get(manager)!)

  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 10_000 })
    cast = await createTestPeople(app)
    const rights = { audio: true, export: true, manageRecordings: true, analytics: true }
    const nora = await createLoggedInPerson(app, 'Nora', { rights })
    callers = { olga: app.olga, ida: app.ida, hanna: cast.hanna, max: cast.max, otto: cast.otto, nora }
    for (const [n, [manager]] of CALLS.entries()) {
      const calls = STATUSES.map((status, m) => ({
        status,
        manager,
        direction: m % 2 ? 'INBOUND' : 'OUTBOUND',
        at: `2026-0${1 + m}-${10 + n}T12:00:00Z`,
        createdAt: new Date().toISOString(),
        duration: 60 + n,
        ...(status === 'DONE' && { text: `Привет, это ${manager ?? 'никто'}` }),
      }))
      ids.set(manager, await insertCalls(app, calls))
    }
    await app.db.query(`UPDATE recordings SET file_name = 'call.wav'`)
    await mkdir(path(app.config.audioDir, 'inserted'), { recursive: true })
    for (const id of [...ids.values()].flat()) await writeFile(path(app.config.audioDir, 'inserted', id), id)
  })
  after(() => app.stop())

  const sorted = (list: string[]) => list.toSorted((a, b) => (a < b ? -1 : 1))
  const listIds = async (client: TestClient, address: string): Promise<string[]> => {
    const { json } = await client.get(address)
    expect(json.items, 'the count agrees with the list').to.have.length(json.total)
    return sorted(json.items.map(({ id }: { id: string }) => id))
  }

  for (const who of Object.keys(VISIBLE_MANAGERS)) {
    const done = () => VISIBLE_MANAGERS[who]!.map((manager) => ids.get(manager)![0]!)

    it(`${who} sees exactly their recordings in the list with any filter`, async () => {
      const client = callers[who]!
      expect(await listIds(client, '/v1/recordings?pageSize=100')).to.deep.equal(sorted(idsOf(who)))
      const few = await client.get('/v1/recordings?pageSize=3')
      expect(few.json.total).to.equal(idsOf(who).length)
      expect(await listIds(client, '/v1/recordings?pageSize=100&status=DONE')).to.deep.equal(sorted(done()))
      expect(await listIds(client, '/v1/recordings?pageSize=100&q=привет')).to.deep.equal(sorted(done()))
      for (const filter of ['dateFrom=2026-01-01&dateTo=2027-01-01', 'minDurationSeconds=1', 'manager=x', 'q=max']) {
        const seen = (await client.get(`/v1/recordings?pageSize=100&${filter}`)).json
        const all = (await app.ida.get(`/v1/recordings?pageSize=100&${filter}`)).json
        const theirs = all.items.filter(({ id }: { id: string }) => idsOf(who).includes(id))
        expect(
          seen.items.map(({ id }: { id: string }) => id),
          filter,
        ).to.have.members(theirs.map(({ id }: { id: string }) => id))
        expect(seen.total, filter).to.equal(theirs.length)
      }
    })

    it(`${who} sees exactly their calls in facets and catalog`, async () => {
      const client = callers[who]!
      const count = (department: string) =>
        4 * CALLS.filter(([manager, of]) => of === department && VISIBLE_MANAGERS[who]!.includes(manager)).length
      for (let added = 0; added < 2; added++) {
        for (const filter of ['', '?minDurationSeconds=1']) {
          const facets = (await client.get(`/v1/recordings/facets${filter}`)).json
          const each = VISIBLE_MANAGERS[who]!.length
          expect(facets.total).to.equal(4 * each)
          expect(facets.status).to.deep.equal({
            QUEUED: each,
            PROCESSING: 0,
            DONE: each,
            FAILED: each,
            CANCELLED: each,
          })
          const names = VISIBLE_MANAGERS[who]!.flatMap((name) => name?.trim().toLowerCase() ?? [])
          expect(facets.managers.map(({ name }: { name: string }) => name.toLowerCase())).to.have.members([
            ...new Set(names),
          ])
          expect(facets.departments).to.deep.equal(
            [
              { id: cast.sales, name: 'Sales', count: count('Sales') },
              { id: cast.support, name: 'Support', count: count('Support') },
            ].filter(({ count }) => count > 0),
          )
          const { years } = (await client.get(`/v1/recordings/catalog${filter}`)).json
          expect(years.map(({ total }: { total: number }) => total)).to.deep.equal(each ? [4 * each] : [])
          expect(years[0]?.months.map(({ total }: { total: number }) => total)).to.deep.equal(
            each ? Array(4).fill(each) : undefined,
          )
        }
        await app.db.query('SELECT add_up_recording_counts()')
      }
    })

    it(`${who} sees exactly their calls with the filter department`, async () => {
      const client = callers[who]!
      for (const [id, name] of [[cast.sales, 'Sales'], [cast.support, 'Support']] as const) {
        const theirs = CALLS.filter(([manager, of]) => of === name && VISIBLE_MANAGERS[who]!.includes(manager)).flatMap(([manager]) => ids.get(manager)!)
        expect(await listIds(client, `/v1/recordings?pageSize=100&department=${id}`)).to.deep.equal(sorted(theirs))
        expect((await client.get(`/v1/recordings/facets?department=${id}`)).json.total).to.equal(theirs.length)
        const texts = await client.get(`/v1/transcripts?department=${id}&q=привет`)
        expect(texts.json.total).to.equal(theirs.length / 4)
      }
      for (const { managerName, department } of (await client.get('/v1/recordings?pageSize=100')).json.items) {
        const name = CALLS.find(([manager]) => manager === managerName)![1]
        expect(department).to.deep.equal(name && { id: name === 'Sales' ? cast.sales : cast.support, name })
      }
      const other = await client.get('/v1/recordings?department=01890a5d-ac96-774b-bcce-b302099a8060')
      expect(other.json.total).to.equal(0)
    }) // prettier-ignore

    it(`${who} sees exactly their calls in lists and exports of transcripts`, async () => {
      const client = callers[who]!
      expect(await listIds(client, '/v1/transcripts?pageSize=100')).to.deep.equal(sorted(done()))
      const { headers, text } = await client.get('/v1/transcripts/export?format=jsonl')
      const lines = text.split('\n').filter(Boolean).map((line) => JSON.parse(line)) // prettier-ignore
      expect(sorted(lines.map(({ id }) => id))).to.deep.equal(sorted(done()))
      expect(headers.get('x-transcripts-matching')).to.equal(String(done().length))
      const sales = lines.filter(({ department }) => department?.name === 'Sales')
      expect(sales).to.have.length(
        CALLS.filter(([manager, of]) => of === 'Sales' && VISIBLE_MANAGERS[who]!.includes(manager)).length,
      )
      const csv = (await client.get('/v1/transcripts/export?format=csv')).text
      expect(csv.split('\r\n').filter((line) => line.includes(',"Sales",'))).to.have.length(sales.length)
    })

    it(`${who} sees exactly their calls in the daily statistics`, async () => {
      const { totals } = (await callers[who]!.get('/v1/stats/overview')).json
      expect(totals.received).to.equal(idsOf(who).length)
    })

    it(`${who} gets 404 for the transcript, audio and details of other calls`, async () => {
      const client = callers[who]!
      for (const [manager, [id]] of ids) {
        const expected = VISIBLE_MANAGERS[who]!.includes(manager) ? 200 : 404
        for (const part of ['', '/transcript', '/audio']) {
          expect((await client.get(`/v1/recordings/${id}${part}`)).status, `${manager}${part}`).to.equal(expected)
        }
      }
      const addressOf = `/v1/recordings/excerpts?q=привет&ids=${[...ids.values()].map(([id]) => id).join()}`
      const excerpts = await client.get(addressOf)
      if (who === 'ida') expect(excerpts.status, 'they serve the panel').to.equal(403)
      else expect(sorted(excerpts.json.items.map(({ id }: { id: string }) => id))).to.deep.equal(sorted(done()))
    })
  }

  describe('submitted calls', () => {
    const submit = (client: TestClient, fields: Record<string, string>) => client.upload('sound', fields)

    it('a call that a manager or head submits without a name gets their own', async () => {
      for (const [client, name] of [[cast.max, 'Max'], [cast.hanna, 'Hanna']] as const) {
        const { status, json } = await submit(client, {})
        expect(status).to.equal(201)
        expect(json.managerName).to.equal(name)
        expect((await client.get(`/v1/recordings/${json.id}`)).status).to.equal(200)
      }
      expect((await submit(app.olga, {})).json.managerName).to.equal(null)
    }) // prettier-ignore

    it('people can submit calls only under manager names whose calls they see', async () => {
      expect((await submit(cast.max, { managerName: ' MAX ' })).status).to.equal(201)
      expect((await submit(cast.hanna, { managerName: 'anna' })).json.department).to.deep.equal({
        id: cast.sales,
        name: 'Sales',
      })
      const before = (await app.ida.get('/v1/recordings')).json.total
      for (const [client, managerName, rule] of [
        [cast.max, 'Anna', 'your own name'],
        [cast.max, 'Otto', 'your own name'],
        [cast.hanna, 'Otto', 'your own name or the name of a manager of your departments'],
      ] as const) {
        const link = { url: 'https://calls.example.com/1.mp3', managerName }
        for (const answer of [
          await submit(client, { managerName }),
          await client.post('/v1/recordings/from-url', link),
        ]) {
          expect(answer.status).to.equal(400)
          expect(answer.json.message).to.deep.equal([`managerName must be ${rule}`])
        }
      }
      expect((await app.ida.get('/v1/recordings')).json.total).to.equal(before)
    })

    it('only a key or an owner can register a file of the storage', async () => {
      await writeFile(path(app.config.audioDir, 'inserted', 'nobodys.wav'), 'secret')
      const total = async () => (await app.ida.get('/v1/recordings')).json.total
      const before = await total()
      const [registered] = ids.get('Otto')!
      for (const client of [cast.hanna, cast.max, await createLoggedInPerson(app, 'Rita')]) {
        for (const storageKey of ['inserted/nobodys.wav', 'inserted/none.wav', `inserted/${registered}`, '../x']) {
          const { status, json } = await client.post('/v1/recordings/from-storage', { storageKey, managerName: 'Otto' })
          expect(status, storageKey).to.equal(404)
          expect(json.message).to.equal('The storage has no such file')
        }
      }
      expect(await total()).to.equal(before)
      const { status, json } = await app.olga.post('/v1/recordings/from-storage', {
        storageKey: 'inserted/nobodys.wav',
      })
      expect(status).to.equal(201)
      await app.olga.delete(`/v1/recordings/${json.id}`)
    })

    it('a duplicate of an invisible call gets 409 without its address', async () => {
      const { json } = await submit(app.ida, { externalCallId: 'dup-1', managerName: 'Otto' })
      for (const [client, location] of [
        [cast.max, null],
        [cast.otto, `/v1/recordings/${json.id}`],
      ] as const) {
        const { status, headers } = await submit(client, { externalCallId: 'dup-1' })
        expect(status).to.equal(409)
        expect(headers.get('location')).to.equal(location)
      }
    })
  })

  describe('rights to actions', () => {
    it('people cannot retry, cancel or delete calls that they do not see', async () => {
      const state = async (id: string) => (await app.ida.get(`/v1/recordings/${id}`)).json?.status
      const of = (manager: string, status: string) => ids.get(manager)![STATUSES.indexOf(status)]!
      expect((await cast.otto.post('/v1/recordings/retry-failed')).json).to.deep.equal({ retried: 2 })
      expect(await state(of('Otto', 'FAILED'))).to.equal('QUEUED')
      expect(await state(of('Anna', 'FAILED'))).to.equal('FAILED')
      expect((await cast.hanna.post(`/v1/recordings/${of('Otto', 'CANCELLED')}/retry`)).status).to.equal(404)
      expect((await cast.hanna.post(`/v1/recordings/${of('Otto', 'QUEUED')}/cancel`)).status).to.equal(404)
      expect((await cast.hanna.delete(`/v1/recordings/${of('Otto', 'DONE')}`)).status).to.equal(404)
      expect((await cast.hanna.post('/v1/recordings/retry-failed')).json).to.deep.equal({ retried: 5 })
      expect((await cast.hanna.delete(`/v1/recordings/${of('Anna', 'DONE')}`)).status).to.equal(204)
      expect(await state(of('Maxim', 'FAILED'))).to.equal('FAILED')
      expect(await state(of('Otto', 'DONE'))).to.equal('DONE')
    })

    it('heads and managers cannot see queues and ingestion', async () => {
      for (const address of ['/v1/queue', '/v1/queues', '/v1/queues/transcription/jobs', '/v1/ingestion']) {
        for (const client of [cast.hanna, cast.max]) expect((await client.get(address)).status).to.equal(403)
      }
    })

    it('a changed roster or department takes effect on the next request', async () => {
      const total = async (client: TestClient) => (await client.get('/v1/recordings')).json.total
      const before = await total(cast.hanna)
      await app.olga.patch(`/v1/departments/${cast.sales}`, { managers: ['Anna', 'Maxim'] })
      expect(await total(cast.hanna)).to.equal(before + 4)
      const third = await createDepartment(app, 'Third', ['Nobody'])
      await app.olga.patch(`/v1/people/${cast.hanna.id}`, { departments: [cast.sales, third] })
      expect(await total(cast.hanna)).to.equal(before + 8)
      await app.olga.patch(`/v1/people/${cast.hanna.id}`, { departments: [] })
      expect(await total(cast.hanna)).to.equal(5)
    })
  })
})
