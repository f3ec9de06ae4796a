import type { CorrelationJson } from '../../reports/correlation/schema.ts'
import { drawChart, drawShare } from '../frame/charts.ts'
import type { Language } from '../frame/i18n.ts'
import { cell, dealsHref, table, writing, type Cell, type Narrowed, type View } from './view.ts'

/** Whether scores go with won deals; never more than the data says. */
export function correlationView(report: CorrelationJson, language: Language, ofPage: Narrowed): View {
  const { words, format } = language
  // Links to lists include the version, so they count the same even if another version gets the most calls.
  const narrowed = { ...ofPage, ...(report.ruleVersion && { scoredBy: valueOf(report.ruleVersion) }) }
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
        note: '',
        href: dealsHref(narrowed, { compared: 'true' }),
      },
      ...(['won', 'lost'] as const).map((outcome) => ({
        name: t.cards[outcome],
        value: format.number(deals[outcome]),
        note: '',
        href: dealsHref(narrowed, { compared: 'true', outcome }),
      })),
    ],
    choices: choicesOf(report, language),
    charts: chartsOf(report, language, narrowed),
    tables: [
      ...checksOf(report, language),
      ...bandsOf(report, language, narrowed),
      ...rulesOf(report, language),
      ...managersOf(report, language, narrowed),
    ],
    basis: basisOf(report, language, narrowed),
  }
}

type RuleVersion = NonNullable<CorrelationJson['ruleVersion']>

/** The version as in the address. */
const valueOf = ({ set, version }: RuleVersion): string => `${set}/${version}`

/** Formats a version with the name of its set, or with its key if the set scores none of the deals. */
export function versionName({ set, version }: RuleVersion, { versions }: CorrelationJson, language: Language): string {
  const named = versions.find((one) => one.set.key === set)
  return language.words.analytics.version(named?.set.name[language.code] ?? set, language.format.number(version))
}

/** The choice of the version whose scores are compared, if there are several. */
function choicesOf(report: CorrelationJson, language: Language): View['choices'] {
  const { words, format } = language
  const t = words.analytics
  const options = report.versions.map(({ set, version, calls }) => {
    const one = { set: set.key, version }
    return { value: valueOf(one), text: t.versionOf(versionName(one, report, language), calls, format.number(calls)) }
  })
  if (options.length < 2) return []
  return [{ name: 'scoredBy', label: t.scoredBy, options: [{ value: '', text: t.mostCalls }, ...options] }]
}

/** What was left out, by which rules the scores are, and how the interval was made. */
function basisOf(report: CorrelationJson, language: Language, narrowed: Narrowed) {
  const { deals, ruleVersion, versions, a, bootstrap } = report
  const { words, format, code } = language
  const { basis: t } = words.analytics
  const said: NonNullable<View['basis']> = []
  const left = (['noScore', 'otherSet', 'otherVersion', 'oneSided'] as const).filter((why) => deals.excluded[why] > 0)
  if (left.length > 0) {
    const all = format.number(left.reduce((sum, why) => sum + deals.excluded[why], 0))
    const others = versions.filter(({ set }) => set.key !== ruleVersion?.set).map(({ set }) => set.name[code])
    const sets = [...new Set(others)].map(words.analytics.quoted).join(', ')
    const each = left.map((why) => t.why[why](format.number(deals.excluded[why]), sets))
    said.push({ text: t.left(all), href: dealsHref(narrowed, { compared: 'false' }) }, `(${each.join(', ')}).`)
  }
  if (ruleVersion) said.push(t.rules(versionName(ruleVersion, report, language)))
  const [requested, empty] = [format.number(bootstrap.requested), format.number(bootstrap.void)]
  if (a.level !== null) {
    said.push(t.interval(words.common.percent(format.number(Math.round(1000 * a.level) / 10)), requested, empty))
  } else if (bootstrap.void > 0) said.push(t.void(empty, requested))
  return said
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

/** Whether the won deal scores higher, against one half; and what share was won by score: each with its interval. */
function chartsOf(report: CorrelationJson, language: Language, narrowed: Narrowed): View['charts'] {
  const { format, words } = language
  const t = words.analytics
  if (report.verdict === 'too-few') return []
  const pairs = compared(report, language).filter(({ value }) => value !== null)
  const percent = (value: number) => (value < 0 ? '—' : words.common.percent(format.number(Math.round(value))))
  const [whole, full] = [(value: number) => format.number(Math.round(value)), () => 100]
  return [
    drawChart(
      {
        title: t.charts.pairs,
        bars: pairs.map(({ name, value }) => ({ name, short: `${name}: ${whole(100 * value!)}` })),
        series: [
          {
            kind: 'done',
            name: t.cards.share,
            values: pairs.map(({ value }) => 100 * value!),
            intervals: pairs.map(intervalOf),
          },
        ],
        shown: whole,
        ceiling: full,
        base: { value: 50, name: t.charts.half },
        intervals: t.charts.interval,
      },
      language,
    ),
    drawChart(
      {
        title: t.tables.bands,
        bars: report.bands.map((band) => ({
          name: `${t.columns.score} ${band.from}–${band.to}`,
          short: `${band.from}–${band.to}: ${percent(100 * (band.winRate.value ?? -1))}`,
          href: ofBand(band, narrowed),
        })),
        series: [
          {
            kind: 'wait',
            name: t.cards.winRate,
            values: report.bands.map(({ winRate }) => 100 * (winRate.value ?? -1)),
            intervals: report.bands.map((band) => (band.winRate.value === null ? null : intervalOf(band))),
          },
        ],
        shown: percent,
        ceiling: full,
        intervals: t.charts.interval,
      },
      language,
    ),
  ]
}

/** The deals of a band; the highest one ends with 100, which belongs to it. */
const ofBand = ({ from, to }: CorrelationJson['bands'][number], narrowed: Narrowed): string =>
  dealsHref(narrowed, { compared: 'true', scoreFrom: String(from), ...(to < 100 && { scoreBelow: String(to) }) })

/** In hundredths, as the charts have it. */
const intervalOf = ({ low = null, high = null }: Pick<Pairs, 'low' | 'high'>) =>
  low === null || high === null ? null : { low: 100 * low, high: 100 * high }

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

/** The pairs of all deals compared, and in other ways. */
function compared({ a, pooled, sensitivity }: CorrelationJson, language: Language): (Pairs & { name: string })[] {
  const t = language.words.analytics
  return [
    { name: t.checks.main, ...a },
    { name: t.checks.last, ...sensitivity.withoutLastCall },
    { name: t.checks.talk, ...sensitivity.sameTalkTime },
    { name: t.cards.pooled, ...pooled },
  ]
}

function checksOf(report: CorrelationJson, language: Language): View['tables'] {
  const t = language.words.analytics
  if (report.a.pairs === 0) return []
  return table(
    'checks',
    t.tables.checks,
    [`*${t.columns.check}`, t.columns.pairs, t.cards.share],
    compared(report, language).map(({ name, ...pairs }) => ({
      head: cell(name),
      cells: [cell(language.format.number(pairs.pairs)), pairsCell(pairs, language)],
    })),
  )
}

function bandsOf({ bands, deals }: CorrelationJson, language: Language, narrowed: Narrowed): View['tables'] {
  const t = language.words.analytics
  const write = writing(language)
  if (deals.used === 0) return []
  return table(
    'bands',
    t.tables.bands,
    [`*${t.columns.score}`, t.columns.deals, t.cards.winRate],
    bands.map((band) => ({
      head: cell(`${band.from}–${band.to}`),
      cells: [cell(write.ofAll(band.winRate), ofBand(band, narrowed)), write.share(band.winRate, band)],
    })),
  )
}

function rulesOf({ rules }: CorrelationJson, language: Language): View['tables'] {
  const { words, format, code } = language
  const t = words.analytics
  const columns = [`*${t.columns.rule}`, t.columns.with, t.columns.without, t.columns.difference, t.columns.sure]
  return table(
    'rules',
    t.tables.rules,
    columns,
    rules.map(({ rule, met, unmet, difference, q, notable }) => ({
      head: { text: rule.name[code], isName: true },
      cells: [
        cell(format.number(met)),
        cell(format.number(unmet)),
        difference === null
          ? cell('—')
          : {
              text: t.points(format.number(Math.round(100 * difference))),
              ...(notable && { level: difference > 0 ? 5 : 1 }),
            },
        cell(q === null ? '—' : format.number(Math.round(1000 * q) / 1000)),
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
      head: writing(language).name(row.manager),
      cells: [
        ...(['won', 'lost'] as const).map((outcome) =>
          cell(format.number(row[outcome]), row.manager ? ofTalker(row.manager, outcome, narrowed) : undefined),
        ),
        cell(format.number(row.pairs)),
        pairsCell(row, language),
      ],
    })),
  )
}

/** Compared deals of whoever talked most in their calls. */
const ofTalker = (talker: string, outcome: 'won' | 'lost', narrowed: Narrowed): string =>
  dealsHref(narrowed, { compared: 'true', talker, outcome })
