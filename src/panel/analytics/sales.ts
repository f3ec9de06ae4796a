import type { SalesJson } from '../../reports/sales/schema.ts'
import { drawChart, roundCount } from '../frame/charts.ts'
import type { Language } from '../frame/i18n.ts'
import { exactly } from './asked.ts'
import { callsHref, cell, dealsHref, table, writing, type Cell, type Narrowed, type Part, type View } from './view.ts'

type Figures = Omit<SalesJson['totals'], 'silent'>

/** What was won and lost, by whom, and what was left silent. */
export function salesView(report: SalesJson, language: Language, narrowed: Narrowed): View {
  const { words, format } = language
  const t = words.analytics
  const write = writing(language)
  const { won, lost, created } = report.totals
  const isEmpty = won + lost + created === 0
  return {
    notes: isEmpty ? [t.noDeals] : [],
    cards: cardsOf(report, language, narrowed),
    charts: isEmpty ? [] : [weeksChart(report, language, narrowed)],
    basis: isEmpty ? [] : [t.definitions.closed, t.definitions.silent, t.definitions.gone],
    tables: [
      ...table(
        'managers',
        t.tables.managers,
        [`*${t.columns.manager}`, ...columnsOf(language), t.cards.calls, t.cards.silent],
        report.managers.map((row) => ({
          head: write.name(row.manager),
          cells: [
            ...cellsOf(row, language, { ...narrowed, manager: exactly(row.manager) }),
            cell(format.number(row.calls), callsHref(narrowed, { manager: exactly(row.manager) })),
            cell(format.number(row.silent), dealsHref(narrowed, { manager: exactly(row.manager), by: 'silent' })),
          ],
        })),
      ),
      ...table(
        'funnels',
        t.tables.funnels,
        [`*${t.columns.funnel}`, ...columnsOf(language)],
        report.funnels.map((row) => ({
          head: { text: row.funnel.name ?? String(row.funnel.id), isName: true },
          cells: cellsOf(row, language, { ...narrowed, funnel: String(row.funnel.id) }),
        })),
      ),
      ...silentOf(report, language),
      ...table(
        'weeks',
        t.tables.weeks,
        [`*${t.columns.week}`, ...columnsOf(language)],
        report.weeks.toReversed().map((week) => ({
          head: cell(write.weekName(week)),
          cells: cellsOf(week, language, { ...narrowed, from: week.from, to: week.to }),
        })),
      ),
    ],
  }
}

function cardsOf({ totals }: SalesJson, language: Language, narrowed: Narrowed): View['cards'] {
  const { words, format } = language
  const t = words.analytics
  const write = writing(language)
  const to = (more: Record<string, string> = {}) => dealsHref(narrowed, more)
  return [
    {
      name: t.cards.won,
      value: format.number(totals.won),
      note: '',
      parts: moneyOf(totals, language, narrowed),
      href: to({ outcome: 'won' }),
    },
    { name: t.cards.lost, value: format.number(totals.lost), note: '', href: to({ outcome: 'lost' }) },
    { name: t.cards.winRate, value: write.ratio(totals.winRate), note: write.ofAll(totals.winRate), href: to() },
    {
      name: t.cards.cohort,
      value: write.ratio(totals.cohort),
      note: [write.ofAll(totals.cohort), ...(totals.immature ? [t.immature] : [])].join(', '),
      href: to({ by: 'created' }),
    },
    { name: t.cards.cycle, value: write.number(totals.cycleDays.value), note: '', href: to({ outcome: 'won' }) },
    { name: t.cards.callsBefore, value: write.number(totals.callsBefore.value), note: '', href: to() },
    { name: t.cards.silent, value: format.number(totals.silent), note: t.silentNote, href: to({ by: 'silent' }) },
  ]
}

const columnsOf = ({ words: { analytics } }: Language): string[] => [
  analytics.cards.won,
  analytics.cards.lost,
  analytics.cards.winRate,
  analytics.cards.amount,
]

const cellsOf = (row: Figures, language: Language, narrowed: Narrowed): Cell[] => [
  cell(language.format.number(row.won), dealsHref(narrowed, { outcome: 'won' })),
  cell(language.format.number(row.lost), dealsHref(narrowed, { outcome: 'lost' })),
  writing(language).share(row.winRate, { href: dealsHref(narrowed) }),
  row.amounts.length === 0 ? cell('—') : { text: '', parts: moneyOf(row, language, narrowed) },
]

/** Each currency by itself, with the deals that it is of. */
const moneyOf = ({ amounts }: Pick<Figures, 'amounts'>, { format }: Language, narrowed: Narrowed): Part[] =>
  amounts.map(({ amount, currency }) => ({
    text: format.money(Math.round(amount), currency),
    href: dealsHref(narrowed, { outcome: 'won', currency }),
  }))

function weeksChart({ weeks }: SalesJson, language: Language, narrowed: Narrowed): View['charts'][number] {
  const { words, format } = language
  const t = words.analytics
  const bars = weeks.map((week) => ({
    name: writing(language).weekName(week),
    short: format.day(week.from),
    isOpen: !week.complete,
    href: dealsHref({ ...narrowed, from: week.from, to: week.to }),
  }))
  const series = [
    { kind: 'done', name: t.cards.won, values: weeks.map(({ won }) => won) },
    { kind: 'cancelled', name: t.cards.lost, values: weeks.map(({ lost }) => lost) },
  ]
  return drawChart(
    { title: t.charts.closed, bars, series, shown: (value) => format.number(value), ceiling: roundCount },
    language,
  )
}

/** So many are named; the others stand in the list behind their number. */
const MOST_SILENT = 10

function silentOf({ silent }: SalesJson, language: Language): View['tables'] {
  const { words, format } = language
  const t = words.analytics
  const columns = [
    `*${t.columns.deal}`,
    `*${t.columns.manager}`,
    `*${t.columns.stage}`,
    t.columns.lastCall,
    t.columns.amount,
  ]
  return table(
    'silent',
    t.tables.silent,
    columns,
    silent.slice(0, MOST_SILENT).map((deal) => ({
      head: { text: deal.name, isName: true, href: `/recordings?deal=${deal.id}` },
      cells: [
        writing(language).name(deal.manager),
        { text: deal.stage ?? '', isName: true },
        cell(deal.lastCallAt ? format.shortDay(deal.lastCallAt.slice(0, 10)) : t.never),
        cell(deal.amount ? format.money(deal.amount.amount, deal.amount.currency) : '—'),
      ],
    })),
  )
}
