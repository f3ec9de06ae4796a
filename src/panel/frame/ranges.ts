const MAX_DIGITS = 2

/**
 * Returns how many decimals, at most two, show that a value is outside its range. Without decimals, 85.9 looks like the limit
 * 86.
 */
export function computeDecimalsOutsideRange(value: number, low: number, high: number): number {
  const looksOutside = (digits: number) =>
    value < low ? roundTo(value, digits) < roundTo(low, digits) : roundTo(value, digits) > roundTo(high, digits)
  if (value >= low && value <= high) return 0
  for (let digits = 0; digits < MAX_DIGITS; digits++) if (looksOutside(digits)) return digits
  return MAX_DIGITS
}

/** Rounds to the given number of decimals. */
export const roundTo = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits

/** Joins the limits of a range: 72–79%. Equal limits become one value. */
export const formatRange = (low: string, high: string): string =>
  low === high ? low : `${low.replace('%', '').trimEnd()}–${high}`
