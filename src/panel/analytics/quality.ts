import type { QualityJson } from '../../reports/quality/schema.ts'
import { drawChart, roundCount } from '../frame/charts.ts'
import { quoteName } from './query.ts'
import { defineReport } from './report.ts'
import { cell, table, type View } from './view.ts'
import type { Writer } from './writer.ts'

export const quality = defineReport<QualityJson>({ name: 'quality', hasFunnel: false, show: showQuality })

const SCORED = { scoreFrom: '0' }

/** Coaching: managers and topics. The share of met rules has no list: it counts verdicts, of which a call has many. */
function showQuality(report: QualityJson, write: Writer): View {
  const { t, count, ratio, number, callsHref } = write
  const { totals } = report
  const scored = callsHref(SCORED)
  return {
    notes: totals.calls === 0 ? [t.empty] : [],
    cards: [
      { name: t.cards.calls, value: count(totals.calls), href: callsHref() },
      { name: t.cards.checked, value: ratio(totals.coverage), note: write.ofAll(totals.coverage), href: scored },
      { name: t.cards.score, value: number(totals.score.value), href: scored },
      { name: t.cards.met, value: ratio(totals.passRate), note: write.ofAll(totals.passRate) },
    ],
    charts: totals.calls === 0 ? [] : chartsOf(report, write),
    tables: [
      ...table('managers', t.tables.managers, report.managers, [
        { title: t.columns.manager, cell: (row) => write.name(row.manager) },
        ...columnsOf<Manager>(write, ofManager),
        { title: t.cards.met, cell: (row) => write.share(row.passRate) },
      ]),
      ...rulesOf(report, write),
      ...heatOf(report, write),
      ...table('weeks', t.tables.weeks, report.weeks.toReversed(), [
        {
          title: t.columns.week,
          cell: (week) => [write.weekName(week), ...(week.published.length > 0 ? [t.newRules] : [])].join(', '),
        },
        ...columnsOf<Week>(write, ofWeek),
      ]),
    ],
  }
}

type Manager = QualityJson['managers'][number]
type Week = QualityJson['weeks'][number]

const ofManager = ({ manager }: Manager) => ({ manager: quoteName(manager) })
const ofWeek = ({ from, to }: Week) => ({ from, to })

/** The columns of calls, with a score and their scores. @param narrowed the filters of a row */
const columnsOf = <Row extends Manager | Week>(write: Writer, narrowed: (row: Row) => Record<string, string>) => {
  const { t, count, ratio, number } = write
  const scored = (row: Row) => write.narrow(narrowed(row)).callsHref(SCORED)
  return [
    { title: t.cards.calls, cell: (row: Row) => cell(count(row.calls), write.narrow(narrowed(row)).callsHref()) },
    { title: t.cards.checked, cell: (row: Row) => cell(ratio(row.coverage), scored(row)) },
    { title: t.cards.score, cell: (row: Row) => cell(number(row.score.value), scored(row)) },
  ]
}

function chartsOf({ weeks }: QualityJson, write: Writer): View['charts'] {
  const { t, count } = write
  const bars = weeks.map((week) => ({
    name: write.weekName(week),
    short: write.format.day(week.from),
    isOpen: !week.complete,
    href: write.narrow(ofWeek(week)).callsHref(),
  }))
  // Scores by other rules are not comparable.
  const byRules = bars.map((bar, n) => ({
    ...bar,
    href: write.narrow(ofWeek(weeks[n]!)).callsHref(SCORED),
    change: weeks[n]!.published.length > 0 ? t.newRules : undefined,
  }))
  const calls = [{ kind: 'done', name: t.cards.calls, values: weeks.map((week) => week.calls) }]
  // A week without a score has no bar: values below 0 are not drawn.
  const scores = [{ kind: 'wait', name: t.cards.score, values: weeks.map(({ score }) => score.value ?? -1) }]
  const score = (value: number) => (value < 0 ? '—' : count(value))
  return [
    drawChart({ title: t.charts.calls, bars, series: calls, shown: count, ceiling: roundCount }, write.language),
    drawChart(
      { title: t.charts.score, bars: byRules, series: scores, shown: score, ceiling: () => 100 },
      write.language,
    ),
  ]
}

function rulesOf({ rules }: QualityJson, write: Writer): View['tables'] {
  const { t, language } = write
  const keyOf = ({ set, rule }: (typeof rules)[number]) => `${set.key}/${rule.key}`
  return table('rules', t.tables.rules, rules, [
    {
      title: t.columns.rule,
      cell: ({ set, rule }) => write.name(`${set.name[language.code]}: ${rule.name[language.code]}`),
    },
    {
      title: t.cards.met,
      cell: (row) => write.share(row.passRate, { href: write.callsHref({ rule: `${keyOf(row)}:judged` }) }),
    },
    { title: t.columns.missed, cell: (row) => cell(write.count(row.missed), write.callsHref({ rule: keyOf(row) })) },
    {
      title: t.columns.weak,
      isText: true,
      cell: (row) => (row.weakManagers === 0 ? '' : `${row.weakManagers}${row.systemic ? `, ${t.systemic}` : ''}`),
    },
  ])
}

/** Each manager by each rule, as numbers in one of five colours. */
function heatOf({ managers, rules, heat }: QualityJson, write: Writer): View['tables'] {
  const { t, language } = write
  const known = rules.filter(({ passRate }) => passRate.value !== null)
  if (known.length === 0 || managers.length < 2) return []
  return table('heat', t.tables.heat, managers, [
    { title: t.columns.manager, cell: (row) => write.name(row.manager) },
    ...known.map(({ set, rule }) => ({
      title: rule.name[language.code],
      cell: ({ managerId, manager }: Manager) => {
        const found = heat.find((one) => one.managerId === managerId && one.set === set.key && one.rule === rule.key)
        const value = found?.passRate.value ?? null
        if (value === null) return '—'
        const href = write.callsHref({ manager: quoteName(manager), rule: `${set.key}/${rule.key}:judged` })
        return { text: write.percent(value), href, level: 1 + Math.min(4, Math.floor(5 * value)) }
      },
    })),
  ])
}
