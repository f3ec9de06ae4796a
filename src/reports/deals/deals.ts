import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { badRequest } from '../../platform/errors.ts'
import { Parameters, where, type Condition, type Where } from '../../platform/lib/where.ts'
import { managersNamed } from '../../people/managers/names.ts'
import { managersSeenBy } from '../../people/managers/visibility.ts'
import { periodMessages } from '../../platform/lib/period-messages.ts'
import { comparedDeals } from '../correlation/data.ts'
import { findVersion } from '../correlation/versions.ts'
import { BEFORE_THE_END, DEALS, dealsOf, openDealsOf, STAGE_BEFORE } from '../definitions/deals.ts'
import { REASON } from '../definitions/reasons.ts'
import { IS_SILENT, LAST_CALL } from '../definitions/silence.ts'
import { readScope, type Asked, type Scope } from '../frame.ts'
import { of } from '../scope.ts'
import { WITHOUT, type DealFilters, type DealsPage, type ListedDeal } from './schema.ts'

interface Row extends Omit<ListedDeal, 'funnel' | 'amount' | 'createdAt' | 'closedAt' | 'lastCallAt'> {
  funnelId: number
  funnel: string | null
  amount: number | null
  currency: string | null
  createdAt: Date
  closedAt: Date | null
  lastCallAt: Date | null
}

/** One page of the deals behind a figure. @throws HttpError 400 */
export async function listDeals(
  core: Core,
  actor: Actor,
  { page, pageSize, ...asked }: Asked & DealFilters & { page: number; pageSize: number },
): Promise<DealsPage> {
  refuseUncompared(asked)
  const scope = await readScope(core, actor, asked)
  const versionId = await findVersion(core.pool, asked.scoredBy)
  const p = new Parameters()
  const chosen = `${DEALS} WHERE ${periodOf(p, scope, asked.by)} AND ${p.and(narrowedBy(asked))} AND ${byComparison(p, scope, versionId, asked)}`
  const values = [...p.values]
  const offset = p.add((page - 1) * pageSize)
  const [counted, { rows }] = await Promise.all([
    core.pool.query<{ total: number }>({ text: `SELECT count(*)::int AS total FROM ${chosen}`, values }),
    core.pool.query<Row>({
      text: `SELECT d.id, d.title, d.funnel_id::int AS "funnelId", f.name AS funnel, s.name AS stage, d.outcome,
                    d."managerId", d.manager, d.amount, d.currency, d.created_at AS "createdAt", d.closed_at AS "closedAt",
                    c.calls, c.seen AS "callsSeen", coalesce(d.last, c.last) AS "lastCallAt"
               FROM (SELECT d.id, d.title, d.funnel_id, d.stage_id, d.outcome, m.id AS "managerId", m.name AS manager,
                            d.amount::float8 AS amount, d.currency, d.created_at, d.closed_at, ${asked.by === 'silent' ? LAST_CALL : 'NULL::timestamptz'} AS last,
                            ${ORDER[asked.by]} AS sort_key
                       FROM ${chosen} ORDER BY sort_key, d.id LIMIT ${pageSize} OFFSET ${offset}::bigint) d
               LEFT JOIN crm_funnels f ON f.id = d.funnel_id
               LEFT JOIN crm_stages s ON s.funnel_id = d.funnel_id AND s.id = d.stage_id
              CROSS JOIN LATERAL (
                SELECT count(*)::int AS calls, count(*) FILTER (WHERE ${p.and(of(managersSeenBy(actor), 'l.manager_id'))})::int AS seen,
                       max(l.call_at) AS last FROM crm_call_deals l WHERE ${BEFORE_THE_END}) c
              ORDER BY d.sort_key, d.id`,
      values: p.values,
    }),
  ])
  return { items: rows.map(present), total: counted.rows[0]!.total, page, pageSize }
}

/** What only compared deals have does not narrow the others. @throws HttpError 400 */
function refuseUncompared({ compared, ...asked }: DealFilters): void {
  if (compared !== false) return
  const given = (['scoreFrom', 'scoreBelow', 'talker'] as const).filter((name) => asked[name] !== undefined)
  if (given.length > 0) throw badRequest(given.map((name) => periodMessages.notCompared().about(name)))
}

/** What comes first has the least of these. */
const ORDER: Record<DealFilters['by'], string> = {
  closed: '-extract(epoch FROM d.closed_at)',
  created: '-extract(epoch FROM d.created_at)',
  silent: `extract(epoch FROM coalesce(${LAST_CALL}, d.created_at))`,
}

function periodOf(p: Parameters, scope: Scope, by: DealFilters['by']): string {
  if (by === 'silent') return `${openDealsOf(p, scope)} AND ${IS_SILENT}`
  return dealsOf(p, scope, by === 'closed' ? 'closed_at' : 'created_at')
}

const CALLS_BEFORE = `least(2, (SELECT count(*) FROM crm_call_deals l WHERE ${BEFORE_THE_END}))`
const NUMBERS = { '0': 0, '1': 1, '2+': 2 }

function narrowedBy({ outcome, currency, reason, before, calls, said }: DealFilters): Where {
  const given = <T>(value: T | undefined, made: (value: T) => Condition): Where =>
    value === undefined ? [] : [made(value)]
  return [
    ...given(outcome, (value) => ({ sql: 'd.outcome = ?', values: [value] })),
    ...given(currency, (value) => ({ sql: 'd.amount > 0 AND d.currency = ?', values: [value.toUpperCase()] })),
    ...given(reason, byReason),
    ...given(before, (value) => byName(STAGE_BEFORE, value)),
    ...given(calls, (value) => ({ sql: `${CALLS_BEFORE} = ?`, values: [NUMBERS[value]] })),
    ...given(said, bySaid),
  ]
}

/** What the correlation says of deals: whether it compares them, by what score and whose calls. */
function byComparison(
  p: Parameters,
  scope: Scope,
  versionId: string | undefined,
  { compared, scoreFrom, scoreBelow, talker }: DealFilters,
): string {
  const narrowing = where(
    ['c.score >= ?', scoreFrom],
    ['c.score < ?', scoreBelow],
    [`c.manager_id = ANY(ARRAY(${managersNamed('ARRAY[?]')}))`, talker],
  )
  if (compared === undefined && narrowing.length === 0) return 'true'
  const isCompared = `d.id IN (SELECT c.id FROM ${comparedDeals(p, scope, versionId)} c WHERE ${p.and(narrowing)})`
  return compared === false ? `NOT (${isCompared})` : isCompared
}

function byReason(reason: string): Condition {
  const own = `(SELECT ${REASON} FROM crm_stages s WHERE s.funnel_id = d.funnel_id AND s.id = d.stage_id)`
  const { sql, values } = byName(own, reason)
  return { sql: `d.outcome = 'lost' AND ${sql}`, values }
}

const byName = (name: string, wanted: string): Condition =>
  wanted === WITHOUT ? { sql: `${name} IS NULL`, values: [] } : { sql: `${name} = ?`, values: [wanted] }

function bySaid(said: string): Condition {
  const sql = `EXISTS (
    SELECT FROM crm_call_deals l JOIN analyses a ON a.recording_id = l.recording_id AND a.is_current AND a.provider IS DISTINCT FROM 'mock' AND a.score IS NOT NULL
      JOIN findings f ON f.analysis_id = a.id AND f.is_label AND f.verdict = 'met'
      JOIN rule_set_versions v ON v.id = f.version_id JOIN rule_sets s ON s.id = v.rule_set_id
     WHERE ${BEFORE_THE_END} AND s.key = ? AND f.rule_key = ?)`
  return { sql, values: said.split('/') }
}

function present({ funnelId, funnel, amount, currency, createdAt, closedAt, lastCallAt, ...deal }: Row): ListedDeal {
  return {
    ...deal,
    funnel: { id: funnelId, name: funnel },
    amount: amount === null || currency === null ? null : { amount, currency },
    createdAt: createdAt.toISOString(),
    closedAt: closedAt && closedAt.toISOString(),
    lastCallAt: lastCallAt && lastCallAt.toISOString(),
  }
}
