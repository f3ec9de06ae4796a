import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { createLoggedInPerson, createTestPeople } from '../../test/people.ts'
import type { TestClient } from '../../test/client.ts'
import { insertDeals, insertFunnels } from '../../test/checked-calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

const CREATED_AT = '2026-03-02T10:00:00Z'
const RANGE_QUERY = 'from=2026-03-01&to=2026-03-31'

/** A deal in a funnel of Sales, one of Support, one of Support for which Anna of Sales is responsible, and an unknown deal. */
const [OURS, THEIRS, ANNAS, UNKNOWN] = ['1', '2', '3', '99']

describe('visibility of deals', () => {
  let app: TestApp
  let hanna: TestClient
  let max: TestClient
  /** A head of Sales without the right `analytics`. */
  let bert: TestClient
  let call: string
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    const cast = await createTestPeople(app)
    ;({ hanna, max } = cast)
    bert = await createLoggedInPerson(app, 'Bert', {
      role: 'head',
      departments: [cast.sales],
      rights: { analytics: false },
    })
    await app.olga.patch(`/v1/departments/${cast.sales}`, { funnels: [1] })
    await app.olga.patch(`/v1/departments/${cast.support}`, { funnels: [2] })
    await insertFunnels(app, [
      { id: 1, name: 'Doors', stages: [] },
      { id: 2, name: 'Repairs', stages: [] },
    ])
    await app.db.query(`UPDATE managers SET crm_user_id = 'anna' WHERE name = 'Anna'`)
    await app.db.query(`UPDATE managers SET crm_user_id = 'otto' WHERE name = 'Otto'`)
    const money = { amount: 4200, currency: 'BYN', outcome: 'open', createdAt: CREATED_AT } as const
    await insertDeals(app, [
      { ...money, id: 1, funnel: 1, responsible: 'otto' },
      { ...money, id: 2, funnel: 2, responsible: 'otto' },
      { ...money, id: 3, funnel: 2, responsible: 'anna' },
    ])
  })
  after(() => app.stop())
  beforeEach(async () => {
    ;[call] = (await insertCalls(app, [{ manager: 'Max', text: 'слово' }])) as [string]
  })

  const link = (deal: string, ambiguous = false) =>
    app.db.query(
      `INSERT INTO crm_call_deals (recording_id, deal_id, linked_by, ambiguous) VALUES ($1, $2, 'activity', $3)`,
      [call, deal, ambiguous],
    )
  const choose = (client: TestClient, ...dealIds: string[]) => client.put(`/v1/recordings/${call}/deals`, { dealIds })
  const readDeals = async (client: TestClient) => (await client.get(`/v1/recordings/${call}/deals`)).json
  const idsFor = async (client: TestClient): Promise<string[]> =>
    (await readDeals(client)).items.map(({ id }: { id: string }) => id)

  it('a head can choose deals of their funnels and managers; others are unknown', async () => {
    for (const deal of [OURS, ANNAS]) expect((await choose(hanna, deal)).status, deal).to.equal(200)
    for (const head of [hanna, bert]) {
      const [foreign, unknown] = [await choose(head, THEIRS), await choose(head, UNKNOWN)]
      expect([foreign.status, unknown.status]).to.deep.equal([400, 400])
      expect(foreign.text.replace(THEIRS, UNKNOWN)).to.equal(unknown.text)
    }
    expect(await idsFor(app.olga)).to.deep.equal([ANNAS])
    expect((await choose(app.olga, THEIRS)).status).to.equal(200)
  })

  it('a call shows people the deals that they see, and keys and owners all deals', async () => {
    for (const deal of [OURS, THEIRS, ANNAS]) await link(deal)
    for (const client of [app.olga, app.ida]) expect(await idsFor(client)).to.have.members([OURS, THEIRS, ANNAS])
    expect(await idsFor(hanna)).to.have.members([OURS, ANNAS])
    expect(await idsFor(max)).to.deep.equal([OURS])
  })

  it('amounts need the right analytics', async () => {
    await link(OURS)
    const amountFor = async (client: TestClient) => (await readDeals(client)).items[0].amount
    for (const client of [app.olga, app.ida, hanna])
      expect(await amountFor(client)).to.deep.equal({ amount: 4200, currency: 'BYN' })
    expect(await amountFor(bert)).to.equal(null)
    expect((await choose(bert, OURS)).json.items[0].amount).to.equal(null)
  })

  it('a filter by a deal that the caller does not see finds nothing', async () => {
    await link(THEIRS)
    await link(OURS)
    const lists = ['recordings', 'recordings/catalog', 'recordings/facets', 'transcripts', 'transcripts/export']
    for (const list of lists) {
      const of = async (client: TestClient, deal: string) => {
        const address = `/v1/${list}?deal=${deal}${list.endsWith('export') ? '&format=csv' : ''}`
        const { status, text } = await client.get(address)
        return [status, text]
      }
      expect(await of(hanna, THEIRS), list).to.deep.equal(await of(hanna, UNKNOWN))
      expect(await of(hanna, OURS), list).not.to.deep.equal(await of(hanna, UNKNOWN))
      expect(await of(app.ida, THEIRS), list).not.to.deep.equal(await of(app.ida, UNKNOWN))
    }
  })

  it('a head’s choice keeps links to deals that they do not see, and resolves ambiguity', async () => {
    await link(THEIRS)
    await link(ANNAS, true)
    expect((await choose(hanna, OURS)).json.items.map(({ id }: { id: string }) => id)).to.deep.equal([OURS])
    expect(await idsFor(app.olga)).to.have.members([OURS, THEIRS])
    expect((await readDeals(app.olga)).ambiguous).to.equal(false)
  })

  it('reports list only deals that a call would show', async () => {
    await app.db.query('DELETE FROM crm_call_deals')
    for (const deal of [OURS, THEIRS, ANNAS]) await link(deal)
    const seen = new Set(await idsFor(hanna))
    const { items } = (await hanna.get(`/v1/analytics/deals?by=created&${RANGE_QUERY}`)).json
    expect(items.map(({ id }: { id: string }) => id)).to.deep.equal([ANNAS])
    expect(seen).to.include(items[0].id)
    const { silent } = (await hanna.get(`/v1/analytics/sales?${RANGE_QUERY}`)).json
    expect(silent.every(({ id }: { id: string }) => seen.has(id))).to.equal(true)
  })
})
