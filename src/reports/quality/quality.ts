import type { Core } from '../../app/core.ts'
import type { Actor } from '../../platform/http/access.ts'
import { CALL_COUNTS_SQL } from '../definitions/calls.ts'
import { mean, ratio, total, type Ratio } from '../definitions/figures.ts'
import { weeksOf, type Week } from '../definitions/period.ts'
import { readResults, type Results } from '../definitions/results.ts'
import { findRules, type NamedRule, type RuleFinder } from '../definitions/rules.ts'
import { makeFrame, type CallCounts } from '../frame.ts'
import { queryRows } from '../query-rows.ts'
import { defineReport } from '../report.ts'
import { callsQuery } from '../schema.ts'
import { callsInScope, findManagerNames, loadScope, spanNumber, type ReportQuery, type Scope } from '../scope.ts'
import { qualityExample, QualitySchema, type QualityJson } from './schema.ts'

export const quality = defineReport({
  name: 'quality',
  summary: 'Whom to coach, and on what',
  description:
    'Scores and rules of the call check, by week, manager and rule. What a person has decided counts in the place of the ' +
    'machine’s verdict.',
  query: callsQuery,
  schema: QualitySchema,
  example: qualityExample,
  make: reportQuality,
})

/** A manager is weak in a rule that they meet in fewer than this share of their calls. */
const WEAK = 0.5
/** A weakness of so many managers is a matter of the rule or the training. */
const SYSTEMIC = 3

export async function reportQuality(core: Core, actor: Actor, query: ReportQuery): Promise<QualityJson> {
  const scope = await loadScope(core, actor, query)
  const counting = readCalls(core, scope)
  const [frame, calls, results, published] = await Promise.all([
    makeFrame(core, scope, query, counting),
    counting,
    readResults(core.pool, scope),
    readPublished(core, scope),
  ])
  const find = await findRules(core.pool, results)
  return {
    ...frame,
    totals: { ...figuresOf(calls), passRate: passRateOf(results) },
    weeks: weeksOf(scope.period).map((week, n) =>
      describeWeek(
        week,
        calls.filter((row) => row.week === n + 1),
        published,
      ),
    ),
    managers: await describeManagers(core, calls, results),
    ...describeRules(results, find),
  }
}

interface Calls extends CallCounts {
  /** Its number in the period, from 1. */
  week: number
  managerId: string | null
  /** The sum of the scores. */
  score: number
}

const readCalls = ({ pool }: Core, scope: Scope): Promise<Calls[]> =>
  queryRows(
    pool,
    (p) => `SELECT ${spanNumber(p, 'r.call_at', weeksOf(scope.period))} AS week, r.manager_id AS "managerId",
                  ${CALL_COUNTS_SQL}, coalesce(sum(r.score::float8), 0) AS score
             FROM recordings r WHERE ${callsInScope(p, scope)} GROUP BY 1, 2`,
  )

interface Published {
  /** Of the rule set. */
  key: string
  at: Date
}

/** Reads when versions of rules were published: scores before and after are not comparable. */
async function readPublished({ pool }: Core, { period }: Scope): Promise<Published[]> {
  const { rows } = await pool.query<Published>({
    text: `SELECT s.key, v.published_at AS at FROM rule_set_versions v JOIN rule_sets s ON s.id = v.rule_set_id
            WHERE s.mode = 'score' AND v.published_at >= $1 AND v.published_at < $2 ORDER BY s.position, s.key`,
    values: [period.since, period.until],
  })
  return rows
}

function figuresOf(calls: Calls[]): Pick<QualityJson['totals'], 'calls' | 'coverage' | 'score'> {
  const checked = total(calls, 'checked')
  return {
    calls: total(calls, 'calls'),
    coverage: ratio(checked, total(calls, 'done')),
    score: mean(total(calls, 'score'), checked),
  }
}

function passRateOf(results: Pick<Results, 'met' | 'missed'>[]): Ratio {
  const met = total(results, 'met')
  return ratio(met, met + total(results, 'missed'))
}

function describeWeek({ week, from, to, since, until, complete }: Week, calls: Calls[], published: Published[]) {
  const sets = published.filter(({ at }) => at >= since && at < until).map(({ key }) => key)
  return { week, from, to, complete, ...figuresOf(calls), published: [...new Set(sets)] }
}

async function describeManagers({ pool }: Core, calls: Calls[], results: Results[]): Promise<QualityJson['managers']> {
  const ids = [...new Set(calls.map(({ managerId }) => managerId))]
  const names = await findManagerNames(pool, ids)
  return ids
    .map((id) => ({
      managerId: id,
      manager: names.get(id) ?? null,
      ...figuresOf(calls.filter(({ managerId }) => managerId === id)),
      passRate: passRateOf(results.filter(({ managerId }) => managerId === id)),
    }))
    .sort((a, b) => (a.score.value ?? 101) - (b.score.value ?? 101) || b.calls - a.calls)
}

interface RuleResults {
  named: NamedRule
  results: Results[]
}

/** The rules in the order of their sets, and each manager by each of them. */
function describeRules(results: Results[], find: RuleFinder): Pick<QualityJson, 'rules' | 'heat'> {
  const byRule = new Map<string, RuleResults>()
  for (const row of results) {
    const { id, named } = find(row)
    if (!byRule.has(id)) byRule.set(id, { named, results: [] })
    byRule.get(id)!.results.push(row)
  }
  const sorted = [...byRule.values()].sort((a, b) => a.named.position - b.named.position)
  const heat = sorted.map(heatOf)
  return { rules: sorted.map((rule, n) => describeRule(rule, heat[n]!)), heat: heat.flat() }
}

function heatOf({ named, results }: RuleResults): QualityJson['heat'] {
  const managers = [...new Set(results.map(({ managerId }) => managerId))]
  return managers.map((managerId) => ({
    managerId,
    set: named.set.key,
    rule: named.rule.key,
    passRate: passRateOf(results.filter((row) => row.managerId === managerId)),
  }))
}

function describeRule({ named: { set, rule }, results }: RuleResults, heat: QualityJson['heat']) {
  const weak = heat.filter(({ managerId, passRate }) => managerId !== null && (passRate.value ?? 1) < WEAK).length
  return {
    set,
    rule,
    met: total(results, 'met'),
    missed: total(results, 'missed'),
    notApplicable: total(results, 'notApplicable'),
    unknown: total(results, 'unknown'),
    passRate: passRateOf(results),
    weakManagers: weak,
    systemic: weak >= SYSTEMIC,
  }
}
