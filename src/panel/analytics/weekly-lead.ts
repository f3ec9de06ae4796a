import type { WeeklyReportJson } from '../../reports/weekly/schema.ts'
import type { Language } from '../frame/i18n.ts'
import type { FigureFormatter } from './figure-formatter.ts'
import {
  filterFlaggedKpis,
  findKpi,
  formatKpiOutsideRange,
  formatKpiRange,
  formatKpiValue,
  isHardlyChance,
  type WeeklyKpi,
} from './weekly-figures.ts'

/** Formats the first sentence of the report, if possible about the most important change. `also` has the other changes, `kpi` the figure. */
export function formatWeeklyLead(
  { state, kpis, cause }: WeeklyReportJson,
  formatter: FigureFormatter,
): { text: string; also: string[]; kpi?: WeeklyKpi } {
  const { t, count } = formatter
  const { week, fewCalls } = t.lead
  const calls = findKpi({ kpis }, 'calls').figure.value!
  const score = findKpi({ kpis }, 'score').figure
  if (isEmptyWeek(kpis)) return { text: week.empty, also: [] }
  if (state === 'running') return { text: formatRunning(calls, score.value, formatter), also: [] }
  const flagged = filterFlaggedKpis({ kpis }).toSorted(compareImportance)
  const first = flagged.find(({ name, p }) => name === 'score' || isHardlyChance(p))
  const also = flagged.filter((kpi) => kpi !== first).map((kpi) => formatKpiOutsideRange(kpi, formatter))
  if (first) return { text: formatChange(first, cause, formatter), also, kpi: first }
  if (also.length > 0 && score.value !== null)
    return { text: formatUsualScore({ kpis }, formatter), also, kpi: findKpi({ kpis }, 'score') }
  if (also.length > 0) return { text: `${also[0]}.`, also: also.slice(1) }
  if (kpis.every(({ low }) => low === null)) return { text: t.weekly.tooNew, also: [] }
  if (score.value === null) return { text: fewCalls(score.denominator!, count(score.denominator!)), also: [] }
  return { text: t.weekly.nothing, also: [] }
}

/**
 * Returns how many weeks before this one had the last calls. Returns undefined if this week has calls or no earlier week has any.
 */
export function countWeeksSinceLastCalls({ kpis }: Pick<WeeklyReportJson, 'kpis'>): number | undefined {
  const ago = findKpi({ kpis }, 'calls')
    .weeks.toReversed()
    .findIndex((calls) => calls !== null && calls > 0)
  return ago > 0 ? ago : undefined
}

/** Returns true if the week has neither calls nor closed deals. */
export const isEmptyWeek = (kpis: WeeklyKpi[]): boolean =>
  (['calls', 'won', 'lost'] as const).every((name) => findKpi({ kpis }, name).figure.value === 0)

function formatRunning(calls: number, score: number | null, { t, count, number }: FigureFormatter): string {
  const { running, runningScore } = t.lead.week
  return [running(calls, count(calls)), ...(score === null ? [] : [runningScore(number(score))])].join(' ')
}

function formatUsualScore({ kpis }: Pick<WeeklyReportJson, 'kpis'>, formatter: FigureFormatter): string {
  const kpi = findKpi({ kpis }, 'score')
  const range = formatKpiRange(kpi, formatter)
  const { steady, runningScore } = formatter.t.lead.week
  const score = formatKpiValue('score', kpi.figure.value, formatter)
  return range === null ? runningScore(score) : steady(score, range)
}

/** Puts the score first, then the changes with the lowest probability of chance. */
function compareImportance(a: WeeklyKpi, b: WeeklyKpi): number {
  const rank = ({ name, p }: WeeklyKpi) => (name === 'score' ? -1 : (p ?? 1))
  return rank(a) - rank(b)
}

/** Formats the rule behind a change of the score as the end of a sentence; empty without a cause. */
export function formatScoreCause(cause: WeeklyReportJson['cause'], { words, format, code }: Language): string {
  if (!cause) return ''
  const { fewer, more } = words.analytics.lead.changedRule
  const percent = (share: number) => words.common.percent(format.number(Math.round(100 * share)))
  const formatEnd = cause.share < cause.previous ? fewer : more
  return formatEnd(cause.rule.name[code], percent(cause.share), percent(cause.previous))
}

function formatChange(kpi: WeeklyKpi, cause: WeeklyReportJson['cause'], formatter: FigureFormatter): string {
  const { name, figure, previous, flag } = kpi
  const { fell, rose } = formatter.t.lead.week
  if (name !== 'score' || previous === null) return `${formatKpiOutsideRange(kpi, formatter)}.`
  const [before, now] = [previous, figure.value].map((value) => formatKpiValue('score', value, formatter))
  const change = (flag === 'below' ? fell : rose)(before!, now!, formatKpiRange(kpi, formatter)!)
  return `${change}${formatScoreCause(cause, formatter.language)}.`
}
