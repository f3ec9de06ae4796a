import { MIN_SAMPLE_SIZE } from './values.ts'

/** Contains a share with its numerator and denominator, so that readers can judge its precision. */
export interface Ratio {
  /** Null if the denominator is below MIN_SAMPLE_SIZE. */
  value: number | null
  numerator: number
  denominator: number
}

/** Divides and rounds to four digits. The value is null if the denominator is below MIN_SAMPLE_SIZE. */
export const computeRatio = (numerator: number, denominator: number): Ratio => ({
  value: denominator < MIN_SAMPLE_SIZE ? null : roundToDigits(numerator / denominator, 4),
  numerator,
  denominator,
})

/** Contains a mean or a median with its number of values. */
export interface Mean {
  /** Null if there are too few values. */
  value: number | null
  count: number
}

/** Divides a sum by its count and rounds to one digit. The value is null if the count is below MIN_SAMPLE_SIZE. */
export const computeMeanFigure = (sum: number, count: number): Mean => roundMeanFigure(sum / count, count)

/** Divides a sum by its count and rounds to one digit. The value is null only if the count is 0. */
export const computeMeanForAnyCount = (sum: number, count: number): Mean => ({
  value: count === 0 ? null : roundToDigits(sum / count, 1),
  count,
})

/**
 * Rounds a median to one digit and returns it in the format of a mean.
 * @param value null without values
 * @returns a null value if the count is below MIN_SAMPLE_SIZE
 */
export const roundMeanFigure = (value: number | null, count: number): Mean => ({
  value: count < MIN_SAMPLE_SIZE || value === null ? null : roundToDigits(value, 1),
  count,
})

/** Rounds a value to the given number of digits after the decimal point. */
export const roundToDigits = (value: number, digits: number): number => Number(value.toFixed(digits))

/** Sums one field over all rows; a row without the field counts 0. */
export const sumField = <K extends string>(rows: { [name in K]?: number }[], name: K): number =>
  rows.reduce((sum, row) => sum + (row[name] ?? 0), 0)
