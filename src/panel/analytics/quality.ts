import type { QualityJson } from '../../reports/quality/schema.ts'
import { drawChart, roundCountUp } from '../frame/charts.ts'
import { quoteName } from './query.ts'
import { defineReport } from './report.ts'
import { createCell, buildTable, type ReportView } from './view.ts'
import type { FigureFormatter } from './figure-formatter.ts'

export const quality = defineReport<QualityJson>({ name: 'quality', hasFunnel: false, show: buildQualityView })

const SCORED_FILTER = { scoreFrom: '0' }

/** Coaching: managers and topics. The share of met rules has no list: it counts verdicts, of which a call has many. */
function buildQualityView(report: QualityJson, formatter: FigureFormatter): ReportView {
  const { t, count, ratio, number, callsHref } = formatter
  const { totals } = report
  const scored = callsHref(SCORED_FILTER)
  return {
    notes: totals.calls === 0 ? [t.empty] : [],
    cards: [
      { name: t.cards.calls, value: count(totals.calls), href: callsHref() },
      { name: t.cards.checked, value: ratio(totals.coverage), note: formatter.ofAll(totals.coverage), href: scored },
      { name: t.cards.score, value: number(totals.score.value), href: scored },
      { name: t.cards.met, value: ratio(totals.passRate), note: formatter.ofAll(totals.passRate) },
    ],
    charts: totals.calls === 0 ? [] : drawWeekCharts(report, formatter),
    tables: [
      ...buildTable('managers', t.tables.managers, report.managers, [
        { title: t.columns.manager, cell: (row) => formatter.name(row.manager) },
        ...buildScoreColumns<Manager>(formatter, toManagerFilter),
        { title: t.cards.met, cell: (row) => formatter.share(row.passRate) },
      ]),
      ...buildRulesTable(report, formatter),
      ...buildHeatTable(report, formatter),
      ...buildTable('weeks', t.tables.weeks, report.weeks.toReversed(), [
        {
          title: t.columns.week,
          cell: (week) => [formatter.weekName(week), ...(week.published.length > 0 ? [t.newRules] : [])].join(', '),
        },
        ...buildScoreColumns<Week>(formatter, toWeekFilter),
      ]),
    ],
  }
}

type Manager = QualityJson['managers'][number]
type Week = QualityJson['weeks'][number]

const toManagerFilter = ({ manager }: Manager) => ({ manager: quoteName(manager) })
const toWeekFilter = ({ from, to }: Week) => ({ from, to })

/** The columns of calls, with a score and their scores. @param rowFilters the filters of a row */
const buildScoreColumns = <Row extends Manager | Week>(
  formatter: FigureFormatter,
  rowFilters: (row: Row) => Record<string, string>,
) => {
  const { t, count, ratio, number } = formatter
  const scored = (row: Row) => formatter.narrow(rowFilters(row)).callsHref(SCORED_FILTER)
  return [
    {
      title: t.cards.calls,
      cell: (row: Row) => createCell(count(row.calls), formatter.narrow(rowFilters(row)).callsHref()),
    },
    { title: t.cards.checked, cell: (row: Row) => createCell(ratio(row.coverage), scored(row)) },
    { title: t.cards.score, cell: (row: Row) => createCell(number(row.score.value), scored(row)) },
  ]
}

function drawWeekCharts({ weeks }: QualityJson, formatter: FigureFormatter): ReportView['charts'] {
  const { t, count } = formatter
  const bars = weeks.map((week) => ({
    name: formatter.weekName(week),
    short: formatter.format.day(week.from),
    isOpen: !week.complete,
    href: formatter.narrow(toWeekFilter(week)).callsHref(),
  }))
  // Scores by other rules are not comparable.
  const byRules = bars.map((bar, n) => ({
    ...bar,
    href: formatter.narrow(toWeekFilter(weeks[n]!)).callsHref(SCORED_FILTER),
    change: weeks[n]!.published.length > 0 ? t.newRules : undefined,
  }))
  const calls = [{ kind: 'done', name: t.cards.calls, values: weeks.map((week) => week.calls) }]
  // A week without a score has no bar: values below 0 are not drawn.
  const scores = [{ kind: 'wait', name: t.cards.score, values: weeks.map(({ score }) => score.value ?? -1) }]
  const score = (value: number) => (value < 0 ? '—' : count(value))
  return [
    drawChart({ title: t.charts.calls, bars, series: calls, shown: count, ceiling: roundCountUp }, formatter.language),
    drawChart(
      { title: t.charts.score, bars: byRules, series: scores, shown: score, ceiling: () => 100 },
      formatter.language,
    ),
  ]
}

function buildRulesTable({ rules }: QualityJson, formatter: FigureFormatter): ReportView['tables'] {
  const { t, language } = formatter
  const keyOf = ({ set, rule }: (typeof rules)[number]) => `${set.key}/${rule.key}`
  return buildTable('rules', t.tables.rules, rules, [
    {
      title: t.columns.rule,
      cell: ({ set, rule }) => formatter.name(`${set.name[language.code]}: ${rule.name[language.code]}`),
    },
    {
      title: t.cards.met,
      cell: (row) => formatter.share(row.passRate, { href: formatter.callsHref({ rule: `${keyOf(row)}:judged` }) }),
    },
    {
      title: t.columns.missed,
      cell: (row) => createCell(formatter.count(row.missed), formatter.callsHref({ rule: keyOf(row) })),
    },
    {
      title: t.columns.weak,
      isText: true,
      cell: (row) => (row.weakManagers === 0 ? '' : `${row.weakManagers}${row.systemic ? `, ${t.systemic}` : ''}`),
    },
  ])
}

/** Each manager by each rule, as numbers in one of five colours. */
function buildHeatTable({ managers, rules, heat }: QualityJson, formatter: FigureFormatter): ReportView['tables'] {
  const { t, language } = formatter
  const ratedRules = rules.filter(({ passRate }) => passRate.value !== null)
  if (ratedRules.length === 0 || managers.length < 2) return []
  return buildTable('heat', t.tables.heat, managers, [
    { title: t.columns.manager, cell: (row) => formatter.name(row.manager) },
    ...ratedRules.map(({ set, rule }) => ({
      title: rule.name[language.code],
      cell: ({ managerId, manager }: Manager) => {
        const heatCell = heat.find((one) => one.managerId === managerId && one.set === set.key && one.rule === rule.key)
        const value = heatCell?.passRate.value ?? null
        if (value === null) return '—'
        const href = formatter.callsHref({ manager: quoteName(manager), rule: `${set.key}/${rule.key}:judged` })
        return { text: formatter.percent(value), href, level: 1 + Math.min(4, Math.floor(5 * value)) }
      },
    })),
  ])
}
