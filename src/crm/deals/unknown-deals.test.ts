import { expect } from 'chai'
import { generateId } from '../../platform/lib/ids.ts'
import { TestCrmApp } from '../../test/crm-app.ts'
import { waitUntil } from '../../test/wait.ts'
import { isCrmAutomationOn } from '../automation/state.ts'
import { planCrmComments } from '../comments/plan.ts'
import { crmWriteQueue } from '../queues.ts'
import { REQUEUE_MISSING_DEALS_SQL } from './changed-deals.ts'
import { dealMatchBacklogStep, dealMatchesStep } from './matches-step.ts'

const PHONE = '+375291234567'
const OTHER_FUNNEL_ID = 1

describe('unread deals', () => {
  const crm = new TestCrmApp()
  const { data } = crm.portal
  let known: number
  before(async () => {
    await crm.start()
    await crm.disableLimiter()
    data.addUser('Anna', 'Kovaleva')
    data.addFunnel('Sales')
    data.addFunnel('Suppliers')
    known = data.addDeal('Windows', { contactId: data.addContact('Client', [PHONE]) })
    await crm.enableAutomation()
    await crm.chooseFunnels([0])
    await waitUntil('the automation is on', () => isCrmAutomationOn(crm.core))
    await crm.runSteps('users', 'funnels', 'stages', 'deals', 'contacts')
    await crm.app.olga.put('/v1/crm/writing', { on: true })
  })
  after(() => crm.stop())
  beforeEach(async () => {
    for (const table of ['crm_comments', 'recordings', 'crm_calls']) await crm.sql(`DELETE FROM ${table}`)
    await crm.chooseFunnels([0])
    data.comments.clear()
  })

  /** Inserts a loaded, transcribed call whose activity is linked to these deals. */
  const addCall = async ({ phone = '+375290000000', dealIds }: { phone?: string; dealIds: number[] }) => {
    const call = data.addCall({ dealIds })
    const id = generateId()
    await crm.sql(
      `INSERT INTO recordings (id, source, storage_key, size_bytes, status, external_call_id, call_started_at)
       VALUES ($1, 'crm', $2, 1, 'DONE', $2, now())`,
      [id, call.CALL_ID],
    )
    await crm.sql(
      `INSERT INTO crm_calls (id, call_id, user_id, phone, type, duration_seconds, started_at, failed_code, activity_id, load_state, recording_id)
       VALUES ($1, $2, '1', $3, 2, 60, now(), '200', $4, 'received', $5)`,
      [call.ID, call.CALL_ID, phone, call.CRM_ACTIVITY_ID, id],
    )
    await crm.sql(`INSERT INTO crm_matches (recording_id, state) VALUES ($1, 'waiting')`, [id])
    return id
  }
  const match = async () => {
    await crm.sql(`UPDATE crm_steps SET position = NULL WHERE name = 'matches'`)
    await crm.linkDeals()
  }
  const links = async (id: string) => {
    const { json } = await crm.app.ida.get(`/v1/recordings/${id}/deals`)
    return json.items.map((deal: Record<string, unknown>) => [Number(deal.id), deal.linkedBy])
  }
  const reason = async (id: string) => (await crm.app.ida.get(`/v1/recordings/${id}/deals`)).json.reason
  const stored = (id: string) => crm.sql('SELECT deal_id AS deal FROM crm_call_deals WHERE recording_id = $1', [id])
  const write = async () => {
    await planCrmComments(crm.core)
    await crm.runDueJobs(crmWriteQueue)
  }
  const commented = () => data.comments.rows.map(({ ENTITY_ID }) => Number(ENTITY_ID))

  it('a call linked to an unread deal has no deal until its funnel is chosen', async () => {
    const unreadDeal = data.addDeal('Glass', { categoryId: OTHER_FUNNEL_ID })
    const id = await addCall({ dealIds: [unreadDeal] })
    await match()
    await write()
    expect([await stored(id), commented()]).to.deep.equal([[], []])
    await crm.chooseFunnels([0, OTHER_FUNNEL_ID])
    await crm.runSteps('deals')
    await match()
    await write()
    expect([await links(id), commented()]).to.deep.equal([[[unreadDeal, 'activity']], [unreadDeal]])
  })

  it('a call linked to an unread deal is not matched by phone, with a reason', async () => {
    const unreadDeal = data.addDeal('Frames', { categoryId: OTHER_FUNNEL_ID })
    const id = await addCall({ phone: PHONE, dealIds: [unreadDeal] })
    await match()
    expect([await links(id), await reason(id)]).to.deep.equal([[], 'deal-not-read'])
    await crm.chooseFunnels([0, OTHER_FUNNEL_ID])
    await crm.runSteps('deals')
    await match()
    expect([await links(id), await reason(id)]).to.deep.equal([[[unreadDeal, 'activity']], null])
  })

  it('of the deals of its activity, a call gets only those that were read', async () => {
    const unreadDeal = data.addDeal('Sills', { categoryId: OTHER_FUNNEL_ID })
    const id = await addCall({ dealIds: [unreadDeal, known] })
    await match()
    expect(await stored(id)).to.deep.equal([{ deal: String(known) }])
  })

  it('a deleted deal gets no comment, and its calls are matched again', async () => {
    const passing = data.addDeal('Passing', {})
    await crm.runSteps('deals')
    const id = await addCall({ phone: PHONE, dealIds: [passing] })
    await match()
    expect(await links(id)).to.deep.equal([[passing, 'activity']])
    await crm.sql('UPDATE crm_deals SET missed_at = now(), gone_at = now() WHERE id = $1', [passing])
    await write()
    expect(commented()).to.deep.equal([])
    await match()
    expect(await links(id)).to.deep.equal([[known, 'phone']])
  })

  it('a deal moved to a funnel of no department loses its calls until it returns', async () => {
    const passing = data.addDeal('Passing', {})
    await crm.runSteps('deals', 'stage-history')
    const id = await addCall({ phone: PHONE, dealIds: [passing] })
    await match()
    expect(await links(id)).to.deep.equal([[passing, 'activity']])
    data.moveDeal(passing, 'C1:NEW')
    crm.portal.planFault({ method: 'crm.item.list', when: ({ filter }) => '@id' in (filter as object), times: 1, fault: { kind: 'html' } }) // prettier-ignore
    const stage = async () =>
      (await crm.sql('SELECT stage_id AS stage FROM crm_deals WHERE id = $1', [passing]))[0].stage
    await crm.runSteps('deals', 'stage-history')
    expect([await stage(), (await crm.fetchStep('stage-history')).state]).to.deep.equal(['NEW', 'backing-off'])
    await crm.runSteps('stage-history')
    expect([await stage(), (await crm.fetchStep('stage-history')).state]).to.deep.equal(['C1:NEW', 'waiting'])
    await match()
    await write()
    expect([await links(id), commented()]).to.deep.equal([[], []])
    crm.portal.requests.length = 0
    await crm.runSteps('stage-history')
    expect(crm.portal.findRequests('crm.item.list'), 'it is asked for no more').to.deep.equal([])
    data.moveDeal(passing, 'NEW')
    await crm.runSteps('deals', 'stage-history')
    await match()
    expect(await links(id), 'it has come back').to.deep.equal([[passing, 'activity']])
  })

  it('a deal moved to another funnel does not count as merged', async () => {
    const passing = data.addDeal('Passing', {})
    await crm.runSteps('deals', 'stage-history')
    const id = await addCall({ dealIds: [passing] })
    await match()
    data.moveDeal(passing, 'C1:NEW')
    data.activities.rows.at(-1)!.bindings = [passing, known].map((entityId) => ({ entityTypeId: 2, entityId }))
    await crm.runSteps('deals', 'stage-history')
    await match()
    expect(await links(id)).to.deep.equal([[known, 'activity']])
    expect(await crm.sql('SELECT merged_into FROM crm_deals WHERE id = $1', [passing])).to.deep.equal([
      { merged_into: null },
    ])
  })

  it('calls of missing deals are found by an index, without a sequential scan', async () => {
    await crm.sql(
      `INSERT INTO crm_deals (id, title, funnel_id, stage_id, outcome, created_at, updated_at, missed_at)
       SELECT 900000 + n, 'Window', 0, 'NEW', 'open', now(), now(), CASE WHEN n <= 3 THEN now() END FROM generate_series(1, 3000) n`,
    )
    await crm.sql(
      `INSERT INTO recordings (id, source, storage_key, size_bytes, status, call_started_at)
       SELECT new_id(), 'crm', 'missing' || n, 1, 'DONE', now() FROM generate_series(1, 3000) n`,
    )
    await crm.sql(
      `INSERT INTO crm_call_deals (recording_id, deal_id, linked_by)
       SELECT id, 900000 + substr(storage_key, 8)::int, 'phone' FROM recordings`,
    )
    await crm.sql(
      `INSERT INTO crm_matches (recording_id, state, matched_at) SELECT id, 'linked', now() FROM recordings`,
    )
    await crm.sql('ANALYZE crm_deals, crm_call_deals, crm_matches')
    const rows = await crm.sql(`EXPLAIN (COSTS off) ${REQUEUE_MISSING_DEALS_SQL}`)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan)
      .to.match(/crm_deals_missed/)
      .and.not.match(/Seq Scan/)
    await crm.sql('DELETE FROM crm_deals WHERE id > 900000')
  })

  /** Inserts a submitted call that the portal does not know. */
  const submit = async (phone: string, age = '0 s') => {
    const id = generateId()
    await crm.sql(
      `INSERT INTO recordings (id, source, storage_key, size_bytes, status, phone_number, created_at, call_started_at)
       VALUES ($1::uuid, 'upload', $1::text, 1, 'DONE', $2, now() - $3::interval, now())`,
      [id, phone, age],
    )
    return id
  }

  it('a submitted call of any age gets its deal when the client’s phone appears', async () => {
    const ids = [await submit('8 029 555 00 01', '400 days'), await submit('+375295550002')]
    await match()
    await crm.sql(`UPDATE crm_matches SET attempts = 9, due_at = NULL`)
    expect(await Promise.all(ids.map(stored))).to.deep.equal([[], []])
    const deals = ['+375295550001', '+375295550002'].map((phone) =>
      data.addDeal('Late', { contactId: data.addContact('Late', [phone]) }),
    )
    await crm.runSteps('deals', 'contacts')
    await crm.linkDeals()
    expect(await Promise.all(ids.map(links))).to.deep.equal(deals.map((deal) => [[deal, 'phone']]))
  })

  it('a submitted call gets its deal by phone during a portal outage', async () => {
    const id = generateId()
    await crm.sql(
      `INSERT INTO recordings (id, source, storage_key, size_bytes, status, phone_number, call_started_at)
       VALUES ($1, 'upload', $2, 1, 'DONE', $3, now())`,
      [id, id, PHONE],
    )
    const ofPortal = await addCall({ dealIds: [known] })
    crm.portal.planFault({ fault: { kind: 'html', status: 502 } })
    await match()
    expect([await links(id), await links(ofPortal)]).to.deep.equal([[[known, 'phone']], []])
    crm.portal.faults = []
    await match()
    expect(await links(ofPortal)).to.deep.equal([[known, 'activity']])
  })

  it('a portal response that is too large for one call does not affect other calls', async () => {
    const [large, other] = [await addCall({ dealIds: [known] }), await addCall({ dealIds: [known] })]
    const [row] = await crm.sql('SELECT activity_id AS activity FROM crm_calls WHERE recording_id = $1', [large])
    const fault = { kind: 'result', result: 'x'.repeat(9_000_000) } as const
    crm.portal.planFault({
      method: 'crm.activity.binding.list',
      when: ({ activityId }) => activityId === row!.activity,
      fault,
    })
    await match()
    expect([await links(large), await links(other)]).to.deep.equal([[], [[known, 'activity']]])
    crm.portal.faults = []
    await crm.sql('UPDATE crm_matches SET due_at = now()')
    await match()
    expect(await links(large)).to.deep.equal([[known, 'activity']])
  })

  it('a call that just ended gets its deal while older calls wait for the portal', async () => {
    const host = new URL(crm.portal.url).host
    const hold = `UPDATE crm_lanes SET token = gen_random_uuid(), lease_until = now() + interval '1 hour' WHERE host = $1 AND lane = 'sync'`
    await crm.sql(hold, [host])
    const older = await addCall({ dealIds: [known] })
    await crm.sql('UPDATE crm_matches SET attempts = 1 WHERE recording_id = $1', [older])
    const backlog = crm.runBackground(dealMatchBacklogStep)
    await waitUntil('the batch waits', async () => (await crm.sql(`SELECT FROM crm_lanes WHERE lane = 'sync' AND wanted_until > now()`)).length > 0) // prettier-ignore
    const id = await addCall({ dealIds: [known] })
    await crm.runBackground(dealMatchesStep)
    expect([await links(id), await links(older)]).to.deep.equal([[[known, 'activity']], []])
    await crm.sql('UPDATE crm_lanes SET token = NULL, lease_until = NULL')
    await backlog
    expect(await links(older)).to.deep.equal([[known, 'activity']])
  })

  it('submitted calls from before the CRM are searched once, in batches', async () => {
    const ids = [await submit(PHONE, '3 days'), await submit(PHONE, '500 days')]
    await crm.sql(`INSERT INTO crm_matches (recording_id, state, due_at) VALUES ($1, 'none', NULL)`, [ids[0]])
    await match()
    expect(await Promise.all(ids.map(links))).to.deep.equal([[[known, 'phone']], [[known, 'phone']]])
    await crm.sql('DELETE FROM crm_matches')
    await crm.linkDeals()
    expect(await crm.sql('SELECT FROM crm_matches')).to.deep.equal([])
  })

  it('a planned comment is cancelled if its deal was not read', async () => {
    const unreadDeal = data.addDeal('Doors', { categoryId: OTHER_FUNNEL_ID })
    const id = await addCall({ dealIds: [unreadDeal] })
    await crm.sql(`INSERT INTO crm_call_deals (recording_id, deal_id, linked_by) VALUES ($1, $2, 'activity')`, [id, unreadDeal]) // prettier-ignore
    await crm.sql('INSERT INTO crm_comments (recording_id, deal_id) VALUES ($1, $2)', [id, unreadDeal])
    await write()
    expect(commented()).to.deep.equal([])
    expect(await crm.sql('SELECT status FROM crm_comments')).to.deep.equal([{ status: 'CANCELLED' }])
  })
})
