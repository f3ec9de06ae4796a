import { SPEAKER_METHODS } from '../../calls/recordings/entity.ts'
import { SPEAKER_METHOD_SQL } from '../../calls/transcripts/speakers.ts'
import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { countCallsByWeek, type WeeklyCallCounts } from '../definitions/calls.ts'
import {
  computeMeanFigure,
  computeMeanForAnyCount,
  computeRatio,
  sumField,
  type Mean,
  type Ratio,
} from '../definitions/figures.ts'
import { MIN_SAMPLE_SIZE } from '../definitions/values.ts'
import { splitIntoWeeks, type PeriodWeek } from '../../platform/lib/period.ts'
import { countRuleVerdicts, type RuleVerdictCounts } from '../definitions/rule-verdicts.ts'
import { loadRuleFinder, groupRowsByRule, type RuleFinder } from '../definitions/rules.ts'
import { loadReportFrame } from '../report-frame.ts'
import { defineReport } from '../define-report.ts'
import { callsReportParameters } from '../schema.ts'
import { loadManagerNames, loadReportScope, type ReportQuery, type ReportScope } from '../scope.ts'
import { qualityReportExample, QualityReportSchema, type QualityReportJson } from './schema.ts'

export const qualityReport = defineReport({
  name: 'quality',
  summary: 'Scores and rules by week and manager',
  description:
    'Scores and rules of the call check, by week, manager and rule. A person’s decision overrides the verdict of ' +
    'the machine.',
  query: callsReportParameters,
  schema: QualityReportSchema,
  example: qualityReportExample,
  make: makeQualityReport,
})

/** A manager who meets a rule in a smaller share of calls is weak in this rule. */
const WEAK_PASS_RATE = 0.5
/** If at least this many managers are weak in a rule, we attribute it to the rule or the training. */
const MIN_SYSTEMIC_MANAGERS = 3

type QualityCounts = WeeklyCallCounts & QualityReportJson['speakers']

const SPEAKER_COUNTS_SQL = SPEAKER_METHODS.map(
  (method) => `count(*) FILTER (WHERE r.status = 'DONE' AND ${SPEAKER_METHOD_SQL} = '${method}')::int AS ${method}`,
).join(', ')

/**
 * Makes the report on scores and rules by week and by manager.
 * @throws HttpError 400 for an invalid period
 */
export async function makeQualityReport(core: Core, actor: Actor, query: ReportQuery): Promise<QualityReportJson> {
  const scope = await loadReportScope(core, actor, query)
  const callCounts = countCallsByWeek(core.pool, scope, SPEAKER_COUNTS_SQL) as Promise<QualityCounts[]>
  const [frame, calls, results, published] = await Promise.all([
    loadReportFrame(core, scope, query, callCounts),
    callCounts,
    countRuleVerdicts(core.pool, scope),
    listPublishedVersions(core, scope),
  ])
  const find = await loadRuleFinder(core.pool, results)
  return {
    ...frame,
    totals: { ...computeFigures(calls), passRate: computePassRate(results) },
    speakers: {
      channels: sumField(calls, 'channels'),
      voices: sumField(calls, 'voices'),
      none: sumField(calls, 'none'),
    },
    weeks: splitIntoWeeks(scope.period).map((week, n) => {
      const weekCalls = calls.filter((row) => row.week === n + 1)
      return describeWeek(week, weekCalls, published)
    }),
    managers: await describeManagers(core, calls, results),
    ...describeRules(results, find),
    sets: countCallsBySet(results, find),
  }
}

interface PublishedVersion {
  /** The key of the rule set. */
  key: string
  at: Date
}

/**
 * Lists versions published in the period, because scores before and after a publication are not comparable. Omits the first version
 * of each set, before which the set had no scores.
 */
async function listPublishedVersions({ pool }: Core, { period }: ReportScope): Promise<PublishedVersion[]> {
  const { rows } = await pool.query<PublishedVersion>({
    text: `SELECT s.key, v.published_at AS at FROM rule_set_versions v JOIN rule_sets s ON s.id = v.rule_set_id
            WHERE s.mode = 'score' AND v.published_at >= $1 AND v.published_at < $2
              AND EXISTS (SELECT FROM rule_set_versions e WHERE e.rule_set_id = v.rule_set_id AND e.published_at < v.published_at)
            ORDER BY s.position, s.key`,
    values: [period.since, period.until],
  })
  return rows
}

function computeFigures(calls: WeeklyCallCounts[]): Pick<QualityReportJson['totals'], 'calls' | 'coverage' | 'score'> {
  const checked = sumField(calls, 'checked')
  return {
    calls: sumField(calls, 'calls'),
    coverage: computeRatio(checked, sumField(calls, 'done')),
    score: computeMeanFigure(sumField(calls, 'score'), checked),
  }
}

function computePassRate(results: Pick<RuleVerdictCounts, 'met' | 'missed'>[]): Ratio {
  const met = sumField(results, 'met')
  return computeRatio(met, met + sumField(results, 'missed'))
}

function describeWeek(
  { week, from, to, since, until, complete }: PeriodWeek,
  calls: WeeklyCallCounts[],
  published: PublishedVersion[],
) {
  const sets = published.filter(({ at }) => at >= since && at < until).map(({ key }) => key)
  return { week, from, to, complete, ...computeFigures(calls), published: [...new Set(sets)] }
}

async function describeManagers({ pool }: Core, calls: WeeklyCallCounts[], results: RuleVerdictCounts[]) {
  const ids = [...new Set(calls.map(({ managerId }) => managerId))]
  const names = await loadManagerNames(pool, ids)
  const rank = ({ value, count }: Mean) => (value !== null && count >= MIN_SAMPLE_SIZE ? value : 101)
  return ids
    .map((id) => {
      const own = calls.filter(({ managerId }) => managerId === id)
      return {
        managerId: id,
        manager: names.get(id) ?? null,
        ...computeFigures(own),
        score: computeMeanForAnyCount(sumField(own, 'score'), sumField(own, 'checked')),
        passRate: computePassRate(results.filter(({ managerId }) => managerId === id)),
      }
    })
    .sort((a, b) => rank(a.score) - rank(b.score) || b.calls - a.calls)
}

type RuleGroup = ReturnType<typeof groupRowsByRule<RuleVerdictCounts>>[number]

/** Sorts the rules by rule set and computes the share met of each manager per rule. */
function describeRules(results: RuleVerdictCounts[], find: RuleFinder): Pick<QualityReportJson, 'rules' | 'heat'> {
  const rules = groupRowsByRule(results, find).sort((a, b) => a.named.position - b.named.position)
  const heat = rules.map(buildHeatRows)
  return { rules: rules.map((rule, n) => describeRule(rule, heat[n]!)), heat: heat.flat() }
}

function buildHeatRows({ named, rows }: RuleGroup): QualityReportJson['heat'] {
  const managers = [...new Set(rows.map(({ managerId }) => managerId))]
  return managers.map((managerId) => ({
    managerId,
    set: named.set.key,
    rule: named.rule.key,
    passRate: computePassRate(rows.filter((row) => row.managerId === managerId)),
  }))
}

/** Counts the calls that each rule set checked. A check has a verdict on every rule of its version, so any rule counts them. */
function countCallsBySet(results: RuleVerdictCounts[], find: RuleFinder): QualityReportJson['sets'] {
  const byVersion = new Map<string, QualityReportJson['sets'][number]>()
  for (const row of results) {
    const { managerId, versionId, met, missed, notApplicable, unknown } = row
    const key = `${managerId} ${versionId}`
    const calls = Math.max(byVersion.get(key)?.calls ?? 0, met + missed + notApplicable + unknown)
    byVersion.set(key, { managerId, set: find(row).named.set.key, calls })
  }
  const bySet = new Map<string, QualityReportJson['sets'][number]>()
  for (const { managerId, set, calls } of byVersion.values()) {
    const key = `${managerId} ${set}`
    bySet.set(key, { managerId, set, calls: (bySet.get(key)?.calls ?? 0) + calls })
  }
  return [...bySet.values()]
}

function describeRule({ named: { set, rule }, rows }: RuleGroup, heat: QualityReportJson['heat']) {
  const weak = heat.filter(
    ({ managerId, passRate }) => managerId !== null && (passRate.value ?? 1) < WEAK_PASS_RATE,
  ).length
  return {
    set,
    rule,
    met: sumField(rows, 'met'),
    missed: sumField(rows, 'missed'),
    notApplicable: sumField(rows, 'notApplicable'),
    unknown: sumField(rows, 'unknown'),
    passRate: computePassRate(rows),
    weakManagers: weak,
    systemic: weak >= MIN_SYSTEMIC_MANAGERS,
  }
}
