import type { CorrelationJson } from '../../analytics/correlation/schema.ts'
import { drawShare } from '../frame/charts.ts'
import type { Language } from '../frame/i18n.ts'
import { exactly } from './asked.ts'
import { callsHref, cell, table, writing, type Cell, type Narrowed, type View } from './view.ts'

/** Whether scores go with won deals; never more than the data says. */
export function correlationView(report: CorrelationJson, language: Language, narrowed: Narrowed): View {
  const { words, format } = language
  const t = words.analytics
  const write = writing(language)
  const { a, pooled, deals } = report
  return {
    verdict: verdictOf(report, language),
    notes: [t.explained, ...(pooled.differs ? [t.differs] : [])],
    cards: [
      { name: t.cards.share, value: a.value === null ? '—' : write.percent(a.value), note: spanOf(a, language) },
      { name: t.cards.pooled, value: pooled.value === null ? '—' : write.percent(pooled.value), note: '' },
      {
        name: t.cards.used,
        value: format.number(deals.used),
        note: `${t.cards.won} ${format.number(deals.won)}, ${t.cards.lost.toLowerCase()} ${format.number(deals.lost)}`,
      },
    ],
    charts: [],
    tables: [
      ...checksOf(report, language),
      ...bandsOf(report, language),
      ...rulesOf(report, language),
      ...managersOf(report, language, narrowed),
    ],
  }
}

const of100 = (value: number, { format }: Language): string => format.number(Math.round(100 * value))

function spanOf({ low, high }: CorrelationJson['a'], language: Language): string {
  return low === null || high === null ? '' : `${of100(low, language)}–${of100(high, language)}`
}

function verdictOf({ verdict, a, deals }: CorrelationJson, language: Language): string {
  const { verdicts } = language.words.analytics
  const [share, span] = [of100(a.value ?? 0.5, language), spanOf(a, language)]
  const said = {
    'too-few': () => verdicts.tooFew(language.format.number(deals.used)),
    'no-interval': () => verdicts.noInterval,
    higher: () => verdicts.higher(share, span),
    lower: () => verdicts.lower(share, span),
    none: () => verdicts.none(of100(0.5 + (a.high! - a.low!) / 2, language)),
  }
  return said[verdict]()
}

interface Pairs {
  value: number | null
  pairs: number
  low?: number | null
  high?: number | null
}

/** A share of pairs on a scale with a mark at one half. */
function pairsCell({ value, pairs, low, high }: Pairs, language: Language): Cell {
  if (value === null) return cell('—')
  const title = `${language.words.analytics.columns.pairs}: ${language.format.number(pairs)}`
  return { text: writing(language).percent(value), share: drawShare({ value, low, high, mark: 0.5, title }) }
}

function checksOf({ a, pooled, sensitivity }: CorrelationJson, language: Language): View['tables'] {
  const t = language.words.analytics
  const lines: [string, Pairs][] = [
    [t.checks.main, a],
    [t.checks.last, sensitivity.withoutLastCall],
    [t.checks.talk, sensitivity.sameTalkTime],
    [t.cards.pooled, pooled],
  ]
  if (a.value === null) return []
  return table(
    'checks',
    t.tables.checks,
    [`*${t.columns.check}`, t.columns.pairs, t.cards.share],
    lines.map(([text, pairs]) => ({
      head: cell(text),
      cells: [cell(language.format.number(pairs.pairs)), pairsCell(pairs, language)],
    })),
  )
}

function bandsOf({ bands, deals }: CorrelationJson, language: Language): View['tables'] {
  const t = language.words.analytics
  const write = writing(language)
  if (deals.used === 0) return []
  return table(
    'bands',
    t.tables.bands,
    [`*${t.columns.score}`, t.columns.deals, t.cards.winRate],
    bands.map(({ from, to, winRate, low, high }) => ({
      head: cell(`${from}–${to}`),
      cells: [cell(write.ofAll(winRate)), write.share(winRate, { low, high })],
    })),
  )
}

function rulesOf({ rules }: CorrelationJson, language: Language): View['tables'] {
  const { words, format, code } = language
  const t = words.analytics
  const known = rules.filter(({ difference }) => difference !== null)
  const columns = [`*${t.columns.rule}`, t.columns.with, t.columns.without, t.columns.difference, t.columns.sure]
  return table(
    'rules',
    t.tables.rules,
    columns,
    known.map((row) => ({
      head: { text: row.rule.name[code], isName: true },
      cells: [
        cell(format.number(row.met)),
        cell(format.number(row.unmet)),
        {
          text: t.points(format.number(Math.round(100 * row.difference!))),
          ...(row.notable && { level: row.difference! > 0 ? 5 : 1 }),
        },
        cell(format.number(Math.round(1000 * row.q!) / 1000)),
      ],
    })),
  )
}

function managersOf({ managers }: CorrelationJson, language: Language, narrowed: Narrowed): View['tables'] {
  const { words, format } = language
  const t = words.analytics
  const columns = [`*${t.columns.manager}`, t.cards.won, t.cards.lost, t.columns.pairs, t.cards.share]
  return table(
    'managers',
    t.tables.managers,
    columns,
    managers.map((row) => ({
      head: {
        ...writing(language).name(row.manager),
        href: row.manager ? callsHref(narrowed, { manager: exactly(row.manager), linked: 'true' }) : undefined,
      },
      cells: [
        cell(format.number(row.won)),
        cell(format.number(row.lost)),
        cell(format.number(row.pairs)),
        pairsCell(row, language),
      ],
    })),
  )
}
