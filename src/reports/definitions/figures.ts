/** A share or mean of fewer than this is null, because it is not reliable. */
export const MIN_SAMPLE_SIZE = 10

/** A share with what it is made of. */
export interface Ratio {
  /** Null if the denominator is below 10. */
  value: number | null
  numerator: number
  denominator: number
}

/** A ratio, rounded to four digits. */
export const computeRatio = (numerator: number, denominator: number): Ratio => ({
  value: denominator < MIN_SAMPLE_SIZE ? null : roundTo(numerator / denominator, 4),
  numerator,
  denominator,
})

interface Mean {
  /** Null if the count is below 10. */
  value: number | null
  count: number
}

/** A mean of values from their sum. */
export const computeMean = (sum: number, count: number): Mean => buildMedian(sum / count, count)

/** A median in the format of a mean. @param value null without values */
export const buildMedian = (value: number | null, count: number): Mean => ({
  value: count < MIN_SAMPLE_SIZE || value === null ? null : roundTo(value, 1),
  count,
})

/** Rounds to a number of decimal digits. */
export const roundTo = (value: number, digits: number): number => Number(value.toFixed(digits))

/** The sum of a number of all rows; a row without it counts 0. */
export const sumField = <K extends string>(rows: { [name in K]?: number }[], name: K): number =>
  rows.reduce((sum, row) => sum + (row[name] ?? 0), 0)
