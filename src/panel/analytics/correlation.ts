import type { CorrelationJson } from '../../reports/correlation/schema.ts'
import { drawChart, drawShare } from '../frame/charts.ts'
import type { PageContext } from '../frame/context.ts'
import { defineReport } from './report.ts'
import { cell, table, type Cell, type View } from './view.ts'
import type { Writer } from './writer.ts'
import type { Language } from '../frame/i18n.ts'

export const correlation = defineReport<CorrelationJson>({
  name: 'correlation',
  hasFunnel: true,
  own: ['scoredBy'],
  show(report, write, context: PageContext) {
    const view = showCorrelation(report, write)
    return { ...view, notes: [...rememberVersion(context, report), ...view.notes] }
  },
})

/** The correlation of scores and won deals, never more than the data supports. */
export function showCorrelation(report: CorrelationJson, page: Writer): View {
  const { a, pooled, deals, ruleVersion } = report
  // Links name the version, so their lists count the same even if another version gets the most calls.
  const write = ruleVersion ? page.narrow({ scoredBy: valueOf(ruleVersion) }) : page
  const { t, count, dealsHref } = write
  const share = (value: number | null) => (value === null ? '—' : write.percent(value))
  return {
    verdict: verdictOf(report, write),
    notes: [t.explained, ...(pooled.differs ? [t.differs] : [])],
    cards: [
      { name: t.cards.share, value: share(a.value), note: intervalText(a, write) },
      { name: t.cards.pooled, value: share(pooled.value) },
      { name: t.cards.used, value: count(deals.used), href: dealsHref({ compared: 'true' }) },
      ...(['won', 'lost'] as const).map((outcome) => ({
        name: t.cards[outcome],
        value: count(deals[outcome]),
        href: dealsHref({ compared: 'true', outcome }),
      })),
    ],
    choices: choicesOf(report, write),
    charts: report.verdict === 'too-few' ? [] : [pairsChart(report, write), bandsChart(report, write)],
    tables: tablesOf(report, write),
    basis: basisOf(report, write),
  }
}

/** The choice of the version whose scores are compared, if there are several. */
function choicesOf(report: CorrelationJson, { t, count, language }: Writer): View['choices'] {
  const options = report.versions.map(({ set, version, calls }) => {
    const one = { set: set.key, version }
    return { value: valueOf(one), text: t.versionOf(versionName(one, report, language), calls, count(calls)) }
  })
  if (options.length < 2) return []
  return [{ name: 'scoredBy', label: t.scoredBy, options: [{ value: '', text: t.mostCalls }, ...options] }]
}

/** The excluded deals, the rules of the scores, and the parameters of the interval. */
function basisOf(report: CorrelationJson, { t: { basis: t, quoted }, count, language, dealsHref }: Writer) {
  const { deals, ruleVersion, versions, a, bootstrap } = report
  const basis: NonNullable<View['basis']> = []
  const left = (['noScore', 'otherSet', 'otherVersion', 'oneSided'] as const).filter((why) => deals.excluded[why] > 0)
  if (left.length > 0) {
    const all = left.reduce((sum, why) => sum + deals.excluded[why], 0)
    const others = versions.filter(({ set }) => set.key !== ruleVersion?.set).map(({ set }) => set.name[language.code])
    const sets = [...new Set(others)].map(quoted).join(', ')
    const each = left.map((why) => t.why[why](count(deals.excluded[why]), sets))
    basis.push({ text: t.left(count(all)), href: dealsHref({ compared: 'false' }) }, `(${each.join(', ')}).`)
  }
  if (ruleVersion) basis.push(t.rules(versionName(ruleVersion, report, language)))
  const [requested, empty] = [count(bootstrap.requested), count(bootstrap.void)]
  if (a.level !== null) {
    const level = language.words.common.percent(count(Math.round(1000 * a.level) / 10))
    basis.push(t.interval(level, requested, empty))
  } else if (bootstrap.void > 0) basis.push(t.void(empty, requested))
  return basis
}

const of100 = (value: number, { count }: Writer): string => count(Math.round(100 * value))

const intervalText = ({ low, high }: CorrelationJson['a'], write: Writer): string =>
  low === null || high === null ? '' : `${of100(low, write)}–${of100(high, write)}`

function verdictOf({ verdict, a, deals }: CorrelationJson, write: Writer): string {
  const { verdicts } = write.t
  const [share, interval] = [of100(a.value ?? 0.5, write), intervalText(a, write)]
  if (verdict === 'too-few') return verdicts.tooFew(write.count(deals.used))
  if (verdict === 'no-interval') return verdicts.noInterval
  if (verdict === 'none') return verdicts.none(of100(0.5 + (a.high! - a.low!) / 2, write))
  return verdicts[verdict](share, interval)
}

/** In how many of 100 pairs the won deal has the higher score, against one half. */
function pairsChart(report: CorrelationJson, { t, count, language }: Writer): View['charts'][number] {
  const pairs = comparisons(report, t).filter(({ value }) => value !== null)
  const shown = (value: number) => count(Math.round(value))
  const values = pairs.map(({ value }) => 100 * value!)
  return drawChart(
    {
      title: t.charts.pairs,
      bars: pairs.map(({ name, value }) => ({ name, short: `${name}: ${shown(100 * value!)}` })),
      series: [{ kind: 'done', name: t.cards.share, values, intervals: pairs.map(intervalOf) }],
      shown,
      ceiling: () => 100,
      base: { value: 50, name: t.charts.half },
      intervals: t.charts.interval,
    },
    language,
  )
}

/** The share of won deals by score. */
function bandsChart({ bands }: CorrelationJson, write: Writer): View['charts'][number] {
  const { t, count, language } = write
  const shown = (value: number) => (value < 0 ? '—' : language.words.common.percent(count(Math.round(value))))
  const values = bands.map(({ winRate }) => 100 * (winRate.value ?? -1))
  const intervals = bands.map((band) => (band.winRate.value === null ? null : intervalOf(band)))
  return drawChart(
    {
      title: t.tables.bands,
      bars: bands.map((band, n) => ({
        name: `${t.columns.score} ${band.from}–${band.to}`,
        short: `${band.from}–${band.to}: ${shown(values[n]!)}`,
        href: bandHref(band, write),
      })),
      series: [{ kind: 'wait', name: t.cards.winRate, values, intervals }],
      shown,
      ceiling: () => 100,
      intervals: t.charts.interval,
    },
    language,
  )
}

type Band = CorrelationJson['bands'][number]

/** The deals of a band; the highest one includes 100. */
const bandHref = ({ from, to }: Band, { dealsHref }: Writer): string =>
  dealsHref({ compared: 'true', scoreFrom: String(from), ...(to < 100 && { scoreBelow: String(to) }) })

/** An interval in percent, for charts. */
const intervalOf = ({ low = null, high = null }: Pick<Pairs, 'low' | 'high'>) =>
  low === null || high === null ? null : { low: 100 * low, high: 100 * high }

interface Pairs {
  value: number | null
  pairs: number
  low?: number | null
  high?: number | null
}

/** A share of pairs on a scale with a mark at one half. */
function pairsCell({ value, pairs, low, high }: Pairs, { t, count, percent }: Writer): Cell {
  if (value === null) return cell('—')
  const title = `${t.columns.pairs}: ${count(pairs)}`
  return { text: percent(value), share: drawShare({ value, low, high, mark: 0.5, title }) }
}

/** The pairs of all deals, and in other ways. */
const comparisons = ({ a, pooled, sensitivity }: CorrelationJson, t: Writer['t']): (Pairs & { name: string })[] => [
  { name: t.checks.main, ...a },
  { name: t.checks.last, ...sensitivity.withoutLastCall },
  { name: t.checks.talk, ...sensitivity.sameTalkTime },
  { name: t.cards.pooled, ...pooled },
]

function tablesOf(report: CorrelationJson, write: Writer): View['tables'] {
  const { t, count, language } = write
  return [
    ...table('checks', t.tables.checks, report.a.pairs === 0 ? [] : comparisons(report, t), [
      { title: t.columns.check, cell: ({ name }) => name },
      { title: t.columns.pairs, cell: ({ pairs }) => count(pairs) },
      { title: t.cards.share, cell: (row) => pairsCell(row, write) },
    ]),
    ...table('bands', t.tables.bands, report.deals.used === 0 ? [] : report.bands, [
      { title: t.columns.score, cell: ({ from, to }) => `${from}–${to}` },
      { title: t.columns.deals, cell: (band) => cell(write.ofAll(band.winRate), bandHref(band, write)) },
      { title: t.cards.winRate, cell: (band) => write.share(band.winRate, band) },
    ]),
    ...table('rules', t.tables.rules, report.rules, [
      { title: t.columns.rule, cell: ({ rule }) => write.name(rule.name[language.code]) },
      { title: t.columns.with, cell: ({ met }) => count(met) },
      { title: t.columns.without, cell: ({ unmet }) => count(unmet) },
      { title: t.columns.difference, cell: (rule) => differenceCell(rule, write) },
      { title: t.columns.sure, cell: ({ q }) => (q === null ? '—' : count(Math.round(1000 * q) / 1000)) },
    ]),
    ...table('managers', t.tables.managers, report.managers, [
      { title: t.columns.manager, cell: ({ manager }) => write.name(manager) },
      ...(['won', 'lost'] as const).map((outcome) => ({
        title: t.cards[outcome],
        cell: (row: CorrelationJson['managers'][number]) =>
          cell(
            count(row[outcome]),
            row.manager ? write.dealsHref({ compared: 'true', talker: row.manager, outcome }) : undefined,
          ),
      })),
      { title: t.columns.pairs, cell: ({ pairs }) => count(pairs) },
      { title: t.cards.share, cell: (row) => pairsCell(row, write) },
    ]),
  ]
}

function differenceCell({ difference, notable }: CorrelationJson['rules'][number], { t, count }: Writer): Cell {
  if (difference === null) return cell('—')
  const text = t.points(count(Math.round(100 * difference)))
  return notable ? { text, level: difference > 0 ? 5 : 1 } : { text }
}

type RuleVersion = NonNullable<CorrelationJson['ruleVersion']>

/** The version as in the address. */
const valueOf = ({ set, version }: RuleVersion): string => `${set}/${version}`

/** Formats a version with the name of its set, or with its key if the set scores none of the deals. */
function versionName({ set, version }: RuleVersion, { versions }: CorrelationJson, language: Language): string {
  const named = versions.find((one) => one.set.key === set)
  return language.words.analytics.version(named?.set.name[language.code] ?? set, language.format.number(version))
}

const COOKIE = {
  path: '/analytics/correlation',
  httpOnly: true,
  sameSite: 'lax',
  overwrite: true,
  signed: false,
  maxAge: 365 * 86_400_000,
} as const

/** Stores the compared version in a cookie. @returns a note if this browser last saw another version */
function rememberVersion({ ctx, language }: PageContext, report: CorrelationJson): string[] {
  const { ruleVersion } = report
  if (!ruleVersion) return []
  const last = new URLSearchParams(ctx.cookies.get('scored_by', { signed: false }))
  const query = { set: ruleVersion.set, version: String(ruleVersion.version) }
  ctx.cookies.set('scored_by', new URLSearchParams(query).toString(), COOKIE)
  const before = { set: last.get('set') ?? '', version: Number(last.get('version')) }
  if (!(before.version > 0) || valueOf(before) === valueOf(ruleVersion)) return []
  const [now, then] = [ruleVersion, before].map((one) => versionName(one, report, language))
  return [language.words.analytics.otherScores(now!, then!)]
}
