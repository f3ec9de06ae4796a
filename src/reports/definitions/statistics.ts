/** The 97.5 % quantile of the normal distribution; the two tails together have 5 %. */
const Z_95 = 1.959963984540054

/** Computes Wilson's 95 % confidence interval of the share hits / of; null if `of` is 0. */
export function computeWilsonInterval(hits: number, of: number): { low: number; high: number } | null {
  if (of === 0) return null
  const share = hits / of
  const spread = Z_95 * Math.sqrt((share * (1 - share)) / of + (Z_95 * Z_95) / (4 * of * of))
  const middle = share + (Z_95 * Z_95) / (2 * of)
  const scale = 1 + (Z_95 * Z_95) / of
  return { low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) }
}

/** Counts won and lost deals of one stratum, split by whether they met a rule. */
export interface RuleOutcomeTable {
  metWon: number
  metLost: number
  unmetWon: number
  unmetLost: number
}

/**
 * Tests whether deals that meet a rule are won more often, within strata (Mantel, Haenszel 1959; Greenland, Robins 1985).
 * @returns the weighted difference of the win rates with its p-value; null if no stratum allows a comparison
 */
export function computeMantelHaenszelTest(
  tables: RuleOutcomeTable[],
): { difference: number; chiSquare: number; p: number } | null {
  let [above, below, surplus, variance] = [0, 0, 0, 0]
  for (const { metWon, metLost, unmetWon, unmetLost } of tables) {
    const [met, unmet] = [metWon + metLost, unmetWon + unmetLost]
    const [won, lost, all] = [metWon + unmetWon, metLost + unmetLost, met + unmet]
    if (met === 0 || unmet === 0) continue
    above += (metWon * unmet - unmetWon * met) / all
    below += (met * unmet) / all
    surplus += metWon - (met * won) / all
    if (all > 1) variance += (met * unmet * won * lost) / (all * all * (all - 1))
  }
  if (below === 0 || variance === 0) return null
  const chiSquare = (surplus * surplus) / variance
  return { difference: above / below, chiSquare, p: computeChiSquarePValue(chiSquare) }
}

/** Computes the probability that χ² with one degree of freedom is at least this large. */
export const computeChiSquarePValue = (chiSquare: number): number => computeErfc(Math.sqrt(chiSquare / 2))

/**
 * Computes the complementary error function for x ≥ 0: as a series near zero, else as a continued fraction (Abramowitz and Stegun
 * 7.1.6, 7.1.14).
 */
function computeErfc(x: number): number {
  const scale = Math.exp(-x * x) / Math.sqrt(Math.PI)
  if (x < 2.5) {
    let [term, sum] = [x, x]
    for (let n = 1; n < 100; n++) sum += term *= (2 * x * x) / (2 * n + 1)
    return 1 - 2 * scale * sum
  }
  let fraction = x
  for (let n = 60; n > 0; n--) fraction = x + n / 2 / fraction
  return scale / fraction
}

/**
 * Computes the two-sided probability that a new value is at least this far from the mean of the others (Student's t).
 * @param values an even number of values
 * @returns null if all values are equal
 */
export function computePredictionPValue(value: number, values: number[]): number | null {
  const n = values.length
  const mean = values.reduce((sum, one) => sum + one, 0) / n
  const variance = values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (n - 1)
  if (variance === 0) return null
  const t = Math.abs(value - mean) / Math.sqrt(variance * (1 + 1 / n))
  return Number(computeStudentPValue(t, n - 1).toFixed(4))
}

/**
 * Computes the probability that |t| is at least this large.
 * @param df degrees of freedom, an odd number (Abramowitz and Stegun 26.7.3)
 */
export function computeStudentPValue(t: number, df: number): number {
  const angle = Math.atan(t / Math.sqrt(df))
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)]
  let [sum, term] = [0, cos]
  for (let n = 1; n <= df - 2; n += 2) {
    sum += term
    term *= (cos * cos * (n + 1)) / (n + 2)
  }
  return Math.max(0, 1 - (2 / Math.PI) * (angle + sin * sum))
}

/**
 * Computes for each p-value the expected share of false discoveries among the tests with at most this p-value (Benjamini and
 * Hochberg 1995).
 */
export function computeQValues(ps: number[]): number[] {
  const order = ps.map((_, n) => n).sort((a, b) => ps[b]! - ps[a]!)
  const qs: number[] = Array.from({ length: ps.length })
  let least = 1
  order.forEach((n, rank) => {
    least = Math.min(least, (ps[n]! * ps.length) / (ps.length - rank))
    qs[n] = least
  })
  return qs
}
