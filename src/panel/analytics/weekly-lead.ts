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

interface WeeklyLead {
  text: string
  /** The other figures outside their usual range. */
  also: string[]
  /** The figure that the sentence is about. */
  kpi?: WeeklyKpi
}

/** Formats the first sentence of the report, if possible about the most important change. */
export function formatWeeklyLead(report: WeeklyReportJson, formatter: FigureFormatter): WeeklyLead {
  const { state, kpis } = report
  if (isEmptyWeek(kpis)) return { text: formatter.t.lead.week.empty, also: [] }
  return state === 'running' ? { text: formatRunning(kpis, formatter), also: [] } : formatWeekChange(report, formatter)
}

/** Formats what changed in a complete week with calls or deals. A score within its usual range is no change. */
export function formatWeekChange(
  { kpis, cause }: Pick<WeeklyReportJson, 'kpis' | 'cause'>,
  formatter: FigureFormatter,
): WeeklyLead {
  const { t, count } = formatter
  const score = findKpi({ kpis }, 'score').figure
  const flagged = filterFlaggedKpis({ kpis }).toSorted(compareImportance)
  const first = flagged.find(({ name, p }) => name === 'score' || isHardlyChance(p))
  const also = flagged.filter((kpi) => kpi !== first).map((kpi) => formatKpiOutsideRange(kpi, formatter))
  if (first) return { text: formatChange(first, cause, formatter), also, kpi: first }
  if (also.length > 0 && score.value !== null)
    return { text: formatUsualScore({ kpis }, formatter), also, kpi: findKpi({ kpis }, 'score') }
  if (also.length > 0) return { text: `${also[0]}.`, also: also.slice(1) }
  if (kpis.every(({ low }) => low === null)) return { text: formatTooNew({ kpis }, formatter), also: [] }
  if (score.value === null) return { text: t.lead.fewCalls(score.denominator!, count(score.denominator!)), also: [] }
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

function formatRunning(kpis: WeeklyKpi[], { t, count, score: formatScore }: FigureFormatter): string {
  const { running, runningScore } = t.lead.week
  const calls = findKpi({ kpis }, 'calls').figure.value!
  const score = findKpi({ kpis }, 'score').figure.value
  return [running(calls, count(calls)), ...(score === null ? [] : [runningScore(formatScore(score))])].join(' ')
}

function formatUsualScore({ kpis }: Pick<WeeklyReportJson, 'kpis'>, formatter: FigureFormatter): string {
  const kpi = findKpi({ kpis }, 'score')
  const range = formatKpiRange(kpi, formatter)
  const { steady, runningScore } = formatter.t.lead.week
  const score = formatKpiValue('score', kpi.figure.value, formatter)
  return range === null ? runningScore(score) : steady(score, range)
}

function formatTooNew({ kpis }: Pick<WeeklyReportJson, 'kpis'>, formatter: FigureFormatter): string {
  const { tooNew } = formatter.t.weekly
  return findKpi({ kpis }, 'score').figure.value === null
    ? tooNew
    : `${formatUsualScore({ kpis }, formatter)} ${tooNew}`
}

/** Puts the score first, then the changes with the lowest probability of chance. */
function compareImportance(a: WeeklyKpi, b: WeeklyKpi): number {
  const rank = ({ name, p }: WeeklyKpi) => (name === 'score' ? -1 : (p ?? 1))
  return rank(a) - rank(b)
}

/** Formats the rule behind a change of the score as the end of a sentence; empty without a cause. */
function formatScoreCause(cause: WeeklyReportJson['cause'], { words, format, code }: Language): string {
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
