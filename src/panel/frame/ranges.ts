/** Joins the limits of a range: 72–79%. Equal limits become one value. */
export const formatRange = (low: string, high: string): string =>
  low === high ? low : `${low.replace('%', '').trimEnd()}–${high}`
