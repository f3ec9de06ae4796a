/** A share or mean of fewer than this is null, because it is not reliable. */
export const FEWEST = 10

export interface Ratio {
  /** Null if the denominator is below 10. */
  value: number | null
  numerator: number
  denominator: number
}

export const ratio = (numerator: number, denominator: number): Ratio => ({
  value: denominator < FEWEST ? null : rounded(numerator / denominator, 4),
  numerator,
  denominator,
})

interface Mean {
  /** Null if the count is below 10. */
  value: number | null
  count: number
}

export const mean = (sum: number, count: number): Mean => median(sum / count, count)

/** A median in the format of a mean. @param value null without values */
export const median = (value: number | null, count: number): Mean => ({
  value: count < FEWEST || value === null ? null : rounded(value, 1),
  count,
})

export const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))

/** The sum of a number of all rows; a row without it counts 0. */
export const total = <K extends string>(rows: { [name in K]?: number }[], name: K): number =>
  rows.reduce((sum, row) => sum + (row[name] ?? 0), 0)
