import { Temporal } from 'temporal-polyfill'
import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { createPeriod, mondayOf } from '../../platform/lib/period.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { countCallsByWeek } from '../definitions/calls.ts'
import { roundToDigits, sumField } from '../definitions/figures.ts'
import { countRuleVerdicts } from '../definitions/rule-verdicts.ts'
import { queryRows } from '../query-rows.ts'
import { listManagerIds, type ManagerIds } from '../scope.ts'
import { chooseFlag, computeManagerKpis } from '../weekly/kpis.ts'
import {
  countClosedDealsByWeek,
  USUAL_RANGE_WEEKS,
  WEEKLY_REPORT_WEEKS,
  sumWeekFigures,
  type WeekFigures,
} from '../weekly/week-figures.ts'
import { createWeekPeriod } from '../weekly/score-cause.ts'
import { findKpiByName } from './last-week.ts'
import { findOwnReport } from './own-report.ts'
import type { HomeSectionJson } from './schema.ts'

/** The last complete week and the four weeks before it. */
const COMPARED_WEEKS = 5

type MyWeek = HomeSectionJson<'myWeek'>
type Figure = MyWeek['figures'][number]
type OwnWeek = WeekFigures & { seconds: number }
type WeekCallCounts = Awaited<ReturnType<typeof countCallsByWeek>>[number] & { seconds: number }
type Kpi = ReturnType<typeof computeManagerKpis>[number]

/** Returns the Monday of the last complete week in the given time zone. */
export const computeLastWeekMonday = (timeZone: string): Temporal.PlainDate =>
  mondayOf(Temporal.Now.plainDateISO(timeZone)).subtract({ weeks: 1 })

/** Loads the manager's last complete week, compared with the weeks before it. */
export async function loadMyWeekSection(core: Core, actor: Actor): Promise<MyWeek> {
  const monday = computeLastWeekMonday(core.config.APP_TIMEZONE)
  const { weeks, asOf } = await loadOwnWeeks(core, await listManagerIds(core, actor, {}), monday)
  const kpis = computeManagerKpis(weeks)
  const { figure, low, high, weeks: scores } = findKpiByName(kpis, 'score')
  const { calls } = weeks.at(-1)!
  return {
    from: monday.toString(),
    to: monday.add({ days: 6 }).toString(),
    asOf,
    calls,
    score: figure.value,
    low,
    high,
    weeks: scores,
    latest: calls > 0 ? null : await findLatestWeek(core, actor, monday),
    figures: [
      buildFigure(kpis, 'calls'),
      buildMinutes(weeks, kpis),
      ...RATIO_NAMES.map((name) => buildFigure(kpis, name)),
    ],
  }
}

/**
 * Loads the weeks of a weekly report in ascending order; the week from `monday` is the last. If the report of that week is stored,
 * the figures are those of the report.
 */
async function loadOwnWeeks(
  core: Core,
  managers: ManagerIds,
  monday: Temporal.PlainDate,
): Promise<{ weeks: OwnWeek[]; asOf: string | null }> {
  const report = await findOwnReport(core.pool, managers, monday)
  if (!report) return { weeks: await computeOwnWeeks(core, managers, monday), asOf: null }
  const { rows } = report
  const computed = await computeOwnWeeks(core, managers, monday, report.madeAt)
  const count = rows[0]!.weeks.length
  const weeks = computed
    .slice(-count)
    .map(({ seconds }, n) => ({ ...sumWeekFigures(rows.map((row) => row.weeks[n]!)), seconds }))
  return { weeks, asOf: report.madeAt.toISOString() }
}

/** @param until omits the minutes of calls that were added later, because stored reports have no minutes */
async function computeOwnWeeks(
  { pool, config }: Core,
  managers: ManagerIds,
  monday: Temporal.PlainDate,
  until?: Date,
): Promise<OwnWeek[]> {
  const timeZone = config.APP_TIMEZONE
  const mondays = Array.from({ length: WEEKLY_REPORT_WEEKS }, (_, n) =>
    monday.subtract({ weeks: WEEKLY_REPORT_WEEKS - 1 - n }),
  )
  const scope = { period: createPeriod(mondays[0]!, monday.add({ days: 6 }), timeZone), managers }
  const filterSql = until ? `FILTER (WHERE r.created_at <= '${until.toISOString()}')` : ''
  const [calls, deals, verdicts] = await Promise.all([
    countCallsByWeek(pool, scope, `coalesce(sum(r.duration_seconds) ${filterSql}, 0) AS seconds`),
    countClosedDealsByWeek(pool, scope),
    Promise.all(
      mondays.map((first) => countRuleVerdicts(pool, { period: createWeekPeriod(first, timeZone), managers })),
    ),
  ])
  return mondays.map((_, n) => {
    const ofWeek = (calls as WeekCallCounts[]).filter(({ week }) => week === n + 1)
    const dealsOfWeek = deals.filter(({ week }) => week === n + 1)
    return { ...sumWeekFigures([...ofWeek, ...dealsOfWeek, ...verdicts[n]!]), seconds: sumField(ofWeek, 'seconds') }
  })
}

const RATIO_NAMES = ['score', 'rulesMet', 'winRate'] as const

/** A value that is null because of too few calls or deals has no comparison either. */
function buildFigure(kpis: Kpi[], name: 'calls' | (typeof RATIO_NAMES)[number]): Figure {
  const { figure, meanOfFour, flag, weeks } = findKpiByName(kpis, name)
  const before = figure.value === null ? null : meanOfFour
  return { name, ...figure, before, flag, weeks: weeks.slice(-COMPARED_WEEKS) }
}

function buildMinutes(weeks: OwnWeek[], kpis: Kpi[]): Figure {
  const all = weeks.map(({ seconds }) => Math.round(seconds / 60))
  const usual = all.slice(0, -1).slice(-USUAL_RANGE_WEEKS)
  const minutes = all.slice(-COMPARED_WEEKS)
  const value = minutes.at(-1)!
  const { meanOfFour, low, weeks: known } = findKpiByName(kpis, 'calls')
  const before = minutes.slice(0, -1).reduce((sum, one) => sum + one, 0) / (COMPARED_WEEKS - 1)
  return {
    name: 'minutes',
    value,
    numerator: null,
    denominator: null,
    before: meanOfFour === null ? null : roundToDigits(before, 1),
    flag: low === null ? null : chooseFlag('calls', value, Math.min(...usual), Math.max(...usual)),
    weeks: known.length === 0 ? [] : minutes.slice(-known.length),
  }
}

async function findLatestWeek(
  { pool, config }: Core,
  actor: Actor,
  monday: Temporal.PlainDate,
): Promise<MyWeek['latest']> {
  const timeZone = config.APP_TIMEZONE
  const [row] = await queryRows<{ at: Date | null }>(
    pool,
    (p) => `SELECT max(r.call_at) AS at FROM recordings r
             WHERE r.call_at < ${p.add(createWeekPeriod(monday, timeZone).since)} AND ${p.and(visibleRecordingsCondition(actor))}`,
  )
  if (!row?.at) return null
  const day = Temporal.Instant.fromEpochMilliseconds(row.at.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()
  const latest = mondayOf(day)
  return { from: latest.toString(), to: latest.add({ days: 6 }).toString() }
}
