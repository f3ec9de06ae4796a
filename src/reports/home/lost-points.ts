import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { createPeriod } from '../../platform/lib/period.ts'
import { computeRatio, sumField } from '../definitions/figures.ts'
import { countRuleVerdicts } from '../definitions/rule-verdicts.ts'
import { groupRowsByRule, loadRuleFinder, sumLostPoints } from '../definitions/rules.ts'
import { listManagerIds } from '../scope.ts'
import { createWeekPeriod } from '../weekly/score-cause.ts'
import { computeLastWeekMonday } from './my-week.ts'
import type { HomeSectionJson } from './schema.ts'

const MAX_ITEMS = 5
/** The last complete week is compared with this many weeks before it. */
const WEEKS_BEFORE = 4

/** Loads the rules that cost the manager the most points in the last complete week. */
export async function loadLostPointsSection(core: Core, actor: Actor): Promise<HomeSectionJson<'lostPoints'>> {
  const { pool, config } = core
  const monday = computeLastWeekMonday(config.APP_TIMEZONE)
  const managers = await listManagerIds(core, actor, {})
  const before = createPeriod(
    monday.subtract({ weeks: WEEKS_BEFORE }),
    monday.subtract({ days: 1 }),
    config.APP_TIMEZONE,
  )
  const [now, earlier] = await Promise.all([
    countRuleVerdicts(pool, { period: createWeekPeriod(monday, config.APP_TIMEZONE), managers }),
    countRuleVerdicts(pool, { period: before, managers }),
  ])
  const rows = [...now, ...earlier]
  const find = await loadRuleFinder(pool, rows)
  const countPassed = (counts: typeof rows) =>
    computeRatio(sumField(counts, 'met'), sumField(counts, 'met') + sumField(counts, 'missed'))
  const items = groupRowsByRule(rows, find).map(({ named: { set, rule }, rows: ofRule }) => {
    const ownNow = ofRule.filter((row) => now.includes(row))
    const points = sumLostPoints(ownNow, find)
    const passRate = countPassed(ownNow)
    return { set, rule, points, passRate, before: countPassed(ofRule.filter((row) => earlier.includes(row))) }
  })
  return items
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, MAX_ITEMS)
}
