import { expect } from 'chai'
import { generateId } from '../platform/lib/ids.ts'
import { insertCheckedCalls, insertDeals, findPublishedRuleSetVersionId } from '../test/checked-calls.ts'
import { startTestApp, type TestApp } from '../test/server.ts'
import { SeededRandom } from '../test/seeded-random.ts'
import { aggregateDealCalls, CALLS_BY_DEAL_SQL } from './definitions/deals.ts'

const random = new SeededRandom(3141)
const hourToIso = (n: number) => new Date(Date.parse('2026-01-01T00:30:00Z') + n * 3_600_000).toISOString()
const LABELS = ['price', 'thinking', 'competitor']
const DEAL_COUNT = 40

interface DealCalls {
  deal_id: string
  calls: number
  is_checked: boolean
  said: string[]
}

describe('call counters of deals', () => {
  let app: TestApp
  let labels: string
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    labels = await findPublishedRuleSetVersionId(app, 'refusal-reasons')
    const calls = await insertCheckedCalls(
      app,
      Array.from({ length: 160 }, () => ({
        at: hourToIso(random.integer(2000)),
        manager: random.pick(['Anna', 'Boris']),
        score: random.integer(5) === 0 ? null : random.integer(101),
        labels: LABELS.filter(() => random.integer(3) === 0),
      })),
    )
    await insertDeals(
      app,
      Array.from({ length: DEAL_COUNT }, (_, n) => ({
        id: n + 1,
        outcome: random.pick(['won', 'lost', 'open'] as const),
        createdAt: hourToIso(0),
        closedAt: random.integer(3) === 0 ? null : hourToIso(random.integer(2500)),
        calls: calls.splice(0, random.integer(5)),
      })),
    )
  })
  after(() => app.stop())

  const aggregate = () => aggregateDealCalls({ pool: app.db } as never)

  async function queryStored(): Promise<DealCalls[]> {
    const { rows } = await app.db.query<DealCalls>(
      `SELECT deal_id, calls, is_checked, ARRAY(SELECT unnest(said) ORDER BY 1) AS said FROM ${CALLS_BY_DEAL_SQL} c ORDER BY deal_id`,
    )
    return rows
  }

  /** Recomputes CALLS_BY_DEAL_SQL with a loop over the rows, as an independent reference. */
  async function countByLoop(): Promise<DealCalls[]> {
    const read = async <T extends object>(text: string) => (await app.db.query<T>(text)).rows
    const deals = await read<{ id: string; closed_at: Date | null }>('SELECT id, closed_at FROM crm_deals ORDER BY id')
    const links = await read<{ deal_id: string; recording_id: string; at: Date }>(
      `SELECT l.deal_id, l.recording_id, r.call_at AS at FROM crm_call_deals l JOIN recordings r ON r.id = l.recording_id WHERE NOT l.ambiguous`,
    )
    const checks = await read<{ id: string; recording_id: string }>(
      `SELECT id, recording_id FROM analyses WHERE is_current AND status = 'DONE' AND score IS NOT NULL AND coalesce(provider, '') <> 'mock'`,
    )
    const found = await read<{ analysis_id: string; label: string }>(
      `SELECT analysis_id, version_id || '/' || rule_key AS label FROM findings WHERE is_label AND verdict = 'met'`,
    )
    return deals.map(({ id, closed_at: end }) => {
      const calls = links.filter(({ deal_id, at }) => deal_id === id && (end === null || at < end))
      const ours = checks.filter((check) => calls.some((call) => call.recording_id === check.recording_id))
      const said = found.filter(({ analysis_id }) => ours.some((check) => check.id === analysis_id))
      return {
        deal_id: id,
        calls: calls.length,
        is_checked: ours.length > 0,
        said: [...new Set(said.map(({ label }) => label))].sort(),
      }
    })
  }

  const deal = () => 1 + random.integer(DEAL_COUNT)
  const someLink =
    '(recording_id, deal_id) IN (SELECT recording_id, deal_id FROM crm_call_deals ORDER BY random() LIMIT 3)'
  const someCheck = 'id IN (SELECT id FROM analyses WHERE is_current ORDER BY random() LIMIT 3)'
  const CHANGES: [what: string, change: () => [text: string, values?: unknown[]]][] = [
    ['calls of no deal are given to one', () => [
      `INSERT INTO crm_call_deals (recording_id, deal_id, linked_by) SELECT id, $1, 'person' FROM recordings
        ORDER BY random() LIMIT 3 ON CONFLICT DO NOTHING`, [deal()]]],
    ['links go', () => [`DELETE FROM crm_call_deals WHERE ${someLink}`]],
    ['links become doubtful, or beyond doubt', () => [`UPDATE crm_call_deals SET ambiguous = NOT ambiguous WHERE ${someLink}`]],
    ['calls follow a deal that was merged', () => [
      `UPDATE crm_call_deals l SET deal_id = $2 WHERE deal_id = $1
          AND NOT EXISTS (SELECT FROM crm_call_deals o WHERE o.recording_id = l.recording_id AND o.deal_id = $2)`, [deal(), deal()]]],
    ['calls get another time', () => [
      `UPDATE recordings SET call_started_at = $1 WHERE id IN (SELECT id FROM recordings ORDER BY random() LIMIT 5)`, [hourToIso(random.integer(2500))]]],
    ['calls get another manager', () => [
      `UPDATE recordings SET manager_name = 'Vera' WHERE id IN (SELECT id FROM recordings ORDER BY random() LIMIT 5)`]],
    ['calls are deleted', () => ['DELETE FROM recordings WHERE id IN (SELECT id FROM recordings ORDER BY random() LIMIT 2)']],
    ['deals end at another time, or are opened again', () => [
      'UPDATE crm_deals SET closed_at = $2 WHERE id = $1', [deal(), random.integer(3) === 0 ? null : hourToIso(random.integer(2500))]]],
    ['deals are read that calls were linked to before', () => [
      `WITH gone AS (DELETE FROM crm_deals WHERE id = $1 RETURNING *), n AS (SELECT count(*) FROM gone)
       INSERT INTO crm_deals SELECT (jsonb_populate_record(NULL::crm_deals, to_jsonb(g) || jsonb_build_object('id', 1000 + id))).* FROM gone g`, [deal()]]],
    ['checks are set aside, as by a retry', () => [`UPDATE analyses SET is_current = false WHERE ${someCheck}`]],
    ['a check takes the place of the one before', () => [
      `UPDATE analyses SET is_current = true WHERE id IN (SELECT id FROM (
          SELECT DISTINCT ON (n.recording_id) n.id FROM analyses n WHERE NOT n.is_current AND NOT EXISTS (
            SELECT FROM analyses o WHERE o.recording_id = n.recording_id AND o.is_current)
           ORDER BY n.recording_id, random()) one_a_call ORDER BY random() LIMIT 2)`]],
    ['calls are skipped without a check before', () => [
      `INSERT INTO analyses (id, recording_id, status, provider, is_current, reason)
       SELECT gen_random_uuid(), id, 'SKIPPED', 'rules', true, 'noRuleSet' FROM recordings r
        WHERE NOT EXISTS (SELECT FROM analyses a WHERE a.recording_id = r.id AND a.is_current) LIMIT 1`]],
    ['checks turn out invented', () => [`UPDATE analyses SET provider = 'mock' WHERE ${someCheck}`]],
    ['checks lose their score, or get one', () => [`UPDATE analyses SET score = CASE WHEN score IS NULL THEN 50 END WHERE ${someCheck}`]],
    ['checks are removed', () => [`DELETE FROM analyses WHERE ${someCheck}`]],
    ['people say otherwise of labels', () => [
      `UPDATE findings SET verdict = CASE verdict WHEN 'met' THEN 'missed' ELSE 'met' END
        WHERE id IN (SELECT id FROM findings WHERE is_label ORDER BY random() LIMIT 6)`]],
  ] // prettier-ignore

  it('CALLS_BY_DEAL_SQL equals a count of the rows after every kind of change', async () => {
    for (let round = 0; round < 4; round++) {
      for (const [what, change] of CHANGES) {
        await app.db.query(...change())
        const expected = await countByLoop()
        expect(await queryStored(), `${what}, before`).to.deep.equal(expected)
        if (random.integer(2) === 0) continue
        await aggregate()
        expect((await app.db.query('SELECT FROM crm_deal_call_changes')).rowCount).to.equal(0)
        expect(await queryStored(), `${what}, after`).to.deep.equal(expected)
      }
    }
    expect((await queryStored()).filter(({ said }) => said.length > 0)).to.not.have.length(0)
  })

  it('CALLS_BY_DEAL_SQL counts a check and a link of a call that commit simultaneously', async () => {
    const [first, second] = await insertCheckedCalls(app, [
      { at: hourToIso(1), manager: 'Anna', score: 50, labels: ['price'] },
      { at: hourToIso(1), manager: 'Anna', score: 50, labels: ['price'] },
    ])
    await insertDeals(
      app,
      [5001, 5002].map((id) => ({ id, outcome: 'open' as const, createdAt: hourToIso(0) })),
    )
    await app.db.query('UPDATE analyses SET is_current = false WHERE recording_id = ANY($1::uuid[])', [[first, second]])
    await aggregate()
    const [linking, checking] = [await app.db.connect(), await app.db.connect()]
    try {
      for (const [call, id, order] of [
        [first, 5001, [linking, checking]],
        [second, 5002, [checking, linking]],
      ] as const) {
        await Promise.all(order.map((client) => client.query('BEGIN')))
        const link = `INSERT INTO crm_call_deals (recording_id, deal_id, linked_by) VALUES ($1, $2, 'person')`
        await linking.query(link, [call, id])
        await checking.query('UPDATE analyses SET is_current = true WHERE recording_id = $1', [call])
        for (const client of order) {
          await client.query('COMMIT')
          await aggregate()
        }
        expect((await queryStored()).find(({ deal_id }) => deal_id === String(id))).to.deep.equal({
          deal_id: String(id),
          calls: 1,
          is_checked: true,
          said: [`${labels}/price`],
        })
      }
    } finally {
      for (const client of [linking, checking]) client.release()
    }
  })

  it('add_up_deal_calls() takes a limited batch and leaves the other changes', async () => {
    await app.db.query('INSERT INTO crm_deal_call_changes (deal_id) SELECT id FROM crm_deals, generate_series(1, 3)')
    const before = await app.db.query('SELECT FROM crm_deal_call_changes')
    const { rows } = await app.db.query<{ taken: number }>('SELECT add_up_deal_calls(50) AS taken')
    expect(rows[0]!.taken).to.equal(50)
    expect((await app.db.query('SELECT FROM crm_deal_call_changes')).rowCount).to.equal(before.rowCount! - 50)
    expect(await queryStored()).to.deep.equal(await countByLoop())
    const call = generateId()
    await app.db.query('INSERT INTO crm_deal_call_changes (recording_id) VALUES ($1)', [call])
    await aggregate()
    expect(await queryStored(), 'a change of a call of no deal').to.deep.equal(await countByLoop())
  })
})
