import { Temporal } from 'temporal-polyfill'
import { mondayOf, parseWeek, formatWeek } from '../../platform/lib/period.ts'

/** The first and the last day of a week such as 2026-W12. */
export function parseWeekBounds(week: string): [from: string, to: string] {
  const monday = parseWeek(week)
  return [monday.toString(), monday.add({ days: 6 }).toString()]
}

/** The names of the last weeks that are over on a day, newest first. */
export function computeLastWeeks(day: string, count: number): string[] {
  const monday = mondayOf(Temporal.PlainDate.from(day))
  return Array.from({ length: count }, (_, n) => formatWeek(monday.subtract({ weeks: n + 1 })))
}
