import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { COUNTED } from '../definitions/calls.ts'
import { mean, ratio, type Ratio } from '../definitions/figures.ts'
import { weeksOf, type Week } from '../../platform/lib/period.ts'
import { readResults, type Results } from '../definitions/results.ts'
import { findRules, type NamedRule, type RuleFinder } from '../definitions/rules.ts'
import { callsOf, frameOf, readScope, type Asked, type Counted, type Scope } from '../frame.ts'
import { readNames } from '../scope.ts'
import type { QualityJson } from './schema.ts'

/** A manager is weak in a rule that they meet in fewer than this share of their calls. */
const WEAK = 0.5
/** Where so many are weak, it is not about one of them. */
const SYSTEMIC = 3

/** Whom to coach, and on what. @throws HttpError 400 */
export async function reportQuality(core: Core, actor: Actor, asked: Asked): Promise<QualityJson> {
  const scope = await readScope(core, actor, asked)
  const counting = readCalls(core, scope)
  const [frame, calls, results, published] = await Promise.all([
    frameOf(core, scope, asked, counting),
    counting,
    readResults(core.pool, scope, false),
    readPublished(core, scope),
  ])
  const rules = await findRules(core.pool, [...new Set(results.map(({ versionId }) => versionId))])
  return {
    ...frame,
    totals: { ...shownOf(sumOf(calls)), passRate: passRateOf(results) },
    weeks: weeksOf(scope.period).map((week, n) =>
      weekOf(
        week,
        calls.filter((row) => row.week === n + 1),
        published,
      ),
    ),
    managers: await managersOf(core, calls, results),
    ...rulesOf(results, rules),
  }
}

interface Scored extends Counted {
  score: number
}

interface Calls extends Scored {
  /** Which of the weeks, from 1. */
  week: number
  managerId: string | null
}

async function readCalls({ pool }: Core, scope: Scope): Promise<Calls[]> {
  const p = new Parameters()
  const within = callsOf(p, scope)
  const weeks = p.add(weeksOf(scope.period).map(({ since }) => since))
  const { rows } = await pool.query<Calls>({
    text: `SELECT width_bucket(r.call_at, ${weeks}::timestamptz[]) AS week, r.manager_id AS "managerId", ${COUNTED},
                  coalesce(sum(r.score::float8), 0) AS score
             FROM recordings r WHERE ${within} GROUP BY 1, 2`,
    values: p.values,
  })
  return rows
}

interface Published {
  /** Of the rule set. */
  key: string
  at: Date
}

/** When versions of rules were published: what a score means may have changed with it. */
async function readPublished({ pool }: Core, { period }: Scope): Promise<Published[]> {
  const { rows } = await pool.query<Published>({
    text: `SELECT s.key, v.published_at AS at FROM rule_set_versions v JOIN rule_sets s ON s.id = v.rule_set_id
            WHERE s.mode = 'score' AND v.published_at >= $1 AND v.published_at < $2 ORDER BY s.position, s.key`,
    values: [period.since, period.until],
  })
  return rows
}

function sumOf(rows: Scored[]): Scored {
  const total = (of: (row: Scored) => number) => rows.reduce((sum, row) => sum + of(row), 0)
  return {
    calls: total(({ calls }) => calls),
    done: total(({ done }) => done),
    checked: total(({ checked }) => checked),
    score: total(({ score }) => score),
  }
}

const shownOf = ({ calls, done, checked, score }: Scored) => ({
  calls,
  coverage: ratio(checked, done),
  score: mean(score, checked),
})

function passRateOf(results: Pick<Results, 'met' | 'missed'>[]): Ratio {
  const met = results.reduce((sum, row) => sum + row.met, 0)
  return ratio(
    met,
    results.reduce((sum, row) => sum + row.missed, met),
  )
}

function weekOf({ week, from, to, since, until, complete }: Week, calls: Calls[], published: Published[]) {
  const here = published.filter(({ at }) => at >= since && at < until).map(({ key }) => key)
  return { week, from, to, complete, ...shownOf(sumOf(calls)), published: [...new Set(here)] }
}

async function managersOf({ pool }: Core, calls: Calls[], results: Results[]): Promise<QualityJson['managers']> {
  const ids = [...new Set(calls.map(({ managerId }) => managerId))]
  const names = await readNames(
    pool,
    ids.flatMap((id) => id ?? []),
  )
  return ids
    .map((id) => ({
      managerId: id,
      manager: id && names.get(id)!,
      ...shownOf(sumOf(calls.filter(({ managerId }) => managerId === id))),
      passRate: passRateOf(results.filter(({ managerId }) => managerId === id)),
    }))
    .sort((a, b) => (a.score.value ?? 101) - (b.score.value ?? 101) || b.calls - a.calls)
}

interface OfRule {
  id: string
  named: NamedRule
  results: Results[]
}

/** The rules in the order of their sets, and each manager by each of them. */
function rulesOf(results: Results[], find: RuleFinder): Pick<QualityJson, 'rules' | 'heat'> {
  const byRule = new Map<string, OfRule>()
  for (const row of results) {
    const { id, named } = find(row.versionId, row.ruleKey)
    if (!byRule.has(id)) byRule.set(id, { id, named, results: [] })
    byRule.get(id)!.results.push(row)
  }
  const sorted = [...byRule.values()].sort((a, b) => a.named.position - b.named.position)
  const heat = sorted.flatMap(heatOf)
  return { rules: sorted.map((rule) => ruleOf(rule, heat)), heat }
}

function heatOf({ named, results }: OfRule): QualityJson['heat'] {
  const managers = [...new Set(results.map(({ managerId }) => managerId))]
  return managers.map((managerId) => ({
    managerId,
    set: named.set.key,
    rule: named.rule.key,
    passRate: passRateOf(results.filter((row) => row.managerId === managerId)),
  }))
}

function ruleOf({ named: { set, rule }, results }: OfRule, heat: QualityJson['heat']): QualityJson['rules'][number] {
  const total = (of: (row: Results) => number) => results.reduce((sum, row) => sum + of(row), 0)
  const weak = heat.filter(
    (cell) =>
      cell.set === set.key && cell.rule === rule.key && cell.managerId !== null && (cell.passRate.value ?? 1) < WEAK,
  ).length
  return {
    set,
    rule,
    met: total(({ met }) => met),
    missed: total(({ missed }) => missed),
    notApplicable: total(({ notApplicable }) => notApplicable),
    unknown: total(({ unknown }) => unknown),
    passRate: passRateOf(results),
    weakManagers: weak,
    systemic: weak >= SYSTEMIC,
  }
}
