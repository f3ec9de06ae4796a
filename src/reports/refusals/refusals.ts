import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import {
  CALLS_BY_DEAL_SQL,
  DEALS_FROM_SQL,
  dealScopeCondition,
  LOSS_REASON_SQL,
  STAGE_BEFORE_CLOSE_SQL,
} from '../definitions/deals.ts'
import { computeRatio, sumField, type Ratio } from '../definitions/figures.ts'
import { computeWilsonInterval } from '../definitions/statistics.ts'
import { loadRuleFinder } from '../definitions/rules.ts'
import { loadReportFrame } from '../report-frame.ts'
import { queryRows } from '../query-rows.ts'
import { defineReport } from '../define-report.ts'
import { dealsReportParameters } from '../schema.ts'
import { loadManagerNames, loadReportScope, type ReportQuery, type ReportScope } from '../scope.ts'
import { refusalsReportExample, RefusalsReportSchema, type RefusalsReportJson } from './schema.ts'

export const refusalsReport = defineReport({
  name: 'refusals',
  summary: 'Reasons and stages of lost deals',
  description:
    'Lost deals of the CRM. A deal is lost at the start of its last run in closed stages. Objections are findings ' +
    'of the label rules in the scored calls of these deals.',
  query: dealsReportParameters,
  schema: RefusalsReportSchema,
  example: refusalsReportExample,
  make: makeRefusalsReport,
})

/** A manager with fewer lost deals is not compared with the others. */
const MIN_LOST_DEALS = 20

/**
 * Makes the report on lost deals by reason, stage, number of calls and manager.
 * @throws HttpError 400 for an invalid period
 */
export async function makeRefusalsReport(core: Core, actor: Actor, query: ReportQuery): Promise<RefusalsReportJson> {
  const scope = await loadReportScope(core, actor, query)
  const [frame, groups, objections] = await Promise.all([
    loadReportFrame(core, scope, query),
    countLostDealsByGroup(core.pool, scope),
    countObjections(core, scope),
  ])
  const lost = sumField(groups, 'deals')
  const managers = countDealsByField(groups, 'managerId')
  const ids = managers.map(([id]) => id)
  const names = await loadManagerNames(core.pool, ids)
  return {
    ...frame,
    lost,
    reasons: describeReasons(groups, lost),
    objections,
    stages: countDealsByField(groups, 'before').map(([stage, deals]) => ({ stage, share: computeRatio(deals, lost) })),
    calls: (['0', '1', '2+'] as const).map((calls, n) => ({
      calls,
      share: computeRatio(countDealsWith(groups, 'calls', n), lost),
    })),
    managers: managers.map(([managerId]) => describeManager(managerId, names.get(managerId) ?? null, groups)),
  }
}

/** Counts lost deals with the same manager, reason, stage and number of calls. */
interface LostDealGroup {
  managerId: string | null
  reason: string | null
  /** The name of the stage before the deal was closed. */
  before: string | null
  /** 0, 1, or 2 for two or more calls. */
  calls: number
  deals: number
}

/** Counts lost deals by manager, reason, stage before closing and number of calls. */
export function countLostDealsByGroup(sql: Sql, scope: ReportScope): Promise<LostDealGroup[]> {
  // The pattern of the reasons is slow, so it runs once per group, not once per deal.
  return queryRows(
    sql,
    (p) => `SELECT d."managerId", ${LOSS_REASON_SQL} AS reason, d.before, d.calls, sum(d.deals)::int AS deals
             FROM (SELECT m.id AS "managerId", d.funnel_id, d.stage_id, ${STAGE_BEFORE_CLOSE_SQL} AS before,
                          least(2, coalesce(c.calls, 0))::int AS calls, count(*) AS deals
                     FROM ${DEALS_FROM_SQL} LEFT JOIN ${CALLS_BY_DEAL_SQL} c ON c.deal_id = d.id
                    WHERE d.outcome = 'lost' AND ${dealScopeCondition(p, scope, 'closed_at')}
                    GROUP BY 1, 2, 3, 4, 5) d
             LEFT JOIN crm_stages s ON s.funnel_id = d.funnel_id AND s.id = d.stage_id
            GROUP BY 1, 2, 3, 4`,
  )
}

/** Sums the deals of groups by one field. The most frequent value comes first. */
export function countDealsByField<K extends string>(
  groups: ({ [name in K]: string | null } & { deals: number })[],
  name: K,
): [value: string | null, deals: number][] {
  const counts = new Map<string | null, number>()
  for (const group of groups) counts.set(group[name], (counts.get(group[name]) ?? 0) + group.deals)
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] ?? '').localeCompare(b[0] ?? ''))
}

function countDealsWith<K extends keyof LostDealGroup>(
  groups: LostDealGroup[],
  name: K,
  value: LostDealGroup[K],
): number {
  const chosen = groups.filter((group) => group[name] === value)
  return sumField(chosen, 'deals')
}

function describeReasons(groups: LostDealGroup[], lost: number): RefusalsReportJson['reasons'] {
  const found = countDealsByField(groups, 'reason')
  if (!found.some(([reason]) => reason === null)) found.push([null, 0])
  return found.map(([reason, deals]) => ({ reason, share: computeRatio(deals, lost) }))
}

/**
 * Counts lost deals with each label in their scored calls, as a share of lost deals with a scored call. A deal counts once per
 * label.
 */
async function countObjections({ pool }: Core, scope: ReportScope): Promise<RefusalsReportJson['objections']> {
  const rows = await queryRows<{ versionId: string; ruleKey: string | null; deals: number }>(
    pool,
    (p) => `WITH checked AS MATERIALIZED (
             SELECT d.id, c.said FROM ${DEALS_FROM_SQL} JOIN ${CALLS_BY_DEAL_SQL} c ON c.deal_id = d.id AND c.is_checked
              WHERE d.outcome = 'lost' AND ${dealScopeCondition(p, scope, 'closed_at')})
           SELECT NULL::uuid AS "versionId", NULL AS "ruleKey", count(*)::int AS deals FROM checked
           UNION ALL
           SELECT (array_agg(v.id ORDER BY v.number DESC))[1], said.key, count(DISTINCT said.deal)::int
             FROM (SELECT c.id AS deal, left(label, 36)::uuid AS version, substr(label, 38) AS key
                     FROM checked c, unnest(c.said) label) said
             JOIN rule_set_versions v ON v.id = said.version GROUP BY v.rule_set_id, said.key`,
  )
  const checked = rows.find(({ ruleKey }) => ruleKey === null)!.deals
  const labels = rows.flatMap(({ ruleKey, ...label }) => (ruleKey === null ? [] : [{ ...label, ruleKey }]))
  const find = await loadRuleFinder(pool, labels)
  return labels
    .map((label) => ({ ...find(label).named, deals: label.deals }))
    .sort((a, b) => b.deals - a.deals || a.position - b.position)
    .map(({ set, rule, deals }) => ({ set, rule, share: computeRatio(deals, checked) }))
}

function describeManager(managerId: string | null, manager: string | null, groups: LostDealGroup[]) {
  const own = groups.filter((group) => group.managerId === managerId)
  const others = groups.filter((group) => group.managerId !== managerId)
  const [lost, lostByOthers] = [sumField(own, 'deals'), sumField(others, 'deals')]
  const shares = countDealsByField(groups, 'reason').map(([reason]) => ({
    reason,
    share: computeRatio(countDealsWith(own, 'reason', reason), lost),
    others: computeRatio(countDealsWith(others, 'reason', reason), lostByOthers),
  }))
  return {
    managerId,
    manager,
    lost,
    noReason: computeRatio(countDealsWith(own, 'reason', null), lost),
    flags: lost < MIN_LOST_DEALS ? [] : shares.filter((one) => hasDisjointIntervals(one.share, one.others)),
  }
}

/** Returns true if the 95 % confidence intervals of two shares do not overlap. */
function hasDisjointIntervals(a: Ratio, b: Ratio): boolean {
  const [first, second] = [a, b].map(({ numerator, denominator }) => computeWilsonInterval(numerator, denominator))
  return Boolean(first && second && (first.low > second.high || first.high < second.low))
}
