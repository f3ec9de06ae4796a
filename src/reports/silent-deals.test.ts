import { expect } from 'chai'
import { insertCheckedCalls, insertDeals } from '../test/checked-calls.ts'
import { startTestApp, type TestApp } from '../test/server.ts'
import type { DealsPage } from './deals/schema.ts'
import type { SalesReportJson } from './sales/schema.ts'

const daysAgo = (n: number) => new Date(Date.now() - n * 86_400_000).toISOString()

interface CrmCall {
  phone?: string
  entity?: [type: string, id: number]
  daysAgo: number
  recording?: string
}

describe('silent deals', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())
  beforeEach(async () => {
    for (const table of ['crm_deals', 'crm_calls', 'crm_contacts', 'recordings'])
      await app.db.query(`DELETE FROM ${table}`)
  })

  /** Inserts open deals created 40 days ago. By default, the contact has the id of the deal. */
  const openDeals = (ids: number[], contact = (id: number) => id) =>
    insertDeals(
      app,
      ids.map((id) => ({ id, outcome: 'open', stage: 'NEW', createdAt: daysAgo(40), contacts: [contact(id)] })),
    )
  async function insertPhone(contact: number, phone: string): Promise<void> {
    await app.db.query(`INSERT INTO crm_contacts (kind, id) VALUES ('contact', $1)`, [contact])
    await app.db.query(`INSERT INTO crm_phones (kind, contact_id, phone) VALUES ('contact', $1, $2)`, [contact, phone])
  }
  async function addCalls(...calls: CrmCall[]): Promise<void> {
    for (const [n, { phone, entity, recording, ...call }] of calls.entries()) {
      await app.db.query(
        `INSERT INTO crm_calls (id, call_id, phone, entity_type, entity_id, type, duration_seconds, started_at, load_state,
                                recording_id)
         VALUES ($1, 'call', $2, $3, $4, 2, 0, $5, 'skipped', $6)`,
        [n + 1, phone, entity?.[0], entity?.[1], daysAgo(call.daysAgo), recording],
      )
    }
  }
  async function fetchSilentDeals(): Promise<[id: string, lastCall: string | undefined][]> {
    const sales = (await app.olga.get('/v1/analytics/sales')).json as SalesReportJson
    const list = (await app.olga.get('/v1/analytics/deals?by=silent')).json as DealsPage
    const toSilentRows = (deals: { id: string; lastCallAt: string | null }[]) =>
      deals.map(({ id, lastCallAt }): [string, string | undefined] => [id, lastCallAt?.slice(0, 10)])
    expect(toSilentRows(list.items), 'the list behind the figure').to.deep.equal(toSilentRows(sales.silent))
    expect([sales.totals.silent, list.total]).to.deep.equal([sales.silent.length, sales.silent.length])
    return toSilentRows(list.items)
  }

  it('a call to the client ends the silence, even without a recording', async () => {
    await openDeals([1, 2, 3])
    await insertPhone(1, '+375291111111')
    await insertPhone(3, '+375293333333')
    await addCalls(
      { phone: '+375291111111', daysAgo: 3 },
      { entity: ['CONTACT', 2], daysAgo: 13 },
      { phone: '+375293333333', daysAgo: 20 },
      { entity: ['COMPANY', 3], daysAgo: 1 },
    )
    expect(await fetchSilentDeals()).to.deep.equal([['3', daysAgo(20).slice(0, 10)]])
  })

  it('a call to the company ends the silence', async () => {
    await openDeals([1, 2])
    await app.db.query('UPDATE crm_deals SET company_id = 7 WHERE id = 1')
    await addCalls({ entity: ['COMPANY', 7], daysAgo: 3 })
    expect(await fetchSilentDeals()).to.deep.equal([['2', undefined]])
  })

  it('a call of one deal does not count for other deals of the client', async () => {
    await openDeals([1, 2], () => 1)
    await insertPhone(1, '+375291111111')
    const [recording] = await insertCheckedCalls(app, [{ at: daysAgo(3), manager: 'Anna' }])
    await app.db.query(`INSERT INTO crm_call_deals (recording_id, deal_id, linked_by) VALUES ($1, 1, 'activity')`, [
      recording,
    ])
    await addCalls({ phone: '+375291111111', daysAgo: 3, recording: recording! })
    expect(await fetchSilentDeals()).to.deep.equal([['2', undefined]])
    await app.db.query('UPDATE crm_call_deals SET ambiguous = true')
    expect(await fetchSilentDeals(), 'it may be about either').to.deep.equal([])
    await app.db.query('DELETE FROM recordings')
    expect(await fetchSilentDeals(), 'the call was made, although its recording is deleted').to.deep.equal([])
  })
})
