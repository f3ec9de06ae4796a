import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { countCallsByWeek, type CallsOfWeek } from '../definitions/calls.ts'
import { mean, ratio, total, type Ratio } from '../definitions/figures.ts'
import { weeksOf, type Week } from '../../platform/lib/period.ts'
import { readResults, type Results } from '../definitions/results.ts'
import { findRules, groupByRule, type RuleFinder } from '../definitions/rules.ts'
import { makeFrame } from '../frame.ts'
import { defineReport } from '../report.ts'
import { callsQuery } from '../schema.ts'
import { findManagerNames, loadScope, type ReportQuery, type Scope } from '../scope.ts'
import { qualityExample, QualitySchema, type QualityJson } from './schema.ts'

export const quality = defineReport({
  name: 'quality',
  summary: 'Coaching: managers and topics',
  description:
    'Scores and rules of the call check, by week, manager and rule. A person’s decision overrides the verdict ' +
    'of the machine.',
  query: callsQuery,
  schema: QualitySchema,
  example: qualityExample,
  make: reportQuality,
})

/** A manager is weak in a rule that they meet in fewer than this share of their calls. */
const WEAK = 0.5
/** A rule that so many managers miss is itself the problem, or the training. */
const SYSTEMIC = 3

export async function reportQuality(core: Core, actor: Actor, query: ReportQuery): Promise<QualityJson> {
  const scope = await loadScope(core, actor, query)
  const counting = countCallsByWeek(core.pool, scope)
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
    weeks: weeksOf(scope.period).map((week, n) => {
      const ofWeek = calls.filter((row) => row.week === n + 1)
      return describeWeek(week, ofWeek, published)
    }),
    managers: await describeManagers(core, calls, results),
    ...describeRules(results, find),
  }
}

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

function figuresOf(calls: CallsOfWeek[]): Pick<QualityJson['totals'], 'calls' | 'coverage' | 'score'> {
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

function describeWeek({ week, from, to, since, until, complete }: Week, calls: CallsOfWeek[], published: Published[]) {
  const sets = published.filter(({ at }) => at >= since && at < until).map(({ key }) => key)
  return { week, from, to, complete, ...figuresOf(calls), published: [...new Set(sets)] }
}

async function describeManagers({ pool }: Core, calls: CallsOfWeek[], results: Results[]) {
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

type RuleResults = ReturnType<typeof groupByRule<Results>>[number]

/** The rules in the order of their sets, and each manager by each of them. */
function describeRules(results: Results[], find: RuleFinder): Pick<QualityJson, 'rules' | 'heat'> {
  const rules = groupByRule(results, find).sort((a, b) => a.named.position - b.named.position)
  const heat = rules.map(heatOf)
  return { rules: rules.map((rule, n) => describeRule(rule, heat[n]!)), heat: heat.flat() }
}

function heatOf({ named, rows }: RuleResults): QualityJson['heat'] {
  const managers = [...new Set(rows.map(({ managerId }) => managerId))]
  return managers.map((managerId) => ({
    managerId,
    set: named.set.key,
    rule: named.rule.key,
    passRate: passRateOf(rows.filter((row) => row.managerId === managerId)),
  }))
}

function describeRule({ named: { set, rule }, rows }: RuleResults, heat: QualityJson['heat']) {
  const weak = heat.filter(({ managerId, passRate }) => managerId !== null && (passRate.value ?? 1) < WEAK).length
  return {
    set,
    rule,
    met: total(rows, 'met'),
    missed: total(rows, 'missed'),
    notApplicable: total(rows, 'notApplicable'),
    unknown: total(rows, 'unknown'),
    passRate: passRateOf(rows),
    weakManagers: weak,
    systemic: weak >= SYSTEMIC,
  }
}
