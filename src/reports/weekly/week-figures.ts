import type { Temporal } from 'temporal-polyfill'
import { countCrmCallsByManager } from '../../crm/reconciliation/service.ts'
import type { ReconciliationCounts } from '../../crm/reconciliation/schema.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { countCallsByWeek } from '../definitions/calls.ts'
import { DEALS_FROM_SQL, dealScopeCondition } from '../definitions/deals.ts'
import { sumField } from '../definitions/figures.ts'
import { MIN_SAMPLE_SIZE } from '../definitions/values.ts'
import { createPeriod, splitIntoWeeks, type Period } from '../../platform/lib/period.ts'
import { countRuleVerdicts, type RuleVerdictCounts } from '../definitions/rule-verdicts.ts'
import {
  loadRuleFinder,
  groupRowsByRule,
  sumLostPoints,
  type RuleFinder,
  type RuleNames,
} from '../definitions/rules.ts'
import { countDealsByField, countLostDealsByGroup } from '../refusals/refusals.ts'
import { queryRows } from '../query-rows.ts'
import { loadManagerNames, spanNumberSql, type ReportScope } from '../scope.ts'
import { loadRecommendedCallFinder, type RecommendedCall } from './recommended-calls.ts'

/** The number of weeks in a report, for the trend. Reports of earlier releases contain nine. */
export const WEEKLY_REPORT_WEEKS = 12
/** The usual range of a figure comes from this many weeks before the week of the report. */
export const USUAL_RANGE_WEEKS = 8
/** Coaching topics come from this many weeks, because a single week has too few calls. */
export const COACHING_WEEKS = 4
/** A manager who met every rule in at least this share of calls needs no coaching. */
const GOOD_SHARE = 0.8

/** The figures of a manager and week. Only sums are stored, so that figures can be added across managers and weeks. */
export const EMPTY_WEEK_FIGURES = {
  calls: 0,
  done: 0,
  checked: 0,
  linked: 0,
  score: 0,
  met: 0,
  missed: 0,
  won: 0,
  lost: 0,
}
/** Sums of one week, of one manager or of several. `score` is the sum of the scores. */
export type WeekFigures = typeof EMPTY_WEEK_FIGURES

/** Contains the figures of one manager in a stored report. `managerId` is null for calls and deals without a manager. */
export interface WeeklyManagerRow {
  managerId: string | null
  manager: string | null
  /** In ascending order; the week of the report is the last. */
  weeks: WeekFigures[]
  worst: RecommendedCall[]
  best: RecommendedCall[]
  coach: (RuleNames & { met: number; missed: number }) | null
  refusals: { reason: string | null; deals: number }[]
  reconciliation: ReconciliationCounts | null
}

/**
 * Computes the rows of a weekly report, one per manager: the sums of twelve weeks, and the details of the last week. Includes
 * managers with data in any of these weeks.
 * @param monday the first day of the last week
 */
export async function loadWeekFigures(
  sql: Sql,
  monday: Temporal.PlainDate,
  timeZone: string,
): Promise<WeeklyManagerRow[]> {
  const reportPeriod = createPeriod(
    monday.subtract({ weeks: WEEKLY_REPORT_WEEKS - 1 }),
    monday.add({ days: 6 }),
    timeZone,
  )
  const scope = createUnrestrictedScope(createPeriod(monday, monday.add({ days: 6 }), timeZone))
  const weekCounts = [
    ...(await countCallsByWeek(sql, createUnrestrictedScope(reportPeriod), LINKED_COUNT_SQL)),
    ...(await countClosedDealsByWeek(sql, createUnrestrictedScope(reportPeriod))),
  ]
  const results = await countVerdictsByWeek(sql, monday, timeZone)
  const find = await loadRuleFinder(sql, results.flat())
  const lost = await countLostDealsByGroup(sql, scope)
  const findRecommendedCalls = await loadRecommendedCallFinder(sql, scope)
  const reconciliations = await countCrmCallsByManager(sql, scope.period.since, scope.period.until)
  const all = [...weekCounts, ...results.flat(), ...lost].map(({ managerId }) => managerId)
  const managers = [...new Set([...all, ...reconciliations.keys()])]
  const names = await loadManagerNames(sql, managers)
  return managers.map((managerId) => {
    const own = <T extends { managerId: string | null }>(rows: T[]) => rows.filter((row) => row.managerId === managerId)
    const weeks = Array.from({ length: WEEKLY_REPORT_WEEKS }, (_, n) =>
      sumWeekFigures([...own(weekCounts).filter(({ week }) => week === n + 1), ...own(results[n]!)]),
    )
    return {
      managerId,
      manager: names.get(managerId) ?? null,
      weeks,
      ...findRecommendedCalls(managerId),
      coach: chooseCoachingRule(own(results.slice(-COACHING_WEEKS).flat()), find),
      refusals: countDealsByField(own(lost), 'reason').map(([reason, deals]) => ({ reason, deals })),
      reconciliation: reconciliations.get(managerId) ?? null,
    }
  })
}

const createUnrestrictedScope = (period: Period): ReportScope => ({ period, managers: null })

interface WeekCounts extends Partial<WeekFigures> {
  managerId: string | null
  /** The number of the week in the period, from 1. */
  week: number
}

const LINKED_COUNT_SQL = `count(*) FILTER (WHERE EXISTS (
  SELECT FROM crm_call_deals l WHERE l.recording_id = r.id AND NOT l.ambiguous))::int AS linked`

/** Counts won and lost deals by the week in which they were closed and by responsible manager. */
export const countClosedDealsByWeek = (sql: Sql, scope: ReportScope): Promise<WeekCounts[]> =>
  queryRows(
    sql,
    (p) => `SELECT m.id AS "managerId", ${spanNumberSql(p, 'd.closed_at', splitIntoWeeks(scope.period))} AS week,
                  count(*) FILTER (WHERE d.outcome = 'won')::int AS won,
                  count(*) FILTER (WHERE d.outcome = 'lost')::int AS lost
             FROM ${DEALS_FROM_SQL} WHERE d.outcome <> 'open' AND ${dealScopeCondition(p, scope, 'closed_at')} GROUP BY 1, 2`,
  )

async function countVerdictsByWeek(
  sql: Sql,
  monday: Temporal.PlainDate,
  timeZone: string,
): Promise<RuleVerdictCounts[][]> {
  const weeks: RuleVerdictCounts[][] = []
  for (let ago = WEEKLY_REPORT_WEEKS - 1; ago >= 0; ago--) {
    const first = monday.subtract({ weeks: ago })
    weeks.push(
      await countRuleVerdicts(sql, createUnrestrictedScope(createPeriod(first, first.add({ days: 6 }), timeZone))),
    )
  }
  return weeks
}

/** Sums each figure over all rows; a missing figure counts 0. */
export function sumWeekFigures(rows: Partial<WeekFigures>[]): WeekFigures {
  const names = Object.keys(EMPTY_WEEK_FIGURES) as (keyof WeekFigures)[]
  return Object.fromEntries(names.map((name) => [name, sumField(rows, name)])) as WeekFigures
}

/**
 * Chooses the rule whose misses cost most points, among rules judged in at least ten calls. Returns null if every such rule was met
 * in at least 80 % of calls.
 */
export function chooseCoachingRule(results: RuleVerdictCounts[], find: RuleFinder): WeeklyManagerRow['coach'] {
  const rules = groupRowsByRule(results, find)
    .map(({ named, rows }) => {
      const [met, missed] = [sumField(rows, 'met'), sumField(rows, 'missed')]
      return { named, met, missed, share: met / (met + missed), lost: sumLostPoints(rows, find) }
    })
    .filter(({ met, missed }) => met + missed >= MIN_SAMPLE_SIZE)
    .sort((a, b) => b.lost - a.lost || a.share - b.share || a.named.position - b.named.position)
  const [costliest] = rules
  if (!costliest || rules.every(({ share }) => share >= GOOD_SHARE)) return null
  const { named, met, missed } = costliest
  return { set: named.set, rule: named.rule, met, missed }
}
