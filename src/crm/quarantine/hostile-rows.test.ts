import { expect } from 'chai'
import { TestCrmApp } from '../../test/crm-app.ts'
import type { TestPortalRow, PortalTable } from '../../test/portal/table.ts'
import { waitUntil } from '../../test/wait.ts'
import { isCrmAutomationOn } from '../automation/state.ts'
import { runHistoryLoads } from '../history/worker.ts'
import type { CrmStepName } from '../steps/schema.ts'

const DAY_MS = 24 * 3600_000
const PAST_PERIOD = {
  from: new Date(Date.now() - 60 * DAY_MS).toISOString(),
  to: new Date(Date.now() - 30 * DAY_MS).toISOString(),
}

/** Invalid dates, sizes, types and encodings, and the ways in which the portal writes absent values. */
const HOSTILE_VALUES: readonly unknown[] = [
  ['0001-01-01T00:00:00+03:00', '9999-12-31T23:59:59-05:00', '+275760-09-13T00:00:00Z', '2026-02-31T10:00:00+03:00'],
  ['2026-01-01T00:00:00+99:99', 'no time', '-0001-01-01T00:00:00Z'],
  ['9'.repeat(20_000), 'x'.repeat(20_000), 1e308, -1, '-9999999999999999999', 2 ** 53, '1e400', 0.5],
  [{}, [], true, [[]], { a: { b: 1 } }, [1e308, 'x', null], null, ''],
  ['a\0b', '\0', '\ud800x', 'x\udfff'],
].flat(1)

/** One of this many rows stays valid. */
const GOOD_ROW_INTERVAL = 10
const isGoodRow = (n: number) => n % GOOD_ROW_INTERVAL === 0
const FUNNEL_COUNT = 200

/** A list of the portal and the table that stores its rows. */
interface PortalSource {
  step: CrmStepName
  method: string
  rows: () => PortalTable
  /** The field with the id of a row. */
  id: string
  /** SQL that selects the ids of the stored rows. */
  stored: string
  /** SQL that deletes the stored rows. */
  clear: string
}

describe('hostile CRM rows', () => {
  const crm = new TestCrmApp()
  const { data } = crm.portal
  const source = (
    step: CrmStepName,
    method: string,
    rows: () => PortalTable,
    more: Partial<PortalSource> = {},
  ): PortalSource => {
    const table = `crm_${step.replace('-', '_')}`
    return { step, method, rows, id: 'ID', stored: `SELECT id FROM ${table}`, clear: `DELETE FROM ${table}`, ...more }
  }
  const deals = source('deals', 'crm.item.list', () => data.deals, { id: 'id' })
  const calls = source('calls', 'voximplant.statistic.get', () => data.calls)
  const SOURCES = [
    source('users', 'user.get', () => data.users),
    source('departments', 'department.get', () => data.departments),
    source('stages', 'crm.status.list', () => data.stages, { id: 'STATUS_ID' }),
    source('funnels', 'crm.category.list', () => data.funnels, {
      id: 'id',
      clear: 'DELETE FROM crm_funnels WHERE id > 0',
    }),
    deals,
    source('stage-history', 'crm.stagehistory.list', () => data.stageHistory),
    source('contacts', 'crm.contact.list', () => data.contacts, {
      stored: `SELECT id FROM crm_contacts WHERE gone_at IS NULL`,
      clear: 'DELETE FROM crm_phones',
    }),
    calls,
  ]

  /** Adds enough rows for every hostile value in every field, and for valid rows between them. */
  const fill = (table: PortalTable, add: (n: number) => unknown) => {
    for (let n = table.rows.length; n < wanted(table); n++) add(n)
  }
  const wanted = ({ rows }: PortalTable) =>
    Math.ceil(
      (Object.keys(rows[0] ?? { id: 0 }).length * HOSTILE_VALUES.length * GOOD_ROW_INTERVAL) / (GOOD_ROW_INTERVAL - 1),
    ) + 1
  const addCalls = (startedAt: number) => {
    data.addCall({ startedAt })
    fill(data.calls, (n) => data.addCall({ userId: 1 + (n % 2), seconds: 10, startedAt: startedAt + n * 1000 }))
  }

  before(async () => {
    await crm.start()
    await crm.disableLimiter()
    data.addFunnel('Sales')
    data.addUser('Anna', 'Kovaleva')
    data.addDepartment('Sales')
    const client = (n: number) => data.addContact(`Client ${n}`, [`+37529${String(1_000_000 + n)}`])
    data.addDeal('First', { contactId: client(0) })
    fill(data.users, (n) => data.addUser(`User ${n}`, 'Many'))
    fill(data.departments, (n) => data.addDepartment(`Department ${n}`))
    fill(data.stages, (n) => data.addStage(0, `STAGE_${n}`, `Stage ${n}`, null))
    fill(data.contacts, client)
    fill(data.deals, (n) => data.addDeal(`Deal ${n}`, { contactId: 1 + (n % data.contacts.rows.length) }))
    addCalls(Date.now() - 3600_000)
    await crm.enableAutomation()
    await crm.addToRoster(1, 'Anna Kovaleva')
    await waitUntil('the automation is on', () => isCrmAutomationOn(crm.core))
    await crm.runSteps('users', 'departments', 'funnels', 'stages', 'deals', 'stage-history', 'contacts', 'calls')
    for (let n = 1; n < FUNNEL_COUNT; n++) data.funnels.add({ ...data.funnels.rows[0]!, id: n, name: `Funnel ${n}` })
  })
  after(() => crm.stop())
  afterEach(() => (crm.portal.sends = (_, row) => row))

  /** Gives each row except the valid ones one hostile value in one field. Every combination occurs once. */
  const corruptRows = (method: string, table: PortalTable, leftAlone: readonly string[] = []) => {
    const fields = Object.keys(table.rows[0]!).filter((field) => !leftAlone.includes(field))
    const hostile = new Map<number, TestPortalRow>()
    let next = 0
    for (const [n, row] of table.rows.entries()) {
      if (isGoodRow(n) || next === fields.length * HOSTILE_VALUES.length) continue
      const [field, value] = [fields[next % fields.length]!, HOSTILE_VALUES[Math.floor(next / fields.length)]]
      hostile.set(table.idOf(row), { [field]: value })
      next++
    }
    expect(next, 'every value in every field').to.equal(fields.length * HOSTILE_VALUES.length)
    crm.portal.sends = (asked, row) => (asked === method ? { ...row, ...hostile.get(table.idOf(row)) } : row)
  }
  const heal = () => (crm.portal.sends = (_, row) => row)
  const quarantined = async (step: CrmStepName) => {
    const first = (await crm.app.olga.get(`/v1/crm/quarantine?step=${step}&pageSize=100`)).json
    return first as { total: number; items: { reason: string }[] }
  }
  const reset = (step: CrmStepName) => crm.app.olga.post(`/v1/crm/steps/${step}/reset`)
  const ids = async (sql: string) => (await crm.sql(sql)).map(({ id }) => String(id))
  const good = ({ rows, id }: PortalSource) =>
    rows()
      .rows.filter((_, n) => isGoodRow(n))
      .map((row) => String(row[id]))

  for (const one of SOURCES) {
    const { step, method, rows, stored, clear } = one
    it(`hostile values in ${step} affect no other rows, and leave the quarantine once corrected`, async () => {
      const count = rows().rows.length
      await reset(step)
      await crm.sql(clear)
      corruptRows(method, rows())
      await crm.runSteps(step)
      const after = await crm.fetchStep(step)
      expect(after).to.include({ state: 'waiting', lastError: null })
      expect(after.invalidValues, 'values that are null now').to.be.greaterThan(HOSTILE_VALUES.length / 2)
      expect(await ids(stored)).to.include.members(good(one))
      const { total, items } = await quarantined(step)
      expect(total, 'without an id no row is stored').to.be.within(HOSTILE_VALUES.length / 2, 5 * HOSTILE_VALUES.length)
      expect(total + (await ids(stored)).length).to.equal(count)
      for (const { reason } of items)
        expect(reason).to.match(/^\w+ is missing or invalid$|returned this row unrequested/)

      heal()
      await crm.sql(clear)
      await reset(step)
      await crm.runSteps(step)
      expect(await crm.fetchStep(step)).to.include({
        state: 'waiting',
        lastError: null,
        quarantined: 0,
        invalidValues: 0,
      })
      expect(await ids(stored)).to.have.length(count)
    }).timeout(60_000)
  }

  it('hostile values in deals do not keep the nightly control from other deals', async () => {
    await reset('control')
    await crm.sql(`UPDATE crm_deals SET title = 'old'`)
    corruptRows(deals.method, data.deals, ['id'])
    await crm.runSteps('control')
    expect((await crm.fetchStep('control')).lastError).to.equal(null)
    expect((await quarantined('deals')).total).to.be.greaterThan(0)
    expect(await ids(`SELECT id FROM crm_deals WHERE title <> 'old'`)).to.include.members(good(deals))
    expect(await ids('SELECT id FROM crm_deals WHERE missed_at IS NOT NULL OR gone_at IS NOT NULL')).to.deep.equal([])
    heal()
    await reset('control')
    await crm.runSteps('control')
    expect((await quarantined('deals')).total).to.equal(0)
  }).timeout(60_000)

  it('hostile values in calls do not keep a history load from other calls', async () => {
    data.calls.clear()
    await crm.sql('DELETE FROM crm_calls')
    addCalls(Date.now() - 45 * DAY_MS)
    const count = data.calls.rows.length
    const estimate = await crm.app.olga.post('/v1/crm/history/estimates', PAST_PERIOD)
    const { json } = await crm.app.olga.post('/v1/crm/history/loads', { estimateId: estimate.json.id })
    corruptRows(calls.method, data.calls, ['ID'])
    await runHistoryLoads(crm.core)
    const load = (await crm.app.olga.get(`/v1/crm/history/loads/${json.id}`)).json
    expect(load).to.include({ readWhole: true, lastError: null })
    expect(load.invalidValues).to.be.greaterThan(HOSTILE_VALUES.length)
    expect(await ids(calls.stored)).to.include.members(good(calls))
    const { total } = await quarantined('calls')
    expect([total > 0, total + load.found]).to.deep.equal([true, count])

    heal()
    await reset('calls')
    await crm.runSteps('calls')
    expect((await quarantined('calls')).total).to.equal(0)
    expect(await crm.sql('SELECT FROM crm_calls WHERE history_load_id = $1', [json.id])).to.have.length(count)
  }).timeout(60_000)
})
