import { mean, ratio, rounded } from '../definitions/figures.ts'
import { sumOf, type Figures } from './gather.ts'
import type { WeeklyJson } from './schema.ts'

type Kpi = WeeklyJson['kpis'][number]
type Figure = Kpi['figure']

const counted = (value: number): Figure => ({ value, numerator: null, denominator: null })

const FIGURES: Record<Kpi['name'], (week: Figures) => Figure> = {
  calls: ({ calls }) => counted(calls),
  checked: ({ checked, done }) => ratio(checked, done),
  score: ({ score, checked }) => ({ value: mean(score, checked).value, numerator: null, denominator: checked }),
  rulesMet: ({ met, missed }) => ratio(met, met + missed),
  won: ({ won }) => counted(won),
  lost: ({ lost }) => counted(lost),
  winRate: ({ won, lost }) => ratio(won, won + lost),
}
const NAMES = Object.keys(FIGURES) as Kpi['name'][]

/** Compares the last week with those before. Flags a figure outside the range of all eight. */
export function kpisOf(weeks: Figures[]): Kpi[] {
  const week = weeks.at(-1) ?? sumOf([])
  const before = weeks.slice(0, -1)
  const first = before.findIndex(({ calls, won, lost }) => calls + won + lost > 0)
  // Weeks before the first call or deal are left out: their zeros would make any week look unusual.
  const known = first < 0 ? [] : before.slice(first)
  const four = known.length < 4 ? null : sumOf(known.slice(-4))
  return NAMES.map((name) => {
    const figure = FIGURES[name](week)
    const values = known.map((one) => FIGURES[name](one).value)
    const numbers = values.filter((value) => value !== null)
    const hasRange = numbers.length > 0 && numbers.length === before.length
    const [low, high] = hasRange ? [Math.min(...numbers), Math.max(...numbers)] : [null, null]
    return {
      name,
      figure,
      previous: values.at(-1) ?? null,
      meanOfFour: four && meanOfFour(name, four),
      low,
      high,
      flag: flagOf(figure.value, low, high),
    }
  })
}

function flagOf(value: number | null, low: number | null, high: number | null): Kpi['flag'] {
  if (value === null || low === null || high === null) return null
  return value < low ? 'below' : value > high ? 'above' : null
}

/** The mean of counts; shares and scores are recomputed over the four weeks together. */
function meanOfFour(name: Kpi['name'], four: Figures): number | null {
  const { value, denominator } = FIGURES[name](four)
  return denominator === null && value !== null ? rounded(value / 4, 1) : value
}
