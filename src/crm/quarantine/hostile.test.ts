import { expect } from 'chai'
import { CrmApp } from '../../test/crm.ts'
import type { Table } from '../../test/portal/table.ts'
import { until } from '../../test/wait.ts'
import { isOn } from '../automation/state.ts'
import { workHistory } from '../history/worker.ts'
import type { StepName } from '../steps/schema.ts'

const DAY = 24 * 3600_000
const PAST = { from: new Date(Date.now() - 60 * DAY).toISOString(), to: new Date(Date.now() - 30 * DAY).toISOString() }

/** Dates, sizes, types and encodings that no field of the portal can have, and how it writes that there is nothing. */
const HOSTILE: readonly unknown[] = [
  ['0001-01-01T00:00:00+03:00', '9999-12-31T23:59:59-05:00', '+275760-09-13T00:00:00Z', '2026-02-31T10:00:00+03:00'],
  ['2026-01-01T00:00:00+99:99', 'no time', '-0001-01-01T00:00:00Z'],
  ['9'.repeat(100_000), 'x'.repeat(100_000), 1e308, -1, '-9999999999999999999', 2 ** 53, '1e400', 0.5],
  [{}, [], true, [[]], { a: { b: 1 } }, [1e308, 'x', null], null, ''],
  ['a\0b', '\0', '\ud800x', 'x\udfff'],
].flat(1)
const GOOD = 5
const ROWS = HOSTILE.length + GOOD

/** A list of the portal that a step reads into a table. */
interface Source {
  step: StepName
  method: string
  rows: () => Table
  /** Which of its rows are stored, as SQL: one column `id`, as the portal has it. */
  stored: string
  /** Forgets what was read, as SQL. */
  clear: string
}

describe('hostile rows of the CRM', () => {
  const crm = new CrmApp()
  const { data } = crm.portal
  const SOURCES: Source[] = [
    { step: 'users', method: 'user.get', rows: () => data.users, stored: 'SELECT id FROM crm_users', clear: 'DELETE FROM crm_users' },
    { step: 'departments', method: 'department.get', rows: () => data.departments, stored: 'SELECT id FROM crm_departments', clear: 'DELETE FROM crm_departments' },
    { step: 'funnels', method: 'crm.category.list', rows: () => data.funnels, stored: 'SELECT id FROM crm_funnels', clear: 'DELETE FROM crm_funnels WHERE id > 0' },
    { step: 'stages', method: 'crm.status.list', rows: () => data.stages, stored: `SELECT id FROM crm_stages WHERE funnel_id = 0`, clear: 'DELETE FROM crm_stages' },
    { step: 'deals', method: 'crm.item.list', rows: () => data.deals, stored: 'SELECT id FROM crm_deals', clear: 'DELETE FROM crm_deals' },
    { step: 'stage-history', method: 'crm.stagehistory.list', rows: () => data.stageHistory, stored: 'SELECT id FROM crm_stage_history', clear: 'DELETE FROM crm_stage_history' },
    { step: 'contacts', method: 'crm.contact.list', rows: () => data.contacts, stored: `SELECT id FROM crm_contacts WHERE gone_at IS NULL`, clear: 'DELETE FROM crm_phones' },
    { step: 'calls', method: 'voximplant.statistic.get', rows: () => data.calls, stored: 'SELECT id FROM crm_calls', clear: 'DELETE FROM crm_calls' },
  ] // prettier-ignore

  before(async () => {
    await crm.start()
    await crm.hurry()
    data.addFunnel('Sales')
    for (let n = 0; n < ROWS; n++) {
      data.addUser(`User ${n}`, 'Many')
      data.addDepartment(`Department ${n}`)
      data.addStage(0, `STAGE_${n}`, `Stage ${n}`, null)
      const contactId = data.addContact(`Client ${n}`, [`+37529${String(1_000_000 + n)}`])
      data.addDeal(`Deal ${n}`, { contactId })
      data.addCall({ userId: 1, seconds: 10, startedAt: Date.now() - 3600_000 + n * 1000 })
    }
    await crm.enable()
    await crm.addToRoster(1, 'User 0')
    await until('the automation is on', () => isOn(crm.core))
    for (let n = 0; n < ROWS; n++) data.funnels.add({ ...data.funnels.rows[0]!, id: n + 1, name: `Funnel ${n}` })
    await crm.run('users', 'departments', 'funnels', 'stages', 'deals', 'stage-history', 'contacts', 'calls')
  })
  after(() => crm.stop())
  afterEach(() => (crm.portal.sends = (_, row) => row))

  /** The hostile values stand in this field of the first rows of the list; those behind them stay as they are. */
  const poison = (method: string, table: Table, field: string) => {
    const values = new Map(table.rows.slice(0, HOSTILE.length).map((row, n) => [table.idOf(row), HOSTILE[n]]))
    crm.portal.sends = (asked, row) => {
      const id = table.idOf(row)
      return asked === method && values.has(id) ? { ...row, [field]: values.get(id) } : row
    }
  }
  const quarantined = async (step: StepName) => {
    const { status, json } = await crm.app.olga.get(`/v1/crm/quarantine?step=${step}&pageSize=100`)
    expect(status).to.equal(200)
    return json.items as { rowId: string | null; reason: string; value: string | null }[]
  }
  const reset = (step: StepName) => crm.app.olga.post(`/v1/crm/steps/${step}/reset`)
  /** Of the rows behind the hostile ones, and of all. */
  const goodIds = (table: Table, id: string) => table.rows.slice(HOSTILE.length, ROWS).map((row) => String(row[id]))
  const sentFields = ({ rows }: Source) => Object.keys(rows().rows[0]!)

  for (const source of SOURCES) {
    const { step, method, rows, stored, clear } = source
    it(`in any field of ${step} keep no good row from being stored, and leave the quarantine once mended`, async () => {
      const idField = step === 'stages' ? 'STATUS_ID' : step === 'deals' || step === 'funnels' ? 'id' : 'ID'
      const storedIds = async () => (await crm.sql(stored)).map(({ id }) => String(id))
      for (const field of sentFields(source)) {
        await reset(step)
        await crm.sql(clear)
        poison(method, rows(), field)
        await crm.run(step)
        const label = `${step} ${field}`
        expect(await crm.step(step), label).to.include({ state: 'waiting', lastError: null })
        const found = await storedIds()
        expect(found, label).to.include.members(goodIds(rows(), idField))
        const rejected = await quarantined(step)
        for (const { reason } of rejected)
          expect(reason, label).to.match(/^\w+ is missing, or no value that it can have$|not asked for/)
        expect((await crm.step(step)).quarantined, label).to.equal(rejected.length)
        if (step !== 'contacts') expect(rejected.length + found.length, label).to.be.at.least(ROWS)

        crm.portal.sends = (_, row) => row
        await crm.sql(clear)
        await reset(step)
        await crm.run(step)
        expect(await crm.step(step), label).to.include({ state: 'waiting', quarantined: 0, invalidValues: 0 })
        expect((await storedIds()).length, label).to.be.at.least(ROWS)
      }
    }).timeout(180_000)
  }

  it('in any field of known deals keep the nightly control from none of the others', async () => {
    await crm.run('stage-history', 'deals')
    for (const field of sentFields(SOURCES[4]!)) {
      await reset('control')
      await crm.sql('UPDATE crm_deals SET missed_at = NULL, gone_at = NULL')
      poison('crm.item.list', data.deals, field)
      await crm.run('control')
      const { lastError } = await crm.step('control')
      if (field === 'id') expect(lastError, 'they are missing').to.match(/rights may have shrunk$/)
      else expect(lastError, field).to.equal(null)
      const gone = await crm.sql('SELECT id FROM crm_deals WHERE missed_at IS NOT NULL OR gone_at IS NOT NULL')
      expect(gone, field).to.deep.equal([])
      crm.portal.sends = (_, row) => row
      await reset('control')
      await crm.run('control')
      expect(await quarantined('deals'), field).to.deep.equal([])
    }
  }).timeout(180_000)

  it('in any field of calls keep a load of the past from none of the others', async () => {
    data.calls.clear()
    for (let n = 0; n < ROWS; n++) {
      data.addCall({ userId: n % 2 ? 1 : 2, seconds: 100, startedAt: Date.now() - 45 * DAY + n * 1000 })
    }
    for (const field of sentFields(SOURCES.at(-1)!)) {
      await crm.sql('DELETE FROM crm_calls')
      const estimate = await crm.app.olga.post('/v1/crm/history/estimates', PAST)
      const load = await crm.app.olga.post('/v1/crm/history/loads', { estimateId: estimate.json.id })
      expect(load.status, load.text).to.equal(201)
      poison('voximplant.statistic.get', data.calls, field)
      await workHistory(crm.core)
      const { json } = await crm.app.olga.get(`/v1/crm/history/loads/${load.json.id}`)
      expect(json, field).to.include({ readWhole: true, lastError: null })
      const found = (await crm.sql('SELECT id FROM crm_calls')).map(({ id }) => String(id))
      expect(found, field).to.include.members(goodIds(data.calls, 'ID'))
      expect((await quarantined('calls')).length + found.length, field).to.equal(ROWS)

      crm.portal.sends = (_, row) => row
      await reset('calls')
      await crm.run('calls')
      expect(await quarantined('calls'), field).to.deep.equal([])
      if (field !== 'ID') expect(await crm.sql('SELECT FROM crm_calls'), field).to.have.length(ROWS)
      await crm.app.olga.post(`/v1/crm/history/loads/${load.json.id}/cancel`)
    }
  }).timeout(180_000)
})
