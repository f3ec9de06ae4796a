import { expect } from 'chai'
import type { QueryRunner } from 'typeorm'
import { ReportsDefinitions1795791886388 } from '../../../migrations/1795791886388-reports-definitions.ts'
import { insertDeals } from '../../test/checked-calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

const formatHour = (n: number) => new Date(Date.parse('2026-02-02T09:00:00Z') + n * 3_600_000).toISOString()

describe('closing times of deals', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  it('the migration recomputes ends of deals and excludes merged deals', async () => {
    const closedAt = formatHour(40)
    await insertDeals(app, [
      { id: 1, outcome: 'lost', createdAt: formatHour(0), closedAt },
      { id: 2, outcome: 'lost', createdAt: formatHour(0), closedAt },
      { id: 3, outcome: 'lost', createdAt: formatHour(0), closedAt },
      { id: 4, outcome: 'open', createdAt: formatHour(0) },
    ])
    const moves = [
      [1, 10, 'open'],
      [1, 20, 'lost'],
      [1, 40, 'lost'],
      [2, 20, 'lost'],
      [2, 30, 'open'],
      [2, 40, 'lost'],
      [4, 20, 'lost'],
      [4, 30, 'open'],
    ] as const
    for (const [n, [deal, at, outcome]] of moves.entries()) {
      await app.db.query(
        `INSERT INTO crm_stage_history (id, deal_id, type, funnel_id, stage_id, outcome, moved_at) VALUES ($1, $2, 2, 0, 'X', $3, $4)`,
        [n + 1, deal, outcome, formatHour(at)],
      )
    }
    await app.db.query('UPDATE crm_deals SET merged_into = 1 WHERE id = 3')
    await app.db.query('DROP TRIGGER analyses_changes_score ON analyses; DROP INDEX crm_calls_client')
    await new ReportsDefinitions1795791886388().up(app.db as unknown as QueryRunner)
    const { rows } = await app.db.query<{ id: string; at: Date | null; gone: boolean }>(
      'SELECT id, closed_at AS at, gone_at IS NOT NULL AS gone FROM crm_deals ORDER BY id',
    )
    expect(rows.map(({ id, at, gone }) => [id, at && at.toISOString(), gone])).to.deep.equal([
      ['1', formatHour(20), false],
      ['2', formatHour(40), false],
      ['3', formatHour(40), true],
      ['4', null, false],
    ])
  })
})
