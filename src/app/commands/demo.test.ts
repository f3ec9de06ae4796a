import { expect } from 'chai'
import { createHash } from 'node:crypto'
import type { DataSource } from 'typeorm'
import { storeWeeklyReports } from '../../reports/weekly/store-reports.ts'
import { connectDatabase, poolOf } from '../../platform/db/db.ts'
import { insertDemoData } from '../demo/insert.ts'
import { deleteDemoData } from '../demo/delete.ts'
import { analysisQueue } from '../../check/checks/queue.ts'
import { resetLongWaits } from '../../platform/queue/claims.ts'
import { insertCalls } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

/** A correlation of scores and sales needs this many calls. */
const CALL_COUNT = 1200
/** These pages warn people that the data is invented. */
const WARNING_PATHS = ['/v1/system', '/v1/system/storage']

describe('command demo', () => {
  let app: TestApp
  let db: DataSource
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    db = await connectDatabase(app.config.DATABASE_URL!, { poolSize: 5 })
  })
  after(async () => {
    await db.destroy()
    await app.stop()
  })

  const fill = (count = CALL_COUNT) => insertDemoData(db, app.config, count)
  const read = async (path: string) => {
    const { status, json, text } = await app.olga.get(path)
    expect(status, `${path}: ${text}`).to.equal(200)
    return json
  }
  const refusal = (count = 1) =>
    fill(count).then(
      () => 'nothing',
      (error: Error) => error.message,
    )

  /** Returns row count and hash of every table, after pending counts are added up. */
  async function loadContent(): Promise<Record<string, string>> {
    await app.db.query('SELECT add_up_recording_counts(), add_up_rule_counts(), add_up_deal_calls(100000)')
    const { rows } = await app.db.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
    )
    // The requests of this test change the tables sessions, api_keys, people and audit.
    const tables = rows.map(({ name }) => name).filter((name) => !/^(sessions|api_keys|people|audit)$/.test(name))
    const found = await Promise.all(
      tables.map(async (name) => {
        const all = await app.db.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t ORDER BY 1`)
        const text = all.rows.map(({ row }) => row).join('\n')
        return [name, `${all.rows.length} ${createHash('sha256').update(text).digest('hex')}`] as const
      }),
    )
    return Object.fromEntries(found)
  }

  let empty: Record<string, string>
  it('the demo fills an empty instance with departments, managers and calls', async () => {
    empty = await loadContent()
    let isFilled = false
    const filling = fill().finally(() => (isFilled = true))
    let repaired = 0
    await waitUntil('it is filled', async () => {
      repaired += await resetLongWaits(poolOf(db), app.config, analysisQueue)
      return isFilled
    }, 300_000) // prettier-ignore
    await filling
    expect(repaired, 'claims that look as if the clock had been set back').to.equal(0)
    expect((await read('/v1/recordings?pageSize=1')).total).to.equal(CALL_COUNT)
    expect(
      (await read('/v1/departments')).items.map((one: { managers: unknown[] }) => one.managers.length),
    ).to.deep.equal([4, 4, 4])
    const languages = await app.db.query('SELECT DISTINCT language FROM transcripts ORDER BY 1')
    expect(languages.rows).to.deep.equal([{ language: 'en' }, { language: 'ru' }])
  }).timeout(300_000)

  it('reports show figures of the demo, and one rule that correlates with sales', async () => {
    const period = `from=${day(-200)}&to=${day(0)}`
    const quality = await read(`/v1/analytics/quality?${period}`)
    expect(quality.totals.calls).to.equal(CALL_COUNT)
    expect(quality.totals.coverage.numerator).to.be.greaterThan(CALL_COUNT * 0.85)
    expect(quality.managers).to.have.length(12)
    expect(quality.speakers).to.include({ voices: 0, none: 0 })
    expect((await read(`/v1/stats/overview?${period}&by=call`)).totals.received).to.equal(CALL_COUNT)
    const sales = await read(`/v1/analytics/sales?${period}`)
    expect(sales.totals.won).to.be.greaterThan(15)
    expect(sales.totals.lost).to.be.greaterThan(15)
    expect(sales.funnels).to.have.length(3)
    const refusals = await read(`/v1/analytics/refusals?${period}`)
    expect(refusals.lost).to.equal(sales.totals.lost)
    const reasons = refusals.reasons.map(({ reason }: { reason: string | null }) => reason)
    expect(reasons).to.have.members([null, 'Too expensive', 'Bought elsewhere', 'Дорого', 'Купили у других'])
    expect(refusals.objections.length).to.be.greaterThan(4)
    const { rules } = await read(`/v1/analytics/correlation?${period}`)
    const notable = rules.filter((one: { notable: boolean }) => one.notable)
    expect(notable.map((one: { rule: { key: string } }) => one.rule.key)).to.deep.equal(['next-step'])
    const { kept, coverage, listen, reconciliation } = await read('/v1/analytics/weekly-report')
    expect(kept).to.have.length(13)
    expect(reconciliation.received).to.equal(coverage.calls)
    expect(reconciliation.inCrm).to.be.greaterThan(coverage.calls)
    expect(coverage.calls).to.be.greaterThan(5)
    expect(listen.length).to.be.greaterThan(2)
    for (const path of WARNING_PATHS)
      expect((await read(path)).warnings.join(), path).to.include('invented calls, managers and deals')
    expect(await refusal()).to.include('here already')
  })

  it('the demo has disputes in both languages and critical misses to review', async () => {
    const { items, total } = await read('/v1/reviews?reason=critical,disputed&pageSize=50')
    const comments = items.flatMap(({ dispute }: { dispute: string | null }) => dispute ?? [])
    expect(comments).to.have.length(10)
    expect(comments.join()).to.match(/[a-z]/).and.match(/[а-я]/)
    expect(total - comments.length, 'critical misses').to.be.within(2, 4)
  })

  it('the demo has ids of version 7, and deals with named managers', async () => {
    const { items } = await read('/v1/departments')
    for (const { id } of items) expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-/)
    const [call] = (await read('/v1/recordings?linked=true&pageSize=1')).items
    const [deal] = (await read(`/v1/recordings/${call.id}/deals`)).items
    expect(deal.responsible.name).to.equal(call.managerName)
  })

  it('the demo fills the reconciliation and leaves no pending portal requests', async () => {
    const { totals } = await read(`/v1/crm/reconciliation?from=${day(-80)}&to=${day(0)}`)
    const skipped = Object.values<number>(totals.skipped).reduce((sum, n) => sum + n, 0)
    expect(Object.keys(totals.skipped)).to.have.members(['unanswered', 'short', 'no-recording'])
    expect(totals.inCrm).to.equal(totals.received + skipped)
    const quality = await read(`/v1/analytics/quality?from=${day(-80)}&to=${day(0)}`)
    expect(totals.received).to.equal(quality.totals.calls)
    const open = await app.db.query(
      `SELECT FROM crm_calls WHERE next_file_check_at IS NOT NULL OR load_state NOT IN ('received', 'skipped')`,
    )
    expect(open.rows).to.deep.equal([])
    for (const table of ['crm_sync_jobs', 'crm_matches', 'crm_steps']) {
      const { rows } = await app.db.query(
        `SELECT FROM ${table} WHERE ${table === 'crm_steps' ? 'last_run_at IS NOT NULL' : 'true'}`,
      )
      expect(rows, table).to.deep.equal([])
    }
  })

  it('removing the demo leaves no trace', async () => {
    expect(await deleteDemoData(db)).to.equal(CALL_COUNT)
    expect(await loadContent()).to.deep.equal(empty)
    for (const path of WARNING_PATHS) expect((await read(path)).warnings.join(), path).to.not.include('invented')
    expect((await read('/v1/system/storage')).warnings).to.deep.equal([])
  })

  it('removing the demo keeps real managers in weekly reports', async () => {
    await fill(60)
    const [real] = await insertCalls(app, [{ manager: 'Rita', externalCallId: 'pbx-2', at: `${day(-10)}T10:00:00Z` }])
    // Stores the reports again, as if the real call had existed when they were computed.
    await app.db.query(`UPDATE weekly_reports SET state = 'provisional'`)
    await storeWeeklyReports({ db, pool: poolOf(db), config: app.config })
    const reports = async () =>
      (
        await app.db.query<{ week: string; names: string[] }>(
          `SELECT week, ARRAY(SELECT one->>'manager' FROM jsonb_array_elements(managers) m (one)) AS names FROM weekly_reports ORDER BY 1`,
        )
      ).rows
    const before = await reports()
    const ofRita = before.filter(({ names }) => names.includes('Rita'))
    expect(ofRita.some(({ names }) => names.length > 1)).to.equal(true)
    expect(before.length).to.be.above(ofRita.length).and.above(0)
    await deleteDemoData(db)
    expect(await reports()).to.deep.equal(ofRita.map(({ week }) => ({ week, names: ['Rita'] })))
    await app.db.query('DELETE FROM recordings WHERE id = $1', [real])
    await app.db.query('DELETE FROM weekly_reports')
    await app.db.query('DELETE FROM managers')
  })

  it('the demo is rejected beside real data and leaves nothing behind', async () => {
    const id = (await app.olga.post('/v1/departments', { name: 'Sales', managers: [] })).json.id as string
    const before = await loadContent()
    expect(await refusal()).to.include('departments')
    expect(await deleteDemoData(db)).to.equal(undefined)
    expect(await loadContent()).to.deep.equal(before)
    await app.db.query('DELETE FROM departments WHERE id = $1', [id])
  })

  it('an incomplete demo can be removed, and real data stays', async () => {
    await app.db.query('ALTER TABLE analyses ADD CONSTRAINT breaks CHECK (score IS NULL) NOT VALID')
    expect(await refusal(150)).to.include('breaks')
    await app.db.query('ALTER TABLE analyses DROP CONSTRAINT breaks')
    const [{ name }] = (await app.db.query<{ name: string }>('SELECT name FROM managers ORDER BY name')).rows as [
      { name: string },
    ]
    const [real] = await insertCalls(app, [{ manager: name, externalCallId: 'pbx-1' }])
    expect(await deleteDemoData(db)).to.equal(100)
    expect((await app.db.query('SELECT name FROM departments')).rows).to.deep.equal([])
    const left = await app.db.query('SELECT r.id, m.name FROM recordings r, managers m')
    expect(left.rows).to.deep.equal([{ id: real, name }])
  })

  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
})
