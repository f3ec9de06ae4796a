import { Temporal } from 'temporal-polyfill'
import type { Core } from '../../platform/core.ts'
import { HttpError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { createPeriod, type Period } from '../../platform/lib/period.ts'
import { loadRulesByVersion } from '../../check/checks/published-sets.ts'
import { MIN_SAMPLE_SIZE, sumField } from '../definitions/figures.ts'
import { countRuleVerdicts, type RuleVerdictCounts } from '../definitions/rule-verdicts.ts'
import { groupRowsByRule, loadRuleFinder } from '../definitions/rules.ts'
import { listManagerIds, type ManagerIds } from '../scope.ts'
import { makeWeeklyReport } from '../weekly/report.ts'
import type { WeeklyReportJson } from '../weekly/schema.ts'
import type { HomeSectionJson } from './schema.ts'

/** For a smaller change of the score, the page names no cause. */
const MIN_SCORE_CHANGE = 1

type LastWeek = HomeSectionJson<'lastWeek'>
type OutOfRange = HomeSectionJson<'outOfRange'>
type Kpi = WeeklyReportJson['kpis'][number]

/** Finds the last weekly report with the managers that the actor sees; null if there is no report yet. */
export async function findLastWeeklyReport(core: Core, actor: Actor): Promise<WeeklyReportJson | null> {
  try {
    return await makeWeeklyReport(core, actor, {})
  } catch (error) {
    if (error instanceof HttpError && error.statusCode === 404) return null
    throw error
  }
}

/** Summarizes a weekly report: the score, its change, and the rule that contributed most to the change. */
export async function loadLastWeekSection(core: Core, actor: Actor, report: WeeklyReportJson): Promise<LastWeek> {
  const { figure, previous, low, high, weeks } = findKpiByName(report.kpis, 'score')
  const score = figure.value
  const monday = Temporal.PlainDate.from(report.period.from)
  const hasChanged = score !== null && previous !== null && Math.abs(score - previous) >= MIN_SCORE_CHANGE
  const findOwnCause = async () =>
    findCause(core, await listManagerIds(core, actor, {}), monday, Math.sign(score! - previous!))
  return {
    from: report.period.from,
    to: report.period.to,
    week: report.week,
    calls: report.coverage.calls,
    managers: report.managers.filter(({ managerId, kpis }) => managerId && findKpiByName(kpis, 'calls').figure.value)
      .length,
    score,
    previous,
    low,
    high,
    weeks,
    cause: hasChanged ? await findOwnCause() : null,
  }
}

export const findKpiByName = (kpis: Kpi[], name: Kpi['name']): Kpi => kpis.find((kpi) => kpi.name === name)!

export const createWeekPeriod = (monday: Temporal.PlainDate, timeZone: string): Period =>
  createPeriod(monday, monday.add({ days: 6 }), timeZone)

/** Finds the rule whose change of the share met, weighted by its points, contributed most to the change of the score. */
async function findCause(
  { pool, config }: Core,
  managers: ManagerIds,
  monday: Temporal.PlainDate,
  direction: number,
): Promise<LastWeek['cause']> {
  const [before, now] = await Promise.all(
    [monday.subtract({ weeks: 1 }), monday].map((first) =>
      countRuleVerdicts(pool, { period: createWeekPeriod(first, config.APP_TIMEZONE), managers }),
    ),
  )
  const rows = [...before!, ...now!]
  const [find, rules] = await Promise.all([
    loadRuleFinder(pool, rows),
    loadRulesByVersion(pool, [...new Set(rows.map(({ versionId }) => versionId))]),
  ])
  const changes = groupRowsByRule(rows, find).flatMap(({ named: { set, rule }, rows: ofRule }) => {
    const share = computeShare(ofRule.filter((row) => now!.includes(row)))
    const previous = computeShare(ofRule.filter((row) => before!.includes(row)))
    if (share === null || previous === null) return []
    const { versionId, ruleKey } = ofRule[0]!
    const { weight = 0 } = rules.get(versionId)!.find(({ key }) => key === ruleKey)!
    return [{ set, rule, share, previous, effect: direction * weight * (share - previous) }]
  })
  const [strongest] = changes.sort((a, b) => b.effect - a.effect)
  if (!strongest || strongest.effect <= 0) return null
  const { effect: _, ...cause } = strongest
  return cause
}

/** Computes the share of met verdicts; null if fewer than ten verdicts were met or missed. */
function computeShare(rows: RuleVerdictCounts[]): number | null {
  const [met, missed] = [sumField(rows, 'met'), sumField(rows, 'missed')]
  return met + missed < MIN_SAMPLE_SIZE ? null : met / (met + missed)
}

/** These figures can flag a manager, in order of importance. */
const RANGED_KPIS = ['score', 'rulesMet', 'calls', 'winRate'] as const

/** Lists managers with a figure outside their usual range, one figure each. Figures below the range come first. */
export function listManagersOutOfRange({ managers }: WeeklyReportJson): OutOfRange {
  const active = managers.filter(({ managerId, kpis }) => managerId && findKpiByName(kpis, 'calls').figure.value)
  const items = active.flatMap(({ managerId, manager, kpis }) => {
    const flagged = RANGED_KPIS.map((name) => ({ ...findKpiByName(kpis, name), name })).filter(
      ({ flag }) => flag !== null,
    )
    const chosen = flagged.find(({ flag }) => flag === 'below') ?? flagged[0]
    if (!chosen) return []
    const { name, figure, low, high, flag } = chosen
    return [{ managerId, manager, name, value: figure.value!, low: low!, high: high!, flag: flag! }]
  })
  return {
    managers: active.length,
    items: items.sort((a, b) => Number(a.flag === 'above') - Number(b.flag === 'above')),
  }
}
