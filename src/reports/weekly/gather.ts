import type { Temporal } from 'temporal-polyfill'
import { reconcileManagers } from '../../crm/reconciliation/service.ts'
import type { Counts } from '../../crm/reconciliation/schema.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { countCallsByWeek } from '../definitions/calls.ts'
import { DEALS, dealsInScope } from '../definitions/deals.ts'
import { FEWEST, total } from '../definitions/figures.ts'
import { periodOf, weeksOf, type Period } from '../../platform/lib/period.ts'
import { readResults, type Results } from '../definitions/results.ts'
import { findRules, groupByRule, type RuleFinder, type RuleNames } from '../definitions/rules.ts'
import { countBy, readLost } from '../refusals/refusals.ts'
import { queryRows } from '../query-rows.ts'
import { findManagerNames, spanNumber, type Scope } from '../scope.ts'
import { readCallsToHear, type CallToHear } from './listen.ts'

/** The week of the report and the eight before. */
export const WEEKS = 9
/** Coaching topics are derived from this many weeks, because a single week has too few calls. */
const COACHED_WEEKS = 4

/** The figures of a week of a manager: only what can be added up. */
export const NOTHING = {
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
export type Figures = typeof NOTHING

/** The stored figures of a manager; null for calls and deals without one. */
export interface ManagerRow {
  managerId: string | null
  manager: string | null
  /** The oldest first, the week of the report last. */
  weeks: Figures[]
  worst: CallToHear[]
  best: CallToHear[]
  coach: (RuleNames & { met: number; missed: number }) | null
  refusals: { reason: string | null; deals: number }[]
  reconciliation: Counts | null
}

/** The figures of the week from a Monday, by manager. Includes everybody with data in it or in the eight weeks before. */
export async function gatherWeek(sql: Sql, monday: Temporal.PlainDate, timeZone: string): Promise<ManagerRow[]> {
  const whole = periodOf(monday.subtract({ weeks: WEEKS - 1 }), monday.add({ days: 6 }), timeZone)
  const scope = scopeOf(periodOf(monday, monday.add({ days: 6 }), timeZone))
  const counted = [...(await countCallsByWeek(sql, scopeOf(whole), LINKED)), ...(await readDeals(sql, whole))]
  const results = await readWeeks(sql, monday, timeZone)
  const find = await findRules(sql, results.flat())
  const lost = await readLost(sql, scope)
  const hear = await readCallsToHear(sql, scope)
  const reconciled = await reconcileManagers(sql, scope.period.since, scope.period.until)
  const all = [...counted, ...results.flat(), ...lost].map(({ managerId }) => managerId)
  const managers = [...new Set([...all, ...reconciled.keys()])]
  const names = await findManagerNames(sql, managers)
  return managers.map((managerId) => {
    const own = <T extends { managerId: string | null }>(rows: T[]) => rows.filter((row) => row.managerId === managerId)
    const weeks = Array.from({ length: WEEKS }, (_, n) =>
      sumOf([...own(counted).filter(({ week }) => week === n + 1), ...own(results[n]!)]),
    )
    return {
      managerId,
      manager: names.get(managerId) ?? null,
      weeks,
      ...hear(managerId),
      coach: coachOf(own(results.slice(-COACHED_WEEKS).flat()), find),
      refusals: countBy(own(lost), 'reason').map(([reason, deals]) => ({ reason, deals })),
      reconciliation: reconciled.get(managerId) ?? null,
    }
  })
}

const scopeOf = (period: Period): Scope => ({ period, managers: null })

interface Counted extends Partial<Figures> {
  managerId: string | null
  /** The index of the week, from 1. */
  week: number
}

const LINKED = `count(*) FILTER (WHERE EXISTS (
  SELECT FROM crm_call_deals l WHERE l.recording_id = r.id AND NOT l.ambiguous))::int AS linked`

const readDeals = (sql: Sql, period: Period): Promise<Counted[]> =>
  queryRows(
    sql,
    (p) => `SELECT m.id AS "managerId", ${spanNumber(p, 'd.closed_at', weeksOf(period))} AS week,
                  count(*) FILTER (WHERE d.outcome = 'won')::int AS won,
                  count(*) FILTER (WHERE d.outcome = 'lost')::int AS lost
             FROM ${DEALS} WHERE d.outcome <> 'open' AND ${dealsInScope(p, scopeOf(period), 'closed_at')} GROUP BY 1, 2`,
  )

async function readWeeks(sql: Sql, monday: Temporal.PlainDate, timeZone: string): Promise<Results[][]> {
  const weeks: Results[][] = []
  for (let ago = WEEKS - 1; ago >= 0; ago--) {
    const first = monday.subtract({ weeks: ago })
    weeks.push(await readResults(sql, scopeOf(periodOf(first, first.add({ days: 6 }), timeZone))))
  }
  return weeks
}

export function sumOf(rows: Partial<Figures>[]): Figures {
  const names = Object.keys(NOTHING) as (keyof Figures)[]
  return Object.fromEntries(names.map((name) => [name, total(rows, name)])) as Figures
}

/** The rule met least often of those judged in at least ten calls; null if none was missed. */
function coachOf(results: Results[], find: RuleFinder): ManagerRow['coach'] {
  const share = ({ met, missed }: { met: number; missed: number }) => met / (met + missed)
  const [weakest] = groupByRule(results, find)
    .map(({ named, rows }) => ({ named, met: total(rows, 'met'), missed: total(rows, 'missed') }))
    .filter(({ met, missed }) => missed > 0 && met + missed >= FEWEST)
    .sort((a, b) => share(a) - share(b) || a.named.position - b.named.position)
  if (!weakest) return null
  const { named, met, missed } = weakest
  return { set: named.set, rule: named.rule, met, missed }
}
