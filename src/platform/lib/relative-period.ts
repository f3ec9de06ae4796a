import type { Temporal } from 'temporal-polyfill'
import { mondayOf } from './period.ts'

/** The names of periods that move with the current day. */
export const RELATIVE_PERIODS = [
  'today',
  'yesterday',
  'thisWeek',
  'lastWeek',
  'last7Days',
  'last30Days',
  'thisMonth',
  'lastMonth',
] as const
export type RelativePeriod = (typeof RELATIVE_PERIODS)[number]

/**
 * Returns the first and the last day of a period, both included. Weeks begin on Monday. This week and this month include the days
 * to come; the last 7 and 30 days end today.
 */
export function computeDaysOfPeriod(
  period: RelativePeriod,
  today: Temporal.PlainDate,
): { from: Temporal.PlainDate; to: Temporal.PlainDate } {
  const yesterday = today.subtract({ days: 1 })
  const monday = mondayOf(today)
  const month = today.with({ day: 1 })
  const days = {
    today: { from: today, to: today },
    yesterday: { from: yesterday, to: yesterday },
    thisWeek: { from: monday, to: monday.add({ days: 6 }) },
    lastWeek: { from: monday.subtract({ days: 7 }), to: monday.subtract({ days: 1 }) },
    last7Days: { from: today.subtract({ days: 6 }), to: today },
    last30Days: { from: today.subtract({ days: 29 }), to: today },
    thisMonth: { from: month, to: month.add({ months: 1 }).subtract({ days: 1 }) },
    lastMonth: { from: month.subtract({ months: 1 }), to: month.subtract({ days: 1 }) },
  }
  return days[period]
}
