import { MIN_SAMPLE_SIZE } from '../../reports/definitions/values.ts'
import type { QualityReportJson } from '../../reports/quality/schema.ts'
import { drawChart, roundAxisCountUp } from '../frame/charts.ts'
import { quoteManagerName } from '../frame/manager-names.ts'
import { defineReportPage } from './report.ts'
import { createTableCell, buildReportTable, type ReportView } from './view.ts'
import type { FigureFormatter } from './figure-formatter.ts'
import { drawWeeklySparkline } from './trend.ts'

export const qualityReportPage = defineReportPage<QualityReportJson>({
  name: 'quality',
  group: 'quality',
  hasFunnel: false,
  show: buildQualityView,
})

const SCORED_FILTER = { scoreFrom: '0' }

/** Builds the report on scores by manager, week and rule. The total pass rate has no link, because a call has many verdicts. */
function buildQualityView(report: QualityReportJson, formatter: FigureFormatter): ReportView {
  const { t, count, ratio, score, callsHref } = formatter
  const { totals } = report
  const scored = callsHref(SCORED_FILTER)
  const drawTrend = (name: string, shown: (value: number) => string, pick: (week: Week) => number | null) =>
    drawWeeklySparkline(report.weeks, { name, shown, pick }, formatter.language)
  return {
    ...(totals.calls > 0 && { verdict: formatVerdict(report, formatter) }),
    heat: report,
    notes: totals.calls === 0 ? [t.empty] : [formatSpeakerCounts(report, formatter)],
    cards: [
      {
        name: t.cards.calls,
        value: count(totals.calls),
        href: callsHref(),
        sparkline: drawTrend(t.cards.calls, count, ({ calls }) => calls),
      },
      {
        name: t.cards.checked,
        value: ratio(totals.coverage),
        note: formatter.ofAll(totals.coverage),
        href: scored,
        sparkline: drawTrend(t.cards.checked, formatter.percent, ({ coverage }) => coverage.value),
      },
      {
        name: t.cards.score,
        value: score(totals.score.value),
        href: scored,
        className: formatter.scoreClass(totals.score.value),
        sparkline: drawTrend(t.cards.score, score, (week) => week.score.value),
      },
      { name: t.cards.met, value: ratio(totals.passRate), note: formatter.ofAll(totals.passRate) },
    ],
    charts: totals.calls === 0 ? [] : drawWeekCharts(report, formatter),
    tables: [
      ...buildReportTable('managers', t.tables.managers, report.managers, [
        { title: t.columns.manager, cell: (row) => formatter.name(row.manager) },
        ...buildScoreColumns<Manager>(formatter, toManagerFilter),
        {
          title: t.cards.met,
          by: (row) => row.passRate.value,
          first: 'asc',
          cell: (row) => formatter.share(row.passRate),
        },
      ]),
      ...buildReportTable('weeks', t.tables.weeks, report.weeks.toReversed(), [
        {
          title: t.columns.week,
          by: ({ from }) => from,
          cell: (week) => [formatter.weekName(week), ...(week.published.length > 0 ? [t.newRules] : [])].join(', '),
        },
        ...buildScoreColumns<Week>(formatter, toWeekFilter),
      ]),
      ...buildRulesTable(report, formatter),
    ],
  }
}

/** Formats how many calls have speakers by channel, by voice or not at all. Rules about one side need speakers. */
function formatSpeakerCounts({ speakers }: QualityReportJson, { t, count }: FigureFormatter): string {
  return t.speakerCounts(count(speakers.channels), count(speakers.voices), count(speakers.none))
}

type Manager = QualityReportJson['managers'][number]
type Week = QualityReportJson['weeks'][number]

const toManagerFilter = ({ manager }: Manager) => ({ manager: quoteManagerName(manager) })
const toWeekFilter = ({ from, to }: Week) => ({ from, to })

/** Builds the columns for calls, checked calls and score. @param rowFilters returns the link filters of a row */
const buildScoreColumns = <Row extends Manager | Week>(
  formatter: FigureFormatter,
  rowFilters: (row: Row) => Record<string, string>,
) => {
  const { t, count, ratio } = formatter
  const scored = (row: Row) => formatter.narrow(rowFilters(row)).callsHref(SCORED_FILTER)
  return [
    {
      title: t.cards.calls,
      by: (row: Row) => row.calls,
      cell: (row: Row) => createTableCell(count(row.calls), formatter.narrow(rowFilters(row)).callsHref()),
    },
    {
      title: t.cards.checked,
      by: (row: Row) => row.coverage.value,
      cell: (row: Row) => createTableCell(ratio(row.coverage), scored(row)),
    },
    {
      title: t.cards.score,
      by: (row: Row) => row.score.value,
      first: 'asc' as const,
      cell: (row: Row) => formatter.scoreCell(row.score.value, scored(row)),
    },
  ]
}

function drawWeekCharts({ weeks }: QualityReportJson, formatter: FigureFormatter): ReportView['charts'] {
  const { t, count } = formatter
  const bars = weeks.map((week) => ({
    name: formatter.weekName(week),
    short: formatter.format.day(week.from),
    isOpen: !week.complete,
    href: formatter.narrow(toWeekFilter(week)).callsHref(),
  }))
  // A new version of rules is marked on the chart, because scores by different rules are not comparable.
  const byRules = bars.map((bar, n) => ({
    ...bar,
    href: formatter.narrow(toWeekFilter(weeks[n]!)).callsHref(SCORED_FILTER),
    change: weeks[n]!.published.length > 0 ? t.newRules : undefined,
  }))
  const calls = [{ kind: 'done', name: t.cards.calls, values: weeks.map((week) => week.calls) }]
  // Values below 0 are not drawn, so a week without a score has no bar.
  const scores = [{ kind: 'wait', name: t.cards.score, values: weeks.map(({ score }) => score.value ?? -1) }]
  const score = (value: number) => (value < 0 ? '—' : count(value))
  return [
    drawChart(
      { title: t.charts.calls, bars, series: calls, shown: count, ceiling: roundAxisCountUp },
      formatter.language,
    ),
    drawChart(
      { title: t.charts.score, bars: byRules, series: scores, shown: score, ceiling: () => 100 },
      formatter.language,
    ),
  ]
}

function buildRulesTable({ rules }: QualityReportJson, formatter: FigureFormatter): ReportView['tables'] {
  const { t, language } = formatter
  const keyOf = ({ set, rule }: (typeof rules)[number]) => `${set.key}/${rule.key}`
  return buildReportTable('rules', t.tables.rules, rules, [
    {
      title: t.columns.rule,
      cell: ({ set, rule }) => formatter.name(`${set.name[language.code]}: ${rule.name[language.code]}`),
    },
    {
      title: t.cards.met,
      by: ({ passRate }) => passRate.value,
      first: 'asc',
      cell: (row) => formatter.share(row.passRate, { href: formatter.callsHref({ rule: `${keyOf(row)}:judged` }) }),
    },
    {
      title: t.columns.missed,
      by: ({ missed }) => missed,
      cell: (row) => createTableCell(formatter.count(row.missed), formatter.callsHref({ rule: keyOf(row) })),
    },
    {
      title: t.columns.weak,
      isText: true,
      by: ({ weakManagers }) => weakManagers,
      first: 'desc',
      cell: (row) => (row.weakManagers === 0 ? '' : `${row.weakManagers}${row.systemic ? `, ${t.systemic}` : ''}`),
    },
  ])
}

/** Names the rule with the lowest pass rate and the manager with the lowest score, who comes first in the report. */
function formatVerdict({ totals, rules, managers }: QualityReportJson, formatter: FigureFormatter): string {
  const { lead } = formatter.t
  const { count } = totals.score
  if (totals.score.value === null) return lead.fewCalls(count, formatter.count(count))
  const [weakest] = rules
    .filter(({ passRate, missed }) => passRate.value !== null && missed > 0)
    .toSorted((a, b) => a.passRate.value! - b.passRate.value!)
  const lowest = managers.find(({ manager, score }) => manager !== null && score.count >= MIN_SAMPLE_SIZE)
  const name = weakest?.rule.name[formatter.language.code]
  return [
    weakest
      ? lead.mostMissed(name!, formatter.ratio(weakest.passRate), formatter.ofAll(weakest.passRate))
      : lead.noRuleMissed,
    ...(lowest && managers.length > 1
      ? [lead.lowestManager(lowest.manager!, formatter.score(lowest.score.value))]
      : []),
  ].join(' ')
}
