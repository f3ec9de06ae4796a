import type { QualityJson } from '../../reports/quality/schema.ts'
import type { FigureFormatter } from './figure-formatter.ts'
import { quoteName } from './query.ts'

/** A cell of the heat map; without enough calls it has no link. */
interface HeatCell {
  text: string
  href?: string
  /** The colour of its distance from all managers. */
  step: HeatStep
  title: string
}

/** The seven steps, from red to blue. */
const HEAT_STEPS = ['below-3', 'below-2', 'below-1', 'near', 'above-1', 'above-2', 'above-3'] as const
type HeatStep = (typeof HEAT_STEPS)[number]
/** The least distance of each step, in percentage points. */
const STEP_POINTS = [5, 15, 25]

type Rule = QualityJson['rules'][number]
type Manager = QualityJson['managers'][number]

export type HeatMap = NonNullable<ReturnType<typeof buildHeatMap>>

/** Each manager by each rule: how far the share of met calls is from that of all. Undefined for fewer than two managers. */
export function buildHeatMap({ managers, rules, heat, totals }: QualityJson, formatter: FigureFormatter) {
  const { t, language, count, number } = formatter
  const ratedRules = rules.filter(({ passRate }) => passRate.value !== null)
  if (ratedRules.length === 0 || managers.length < 2) return undefined
  const shares = new Map(heat.map((one) => [`${one.managerId} ${one.set}/${one.rule}`, one.passRate.value]))
  const hasSets = new Set(ratedRules.map(({ set }) => set.key)).size > 1
  return {
    columns: ratedRules.map(({ set, rule }) => ({
      text: rule.name[language.code],
      set: hasSets ? set.name[language.code] : undefined,
    })),
    rows: managers.map((row) => ({
      name: row.manager,
      calls: count(row.calls),
      score: { text: number(row.score.value), band: formatter.scoreClass(row.score.value) },
      cells: ratedRules.map((rule) =>
        buildCell(row, rule, shares.get(`${row.managerId} ${rule.set.key}/${rule.rule.key}`) ?? null, formatter),
      ),
    })),
    all: {
      calls: count(totals.calls),
      score: number(totals.score.value),
      cells: ratedRules.map(({ passRate }) => count(toPoints(passRate.value!))),
    },
    legend: HEAT_STEPS.map((step, n) => ({ step, text: t.heat.steps[n]! })),
  }
}

function buildCell(
  row: Manager,
  { set, rule, passRate }: Rule,
  share: number | null,
  formatter: FigureFormatter,
): HeatCell {
  const { t, language, percent } = formatter
  const [name, ruleName] = [row.manager ?? t.nobody, rule.name[language.code]]
  if (share === null) return { text: '·', step: 'near', title: `${name}, ${ruleName}: ${t.heat.fewShort}` }
  const points = toPoints(share) - toPoints(passRate.value!)
  return {
    text: formatter.count(toPoints(share)),
    href: formatter.callsHref({ manager: quoteName(row.manager), rule: `${set.key}/${rule.key}:judged` }),
    step: chooseStep(points),
    title: t.heat.cell(name, ruleName, percent(share), formatDistance(points, formatter)),
  }
}

const toPoints = (share: number): number => Math.round(100 * share)

/** Chooses the colour of a distance in percentage points. */
export function chooseStep(points: number): HeatStep {
  const size = STEP_POINTS.filter((least) => Math.abs(points) >= least).length
  return HEAT_STEPS[3 + Math.sign(points) * size]!
}

function formatDistance(points: number, { t, count }: FigureFormatter): string {
  if (points === 0) return t.heat.same
  const size = Math.abs(points)
  return points > 0 ? t.heat.above(size, count(size)) : t.heat.below(size, count(size))
}
