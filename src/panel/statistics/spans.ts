import type { CallLoadEntry, CallLoadInterval } from '../../reports/load/schema.ts'
import { addDays } from '../frame/dates.ts'

/** A day, week or month of the report, as included days YYYY-MM-DD. */
export interface PeriodSpan {
  from: string
  to: string
  /** True if the span is not over or the period cuts it. Its figures are not comparable with those of other spans. */
  isOpen: boolean
}

/** Computes the first and last day of each row. @param last last day of the period @param today current day */
export function buildPeriodSpans(
  days: Pick<CallLoadEntry, 'day'>[],
  interval: CallLoadInterval,
  last: string,
  today: string,
): PeriodSpan[] {
  return days.map(({ day: from }, n) => {
    const next = days[n + 1]
    const to = next ? addDays(next.day, -1) : last.slice(0, 10) > from ? last.slice(0, 10) : from
    const isComplete = IS_FIRST_DAY[interval](from) && IS_FIRST_DAY[interval](addDays(to, 1))
    return { from, to, isOpen: to >= today || !isComplete }
  })
}

/** Returns whether a day starts a span of this length. */
const IS_FIRST_DAY: Record<CallLoadInterval, (day: string) => boolean> = {
  day: () => true,
  week: (day) => new Date(day).getUTCDay() === 1,
  month: (day) => day.endsWith('-01'),
}
