import type { QualityJson } from '../../reports/quality/schema.ts'
import { drawChart, roundCount } from '../frame/charts.ts'
import type { Language } from '../frame/i18n.ts'
import { exactly } from './asked.ts'
import { callsHref, cell, table, writing, type Narrowed, type View } from './view.ts'

/**
 * Whom to coach, and on what. The share of rules met of all rules together leads nowhere: it counts verdicts, of which each
 * call has many, and lists count calls.
 */
export function qualityView(report: QualityJson, language: Language, narrowed: Narrowed): View {
  const { words, format } = language
  const t = words.analytics
  const write = writing(language)
  const { totals, managers } = report
  const to = (more: Record<string, string>) => callsHref(narrowed, more)
  return {
    notes: totals.calls === 0 ? [t.empty] : [],
    cards: [
      { name: t.cards.calls, value: format.number(totals.calls), note: '', href: to({}) },
      {
        name: t.cards.checked,
        value: write.ratio(totals.coverage),
        note: write.ofAll(totals.coverage),
        href: to({ scoreFrom: '0' }),
      },
      { name: t.cards.score, value: write.number(totals.score.value), note: '', href: to({ scoreFrom: '0' }) },
      { name: t.cards.met, value: write.ratio(totals.passRate), note: write.ofAll(totals.passRate) },
    ],
    charts: totals.calls === 0 ? [] : chartsOf(report, language, narrowed),
    tables: [
      ...table(
        'managers',
        t.tables.managers,
        [`*${t.columns.manager}`, t.cards.calls, t.cards.checked, t.cards.score, t.cards.met],
        managers.map((row) => ({
          head: write.name(row.manager),
          cells: [
            cell(format.number(row.calls), to({ manager: exactly(row.manager) })),
            cell(write.ratio(row.coverage), to({ manager: exactly(row.manager), scoreFrom: '0' })),
            cell(write.number(row.score.value), to({ manager: exactly(row.manager), scoreFrom: '0' })),
            write.share(row.passRate),
          ],
        })),
      ),
      ...rulesOf(report, language, narrowed),
      ...heatOf(report, language, narrowed),
      ...weeksOf(report, language, narrowed),
    ],
  }
}

function weeksOf({ weeks }: QualityJson, language: Language, narrowed: Narrowed): View['tables'] {
  const { words, format } = language
  const t = words.analytics
  const write = writing(language)
  return table(
    'weeks',
    t.tables.weeks,
    [`*${t.columns.week}`, t.cards.calls, t.cards.checked, t.cards.score],
    weeks.toReversed().map((week) => {
      const checked = callsHref({ ...narrowed, from: week.from, to: week.to }, { scoreFrom: '0' })
      return {
        head: cell([write.weekName(week), ...(week.published.length > 0 ? [t.newRules] : [])].join(', ')),
        cells: [
          cell(format.number(week.calls), callsHref({ ...narrowed, from: week.from, to: week.to })),
          cell(write.ratio(week.coverage), checked),
          cell(write.number(week.score.value), checked),
        ],
      }
    }),
  )
}

function chartsOf({ weeks }: QualityJson, language: Language, narrowed: Narrowed): View['charts'] {
  const { words, format } = language
  const t = words.analytics
  const { weekName } = writing(language)
  const bars = weeks.map((week) => ({
    name: weekName(week),
    short: format.day(week.from),
    isOpen: !week.complete,
    href: callsHref({ ...narrowed, from: week.from, to: week.to }),
  }))
  const score = (value: number) => (value < 0 ? '—' : format.number(value))
  // Scores by other rules are not to be compared as if nothing had happened.
  const byRules = bars.map((bar, n) => ({
    ...bar,
    href: `${bar.href}&scoreFrom=0`,
    change: weeks[n]!.published.length > 0 ? t.newRules : undefined,
  }))
  return [
    drawChart(
      {
        title: t.charts.calls,
        bars,
        series: [{ kind: 'done', name: t.cards.calls, values: weeks.map(({ calls }) => calls) }],
        shown: (value) => format.number(value),
        ceiling: roundCount,
      },
      language,
    ),
    // Without a score there is no bar: values below nothing have none.
    drawChart(
      {
        title: t.charts.score,
        bars: byRules,
        series: [{ kind: 'wait', name: t.cards.score, values: weeks.map(({ score }) => score.value ?? -1) }],
        shown: score,
        ceiling: () => 100,
      },
      language,
    ),
  ]
}

function rulesOf({ rules }: QualityJson, language: Language, narrowed: Narrowed): View['tables'] {
  const { words, format, code } = language
  const t = words.analytics
  const write = writing(language)
  const columns = [`*${t.columns.rule}`, t.cards.met, t.columns.missed, `*${t.columns.weak}`]
  return table(
    'rules',
    t.tables.rules,
    columns,
    rules.map((row) => ({
      head: { text: `${row.set.name[code]}: ${row.rule.name[code]}`, isName: true },
      cells: [
        write.share(row.passRate, { href: callsHref(narrowed, { rule: `${row.set.key}/${row.rule.key}:judged` }) }),
        cell(format.number(row.missed), callsHref(narrowed, { rule: `${row.set.key}/${row.rule.key}` })),
        cell(row.weakManagers === 0 ? '' : `${row.weakManagers}${row.systemic ? `, ${t.systemic}` : ''}`),
      ],
    })),
  )
}

/** Each manager by each rule, as numbers with a colour of five. */
function heatOf({ managers, rules, heat }: QualityJson, language: Language, narrowed: Narrowed): View['tables'] {
  const t = language.words.analytics
  const write = writing(language)
  const known = rules.filter(({ passRate }) => passRate.value !== null)
  if (known.length === 0 || managers.length < 2) return []
  const columns = [`*${t.columns.manager}`, ...known.map(({ rule }) => rule.name[language.code])]
  return table(
    'heat',
    t.tables.heat,
    columns,
    managers.map((row) => ({
      head: write.name(row.manager),
      cells: known.map(({ set, rule }) => {
        const found = heat.find(
          (one) => one.managerId === row.managerId && one.set === set.key && one.rule === rule.key,
        )
        const value = found?.passRate.value ?? null
        if (value === null) return cell('—')
        const href = callsHref(narrowed, { manager: exactly(row.manager), rule: `${set.key}/${rule.key}:judged` })
        return { text: write.percent(value), href, level: 1 + Math.min(4, Math.floor(5 * value)) }
      }),
    })),
  )
}
