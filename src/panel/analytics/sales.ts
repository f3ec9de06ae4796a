import type { SalesJson } from '../../reports/sales/schema.ts'
import { drawChart, roundCount } from '../frame/charts.ts'
import { quoteName } from './query.ts'
import { defineReport } from './report.ts'
import { cell, table, type Card, type Cell, type Part, type View } from './view.ts'
import type { Writer } from './writer.ts'

export const sales = defineReport<SalesJson>({ name: 'sales', hasFunnel: true, show: showSales })

type Figures = Omit<SalesJson['totals'], 'silent'>

/** The number of listed silent deals; the list behind their number has all. */
const MOST_SILENT = 10

/** Won and lost deals by manager and funnel, and silent deals. */
export function showSales(report: SalesJson, write: Writer): View {
  const { t, format, name } = write
  const { won, lost, created } = report.totals
  const isEmpty = won + lost + created === 0
  const ofManager = (row: SalesJson['managers'][number]) => write.narrow({ manager: quoteName(row.manager) })
  return {
    notes: isEmpty ? [t.noDeals] : [],
    cards: cardsOf(report, write),
    charts: isEmpty ? [] : [weeksChart(report, write)],
    basis: isEmpty ? [] : [t.definitions.closed, t.definitions.silent, t.definitions.gone],
    tables: [
      ...table('managers', t.tables.managers, report.managers, [
        { title: t.columns.manager, cell: (row) => name(row.manager) },
        ...columnsOf(write, ofManager),
        { title: t.cards.calls, cell: (row) => cell(write.count(row.calls), ofManager(row).callsHref()) },
        {
          title: t.cards.silent,
          cell: (row) => cell(write.count(row.silent), ofManager(row).dealsHref({ by: 'silent' })),
        },
      ]),
      ...table('funnels', t.tables.funnels, report.funnels, [
        { title: t.columns.funnel, cell: ({ funnel }) => name(funnel.name ?? String(funnel.id)) },
        ...columnsOf<SalesJson['funnels'][number]>(write, ({ funnel }) => write.narrow({ funnel: String(funnel.id) })),
      ]),
      ...table('silent', t.tables.silent, report.silent.slice(0, MOST_SILENT), [
        { title: t.columns.deal, cell: (deal) => ({ ...name(deal.name), href: `/recordings?deal=${deal.id}` }) },
        { title: t.columns.manager, isText: true, cell: (deal) => name(deal.manager) },
        { title: t.columns.stage, isText: true, cell: (deal) => name(deal.stage ?? '') },
        {
          title: t.columns.lastCall,
          cell: ({ lastCallAt }) => (lastCallAt ? format.shortDay(lastCallAt.slice(0, 10)) : t.never),
        },
        {
          title: t.columns.amount,
          cell: ({ amount }) => (amount ? format.money(amount.amount, amount.currency) : '—'),
        },
      ]),
      ...table('weeks', t.tables.weeks, report.weeks.toReversed(), [
        { title: t.columns.week, cell: write.weekName },
        ...columnsOf<SalesJson['weeks'][number]>(write, ({ from, to }) => write.narrow({ from, to })),
      ]),
    ],
  }
}

function cardsOf({ totals }: SalesJson, write: Writer): Card[] {
  const { t, dealsHref } = write
  const [won, closed] = [dealsHref({ outcome: 'won' }), dealsHref()]
  return [
    {
      name: t.cards.won,
      value: write.count(totals.won),
      parts: moneyOf(totals, write),
      href: won,
    },
    { name: t.cards.lost, value: write.count(totals.lost), href: dealsHref({ outcome: 'lost' }) },
    { name: t.cards.winRate, value: write.ratio(totals.winRate), note: write.ofAll(totals.winRate), href: closed },
    {
      name: t.cards.cohort,
      value: write.ratio(totals.cohort),
      note: [write.ofAll(totals.cohort), ...(totals.immature ? [t.immature] : [])].join(', '),
      href: dealsHref({ by: 'created' }),
    },
    { name: t.cards.cycle, value: write.number(totals.cycleDays.value), href: won },
    { name: t.cards.callsBefore, value: write.number(totals.callsBefore.value), href: closed },
    {
      name: t.cards.silent,
      value: write.count(totals.silent),
      note: t.silentNote,
      href: dealsHref({ by: 'silent' }),
    },
  ]
}

/** The columns of won and lost deals. @param narrow the writer of a row */
const columnsOf = <Row extends Figures>({ t, count }: Writer, narrow: (row: Row) => Writer) => [
  { title: t.cards.won, cell: (row: Row) => cell(count(row.won), narrow(row).dealsHref({ outcome: 'won' })) },
  { title: t.cards.lost, cell: (row: Row) => cell(count(row.lost), narrow(row).dealsHref({ outcome: 'lost' })) },
  { title: t.cards.winRate, cell: (row: Row) => narrow(row).share(row.winRate, { href: narrow(row).dealsHref() }) },
  {
    title: t.cards.amount,
    cell: (row: Row): Cell => (row.amounts.length === 0 ? cell('—') : { text: '', parts: moneyOf(row, narrow(row)) }),
  },
]

/** Each currency with its deals. */
const moneyOf = ({ amounts }: Pick<Figures, 'amounts'>, { format, dealsHref }: Writer): Part[] =>
  amounts.map(({ amount, currency }) => ({
    text: format.money(Math.round(amount), currency),
    href: dealsHref({ outcome: 'won', currency }),
  }))

function weeksChart({ weeks }: SalesJson, write: Writer): View['charts'][number] {
  const { t } = write
  const bars = weeks.map((week) => ({
    name: write.weekName(week),
    short: write.format.day(week.from),
    isOpen: !week.complete,
    href: write.narrow({ from: week.from, to: week.to }).dealsHref(),
  }))
  const series = [
    { kind: 'done', name: t.cards.won, values: weeks.map(({ won }) => won) },
    { kind: 'cancelled', name: t.cards.lost, values: weeks.map(({ lost }) => lost) },
  ]
  return drawChart({ title: t.charts.closed, bars, series, shown: write.count, ceiling: roundCount }, write.language)
}
