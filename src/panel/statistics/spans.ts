import type { DayLoad, LoadInterval } from '../../reports/load/schema.ts'
import { addDays } from '../frame/dates.ts'

/** A day, week or month within the period. */
export interface PeriodSpan {
  from: string
  to: string
  /** Whether it is not over, or cut by the period: do not compare it with the others. */
  isOpen: boolean
}

/** The days of each entry of a period with the last day `last`. */
export function buildSpans(
  days: Pick<DayLoad, 'day'>[],
  interval: LoadInterval,
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

/** Whether a day is the first of its day, week or month. */
const IS_FIRST_DAY: Record<LoadInterval, (day: string) => boolean> = {
  day: () => true,
  week: (day) => new Date(day).getUTCDay() === 1,
  month: (day) => day.endsWith('-01'),
}
