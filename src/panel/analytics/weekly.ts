import type { PageContext } from '../frame/context.ts'
import { buildPlaybackLinks } from '../frame/playback-links.ts'
import type { WeeklyReportJson } from '../../reports/weekly/schema.ts'
import { addDays } from '../frame/dates.ts'
import type { Language } from '../frame/i18n.ts'
import { quoteManagerName } from '../frame/manager-names.ts'
import { sortReportTable, type ReportSortContext, type ReportSortKey } from './report-sorting.ts'
import { createTableCell, buildReportTable, type ReportView } from './view.ts'
import type { FigureFormatter } from './figure-formatter.ts'
import {
  buildKpiRow,
  drawKpiTrend,
  filterFlaggedKpis,
  findKpi,
  formatKpiName,
  formatKpiRange,
  formatKpiValue,
  formatKpiOutsideRange,
  type WeeklyKpi,
} from './weekly-figures.ts'
import { countWeeksSinceLastCalls, formatWeeklyLead, isEmptyWeek } from './weekly-lead.ts'

type CallToHear = Manager['listen'][number]
type Manager = WeeklyReportJson['managers'][number]

/** Builds the weekly report: what changed, which calls to hear, and a row per manager. */
export function buildWeeklyReportView(
  report: WeeklyReportJson,
  formatter: FigureFormatter,
  sorting: ReportSortContext,
  context: PageContext,
) {
  const t = formatter.t.weekly
  const active = report.managers.filter(hasActivity)
  const silent = report.managers.filter((row) => !hasActivity(row))
  const lead = formatWeeklyLead(report, formatter)
  return {
    title: formatWeeklyReportTitle(report, formatter.language),
    until: formatUntil(report, formatter),
    lead,
    trend: lead.kpi && buildLeadTrend(lead.kpi, formatter),
    latest: isEmptyWeek(report.kpis) ? buildLatestWeekLink(report, formatter) : undefined,
    provisional: formatProvisionalNote(report, formatter),
    isComputed: report.state === 'not-kept',
    isRunning: report.state === 'running',
    columns: buildWeekColumnTitles(report, formatter),
    kpis: report.kpis.map((kpi) => ({ ...buildKpiRow(kpi, formatter), href: formatKpiHref(kpi.name, formatter) })),
    hasRange: [report, ...report.managers].some(({ kpis }) => kpis.some(({ low }) => low !== null)),
    hear: report.listen.map((call) => buildRecommendedCall(call, formatter, context)),
    managers: sortReportTable(buildManagersTable(active, report, formatter), sorting),
    silent: silent.length > 0 ? t.silent(silent.map(({ manager }) => manager ?? formatter.t.nobody).join(', ')) : null,
    refusals: buildRefusalsTable(report, formatter).map((table) => sortReportTable(table, sorting)),
    reconciliation: buildReconciliation(report, formatter),
  }
}

/** Draws the figure of the first sentence larger than the others. */
function buildLeadTrend(kpi: WeeklyKpi, formatter: FigureFormatter) {
  const range = formatKpiRange(kpi, formatter)
  const { trend } = formatter.t.lead.week
  return {
    caption: `${formatKpiName(kpi, formatter)}, ${trend}${range === null ? '' : `, ${formatter.language.words.home.head.usually(range)}`}`,
    sparkline: drawKpiTrend(kpi, formatter, { width: 340, height: 48 }),
  }
}

/** Builds a printable summary for each manager with activity. It contains only the manager's own figures and calls. */
export const buildManagerSummaries = ({ managers }: WeeklyReportJson, formatter: FigureFormatter) =>
  managers
    .filter((row) => row.manager !== null && hasActivity(row))
    .map((row) => ({
      name: row.manager!,
      kpis: row.kpis.map((kpi) => buildKpiRow(kpi, formatter)),
      coach: buildCoaching(row, formatter),
      hear: collectCallsToHear(row, formatter),
    }))

/** Formats the title of the weekly report with the first and last day of the week. */
export const formatWeeklyReportTitle = (
  { period }: Pick<WeeklyReportJson, 'period'>,
  { words, format }: Language,
): string => words.analytics.weekly.title(format.days(period.from, period.to))

/** Formats the days of this week and of the previous week as column titles. */
export const buildWeekColumnTitles = ({ period: { from, to } }: WeeklyReportJson, { format }: FigureFormatter) => ({
  week: format.shortDays(from, to),
  previous: format.shortDays(addDays(from, -7), addDays(to, -7)),
})

/** Formats the last day that a running week includes, such as `Until Wednesday`, or when the report was stored; null if it was not. */
function formatUntil({ state, period }: WeeklyReportJson, { t, format }: FigureFormatter): string | null {
  if (state === 'not-kept') return null
  if (state !== 'running') return t.weekly.asOf(format.shortTime(period.asOf))
  const weekday = new Date(format.dayOf(period.asOf)).getUTCDay()
  return t.lead.week.until(t.lead.week.days[(weekday + 6) % 7]!)
}

function buildLatestWeekLink(report: WeeklyReportJson, { t, format, weekHref }: FigureFormatter) {
  const ago = countWeeksSinceLastCalls(report)
  if (ago === undefined) return undefined
  const [from, to] = [report.period.from, report.period.to].map((day) => addDays(day, -7 * ago))
  return { text: t.lead.week.latest(format.days(from!, to!)), href: weekHref(from!) }
}

const hasActivity = ({ kpis }: Manager): boolean => !isEmptyWeek(kpis)

/** Warns until the Wednesday after the week, because calls that arrive late still change the figures. */
function formatProvisionalNote({ state, period }: WeeklyReportJson, { t, format }: FigureFormatter): string | null {
  if (state !== 'provisional') return null
  return t.weekly.provisional(format.day(addDays(period.to, 3)), '07:00')
}

/** Returns the address of the list behind a figure. rulesMet has none: it counts verdicts, and a call has many. */
function formatKpiHref(name: WeeklyKpi['name'], { callsHref, dealsHref }: FigureFormatter): string | undefined {
  if (name === 'calls') return callsHref()
  if (name === 'checked' || name === 'score') return callsHref({ scoreFrom: '0' })
  if (name === 'won' || name === 'lost') return dealsHref({ outcome: name })
  return name === 'winRate' ? dealsHref() : undefined
}

/** Selects the manager's calls to hear. Omits calls with a full score and no missed rule. */
const collectCallsToHear = ({ listen }: Manager, formatter: FigureFormatter) =>
  listen.filter(({ score, missed }) => score < 100 || missed.length > 0).map((call) => buildCallToHear(call, formatter))

const MAX_LISTED_MISSED_RULES = 3

/** Explains why to hear a call, and links to its page so that the recording plays at once. */
function buildCallToHear(
  { recordingId, manager, at, score, why, missed }: CallToHear,
  { t, count, format, language, scoreClass }: FigureFormatter,
) {
  const { gone, highest, lowest, missed: missedText, more } = t.weekly
  const names = missed.slice(0, MAX_LISTED_MISSED_RULES).map(({ rule }) => rule.name[language.code])
  if (missed.length > MAX_LISTED_MISSED_RULES) names.push(more(count(missed.length - MAX_LISTED_MISSED_RULES)))
  const reason = why === 'highest' ? highest : missed.length > 0 ? missedText(names.join(', ')) : lowest
  return {
    href: recordingId && `/recordings/${recordingId}#play`,
    iso: at,
    exact: format.exactTime(at),
    time: format.shortTime(at),
    score: count(Math.round(score)),
    className: scoreClass(score),
    manager,
    why: recordingId ? reason : `${gone}; ${reason}`,
  }
}

/** Builds a call that "Play all" includes, from the moment of its most expensive missed rule. */
function buildRecommendedCall(
  call: WeeklyReportJson['listen'][number],
  formatter: FigureFormatter,
  context: PageContext,
) {
  const { recordingId } = call
  const track = recordingId === null ? null : buildPlaybackLinks(recordingId, call, context)
  return { ...buildCallToHear(call, formatter), href: track?.href, track }
}

/** Sorts managers with the most unusual figures first, unless the address has another order. */
function buildManagersTable(managers: Manager[], report: WeeklyReportJson, formatter: FigureFormatter) {
  const { t } = formatter
  return {
    id: 'managers',
    columns: [
      { text: t.columns.manager, first: 'asc' as const },
      { text: t.cards.calls, first: 'desc' as const },
      { text: t.cards.score, first: 'asc' as const },
      { text: t.cards.met, first: 'asc' as const },
      { text: t.lead.week.trend },
      { text: t.weekly.columns.deals, first: 'desc' as const },
      { text: t.weekly.columns.outside, first: 'desc' as const },
      { text: t.weekly.columns.coach, first: 'asc' as const },
      { text: t.weekly.hear, first: 'asc' as const },
    ],
    rows: managers
      .toSorted((a, b) => filterFlaggedKpis(b).length - filterFlaggedKpis(a).length)
      .map((row) => ({ ...buildManagerRow(row, report, formatter), keys: listManagerKeys(row, formatter) })),
  }
}

/** Returns the sort values of a row in the order of the table's columns. */
function listManagerKeys(row: Manager, { language }: FigureFormatter): ReportSortKey[] {
  const valueOf = (name: WeeklyKpi['name']) => findKpi(row, name).figure.value
  return [
    row.manager,
    valueOf('calls'),
    row.score.value,
    valueOf('rulesMet'),
    null,
    valueOf('won'),
    filterFlaggedKpis(row).length,
    row.coach && row.coach.rule.name[language.code],
    row.listen[0]?.score ?? null,
  ]
}

/** Number of weeks whose verdicts choose the rule to coach. */
const COACHED_WEEKS = 4

function buildManagerRow(row: Manager, { period }: WeeklyReportJson, page: FigureFormatter) {
  const { manager, coach, kpis } = row
  const formatter = page.narrow({ manager: quoteManagerName(manager) })
  const valueOf = (name: WeeklyKpi['name']) => findKpi({ kpis }, name).figure.value
  const coachedFormatter = formatter.narrow({ from: addDays(period.from, -7 * (COACHED_WEEKS - 1)) })
  return {
    name: manager,
    calls: formatter.count(valueOf('calls')!),
    callsHref: formatter.callsHref(),
    scoreHref: formatter.callsHref({ scoreFrom: '0' }),
    score: formatKpiValue('score', row.score.value, formatter),
    scoreClass: formatter.scoreClass(row.score.value),
    // The sparkline shows the pass rate because few managers have ten scored calls a week, but nearly all have ten verdicts.
    sparkline: drawKpiTrend(findKpi({ kpis }, 'rulesMet'), formatter),
    met: formatKpiValue('rulesMet', valueOf('rulesMet'), formatter),
    deals: (['won', 'lost'] as const).map((outcome) => ({
      text: formatter.count(valueOf(outcome)!),
      href: formatter.dealsHref({ outcome }),
    })),
    outside: filterFlaggedKpis(row).map((kpi) => {
      const { name, flag, isGood } = buildKpiRow(kpi, formatter)
      return {
        text: `${name}: ${formatter.t.weekly.flags[flag!]}`,
        title: formatKpiOutsideRange(kpi, formatter),
        isGood,
      }
    }),
    coach: coach && {
      ...buildCoaching(row, formatter),
      href: coachedFormatter.callsHref({ rule: `${coach.set.key}/${coach.rule.key}:judged` }),
    },
    hear: collectCallsToHear(row, formatter),
  }
}

/** Names the rule to coach, its rule set, and the share of the set's calls that met it; null without such a rule. */
function buildCoaching({ coach }: Manager, { t, ratio, ofAll, language }: FigureFormatter) {
  if (!coach) return null
  const { set, rule, passRate } = coach
  const { code } = language
  return { rule: rule.name[code], how: t.weekly.metOf(set.name[code], ofAll(passRate), ratio(passRate)) }
}

function buildRefusalsTable({ refusals }: WeeklyReportJson, formatter: FigureFormatter): ReportView['tables'] {
  const { t } = formatter
  return buildReportTable('refusals', t.weekly.refusals, refusals, [
    { title: t.columns.reason, cell: ({ reason }) => formatter.name(reason, t.noReason) },
    {
      title: t.columns.deals,
      by: ({ share }) => share.numerator,
      cell: ({ reason, share }) =>
        createTableCell(
          formatter.count(share.numerator),
          formatter.dealsHref({ outcome: 'lost', reason: reason ?? '-' }),
        ),
    },
    { title: t.columns.share, by: ({ share }) => share.numerator, cell: ({ share }) => formatter.share(share) },
  ])
}

const CRM_CALL_STATES = ['inCrm', 'received', 'awaitingFile', 'loading', 'loadFailed', 'skipped'] as const

/** Summarizes what became of the CRM's calls in the week; null if the CRM had none. */
function buildReconciliation({ reconciliation: counts, period }: WeeklyReportJson, { t, count }: FigureFormatter) {
  if (counts.inCrm === 0) return null
  const skipped = Object.values(counts.skipped).reduce((sum, n) => sum + n, 0)
  return {
    href: `/reconciliation?from=${period.from}&to=${period.to}`,
    states: CRM_CALL_STATES.map((name) => ({
      name: t.weekly.states[name],
      value: count(name === 'skipped' ? skipped : counts[name]),
    })),
  }
}
