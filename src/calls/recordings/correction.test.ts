import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import type { TestClient } from '../../test/client.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('PATCH /v1/recordings/{id}', () => {
  let app: TestApp
  let cast: TestPeople
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', APP_TIMEZONE: 'Europe/Moscow' })
    cast = await createTestPeople(app)
  })
  after(() => app.stop())

  /** Inserts a call of a manager and returns its address. */
  async function insertCall(manager: string | null, more: object = {}): Promise<string> {
    const [id] = await insertCalls(app, [{ manager, text: 'Добрый день', ...more }])
    return `/v1/recordings/${id}`
  }
  const status = async (client: TestClient, path: string) => (await client.get(path)).status

  it('an owner can correct or clear each field of a call in any state', async () => {
    for (const state of ['QUEUED', 'PROCESSING', 'DONE', 'FAILED', 'CANCELLED']) {
      const path = await insertCall('Max', { status: state })
      const fields = { phoneNumber: '+375 29 123', managerName: ' Anna ', direction: 'INBOUND', externalCallId: state }
      const { status, json } = await app.olga.patch(path, { ...fields, callStartedAt: '2026-03-01T10:00:00' })
      expect(status, JSON.stringify(json)).to.equal(200)
      const corrected = { ...fields, managerName: 'Anna', callStartedAt: '2026-03-01T07:00:00.000Z', status: state }
      expect(json).to.include(corrected)
      expect(json.department).to.deep.equal({ id: cast.sales, name: 'Sales' })
      expect((await app.olga.get(path)).json).to.include(corrected)
      const none = { phoneNumber: null, managerName: null, direction: null, callStartedAt: null, externalCallId: null }
      expect((await app.olga.patch(path, none)).json).to.include({ ...none, department: null, status: state })
    }
  })

  it('the API rejects an invalid correction with its rule and changes nothing', async () => {
    const path = await insertCall('Max', { phone: '+1' })
    const refused: [object, string][] = [
      [{ phoneNumber: '' }, 'phoneNumber must not be empty'],
      [{ phoneNumber: 'x'.repeat(65) }, 'phoneNumber must have at most 64 characters'],
      [{ managerName: ' \t' }, 'managerName must be text without control characters, and not blank'],
      [{ managerName: 7 }, 'managerName must be a string or null'],
      [{ direction: 'UP' }, 'direction must be one of INBOUND, OUTBOUND, null'],
      [
        { callStartedAt: 'soon' },
        'callStartedAt must be an ISO 8601 time such as 2026-03-01T10:00:00+03:00, from 1970 on',
      ],
      [{ externalCallId: 'a\nb' }, 'externalCallId must be text without control characters, and not blank'],
      [{ priority: 3 }, 'priority is not a known field'],
      [{ status: 'DONE' }, 'status is not a known field'],
    ]
    for (const [field, message] of refused) {
      const { status, json } = await app.olga.patch(path, { phoneNumber: '+2', ...field })
      expect(status, message).to.equal(400)
      expect(json.message).to.deep.equal([message])
    }
    expect((await app.olga.get(path)).json).to.include({ phoneNumber: '+1', managerName: 'Max', direction: null })
    expect((await app.olga.patch('/v1/recordings/01890a5d-ac96-774b-bcce-b302099a8057', {})).status).to.equal(404)
  })

  it('the API rejects a used externalCallId with 409 and names only a visible call', async () => {
    const takenPath = await insertCall('Otto', { externalCallId: 'taken-1' })
    const path = await insertCall('Max', { phone: '+1' })
    for (const [client, location] of [[app.olga, takenPath], [cast.max, null]] as const) {
      const { status, headers, json } = await client.patch(path, { externalCallId: 'taken-1', phoneNumber: '+2' })
      expect(status).to.equal(409)
      expect(json.message).to.equal('A recording with this call id or storage key is already registered')
      expect(headers.get('location')).to.equal(location)
    }
    expect((await app.olga.get(path)).json).to.include({ externalCallId: null, phoneNumber: '+1' })
    expect((await app.olga.patch(takenPath, { externalCallId: 'taken-1' })).status, 'its own').to.equal(200)
  }) // prettier-ignore

  it('API keys and people without the right or access cannot correct a call', async () => {
    const path = await insertCall('Max')
    const change = { managerName: 'Otto' }
    expect((await app.nobody.patch(path, change)).status).to.equal(401)
    expect((await app.ida.patch(path, change)).status).to.equal(403)
    expect((await cast.otto.patch(path, change)).status).to.equal(404)
    await app.db.query(`UPDATE people SET rights = '{"audio": true}' WHERE id = $1`, [cast.otto.id])
    expect((await cast.otto.patch(await insertCall('Otto'), {})).status).to.equal(403)
    await app.db.query(`UPDATE people SET rights = '{"manageRecordings": true}' WHERE id = $1`, [cast.otto.id])
    expect((await app.olga.get(path)).json.managerName).to.equal('Max')
  })

  it('only an owner can give a call to an invisible manager', async () => {
    const path = await insertCall('Max')
    for (const [client, managerName, rule] of [
      [cast.max, 'Anna', 'your own name'],
      [cast.max, 'Otto', 'your own name'],
      [cast.max, null, 'your own name'],
      [cast.hanna, 'Otto', 'your own name or the name of a manager of your departments'],
      [cast.hanna, null, 'your own name or the name of a manager of your departments'],
    ] as const) {
      const { status, json } = await client.patch(path, { managerName, phoneNumber: '+9' })
      expect(status).to.equal(400)
      expect(json.message).to.deep.equal([`managerName must be ${rule}`])
    }
    expect((await app.olga.get(path)).json).to.include({ managerName: 'Max', phoneNumber: null })
    expect((await cast.max.patch(path, { managerName: ' Max ', phoneNumber: '+9' })).status).to.equal(200)
    expect((await cast.hanna.patch(path, { managerName: 'anna' })).json.managerName).to.equal('anna')
    expect(await status(cast.max, path), 'it is Anna’s now').to.equal(404)
    expect((await app.olga.patch(path, { managerName: 'Otto' })).status).to.equal(200)
    expect([await status(cast.hanna, path), await status(cast.otto, path)]).to.deep.equal([404, 200])
  })

  it('filters, counts, facets, catalog and search show a correction at once', async () => {
    const path = await insertCall('Max', {
      at: '2026-01-10T12:00:00Z',
      phone: '+111',
      direction: 'INBOUND',
      text: 'жираф',
    })
    for (let round = 0; round < 2; round++) {
      const change = { managerName: `New ${round}`, phoneNumber: `+7700${round}`, direction: 'OUTBOUND' }
      const { json } = await app.olga.patch(path, { ...change, callStartedAt: `2021-0${5 + round}-07T00:00:00Z` })
      expect(json).to.include(change)
      const total = async (query: string) => (await app.olga.get(`/v1/recordings?${query}`)).json.total
      expect(await total(`manager=new+${round}`)).to.equal(1)
      expect(await total(`phone=7700${round}`)).to.equal(1)
      expect(await total(`q=жираф&dateFrom=2021-0${5 + round}-01&dateTo=2021-0${6 + round}-01`)).to.equal(1)
      expect(await total('dateFrom=2026-01-10&dateTo=2026-01-11&phone=111')).to.equal(0)
      const facets = (await app.olga.get('/v1/recordings/facets?dateFrom=2021-01-01&dateTo=2022-01-01')).json
      expect(facets.direction).to.include({ INBOUND: 0, OUTBOUND: 1 })
      expect(facets.managers).to.deep.equal([{ name: `New ${round}`, count: 1 }])
      const { years } = (await app.olga.get('/v1/recordings/catalog')).json
      const months = years.find(({ year }: { year: number }) => year === 2021).months
      expect(months.map(({ month }: { month: string }) => month)).to.deep.equal([`2021-0${5 + round}`])
      await app.db.query('SELECT add_up_recording_counts()')
    }
  })

  it('the audit log records old and new values, and no correction without changes', async () => {
    const path = await insertCall('Max', { phone: '+1', direction: 'INBOUND' })
    await cast.max.patch(path, { phoneNumber: '+2', direction: 'INBOUND', callStartedAt: '2026-03-01T10:00:00Z' })
    await cast.max.patch(path, { phoneNumber: '+2' })
    await cast.max.patch(path, {})
    const object = path.split('/').pop()
    const { items } = (await app.olga.get(`/v1/audit?action=recording.correct&object=${object}`)).json
    expect(items).to.have.length(1)
    expect(items[0].person.name).to.equal('Max')
    expect(items[0].details.after).to.deep.equal({ phoneNumber: '+2', callStartedAt: '2026-03-01T10:00:00.000Z' })
    expect(items[0].details.before.phoneNumber).to.equal('+1')
  })

  it('concurrent corrections run one after another, and the audit log shows each step', async () => {
    const path = await insertCall('Max', { phone: '+0' })
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => app.olga.patch(path, { phoneNumber: `+${n}0`, direction: n % 2 ? 'INBOUND' : null })),
    )
    expect(responses.every(({ status }) => status === 200)).to.equal(true)
    const object = path.split('/').pop()
    const { items } = (await app.olga.get(`/v1/audit?action=recording.correct&object=${object}&order=asc&pageSize=100`)).json
    const before = items.map(({ details }: { details: { before: { phoneNumber: string } } }) => details.before.phoneNumber)
    const after = items.map(({ details }: { details: { after: { phoneNumber: string } } }) => details.after.phoneNumber)
    expect([...before, (await app.olga.get(path)).json.phoneNumber]).to.have.members(['+0', ...after])
  }) // prettier-ignore
})
