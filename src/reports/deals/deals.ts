import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { formatLimitSql, listPageBySql, type PageRequest } from '../../platform/db/page.ts'
import { badRequestError } from '../../platform/errors.ts'
import {
  SqlParameters,
  toConditions,
  type SqlCondition,
  type SqlConditions,
} from '../../platform/lib/sql-conditions.ts'
import { managerIdsByNamesSql } from '../../people/managers/name-sql.ts'
import { getVisibleManagerIds } from '../../people/managers/visibility.ts'
import { periodMessages } from '../../platform/lib/period-messages.ts'
import { comparedDealsSql, findScoringVersionId } from '../correlation/load-data.ts'
import {
  CALLS_BEFORE_CLOSE_SQL,
  DEALS_FROM_SQL,
  dealScopeCondition,
  IS_SILENT_DEAL_SQL,
  LAST_DEAL_CALL_AT_SQL,
  openDealScopeCondition,
  LOSS_REASON_SQL,
  STAGE_BEFORE_CLOSE_SQL,
} from '../definitions/deals.ts'
import { isoTimeSql, queryRows } from '../query-rows.ts'
import { loadReportScope, managerCondition, type ReportQuery, type ReportScope } from '../scope.ts'
import { DEAL_FILTER_NO_VALUE, type DealFilters, type DealSort, type DealsPage, type ListedDeal } from './schema.ts'

/**
 * Lists one page of the deals behind a figure of a report.
 * @throws HttpError 400 for an invalid period, an unknown version, or score filters of deals that are not compared
 */
export async function listReportDeals(
  core: Core,
  actor: Actor,
  query: ReportQuery & DealFilters & DealSort & PageRequest,
): Promise<DealsPage> {
  rejectScoreFilters(query)
  const { by, sort, order, page, pageSize } = query
  const scope = await loadReportScope(core, actor, query)
  const versionId = await findScoringVersionId(core.pool, query.scoredBy)
  const buildFromClause = (p: SqlParameters) =>
    `${dealsSql(p, scope, by)} AND ${p.and(filterConditions(query))} AND ${comparisonCondition(p, scope, versionId, query)}`
  const p = new SqlParameters()
  const fromClause = buildFromClause(p)
  const count = `SELECT count(*)::int AS total FROM ${fromClause}`
  const rows = selectReportDealsSql(p, actor, fromClause, { by, sort, order, page, pageSize })
  const [listed, [outcomes]] = await Promise.all([
    listPageBySql<ListedDeal>(core.pool, { count, rows, values: p.values }, { page, pageSize }),
    queryRows<DealsPage['outcomes']>(core.pool, (p) => `SELECT ${OUTCOME_COUNTS_SQL} FROM ${buildFromClause(p)}`),
  ])
  return { ...listed, outcomes: outcomes! }
}

const OUTCOME_COUNTS_SQL = (['won', 'lost', 'open'] as const)
  .map((outcome) => `count(*) FILTER (WHERE d.outcome = '${outcome}')::int AS ${outcome}`)
  .join(', ')

/**
 * Builds the query for one page of deals, with the numbers of all their calls and of those that the actor sees.
 * @param fromClause SQL of a FROM clause with deals d and managers m
 */
export function selectReportDealsSql(
  p: SqlParameters,
  actor: Actor,
  fromClause: string,
  { by, sort, order = 'desc', ...page }: Pick<DealFilters, 'by'> & Partial<DealSort> & PageRequest,
): string {
  const sortKeySql = sort ? FIELD_SORT_KEYS_SQL[sort] : SORT_KEYS_SQL[by]
  const direction = sort && order === 'desc' ? 'DESC NULLS LAST' : 'ASC NULLS LAST'
  const visibleCalls = managerCondition(getVisibleManagerIds(actor), 'l.manager_id')
  return `
    SELECT d.id, d.title, json_build_object('id', d.funnel_id, 'name', f.name) AS funnel, s.name AS stage, d.outcome,
           d."managerId", d.manager, CASE WHEN d.amount IS NOT NULL AND d.currency IS NOT NULL
             THEN json_build_object('amount', d.amount, 'currency', d.currency) END AS amount,
           ${isoTimeSql('d.created_at')} AS "createdAt", ${isoTimeSql('d.closed_at')} AS "closedAt",
           c.calls, c.seen AS "callsSeen", ${isoTimeSql('coalesce(d.last, c.last)')} AS "lastCallAt"
      FROM (SELECT d.id, d.title, d.funnel_id, d.stage_id, d.outcome, m.id AS "managerId", m.name AS manager,
                   d.amount::float8 AS amount, d.currency, d.created_at, d.closed_at,
                   ${by === 'silent' ? LAST_DEAL_CALL_AT_SQL : 'NULL::timestamptz'} AS last, ${sortKeySql} AS sort_key
              FROM ${fromClause} ORDER BY sort_key ${direction}, d.id ${formatLimitSql(page)}) d
      LEFT JOIN crm_funnels f ON f.id = d.funnel_id
      LEFT JOIN crm_stages s ON s.funnel_id = d.funnel_id AND s.id = d.stage_id
     CROSS JOIN LATERAL (
       SELECT count(*)::int AS calls, count(*) FILTER (WHERE ${p.and(visibleCalls)})::int AS seen,
              max(l.call_at) AS last FROM crm_call_deals l WHERE ${CALLS_BEFORE_CLOSE_SQL}) c
     ORDER BY d.sort_key ${direction}, d.id`
}

/**
 * Only compared deals have a score and a manager with the longest talk time.
 * @throws HttpError 400 if score filters are combined with compared=false
 */
function rejectScoreFilters({ compared, ...filters }: DealFilters): void {
  if (compared !== false) return
  const invalid = (['scoreFrom', 'scoreBelow', 'talker'] as const).filter((name) => filters[name] !== undefined)
  if (invalid.length > 0) throw badRequestError(invalid.map((name) => periodMessages.notCompared().withField(name)))
}

/** Deals are sorted by these expressions in ascending order; a minus puts the newest deals first. */
const SORT_KEYS_SQL: Record<DealFilters['by'], string> = {
  closed: '-extract(epoch FROM d.closed_at)',
  created: '-extract(epoch FROM d.created_at)',
  silent: `extract(epoch FROM coalesce(${LAST_DEAL_CALL_AT_SQL}, d.created_at))`,
}

const FIELD_SORT_KEYS_SQL: Record<NonNullable<DealSort['sort']>, string> = {
  title: 'lower(d.title)',
  manager: 'lower(m.name)',
  funnel: 'lower((SELECT f.name FROM crm_funnels f WHERE f.id = d.funnel_id))',
  stage: 'lower((SELECT s.name FROM crm_stages s WHERE s.funnel_id = d.funnel_id AND s.id = d.stage_id))',
  outcome: 'd.outcome',
  amount: 'CASE WHEN d.currency IS NOT NULL THEN d.amount END',
  created: 'd.created_at',
  closed: 'd.closed_at',
  calls: `(SELECT count(*) FROM crm_call_deals l WHERE ${CALLS_BEFORE_CLOSE_SQL})`,
  lastCall: `(SELECT max(l.call_at) FROM crm_call_deals l WHERE ${CALLS_BEFORE_CLOSE_SQL})`,
}

/** Builds a FROM clause with the silent deals d of a scope and their managers m. */
export const silentDealsSql = (p: SqlParameters, scope: ReportScope): string =>
  `${DEALS_FROM_SQL} WHERE ${openDealScopeCondition(p, scope)} AND ${IS_SILENT_DEAL_SQL}`

function dealsSql(p: SqlParameters, scope: ReportScope, by: DealFilters['by']): string {
  if (by === 'silent') return silentDealsSql(p, scope)
  return `${DEALS_FROM_SQL} WHERE ${dealScopeCondition(p, scope, by === 'closed' ? 'closed_at' : 'created_at')}`
}

const CALL_COUNT_SQL = `least(2, (SELECT count(*) FROM crm_call_deals l WHERE ${CALLS_BEFORE_CLOSE_SQL}))`
const CALL_COUNT_VALUES = { '0': 0, '1': 1, '2+': 2 }

function filterConditions({ outcome, currency, reason, before, calls, said }: DealFilters): SqlConditions {
  return [
    ...toConditions(
      ['d.outcome = ?', outcome],
      ['d.amount > 0 AND d.currency = ?', currency?.toUpperCase()],
      [`${CALL_COUNT_SQL} = ?`, calls && CALL_COUNT_VALUES[calls]],
    ),
    ...(reason === undefined ? [] : [reasonCondition(reason)]),
    ...(before === undefined ? [] : [nameCondition(STAGE_BEFORE_CLOSE_SQL, before)]),
    ...(said === undefined ? [] : [labelCondition(said)]),
  ]
}

/**
 * Builds a condition on whether the correlation report compares deal d, and on its score and its manager with the longest talk
 * time.
 */
function comparisonCondition(
  p: SqlParameters,
  scope: ReportScope,
  versionId: string | undefined,
  { compared, scoreFrom, scoreBelow, talker }: DealFilters,
): string {
  const narrowing = toConditions(
    ['c.score >= ?', scoreFrom],
    ['c.score < ?', scoreBelow],
    [`c.manager_id = ANY(ARRAY(${managerIdsByNamesSql('ARRAY[?]')}))`, talker],
  )
  if (compared === undefined && narrowing.length === 0) return 'true'
  const isCompared = `d.id IN (SELECT c.id FROM ${comparedDealsSql(p, scope, versionId)} c WHERE ${p.and(narrowing)})`
  return compared === false ? `NOT (${isCompared})` : isCompared
}

function reasonCondition(reason: string): SqlCondition {
  const own = `(SELECT ${LOSS_REASON_SQL} FROM crm_stages s WHERE s.funnel_id = d.funnel_id AND s.id = d.stage_id)`
  const { sql, values } = nameCondition(own, reason)
  return { sql: `d.outcome = 'lost' AND ${sql}`, values }
}

const nameCondition = (name: string, wanted: string): SqlCondition =>
  wanted === DEAL_FILTER_NO_VALUE ? { sql: `${name} IS NULL`, values: [] } : { sql: `${name} = ?`, values: [wanted] }

function labelCondition(said: string): SqlCondition {
  const sql = `EXISTS (
    SELECT FROM crm_call_deals l JOIN analyses a ON a.recording_id = l.recording_id AND a.is_current AND a.provider IS DISTINCT FROM 'mock' AND a.score IS NOT NULL
      JOIN findings f ON f.analysis_id = a.id AND f.is_label AND f.verdict = 'met'
      JOIN rule_set_versions v ON v.id = f.version_id JOIN rule_sets s ON s.id = v.rule_set_id
     WHERE ${CALLS_BEFORE_CLOSE_SQL} AND s.key = ? AND f.rule_key = ?)`
  return { sql, values: said.split('/') }
}
