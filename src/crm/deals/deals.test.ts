import { expect } from 'chai'
import { generateId } from '../../platform/lib/ids.ts'
import { TestCrmApp } from '../../test/crm-app.ts'
import type { ActivityBinding } from '../../test/portal/data.ts'
import { toPortalFault, PORTAL_ERRORS } from '../../test/portal/faults.ts'
import { waitUntil } from '../../test/wait.ts'
import { isCrmAutomationOn } from '../automation/state.ts'
import { listCallsDueForDealSearch, storeDealChoices } from './match.ts'

describe('deals of CRM calls', () => {
  const crm = new TestCrmApp()
  const { data } = crm.portal
  let deals: number[]
  let contact: number
  before(async () => {
    await crm.start()
    await crm.disableLimiter()
    const anna = data.addUser('Anna', 'Kovaleva')
    data.addUser('Boris', 'Orlov')
    data.addFunnel('General')
    contact = data.addContact('Client', ['8 (029) 123-45-67'])
    const other = data.addContact('Other', ['+375291110000'])
    deals = [
      data.addDeal('Windows', { contactId: contact, assignedById: anna }),
      data.addDeal('Doors', { contactId: contact, assignedById: 2 }),
      data.addDeal('Roof', { contactId: other }),
    ]
    await crm.enableAutomation()
    await crm.chooseFunnels([0])
    await waitUntil('the automation is on', () => isCrmAutomationOn(crm.core))
    await crm.runSteps('users', 'funnels', 'stages', 'deals', 'contacts')
    expect(await crm.sql('SELECT phone FROM crm_phones ORDER BY 1')).to.deep.equal([
      { phone: '+375291110000' },
      { phone: '+375291234567' },
    ])
  })
  after(() => crm.stop())
  beforeEach(async () => {
    await crm.sql('DELETE FROM recordings')
    await crm.sql('DELETE FROM crm_calls')
    crm.portal.faults = []
    crm.portal.requests.length = 0
  })

  /** Inserts a loaded call. */
  const addCall = async (
    fields: { phone?: string; activity?: number[] | null; userId?: string } = {},
  ): Promise<string> => {
    const call = data.addCall({ dealIds: fields.activity })
    const id = generateId()
    await crm.sql(
      `INSERT INTO recordings (id, source, storage_key, size_bytes, external_call_id, call_started_at)
       VALUES ($1, 'crm', $2, 1, $2, now())`,
      [id, call.CALL_ID],
    )
    await crm.sql(
      `INSERT INTO crm_calls (id, call_id, user_id, phone, type, duration_seconds, started_at, failed_code, activity_id, load_state, recording_id)
       VALUES ($1, $2, $3, $4, 2, 60, now(), '200', $5, 'received', $6)`,
      [call.ID, call.CALL_ID, fields.userId ?? '1', fields.phone ?? '+375291234567', call.CRM_ACTIVITY_ID, id],
    )
    await crm.sql(`INSERT INTO crm_matches (recording_id, state) VALUES ($1, 'waiting')`, [id])
    return id
  }
  const match = () => crm.linkDeals()
  const read = async (id: string) => (await crm.app.ida.get(`/v1/recordings/${id}/deals`)).json
  const idsOf = async (id: string): Promise<number[]> =>
    (await read(id)).items.map((deal: { id: string }) => Number(deal.id))
  const linksOf = async (id: string) =>
    (await read(id)).items.map((deal: { id: string; linkedBy: string }) => [Number(deal.id), deal.linkedBy])
  const stateOf = async (id: string) =>
    (await crm.sql('SELECT state FROM crm_matches WHERE recording_id = $1', [id]))[0].state

  it('the API shows the deal of a call’s activity with funnel, stage and amount', async () => {
    const id = await addCall({ activity: [deals[2]!] })
    await match()
    const { items, ambiguous } = await read(id)
    expect(ambiguous).to.equal(false)
    expect(items).to.have.length(1)
    expect(items[0]).to.deep.include({
      id: String(deals[2]),
      title: 'Roof',
      funnel: { id: 0, name: 'General' },
      stage: { id: 'NEW', name: 'New' },
      outcome: 'open',
      amount: { amount: 4200, currency: 'BYN' },
      responsible: { userId: '1', name: 'Anna Kovaleva' },
      closedAt: null,
      url: `${crm.portal.url}/crm/deal/details/${deals[2]}/`,
      linkedBy: 'activity',
    })
  })

  it('a call without an activity deal is matched by phone, preferring its manager’s deals', async () => {
    const [own, unclear, none] = [
      await addCall(),
      await addCall({ userId: '3', activity: null }),
      await addCall({ phone: '+375299999999' }),
    ]
    await match()
    expect(await idsOf(own)).to.deep.equal([deals[0]])
    expect(await read(unclear)).to.deep.include({ ambiguous: true })
    expect(await idsOf(unclear)).to.have.members([deals[0], deals[1]])
    expect([await idsOf(none), await stateOf(none)]).to.deep.equal([[], 'none'])
    const filtered = (await crm.app.ida.get(`/v1/recordings?deal=${deals[0]}`)).json
    expect(filtered.items.map((item: { id: string }) => item.id)).to.deep.equal([own])
    expect((await crm.app.ida.get(`/v1/transcripts?deal=${deals[0]}`)).status).to.equal(200)
  })

  it('one batch request finds the deals of many calls, even without activity ids', async () => {
    const ids = [await addCall({ activity: [deals[0]!] }), await addCall({ activity: [deals[1]!] })]
    await crm.sql('UPDATE crm_calls SET activity_id = NULL WHERE recording_id = $1', [ids[1]])
    await match()
    expect(await Promise.all(ids.map(idsOf))).to.deep.equal([[deals[0]], [deals[1]]])
    expect(crm.portal.requests.filter(({ isNested }) => !isNested).map(({ method }) => method)).to.deep.equal(['batch'])
  })

  it('after a portal error, the deal search of a call is retried', async () => {
    const id = await addCall({ activity: [deals[1]!] })
    crm.portal.planFault({
      method: 'crm.activity.binding.list',
      times: 1,
      fault: toPortalFault(PORTAL_ERRORS.internal),
    })
    await match()
    expect([await idsOf(id), await stateOf(id)]).to.deep.equal([[], 'waiting'])
    await crm.sql('UPDATE crm_matches SET due_at = now()')
    await match()
    expect(await idsOf(id)).to.deep.equal([deals[1]])
  })

  it('a failed activity lookup of one call does not affect other calls', async () => {
    const [silent, other] = [await addCall({ activity: [deals[0]!] }), await addCall({ activity: [deals[1]!] })]
    const never = await addCall({ activity: null, phone: '+375291110000' })
    const [{ activity }] = await crm.sql('SELECT activity_id AS activity FROM crm_calls WHERE recording_id = $1', [
      silent,
    ])
    const isSilent = ({ activityId }: Record<string, unknown>) => String(activityId) === activity
    crm.portal.planFault({
      method: 'crm.activity.binding.list', when: isSilent, fault: { kind: 'error', status: 400, code: 'ERROR_CORE' },
    }) // prettier-ignore
    const hasNone = ({ activityId }: Record<string, unknown>) => !activityId
    crm.portal.planFault({
      method: 'crm.activity.binding.list', when: hasNone, fault: { kind: 'error', status: 400, code: 100 },
    }) // prettier-ignore
    await match()
    expect(await Promise.all([silent, other, never].map(idsOf))).to.deep.equal([[], [deals[1]], [deals[2]]])
    expect(await stateOf(silent)).to.equal('waiting')
  })

  it('during a portal outage, the pauses between deal searches grow to a minute', async () => {
    await addCall({ activity: [deals[0]!] })
    crm.portal.planFault({ method: 'batch', fault: { kind: 'html', status: 502 } })
    const pauses: number[] = []
    for (let n = 0; n < 7; n++) {
      await match()
      const [{ seconds }] = await crm.sql(
        `SELECT round(extract(epoch FROM due_at - now()))::int AS seconds FROM crm_steps WHERE name = 'matches'`,
      )
      pauses.push(seconds)
    }
    expect(pauses.at(-1)).to.be.within(50, 60)
    expect(pauses[0]).to.be.at.most(5)
    crm.portal.faults = []
    await match()
    expect((await crm.sql(`SELECT failures FROM crm_steps WHERE name = 'matches'`))[0].failures).to.equal(0)
  })

  it('a call without a deal gets a later deal once the deal is read', async () => {
    const id = await addCall({ phone: '+375297770000' })
    await match()
    const waits = `SELECT round(extract(epoch FROM due_at - now()) / 3600)::int AS hours FROM crm_matches WHERE recording_id = $1`
    expect((await crm.sql(waits, [id]))[0].hours).to.equal(1)
    const late = data.addDeal('Late', { contactId: data.addContact('Late', ['+375297770000']) })
    await crm.runSteps('deals', 'contacts')
    await match()
    expect(await idsOf(id)).to.deep.equal([late])
    data.deals.remove(late)
    await crm.sql('DELETE FROM crm_deals WHERE id = $1', [late])
  })

  it('a deal search that becomes due again while it runs stays due', async () => {
    for (const found of ['none', 'later'] as const) {
      const id = await addCall()
      const calls = await listCallsDueForDealSearch(crm.core, 'live', 500)
      expect(calls.map(({ recordingId }) => recordingId)).to.include(id)
      await crm.sql(`UPDATE crm_matches SET due_at = now() WHERE recording_id = $1`, [id])
      await storeDealChoices(
        crm.core.pool,
        calls,
        new Map(calls.map(({ recordingId }) => [recordingId, { choice: found, awaited: [] }])),
      )
      expect((await listCallsDueForDealSearch(crm.core, 'live', 500)).map(({ recordingId }) => recordingId)).to.include(
        id,
      )
    }
  })

  it('the deal search ignores portal calls whose load is not recorded yet', async () => {
    const id = await addCall({ activity: [deals[0]!] })
    await crm.sql('DELETE FROM crm_matches')
    await crm.sql(`UPDATE recordings SET phone_number = '+375291234567' WHERE id = $1`, [id])
    await match()
    expect(await crm.sql('SELECT state FROM crm_matches')).to.deep.equal([])
  })

  it('a merge moves automatic links to the remaining deal, but not a person’s choice', async () => {
    const twins = data.addContact('Twins', ['+375292222222'])
    const gone = data.addDeal('Twin', { contactId: twins })
    await crm.runSteps('deals', 'contacts')
    const id = await addCall({ activity: [gone] })
    await match()
    expect(await idsOf(id)).to.deep.equal([gone])
    data.mergeDeals(deals[2]!, gone)
    data.deals.get(deals[2])!.contactIds.push(twins)
    await crm.runSteps('deals')
    const chosen = await addCall()
    await crm.app.olga.put(`/v1/recordings/${chosen}/deals`, { dealIds: [String(gone)] })
    const byPhone = await addCall({ phone: '+375292222222' })
    await crm.sql(`INSERT INTO crm_call_deals (recording_id, deal_id, linked_by) VALUES ($1, $2, 'phone')`, [
      byPhone,
      gone,
    ])
    await crm.sql(
      `UPDATE crm_matches SET state = 'linked', due_at = NULL, matched_at = now() WHERE recording_id = $1`,
      [byPhone],
    )
    await crm.sql("UPDATE crm_deals SET missed_at = now() - interval '1 minute' WHERE id = $1", [gone])
    await crm.sql('UPDATE crm_matches SET due_at = now() WHERE recording_id = $1', [id])
    // The first run detects the merge. The second one searches again for the calls of the client.
    for (let n = 0; n < 2; n++) await match()
    expect(await idsOf(id)).to.deep.equal([deals[2]])
    expect([await linksOf(chosen), await linksOf(byPhone)]).to.deep.equal([[[gone, 'person']], [[deals[2], 'phone']]])
    const merged = await crm.sql(
      'SELECT merged_into AS into, gone_at IS NOT NULL AS "isLeftOut" FROM crm_deals WHERE id = $1',
      [gone],
    )
    expect(merged, 'reports do not count it twice').to.deep.equal([{ into: String(deals[2]), isLeftOut: true }])
    await crm.sql('DELETE FROM crm_deals WHERE id = $1', [gone])
  })

  /** Creates two deals with calls of the first one, and a call for which a person chose the first one. */
  const lose = async (bind: (lost: number, left: number) => Promise<string[]>) => {
    const [lost, left] = [data.addDeal('Lost'), data.addDeal('Left')]
    await crm.runSteps('deals')
    const calls = await bind(lost, left)
    const chosen = await addCall()
    await match()
    await crm.app.olga.put(`/v1/recordings/${chosen}/deals`, { dealIds: [String(lost)] })
    return { lost, left, calls, chosen }
  }
  /** Deletes a deal in the portal, including the links of its activities. */
  const remove = async (id: number) => {
    for (const activity of data.activities.rows)
      activity.bindings = (activity.bindings as ActivityBinding[]).filter(
        (one) => one.entityTypeId !== 2 || one.entityId !== id,
      )
    data.deals.remove(id)
    await crm.sql('UPDATE crm_deals SET missed_at = now() WHERE id = $1', [id])
  }
  const mergedInto = async (id: number) =>
    (await crm.sql('SELECT merged_into AS into FROM crm_deals WHERE id = $1', [id]))[0].into

  it('a deleted deal does not count as merged if its call had both deals', async () => {
    const { lost, left, calls, chosen } = await lose(async (a, b) => [await addCall({ activity: [a, b] })])
    expect(await idsOf(calls[0]!)).to.have.members([lost, left])
    await remove(lost)
    await match()
    expect([await linksOf(calls[0]!), await linksOf(chosen), await mergedInto(lost)]).to.deep.equal([
      [[left, 'activity']],
      [[lost, 'person']],
      null,
    ])
  })

  it('a deleted deal does not count as merged into an unread deal of its call', async () => {
    const unread = data.addDeal('Unread', { categoryId: 7 })
    const { lost, calls } = await lose(async (a) => [await addCall({ activity: [a, unread] })])
    data.deals.get(unread)!.categoryId = 0
    Object.assign(data.deals.get(unread)!, { updatedTime: data.time() })
    await remove(lost)
    await crm.runSteps('deals')
    await match()
    expect([await linksOf(calls[0]!), await mergedInto(lost)]).to.deep.equal([[[unread, 'activity']], null])
  })

  it('a deal does not count as merged if another of its calls has no deal', async () => {
    const { lost, left, calls } = await lose(async (a) => [
      await addCall({ activity: [a], phone: '+375299999999' }),
      await addCall({ activity: [a], phone: '+375299999999' }),
    ])
    const [activity] = data.activities.rows.slice(-3)
    await remove(lost)
    ;(activity!.bindings as ActivityBinding[]).push({ entityTypeId: 2, entityId: left })
    await match()
    const found = await Promise.all(calls.map(linksOf))
    expect([found, await mergedInto(lost)]).to.deep.equal([[[[left, 'activity']], []], null])
  })

  it('a person’s choice of deals outlasts later searches; unknown deals and API keys are rejected', async () => {
    const id = await addCall({ activity: [deals[0]!] })
    await match()
    const path = `/v1/recordings/${id}/deals`
    const refused = await crm.app.olga.put(path, { dealIds: ['99999'] })
    expect([refused.status, refused.json.message[0]]).to.deep.equal([
      400,
      'dealIds must contain only deals loaded from the CRM; 99999 is not loaded',
    ])
    const chosen = (await crm.app.olga.put(path, { dealIds: [String(deals[2])] })).json
    expect(chosen.items.map((deal: { id: string; linkedBy: string }) => [deal.id, deal.linkedBy])).to.deep.equal([
      [String(deals[2]), 'person'],
    ])
    await crm.sql('UPDATE crm_matches SET due_at = now()')
    await match()
    expect(await idsOf(id)).to.deep.equal([deals[2]])
    expect((await crm.app.olga.put(path, { dealIds: [] })).json).to.deep.equal({
      items: [],
      ambiguous: false,
      reason: null,
    })
    await match()
    expect(await idsOf(id)).to.deep.equal([])
    expect((await crm.app.ida.put(path, { dealIds: [] })).status).to.equal(403)
    const [entry] = await crm.sql(
      `SELECT details FROM audit WHERE action = 'recording.deals' AND object_id = $1 ORDER BY id LIMIT 1`,
      [id],
    )
    expect(entry.details).to.deep.equal({ before: { deals: [String(deals[0])] }, after: { deals: [String(deals[2])] } })
  })
})
