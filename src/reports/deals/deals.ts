import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { limitOf, queryPage, type PageRequest } from '../../platform/db/page.ts'
import { badRequest } from '../../platform/errors.ts'
import { Parameters, where, type Condition, type Where } from '../../platform/lib/where.ts'
import { managersNamed } from '../../people/managers/names.ts'
import { managersSeenBy } from '../../people/managers/visibility.ts'
import { periodMessages } from '../../platform/lib/period-messages.ts'
import { comparedDeals, findVersion } from '../correlation/data.ts'
import {
  CALLS_BEFORE_CLOSE_SQL,
  DEALS,
  dealsInScope,
  IS_SILENT,
  LAST_CALL,
  openDealsInScope,
  REASON,
  STAGE_BEFORE,
} from '../definitions/deals.ts'
import { isoTime } from '../query-rows.ts'
import { loadScope, managerCondition, type ReportQuery, type Scope } from '../scope.ts'
import { WITHOUT, type DealFilters, type DealsPage } from './schema.ts'

/** One page of the deals behind a figure. @throws HttpError 400 */
export async function listDeals(
  core: Core,
  actor: Actor,
  query: ReportQuery & DealFilters & PageRequest,
): Promise<DealsPage> {
  rejectUncompared(query)
  const { by, page, pageSize } = query
  const scope = await loadScope(core, actor, query)
  const versionId = await findVersion(core.pool, query.scoredBy)
  const p = new Parameters()
  const chosen = `${dealsBy(p, scope, by)} AND ${p.and(filterConditions(query))} AND ${comparisonCondition(p, scope, versionId, query)}`
  const count = `SELECT count(*)::int AS total FROM ${chosen}`
  const rows = selectDeals(p, actor, chosen, { by, page, pageSize })
  return queryPage(core.pool, { count, rows, values: p.values }, { page, pageSize })
}

/** SQL: a page of deals. @param chosen SQL: deals d and managers m, for the FROM clause */
export function selectDeals(
  p: Parameters,
  actor: Actor,
  chosen: string,
  { by, ...page }: Pick<DealFilters, 'by'> & PageRequest,
): string {
  const isSeen = managerCondition(managersSeenBy(actor), 'l.manager_id')
  return `
    SELECT d.id, d.title, json_build_object('id', d.funnel_id, 'name', f.name) AS funnel, s.name AS stage, d.outcome,
           d."managerId", d.manager, CASE WHEN d.amount IS NOT NULL AND d.currency IS NOT NULL
             THEN json_build_object('amount', d.amount, 'currency', d.currency) END AS amount,
           ${isoTime('d.created_at')} AS "createdAt", ${isoTime('d.closed_at')} AS "closedAt",
           c.calls, c.seen AS "callsSeen", ${isoTime('coalesce(d.last, c.last)')} AS "lastCallAt"
      FROM (SELECT d.id, d.title, d.funnel_id, d.stage_id, d.outcome, m.id AS "managerId", m.name AS manager,
                   d.amount::float8 AS amount, d.currency, d.created_at, d.closed_at,
                   ${by === 'silent' ? LAST_CALL : 'NULL::timestamptz'} AS last, ${ORDER[by]} AS sort_key
              FROM ${chosen} ORDER BY sort_key, d.id ${limitOf(page)}) d
      LEFT JOIN crm_funnels f ON f.id = d.funnel_id
      LEFT JOIN crm_stages s ON s.funnel_id = d.funnel_id AND s.id = d.stage_id
     CROSS JOIN LATERAL (
       SELECT count(*)::int AS calls, count(*) FILTER (WHERE ${p.and(isSeen)})::int AS seen,
              max(l.call_at) AS last FROM crm_call_deals l WHERE ${CALLS_BEFORE_CLOSE_SQL}) c
     ORDER BY d.sort_key, d.id`
}

/** Only compared deals have scores and a main manager. @throws HttpError 400 */
function rejectUncompared({ compared, ...asked }: DealFilters): void {
  if (compared !== false) return
  const given = (['scoreFrom', 'scoreBelow', 'talker'] as const).filter((name) => asked[name] !== undefined)
  if (given.length > 0) throw badRequest(given.map((name) => periodMessages.notCompared().about(name)))
}

/** SQL: the ascending order of deals. */
const ORDER: Record<DealFilters['by'], string> = {
  closed: '-extract(epoch FROM d.closed_at)',
  created: '-extract(epoch FROM d.created_at)',
  silent: `extract(epoch FROM coalesce(${LAST_CALL}, d.created_at))`,
}

/** SQL: silent deals d of a scope with their managers m, for the FROM clause. */
export const silentDeals = (p: Parameters, scope: Scope): string =>
  `${DEALS} WHERE ${openDealsInScope(p, scope)} AND ${IS_SILENT}`

function dealsBy(p: Parameters, scope: Scope, by: DealFilters['by']): string {
  if (by === 'silent') return silentDeals(p, scope)
  return `${DEALS} WHERE ${dealsInScope(p, scope, by === 'closed' ? 'closed_at' : 'created_at')}`
}

const CALL_COUNT = `least(2, (SELECT count(*) FROM crm_call_deals l WHERE ${CALLS_BEFORE_CLOSE_SQL}))`
const NUMBERS = { '0': 0, '1': 1, '2+': 2 }

function filterConditions({ outcome, currency, reason, before, calls, said }: DealFilters): Where {
  return [
    ...where(
      ['d.outcome = ?', outcome],
      ['d.amount > 0 AND d.currency = ?', currency?.toUpperCase()],
      [`${CALL_COUNT} = ?`, calls && NUMBERS[calls]],
    ),
    ...(reason === undefined ? [] : [byReason(reason)]),
    ...(before === undefined ? [] : [byName(STAGE_BEFORE, before)]),
    ...(said === undefined ? [] : [bySaid(said)]),
  ]
}

/** SQL: whether the correlation compares deal d, and its score and main manager there. */
function comparisonCondition(
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
     WHERE ${CALLS_BEFORE_CLOSE_SQL} AND s.key = ? AND f.rule_key = ?)`
  return { sql, values: said.split('/') }
}
