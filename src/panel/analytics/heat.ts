import type { QualityReportJson } from '../../reports/quality/schema.ts'
import type { FigureFormatter } from './figure-formatter.ts'
import { quoteManagerName } from '../frame/manager-names.ts'
import { HEAT_SET_PARAMETER, sortReportTable, type ReportSortContext } from './report-sorting.ts'

/** A cell without enough calls has no link. */
interface HeatCell {
  text: string
  href?: string
  /** Colour by the distance from the pass rate of all managers together. */
  step: HeatStep
  title: string
}

/** CSS classes from red (far below the pass rate of all managers) to blue (far above). */
const HEAT_STEPS = ['below-3', 'below-2', 'below-1', 'near', 'above-1', 'above-2', 'above-3'] as const
type HeatStep = (typeof HEAT_STEPS)[number]
/** Minimum distance from the pass rate of all managers for each colour, in percentage points. */
const STEP_POINTS = [5, 15, 25]

/** A cell of fewer calls shows no share. */
const MIN_CELL_CALLS = 5

type Rule = QualityReportJson['rules'][number]
type Manager = QualityReportJson['managers'][number]

/** The heat map of one rule set, and tabs to those of the other sets. */
export interface HeatSection {
  map: HeatMap
  tabs: { text: string; href: string; current: boolean }[]
  /** Explains how the heat map differs from the rest of the page. */
  note?: string | null
}

/** A row per manager, a coloured cell per rule. */
type HeatMap = ReturnType<typeof buildHeatMap> & Pick<ReturnType<typeof sortReportTable>, 'headers' | 'more'>

/**
 * Builds the heat map of the rule set that the address names, by default of the first one.
 * @returns undefined for fewer than two managers, or if no rule has five judged calls of one manager
 */
export function buildHeatSection(
  report: QualityReportJson,
  formatter: FigureFormatter,
  sorting: ReportSortContext,
): HeatSection | undefined {
  if (report.managers.length < 2) return undefined
  const ratedRules = report.rules.filter(({ passRate }) => computeCellShare(passRate) !== null)
  const comparedKeys = new Set(
    report.heat.filter(({ passRate }) => computeCellShare(passRate) !== null).map(({ set }) => set),
  )
  const sets = [...new Map(ratedRules.map(({ set }) => [set.key, set])).values()].filter(({ key }) =>
    comparedKeys.has(key),
  )
  const chosen = sets.find(({ key }) => key === sorting.query[HEAT_SET_PARAMETER]) ?? sets[0]
  if (!chosen) return undefined
  const rules = ratedRules.filter(({ set }) => set.key === chosen.key)
  return {
    map: sortReportTable(buildHeatMap(report, rules, formatter), sorting),
    tabs: sets.map(({ key, name }) => ({
      text: name[formatter.language.code],
      href: `${sorting.formatHref({ [HEAT_SET_PARAMETER]: key })}#heat`,
      current: key === chosen.key,
    })),
  }
}

/** Compares the pass rate of each manager with the pass rate of all managers, rule by rule. */
function buildHeatMap({ managers, heat, totals, sets }: QualityReportJson, rules: Rule[], formatter: FigureFormatter) {
  const ofSet = sets.filter(({ set }) => set === rules[0]!.set.key)
  const countCalls = ({ managerId }: Manager) => ofSet.find((row) => row.managerId === managerId)?.calls ?? 0
  const { t, language, count, score } = formatter
  const shares = new Map(heat.map((one) => [`${one.managerId} ${one.set}/${one.rule}`, computeCellShare(one.passRate)]))
  const findShare = ({ managerId }: Manager, { set, rule }: Rule) =>
    shares.get(`${managerId} ${set.key}/${rule.key}`) ?? null
  return {
    id: 'heat-map',
    set: rules[0]!.set.name[language.code],
    columns: [
      { text: t.columns.manager, first: 'asc' as const },
      { text: t.cards.calls, first: 'desc' as const },
      { text: t.columns.score, first: 'asc' as const },
      ...rules.map(({ rule }) => ({ text: rule.name[language.code], first: 'asc' as const })),
    ],
    rows: managers.filter(countCalls).map((row) => ({
      name: row.manager,
      calls: count(countCalls(row)),
      score: { text: score(row.score.value), className: formatter.scoreClass(row.score.value) },
      cells: rules.map((rule) => buildCell(row, rule, findShare(row, rule), formatter)),
      keys: [row.manager, countCalls(row), row.score.value, ...rules.map((rule) => findShare(row, rule))],
    })),
    all: {
      calls: count(ofSet.reduce((sum, { calls }) => sum + calls, 0)),
      score: score(totals.score.value),
      cells: rules.map(({ passRate }) => count(toPoints(computeCellShare(passRate)!))),
    },
  }
}

/** Builds the legend that explains the seven colours of the heat map. */
export const buildHeatLegend = ({ t }: FigureFormatter) =>
  HEAT_STEPS.map((step, n) => ({ step, text: t.heat.steps[n]! }))

function buildCell(
  row: Manager,
  { set, rule, passRate }: Rule,
  share: number | null,
  formatter: FigureFormatter,
): HeatCell {
  const { t, language, percent } = formatter
  const [name, ruleName] = [row.manager ?? t.nobody, rule.name[language.code]]
  if (share === null) return { text: '·', step: 'near', title: `${name}, ${ruleName}: ${t.heat.fewShort}` }
  const points = toPoints(share) - toPoints(computeCellShare(passRate)!)
  return {
    text: formatter.count(toPoints(share)),
    href: formatter.callsHref({ manager: quoteManagerName(row.manager), rule: `${set.key}/${rule.key}:judged` }),
    step: chooseHeatStep(points),
    title: t.heat.cell(name, ruleName, percent(share), formatDistance(points, formatter)),
  }
}

/** The API gives no rate below ten calls. The heat map also shows rates of five to nine, because each row names its calls. */
const computeCellShare = ({ numerator, denominator }: Rule['passRate']): number | null =>
  denominator < MIN_CELL_CALLS ? null : numerator / denominator

const toPoints = (share: number): number => Math.round(100 * share)

/** Chooses the colour of a cell. @param points signed distance from the pass rate of all managers, in percentage points */
export function chooseHeatStep(points: number): HeatStep {
  const size = STEP_POINTS.filter((least) => Math.abs(points) >= least).length
  return HEAT_STEPS[3 + Math.sign(points) * size]!
}

function formatDistance(points: number, { t, count }: FigureFormatter): string {
  if (points === 0) return t.heat.same
  const size = Math.abs(points)
  return points > 0 ? t.heat.above(size, count(size)) : t.heat.below(size, count(size))
}
