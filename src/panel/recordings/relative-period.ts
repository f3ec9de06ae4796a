import { Temporal } from 'temporal-polyfill'
import { computeDaysOfPeriod, RELATIVE_PERIODS } from '../../platform/lib/relative-period.ts'
import type { CallFilterValues } from './filters.ts'

/**
 * Replaces a period by its dates, within the date filters. An invalid period is removed.
 * @param today the day to which the period is relative, YYYY-MM-DD
 */
export function replacePeriodByDates({ period, ...filters }: CallFilterValues, today: string): CallFilterValues {
  const known = RELATIVE_PERIODS.find((name) => name === period)
  if (!known) return filters
  const days = computeDaysOfPeriod(known, Temporal.PlainDate.from(today))
  const [from, to] = [days.from.toString(), days.to.toString()]
  const { dateFrom = from, dateTo = to } = filters
  return {
    ...filters,
    dateFrom: dateFrom > from ? dateFrom : from,
    // The last day is included, so a time on that day is earlier.
    dateTo: dateTo.slice(0, 10) <= to ? dateTo : to,
  }
}
