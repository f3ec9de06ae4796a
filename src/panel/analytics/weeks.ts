import { Temporal } from 'temporal-polyfill'
import { mondayOf, parseIsoWeek, formatIsoWeek } from '../../platform/lib/period.ts'

/** Parses an ISO week such as 2026-W12 into its Monday and its Sunday, YYYY-MM-DD. */
export function parseWeekBounds(week: string): [from: string, to: string] {
  const monday = parseIsoWeek(week)
  return [monday.toString(), monday.add({ days: 6 }).toString()]
}

/** Returns the names of the last complete weeks before a day, such as 2026-W12, newest first. @param day YYYY-MM-DD */
export function computePastWeekNames(day: string, count: number): string[] {
  const monday = mondayOf(Temporal.PlainDate.from(day))
  return Array.from({ length: count }, (_, n) => formatIsoWeek(monday.subtract({ weeks: n + 1 })))
}
