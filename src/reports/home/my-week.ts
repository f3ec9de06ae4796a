import { Temporal } from 'temporal-polyfill'
import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { createPeriod, mondayOf } from '../../platform/lib/period.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { countCallsByWeek } from '../definitions/calls.ts'
import { roundTo, sumField } from '../definitions/figures.ts'
import { countRuleVerdicts } from '../definitions/rule-verdicts.ts'
import { queryRows } from '../query-rows.ts'
import { listManagerIds, type ManagerIds } from '../scope.ts'
import { computeKpis } from '../weekly/kpis.ts'
import { countDealsByWeek, REPORT_WEEKS, sumFigures, type WeekFigures } from '../weekly/week-figures.ts'
import { createWeek, findKpi, SHOWN_WEEKS } from './last-week.ts'
import type { SectionJson } from './schema.ts'

/** This week and the four that it is compared with. */
const COMPARED_WEEKS = 5

type MyWeek = SectionJson<'myWeek'>
type Figure = MyWeek['figures'][number]
/** The figures of a week, with the length of its calls. */
type OwnWeek = WeekFigures & { seconds: number }

/** The Monday of the last complete week. */
export const findLastMonday = (timeZone: string): Temporal.PlainDate =>
  mondayOf(Temporal.Now.plainDateISO(timeZone)).subtract({ weeks: 1 })

/** The manager's last complete week against the four before. */
export async function loadMyWeek(core: Core, actor: Actor): Promise<MyWeek> {
  const monday = findLastMonday(core.config.APP_TIMEZONE)
  const weeks = await loadOwnWeeks(core, await listManagerIds(core, actor, {}), monday)
  const kpis = computeKpis(weeks.slice(-REPORT_WEEKS))
  const scores = weeks.map((week) => findKpi(computeKpis([week]), 'score').figure.value)
  const { figure, low, high } = findKpi(kpis, 'score')
  const { calls } = weeks.at(-1)!
  const before = scores.slice(-COMPARED_WEEKS, -1).filter((score) => score !== null)
  return {
    from: monday.toString(),
    to: monday.add({ days: 6 }).toString(),
    calls,
    score: figure.value,
    low,
    high,
    weeks: weeks.map((week, n) => ({
      from: monday.subtract({ weeks: SHOWN_WEEKS - 1 - n }).toString(),
      calls: week.calls,
      score: scores[n]!,
    })),
    latest: calls > 0 ? null : await findLatestWeek(core, actor, monday),
    isBest: figure.value !== null && before.length > 0 && before.every((score) => score < figure.value!),
    figures: buildFigures(weeks, kpis),
  }
}

/** Twelve weeks, the one from `monday` last. Counts of verdicts are loaded only for the weeks that are compared. */
async function loadOwnWeeks(
  { pool, config }: Core,
  managers: ManagerIds,
  monday: Temporal.PlainDate,
): Promise<OwnWeek[]> {
  const timeZone = config.APP_TIMEZONE
  const mondays = Array.from({ length: SHOWN_WEEKS }, (_, n) => monday.subtract({ weeks: SHOWN_WEEKS - 1 - n }))
  const scope = { period: createPeriod(mondays[0]!, monday.add({ days: 6 }), timeZone), managers }
  const [calls, deals, verdicts] = await Promise.all([
    countCallsByWeek(pool, scope, 'coalesce(sum(r.duration_seconds), 0) AS seconds'),
    countDealsByWeek(pool, scope),
    Promise.all(
      mondays.slice(-REPORT_WEEKS).map((first) => countRuleVerdicts(pool, { period: createWeek(first, timeZone), managers })),
    ),
  ])
  return mondays.map((_, n) => {
    const ofWeek = (calls as ((typeof calls)[number] & { seconds: number })[]).filter(({ week }) => week === n + 1)
    const rows = [...ofWeek, ...deals.filter(({ week }) => week === n + 1), ...(verdicts[n - SHOWN_WEEKS + REPORT_WEEKS] ?? [])]
    return { ...sumFigures(rows), seconds: sumField(ofWeek, 'seconds') }
  })
}

function buildFigures(weeks: OwnWeek[], kpis: ReturnType<typeof computeKpis>): Figure[] {
  const compared = weeks.slice(-COMPARED_WEEKS)
  const buildKpi = (name: Exclude<Figure['name'], 'minutes'>): Figure => {
    const { figure, meanOfFour } = findKpi(kpis, name)
    const values = compared.map((week) => findKpi(computeKpis([week]), name).figure.value)
    return { name, ...figure, before: figure.value === null ? null : meanOfFour, weeks: values }
  }
  const minutes = compared.map(({ seconds }) => Math.round(seconds / 60))
  const hasFourWeeks = findKpi(kpis, 'calls').meanOfFour !== null
  const sumBefore = minutes.slice(0, -1).reduce((sum, value) => sum + value, 0)
  return [
    buildKpi('calls'),
    {
      name: 'minutes',
      value: minutes.at(-1)!,
      numerator: null,
      denominator: null,
      before: hasFourWeeks ? roundTo(sumBefore / 4, 1) : null,
      weeks: minutes,
    },
    buildKpi('score'),
    buildKpi('rulesMet'),
    buildKpi('winRate'),
  ]
}

async function findLatestWeek({ pool, config }: Core, actor: Actor, monday: Temporal.PlainDate): Promise<MyWeek['latest']> {
  const timeZone = config.APP_TIMEZONE
  const [row] = await queryRows<{ at: Date | null }>(
    pool,
    (p) => `SELECT max(r.call_at) AS at FROM recordings r
             WHERE r.call_at < ${p.add(createWeek(monday, timeZone).since)} AND ${p.and(visibleRecordingsCondition(actor))}`,
  )
  if (!row?.at) return null
  const day = Temporal.Instant.fromEpochMilliseconds(row.at.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()
  const latest = mondayOf(day)
  return { from: latest.toString(), to: latest.add({ days: 6 }).toString() }
}
