import type { CorrelationReportJson } from '../../reports/correlation/schema.ts'
import { drawChart, drawShareBar } from '../frame/charts.ts'
import type { PageContext } from '../frame/context.ts'
import { defineReportPage } from './report.ts'
import { createTableCell, buildReportTable, type TableCell, type ReportView } from './view.ts'
import type { FigureFormatter } from './figure-formatter.ts'
import type { Language } from '../frame/i18n.ts'

export const correlationReportPage = defineReportPage<CorrelationReportJson>({
  name: 'correlation',
  group: 'quality',
  hasFunnel: true,
  own: ['scoredBy'],
  show(report, formatter, context: PageContext) {
    const view = buildCorrelationView(report, formatter)
    return { ...view, notes: [...rememberVersion(context, report), ...view.notes] }
  },
})

/** Builds the report that compares the scores of won and lost deals. Omits the charts if there are too few deals. */
export function buildCorrelationView(report: CorrelationReportJson, page: FigureFormatter): ReportView {
  const { a, pooled, deals, ruleVersion } = report
  // Links name the rule set version, so that their lists stay equal to the figures when another version becomes the default.
  const formatter = ruleVersion ? page.narrow({ scoredBy: formatVersionKey(ruleVersion) }) : page
  const { t, count, dealsHref } = formatter
  const share = (value: number | null) => (value === null ? '—' : formatter.percent(value))
  return {
    verdict: formatVerdict(report, formatter),
    notes: [t.explained, ...(pooled.differs ? [t.differs] : [])],
    cards: [
      { name: t.cards.share, value: share(a.value), note: formatInterval(a, formatter) },
      { name: t.cards.pooled, value: share(pooled.value) },
      { name: t.cards.used, value: count(deals.used), href: dealsHref({ compared: 'true' }) },
      ...(['won', 'lost'] as const).map((outcome) => ({
        name: t.cards[outcome],
        value: count(deals[outcome]),
        href: dealsHref({ compared: 'true', outcome }),
      })),
    ],
    choices: buildVersionChoice(report, formatter),
    charts: report.verdict === 'too-few' ? [] : [drawPairsChart(report, formatter), drawBandsChart(report, formatter)],
    tables: buildTables(report, formatter),
    basis: buildBasis(report, formatter),
  }
}

/** Builds the select field for the version whose scores are compared. Returns nothing for fewer than two versions. */
function buildVersionChoice(
  report: CorrelationReportJson,
  { t, count, language }: FigureFormatter,
): ReportView['choices'] {
  const options = report.versions.map(({ set, version, calls }) => {
    const one = { set: set.key, version }
    return {
      value: formatVersionKey(one),
      text: t.versionOf(formatVersionName(one, report, language), calls, count(calls)),
    }
  })
  if (options.length < 2) return []
  return [{ name: 'scoredBy', label: t.scoredBy, options: [{ value: '', text: t.mostCalls }, ...options] }]
}

/** Lists the excluded deals, the rule set version and the parameters of the confidence interval. */
function buildBasis(
  report: CorrelationReportJson,
  { t: { basis: t, quoted }, count, language, dealsHref }: FigureFormatter,
) {
  const { deals, ruleVersion, versions, a, bootstrap } = report
  const basis: NonNullable<ReportView['basis']> = []
  const exclusions = (['noScore', 'otherSet', 'otherVersion', 'oneSided'] as const).filter(
    (why) => deals.excluded[why] > 0,
  )
  if (exclusions.length > 0) {
    const excludedCount = exclusions.reduce((sum, why) => sum + deals.excluded[why], 0)
    const otherSetNames = versions
      .filter(({ set }) => set.key !== ruleVersion?.set)
      .map(({ set }) => set.name[language.code])
    const sets = [...new Set(otherSetNames)].map(quoted).join(', ')
    const reasons = exclusions.map((why) => t.why[why](count(deals.excluded[why]), sets))
    basis.push(
      { text: t.left(count(excludedCount)), href: dealsHref({ compared: 'false' }) },
      `(${reasons.join(', ')}).`,
    )
  }
  if (ruleVersion) basis.push(t.rules(formatVersionName(ruleVersion, report, language)))
  const [requested, empty] = [count(bootstrap.requested), count(bootstrap.void)]
  if (a.level !== null) {
    const level = language.words.common.percent(count(Math.round(1000 * a.level) / 10))
    basis.push(t.interval(level, requested, empty))
  } else if (bootstrap.void > 0) basis.push(t.void(empty, requested))
  return basis
}

const formatOf100 = (value: number, { count }: FigureFormatter): string => count(Math.round(100 * value))

const formatInterval = ({ low, high }: CorrelationReportJson['a'], formatter: FigureFormatter): string =>
  low === null || high === null ? '' : `${formatOf100(low, formatter)}–${formatOf100(high, formatter)}`

function formatVerdict({ verdict, a, deals }: CorrelationReportJson, formatter: FigureFormatter): string {
  const { verdicts } = formatter.t
  const [share, interval] = [formatOf100(a.value ?? 0.5, formatter), formatInterval(a, formatter)]
  if (verdict === 'too-few') return verdicts.tooFew(formatter.count(deals.used))
  if (verdict === 'no-interval') return verdicts.noInterval
  if (verdict === 'none') return verdicts.none(formatOf100(0.5 + (a.high! - a.low!) / 2, formatter))
  return verdicts[verdict](share, interval)
}

/** Draws in how many of 100 pairs the won deal has the higher score, as a bar from 50. */
function drawPairsChart(
  report: CorrelationReportJson,
  { t, count, language }: FigureFormatter,
): ReportView['charts'][number] {
  const pairs = collectComparisons(report, t).filter(({ value }) => value !== null)
  const shown = (value: number) => count(Math.round(value))
  const values = pairs.map(({ value }) => 100 * value!)
  return drawChart(
    {
      title: t.charts.pairs,
      bars: pairs.map(({ name, value }) => ({ name, short: `${name}: ${shown(100 * value!)}` })),
      series: [{ kind: 'done', name: t.cards.share, values, intervals: pairs.map(toPercentInterval) }],
      shown,
      ceiling: () => 100,
      base: { value: 50, name: t.charts.half },
      intervals: t.charts.interval,
    },
    language,
  )
}

function drawBandsChart({ bands }: CorrelationReportJson, formatter: FigureFormatter): ReportView['charts'][number] {
  const { t, count, language } = formatter
  const shown = (value: number) => (value < 0 ? '—' : language.words.common.percent(count(Math.round(value))))
  const values = bands.map(({ winRate }) => 100 * (winRate.value ?? -1))
  const intervals = bands.map((band) => (band.winRate.value === null ? null : toPercentInterval(band)))
  return drawChart(
    {
      title: t.tables.bands,
      bars: bands.map((band, n) => ({
        name: `${t.columns.score} ${band.from}–${band.to}`,
        short: `${band.from}–${band.to}: ${shown(values[n]!)}`,
        href: formatBandHref(band, formatter),
      })),
      series: [{ kind: 'wait', name: t.cards.winRate, values, intervals }],
      shown,
      ceiling: () => 100,
      intervals: t.charts.interval,
    },
    language,
  )
}

type Band = CorrelationReportJson['bands'][number]

/** Filters the deals of a score band. The highest band has no upper limit, because it includes 100. */
const formatBandHref = ({ from, to }: Band, { dealsHref }: FigureFormatter): string =>
  dealsHref({ compared: 'true', scoreFrom: String(from), ...(to < 100 && { scoreBelow: String(to) }) })

const toPercentInterval = ({ low = null, high = null }: Pick<PairShare, 'low' | 'high'>) =>
  low === null || high === null ? null : { low: 100 * low, high: 100 * high }

interface PairShare {
  value: number | null
  pairs: number
  low?: number | null
  high?: number | null
}

/** Formats a share of pairs with a bar and a mark at 0.5, which means no relation. */
function buildPairsCell({ value, pairs, low, high }: PairShare, { t, count, percent }: FigureFormatter): TableCell {
  if (value === null) return createTableCell('—')
  const title = `${t.columns.pairs}: ${count(pairs)}`
  return { text: percent(value), share: drawShareBar({ value, low, high, mark: 0.5, title }) }
}

/** Lists the share of the main calculation, followed by those of the alternative calculations. */
const collectComparisons = (
  { a, pooled, sensitivity }: CorrelationReportJson,
  t: FigureFormatter['t'],
): (PairShare & { name: string })[] => [
  { name: t.checks.main, ...a },
  { name: t.checks.last, ...sensitivity.withoutLastCall },
  { name: t.checks.talk, ...sensitivity.sameTalkTime },
  { name: t.cards.pooled, ...pooled },
]

function buildTables(report: CorrelationReportJson, formatter: FigureFormatter): ReportView['tables'] {
  const { t, count, language } = formatter
  return [
    ...buildReportTable('checks', t.tables.checks, report.a.pairs === 0 ? [] : collectComparisons(report, t), [
      { title: t.columns.check, cell: ({ name }) => name },
      { title: t.columns.pairs, by: ({ pairs }) => pairs, cell: ({ pairs }) => count(pairs) },
      { title: t.cards.share, by: ({ value }) => value, cell: (row) => buildPairsCell(row, formatter) },
    ]),
    ...buildReportTable('bands', t.tables.bands, report.deals.used === 0 ? [] : report.bands, [
      { title: t.columns.score, cell: ({ from, to }) => `${from}–${to}` },
      {
        title: t.columns.deals,
        by: ({ winRate }) => winRate.denominator,
        cell: (band) => createTableCell(formatter.ofAll(band.winRate), formatBandHref(band, formatter)),
      },
      {
        title: t.cards.winRate,
        by: ({ winRate }) => winRate.value,
        cell: (band) => formatter.share(band.winRate, band),
      },
    ]),
    ...buildReportTable('rules', t.tables.rules, report.rules, [
      { title: t.columns.rule, cell: ({ rule }) => formatter.name(rule.name[language.code]) },
      { title: t.columns.met, by: ({ met }) => met, cell: ({ met }) => count(met) },
      { title: t.columns.unmet, by: ({ unmet }) => unmet, cell: ({ unmet }) => count(unmet) },
      {
        title: t.columns.difference,
        by: ({ difference }) => difference,
        cell: (rule) => buildDifferenceCell(rule, formatter),
      },
      { title: t.chance.column, isText: true, by: ({ q }) => q, cell: (rule) => buildChanceCell(rule, formatter) },
    ]),
    ...buildReportTable('managers', t.tables.managers, report.managers, [
      { title: t.columns.manager, cell: ({ manager }) => formatter.name(manager) },
      ...(['won', 'lost'] as const).map((outcome) => ({
        title: t.cards[outcome],
        by: (row: CorrelationReportJson['managers'][number]) => row[outcome],
        cell: (row: CorrelationReportJson['managers'][number]) =>
          createTableCell(
            count(row[outcome]),
            row.manager ? formatter.dealsHref({ compared: 'true', talker: row.manager, outcome }) : undefined,
          ),
      })),
      { title: t.columns.pairs, by: ({ pairs }) => pairs, cell: ({ pairs }) => count(pairs) },
      { title: t.cards.share, by: ({ value }) => value, cell: (row) => buildPairsCell(row, formatter) },
    ]),
  ]
}

function buildDifferenceCell(
  { difference, notable }: CorrelationReportJson['rules'][number],
  { t, count }: FigureFormatter,
): TableCell {
  if (difference === null) return createTableCell('—')
  const points = Math.round(100 * difference)
  const text = t.points(Math.abs(points), count(points).replace('-', '−'))
  return notable ? { text, className: difference > 0 ? 'flag good' : 'flag bad' } : { text }
}

/** Explains in words whether a difference can be chance. The cell's title gives the expected share of false findings. */
function buildChanceCell(
  { q, notable }: CorrelationReportJson['rules'][number],
  { t, count }: FigureFormatter,
): TableCell {
  if (q === null) return createTableCell(t.chance.fewDeals)
  return {
    text: notable ? t.chance.hardly : t.chance.could,
    title: t.chance.falseShare(count(Math.round(1000 * q) / 1000)),
  }
}

type RuleVersion = NonNullable<CorrelationReportJson['ruleVersion']>

/** Formats a version as in the address: `set/version`. */
const formatVersionKey = ({ set, version }: RuleVersion): string => `${set}/${version}`

/** Formats a version with the name of its set, or with the key of the set if the report does not name it. */
function formatVersionName(
  { set, version }: RuleVersion,
  { versions }: CorrelationReportJson,
  language: Language,
): string {
  const versionWithSet = versions.find((one) => one.set.key === set)
  return language.words.analytics.version(
    versionWithSet?.set.name[language.code] ?? set,
    language.format.number(version),
  )
}

const VERSION_COOKIE_OPTIONS = {
  path: '/analytics/correlation',
  httpOnly: true,
  sameSite: 'lax',
  overwrite: true,
  signed: false,
  maxAge: 365 * 86_400_000,
} as const

/** Stores the compared version in a cookie for a year. @returns a note if this browser last saw another version */
function rememberVersion({ ctx, language }: PageContext, report: CorrelationReportJson): string[] {
  const { ruleVersion } = report
  if (!ruleVersion) return []
  const last = new URLSearchParams(ctx.cookies.get('scored_by', { signed: false }))
  const query = { set: ruleVersion.set, version: String(ruleVersion.version) }
  ctx.cookies.set('scored_by', new URLSearchParams(query).toString(), VERSION_COOKIE_OPTIONS)
  const before = { set: last.get('set') ?? '', version: Number(last.get('version')) }
  if (!(before.version > 0) || formatVersionKey(before) === formatVersionKey(ruleVersion)) return []
  const [now, then] = [ruleVersion, before].map((one) => formatVersionName(one, report, language))
  return [language.words.analytics.otherScores(now!, then!)]
}
