/** What is counted of fewer says nothing yet. */
export const FEWEST = 10

/** A share with what it is made of; its value is null where it is of fewer than ten. */
export interface Ratio {
  value: number | null
  numerator: number
  denominator: number
}

export const ratio = (numerator: number, denominator: number): Ratio => ({
  value: denominator < FEWEST ? null : rounded(numerator / denominator, 4),
  numerator,
  denominator,
})

/** A mean with how many it is of; its value is null where it is of fewer than ten. */
export interface Mean {
  value: number | null
  count: number
}

export const mean = (sum: number, count: number): Mean => ({
  value: count < FEWEST ? null : rounded(sum / count, 1),
  count,
})

/** The middle of many, where a few would carry a mean away; null of fewer than ten. */
export const median = (value: number | null, count: number): Mean => ({
  value: count < FEWEST || value === null ? null : rounded(value, 1),
  count,
})

export const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))
