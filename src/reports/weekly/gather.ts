import type { Sql } from '../../platform/db/sql.ts'
import type { Temporal } from 'temporal-polyfill'
import { reconcileManagers } from '../../crm/reconciliation/service.ts'
import type { Counts } from '../../crm/reconciliation/schema.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { COUNTED, IS_LINKED } from '../definitions/calls.ts'
import { DEALS, dealsOf } from '../definitions/deals.ts'
import { FEWEST } from '../definitions/figures.ts'
import { periodOf, weeksOf, type Period } from '../../platform/lib/period.ts'
import { readResults, type Results } from '../definitions/results.ts'
import { findRules, type NamedRule, type RuleFinder } from '../definitions/rules.ts'
import { callsOf, type Scope } from '../frame.ts'
import { readLost } from '../refusals/refusals.ts'
import { readNames } from '../scope.ts'
import { readCallsToHear, type CallToHear } from './listen.ts'

/** The week of the report and the eight before. */
export const WEEKS = 9
/** What to coach on is told by so many of them: a single one has too few calls. */
const COACHED_WEEKS = 4

/** What a week of a manager comes to: only what can be added up. */
export interface Figures {
  calls: number
  done: number
  checked: number
  linked: number
  score: number
  met: number
  missed: number
  won: number
  lost: number
}

export type RuleNames = Pick<NamedRule, 'set' | 'rule'>

/** What is kept of a manager: null for what belongs to nobody. */
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

/** What the week from a Monday comes to, manager by manager, of all who had anything in it or in the eight before. */
export async function gatherWeek(sql: Sql, monday: Temporal.PlainDate, timeZone: string): Promise<ManagerRow[]> {
  const whole = periodOf(monday.subtract({ weeks: WEEKS - 1 }), monday.add({ days: 6 }), timeZone)
  const scope = scopeOf(periodOf(monday, monday.add({ days: 6 }), timeZone))
  const counted = [...(await readCalls(sql, whole)), ...(await readDeals(sql, whole))]
  const results = await readWeeks(sql, monday, timeZone)
  const find = await findRules(sql, [...new Set(results.flat().map(({ versionId }) => versionId))])
  const lost = await readLost(sql, scope)
  const hear = await readCallsToHear(sql, scope)
  const reconciled = await reconcileManagers(sql, scope.period.since, scope.period.until)
  const all = [...counted, ...results.flat(), ...lost].map(({ managerId }) => managerId)
  const managers = [...new Set([...all, ...reconciled.keys()])]
  const names = await readNames(
    sql,
    managers.flatMap((id) => id ?? []),
  )
  return managers.map((managerId) => {
    const own = <T extends { managerId: string | null }>(rows: T[]) => rows.filter((row) => row.managerId === managerId)
    const weeks = Array.from({ length: WEEKS }, (_, n) =>
      sumOf([...own(counted).filter(({ week }) => week === n + 1), ...own(results[n]!)]),
    )
    return {
      managerId,
      manager: managerId && names.get(managerId)!,
      weeks,
      ...hear(managerId),
      coach: coachOf(own(results.slice(-COACHED_WEEKS).flat()), find),
      refusals: refusalsOf(own(lost)),
      reconciliation: reconciled.get(managerId) ?? null,
    }
  })
}

const scopeOf = (period: Period): Scope => ({ period, managers: null })

interface Counted extends Partial<Figures> {
  managerId: string | null
  /** Which of the weeks, from 1. */
  week: number
}

const bucketOf = (p: Parameters, column: string, period: Period): string =>
  `width_bucket(${column}, ${p.add(weeksOf(period).map(({ since }) => since))}::timestamptz[])`

async function readCalls(sql: Sql, period: Period): Promise<Counted[]> {
  const p = new Parameters()
  const within = callsOf(p, scopeOf(period))
  const { rows } = await sql.query<Counted>({
    text: `SELECT r.manager_id AS "managerId", ${bucketOf(p, 'r.call_at', period)} AS week, ${COUNTED},
                  count(*) FILTER (WHERE ${IS_LINKED})::int AS linked,
                  coalesce(sum(r.score::float8), 0) AS score
             FROM recordings r WHERE ${within} GROUP BY 1, 2`,
    values: p.values,
  })
  return rows
}

async function readDeals(sql: Sql, period: Period): Promise<Counted[]> {
  const p = new Parameters()
  const within = dealsOf(p, scopeOf(period), 'closed_at')
  const { rows } = await sql.query<Counted>({
    text: `SELECT m.id AS "managerId", ${bucketOf(p, 'd.closed_at', period)} AS week,
                  count(*) FILTER (WHERE d.outcome = 'won')::int AS won,
                  count(*) FILTER (WHERE d.outcome = 'lost')::int AS lost
             FROM ${DEALS} WHERE d.outcome <> 'open' AND ${within} GROUP BY 1, 2`,
    values: p.values,
  })
  return rows
}

async function readWeeks(sql: Sql, monday: Temporal.PlainDate, timeZone: string): Promise<Results[][]> {
  const weeks: Results[][] = []
  for (let ago = WEEKS - 1; ago >= 0; ago--) {
    const first = monday.subtract({ weeks: ago })
    weeks.push(await readResults(sql, scopeOf(periodOf(first, first.add({ days: 6 }), timeZone)), false))
  }
  return weeks
}

export const NOTHING: Figures = {
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

export function sumOf(rows: Partial<Figures>[]): Figures {
  const total = { ...NOTHING }
  const names = Object.keys(NOTHING) as (keyof Figures)[]
  for (const row of rows) for (const name of names) total[name] += row[name] ?? 0
  return total
}

/** The rule that is met in the smallest share of at least ten calls; none where nothing is missed. */
function coachOf(results: Results[], find: RuleFinder): ManagerRow['coach'] {
  const byRule = new Map<string, { named: NamedRule; met: number; missed: number }>()
  for (const { versionId, ruleKey, met, missed } of results) {
    const { id, named } = find(versionId, ruleKey)
    const before = byRule.get(id)
    byRule.set(id, { named, met: met + (before?.met ?? 0), missed: missed + (before?.missed ?? 0) })
  }
  const share = ({ met, missed }: { met: number; missed: number }) => met / (met + missed)
  const [weakest] = [...byRule.values()]
    .filter(({ met, missed }) => missed > 0 && met + missed >= FEWEST)
    .sort((a, b) => share(a) - share(b) || a.named.position - b.named.position)
  if (!weakest) return null
  const { set, rule } = weakest.named
  return { set, rule, met: weakest.met, missed: weakest.missed }
}

function refusalsOf(lost: { reason: string | null; n: number }[]): ManagerRow['refusals'] {
  const reasons = new Map<string | null, number>()
  for (const { reason, n } of lost) reasons.set(reason, (reasons.get(reason) ?? 0) + n)
  return [...reasons].map(([reason, deals]) => ({ reason, deals }))
}
