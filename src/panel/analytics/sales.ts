import type { SalesReportJson } from '../../reports/sales/schema.ts'
import { drawChart, roundAxisCountUp } from '../frame/charts.ts'
import { quoteManagerName } from '../frame/manager-names.ts'
import { defineReportPage } from './report.ts'
import {
  createTableCell,
  buildReportTable,
  type ReportCard,
  type TableCell,
  type TextLink,
  type ReportView,
} from './view.ts'
import type { FigureFormatter } from './figure-formatter.ts'
import { drawWeeklySparkline } from './trend.ts'

export const salesReportPage = defineReportPage<SalesReportJson>({
  name: 'sales',
  group: 'sales',
  hasFunnel: true,
  show: buildSalesView,
})

type Week = SalesReportJson['weeks'][number]
type DealFigures = Omit<SalesReportJson['totals'], 'silent'>

/** The table shows only the first stalled deals. The link on the number leads to the complete list. */
const MAX_LISTED_STALLED_DEALS = 10

/** Builds the report on won and lost deals by manager, funnel and week, and on stalled deals. */
export function buildSalesView(report: SalesReportJson, formatter: FigureFormatter): ReportView {
  const { t, format, name } = formatter
  const { won, lost, created } = report.totals
  const isEmpty = won + lost + created === 0
  const narrowToManager = (row: SalesReportJson['managers'][number]) =>
    formatter.narrow({ manager: quoteManagerName(row.manager) })
  return {
    ...(won + lost > 0 && { verdict: formatVerdict(report, formatter) }),
    notes: isEmpty ? [t.noDeals] : [],
    cards: buildCards(report, formatter),
    charts: isEmpty ? [] : [drawWeeksChart(report, formatter)],
    basis: isEmpty ? [] : [t.definitions.closed, t.definitions.silent, t.definitions.gone],
    tables: [
      ...buildReportTable('managers', t.tables.managers, report.managers, [
        { title: t.columns.manager, cell: (row) => name(row.manager) },
        ...buildOutcomeColumns(formatter, narrowToManager),
        {
          title: t.cards.calls,
          by: (row) => row.calls,
          cell: (row) => createTableCell(formatter.count(row.calls), narrowToManager(row).callsHref()),
        },
        {
          title: t.cards.silent,
          by: (row) => row.silent,
          cell: (row) => createTableCell(formatter.count(row.silent), narrowToManager(row).dealsHref({ by: 'silent' })),
        },
      ]),
      ...buildReportTable('funnels', t.tables.funnels, report.funnels, [
        { title: t.columns.funnel, cell: ({ funnel }) => name(funnel.name ?? String(funnel.id)) },
        ...buildOutcomeColumns<SalesReportJson['funnels'][number]>(formatter, ({ funnel }) =>
          formatter.narrow({ funnel: String(funnel.id) }),
        ),
      ]),
      ...buildReportTable('silent', t.tables.silent, report.silent.slice(0, MAX_LISTED_STALLED_DEALS), [
        { title: t.columns.deal, cell: (deal) => ({ ...name(deal.name), href: `/recordings?deal=${deal.id}` }) },
        { title: t.columns.manager, isText: true, cell: (deal) => name(deal.manager) },
        { title: t.columns.stage, isText: true, cell: (deal) => name(deal.stage ?? '') },
        {
          title: t.columns.lastCall,
          by: ({ lastCallAt }) => lastCallAt,
          first: 'asc',
          cell: ({ lastCallAt }) => (lastCallAt ? format.shortDay(lastCallAt.slice(0, 10)) : t.never),
        },
        {
          title: t.columns.amount,
          cell: ({ amount }) => (amount ? format.money(amount.amount, amount.currency) : '—'),
        },
      ]),
      ...buildReportTable('weeks', t.tables.weeks, report.weeks.toReversed(), [
        { title: t.columns.week, cell: formatter.weekName, by: ({ from }) => from },
        ...buildOutcomeColumns<SalesReportJson['weeks'][number]>(formatter, ({ from, to }) =>
          formatter.narrow({ from, to }),
        ),
      ]),
    ],
  }
}

function formatVerdict({ totals }: SalesReportJson, formatter: FigureFormatter): string {
  const {
    t: { lead },
    count,
    ratio,
  } = formatter
  const { won, lost, winRate, silent } = totals
  return [
    winRate.value === null
      ? lead.fewDeals(won + lost, count(won + lost))
      : lead.sales(count(won), count(lost), ratio(winRate)),
    ...(silent > 0 ? [lead.silent(silent, count(silent))] : []),
  ].join(' ')
}

function buildCards({ totals, weeks }: SalesReportJson, formatter: FigureFormatter): ReportCard[] {
  const { t, dealsHref, count, percent, language } = formatter
  const drawTrend = (name: string, shown: (value: number) => string, pick: (week: Week) => number | null) =>
    drawWeeklySparkline(weeks, { name, shown, pick }, language)
  const [won, closed] = [dealsHref({ outcome: 'won' }), dealsHref()]
  return [
    {
      name: t.cards.won,
      value: formatter.count(totals.won),
      parts: formatAmounts(totals, formatter),
      href: won,
      sparkline: drawTrend(t.cards.won, count, (week) => week.won),
    },
    {
      name: t.cards.lost,
      value: formatter.count(totals.lost),
      href: dealsHref({ outcome: 'lost' }),
      sparkline: drawTrend(t.cards.lost, count, (week) => week.lost),
    },
    {
      name: t.cards.winRate,
      value: formatter.ratio(totals.winRate),
      note: formatter.ofAll(totals.winRate),
      href: closed,
      sparkline: drawTrend(t.cards.winRate, percent, ({ winRate }) => winRate.value),
    },
    {
      name: t.cards.cohort,
      value: formatter.ratio(totals.cohort),
      note: [formatter.ofAll(totals.cohort), ...(totals.immature ? [t.immature] : [])].join(', '),
      href: dealsHref({ by: 'created' }),
    },
    { name: t.cards.cycle, value: formatter.number(totals.cycleDays.value), href: won },
    { name: t.cards.callsBefore, value: formatter.number(totals.callsBefore.value), href: closed },
    {
      name: t.cards.silent,
      value: formatter.count(totals.silent),
      note: t.silentNote,
      href: dealsHref({ by: 'silent' }),
    },
  ]
}

/** Builds the columns for won and lost deals. @param narrow returns the formatter whose links select the row */
const buildOutcomeColumns = <Row extends DealFigures>(
  { t, count }: FigureFormatter,
  narrow: (row: Row) => FigureFormatter,
) => [
  {
    title: t.cards.won,
    by: (row: Row) => row.won,
    cell: (row: Row) => createTableCell(count(row.won), narrow(row).dealsHref({ outcome: 'won' })),
  },
  {
    title: t.cards.lost,
    by: (row: Row) => row.lost,
    cell: (row: Row) => createTableCell(count(row.lost), narrow(row).dealsHref({ outcome: 'lost' })),
  },
  {
    title: t.cards.winRate,
    by: (row: Row) => row.winRate.value,
    cell: (row: Row) => narrow(row).share(row.winRate, { href: narrow(row).dealsHref() }),
  },
  {
    title: t.cards.amount,
    cell: (row: Row): TableCell =>
      row.amounts.length === 0 ? createTableCell('—') : { text: '', parts: formatAmounts(row, narrow(row)) },
  },
]

/** Formats each currency separately, with a link to the won deals in this currency. */
const formatAmounts = ({ amounts }: Pick<DealFigures, 'amounts'>, { format, dealsHref }: FigureFormatter): TextLink[] =>
  amounts.map(({ amount, currency }) => ({
    text: format.money(Math.round(amount), currency),
    href: dealsHref({ outcome: 'won', currency }),
  }))

function drawWeeksChart({ weeks }: SalesReportJson, formatter: FigureFormatter): ReportView['charts'][number] {
  const { t } = formatter
  const bars = weeks.map((week) => ({
    name: formatter.weekName(week),
    short: formatter.format.day(week.from),
    isOpen: !week.complete,
    href: formatter.narrow({ from: week.from, to: week.to }).dealsHref(),
  }))
  const series = [
    { kind: 'done', name: t.cards.won, values: weeks.map(({ won }) => won) },
    { kind: 'cancelled', name: t.cards.lost, values: weeks.map(({ lost }) => lost) },
  ]
  return drawChart(
    { title: t.charts.closed, bars, series, shown: formatter.count, ceiling: roundAxisCountUp },
    formatter.language,
  )
}
