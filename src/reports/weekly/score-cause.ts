import type { Temporal } from 'temporal-polyfill'
import type { Core } from '../../platform/core.ts'
import { createPeriod, type Period } from '../../platform/lib/period.ts'
import { loadRulesByVersion } from '../../check/checks/published-sets.ts'
import { sumField } from '../definitions/figures.ts'
import { MIN_SAMPLE_SIZE } from '../definitions/values.ts'
import { countRuleVerdicts, type RuleVerdictCounts } from '../definitions/rule-verdicts.ts'
import { groupRowsByRule, loadRuleFinder } from '../definitions/rules.ts'
import type { ManagerIds } from '../scope.ts'
import type { WeeklyReportJson } from './schema.ts'

/** A smaller change of the score has no cause. */
const MIN_SCORE_CHANGE = 1

export const createWeekPeriod = (monday: Temporal.PlainDate, timeZone: string): Period =>
  createPeriod(monday, monday.add({ days: 6 }), timeZone)

/**
 * Finds the rule whose change of the share met, weighted by its points, contributed most to the change of the score.
 * @returns null if the score changed by less than a point or is unknown, or if no rule contributed
 */
export async function findScoreCause(
  { pool, config }: Core,
  managers: ManagerIds,
  monday: Temporal.PlainDate,
  { figure, previous }: WeeklyReportJson['kpis'][number],
): Promise<WeeklyReportJson['cause']> {
  if (figure.value === null || previous === null) return null
  if (Math.abs(figure.value - previous) < MIN_SCORE_CHANGE) return null
  const direction = Math.sign(figure.value - previous)
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
