import { Temporal } from 'temporal-polyfill'
import { badRequestError } from '../errors.ts'
import { parseDayOrTime } from './time.ts'
import { periodMessages } from './period-messages.ts'

const { PlainDate, Now, Instant } = Temporal

/** Days of APP_TIMEZONE, and their start and end as instants. */
export interface Period {
  from: Temporal.PlainDate
  /** Inclusive. */
  to: Temporal.PlainDate
  timeZone: string
  since: Date
  /** The first moment after it. */
  until: Date
  /** Whether its last day is over. */
  complete: boolean
}

/** A week of a period; the first and last can be cut. */
export interface Week {
  /** Such as 2026-W12, of ISO 8601. */
  week: string
  from: string
  to: string
  since: Date
  until: Date
  /** Whether the period contains all of its days and all are over; do not compare other ones. */
  complete: boolean
}

interface PeriodParameters {
  from?: string | undefined
  to?: string | undefined
}

/** The default and the maximum number of days. */
interface PeriodLimits {
  days: number
  most: number
}

/** @throws HttpError 400 for an invalid day or time, and for a range that is empty or too long */
export function parsePeriod(parameters: PeriodParameters, timeZone: string, { days, most }: PeriodLimits): Period {
  const day = (name: 'from' | 'to') => parameters[name]?.trim() && parseDay(name, parameters[name], timeZone)
  const to = day('to') || Now.plainDateISO(timeZone)
  const from = day('from') || to.subtract({ days: days - 1 })
  const length = from.until(to).days + 1
  if (length < 1) throw badRequestError([periodMessages.backwards().withField('from')])
  if (length > most) throw badRequestError([periodMessages.tooLong({ days: most - 1 }).withField('from')])
  return createPeriod(from, to, timeZone)
}

/** A period of whole days; both days are included. */
export function createPeriod(from: Temporal.PlainDate, to: Temporal.PlainDate, timeZone: string): Period {
  return {
    from,
    to,
    timeZone,
    since: startOfDay(from, timeZone),
    until: startOfDay(to.add({ days: 1 }), timeZone),
    complete: PlainDate.compare(to, Now.plainDateISO(timeZone)) < 0,
  }
}

/** The first moment of a day: if the clocks change at midnight, that is not 00:00. */
export const startOfDay = (day: Temporal.PlainDate, timeZone: string): Date =>
  new Date(day.toZonedDateTime(timeZone).epochMilliseconds)

function parseDay(name: string, text: string, timeZone: string): Temporal.PlainDate {
  const noon = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T12:00` : text
  const time = parseDayOrTime(noon, timeZone)
  const day = time && Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()
  // Beyond these years, the database and the calendar disagree.
  if (day && day.year >= 1000 && day.year <= 9999) return day
  throw badRequestError([periodMessages.day().withField(name)])
}

/** The weeks of a period, from Monday, oldest first. */
export function listWeeks({ from, to, timeZone }: Period): Week[] {
  const today = Now.plainDateISO(timeZone)
  const weeks: Week[] = []
  for (let monday = mondayOf(from); PlainDate.compare(monday, to) <= 0; monday = monday.add({ days: 7 })) {
    const sunday = monday.add({ days: 6 })
    const [first, last] = [laterDay(monday, from), earlierDay(sunday, to)]
    weeks.push({
      week: formatWeek(monday),
      from: first.toString(),
      to: last.toString(),
      since: startOfDay(first, timeZone),
      until: startOfDay(last.add({ days: 1 }), timeZone),
      complete: first.equals(monday) && last.equals(sunday) && PlainDate.compare(sunday, today) < 0,
    })
  }
  return weeks
}

/** The Monday of a day's week. */
export const mondayOf = (day: Temporal.PlainDate): Temporal.PlainDate => day.subtract({ days: day.dayOfWeek - 1 })

/** By ISO 8601: 1 January 2027 is in 2026-W53. */
export const formatWeek = (day: Temporal.PlainDate): string =>
  `${day.yearOfWeek}-W${String(day.weekOfYear).padStart(2, '0')}`

/** The Monday of a week such as 2026-W12. @throws HttpError 400 for weeks that their year does not have */
export function parseWeek(text: string): Temporal.PlainDate {
  const [, year, week] = /^(\d{4})-W(\d\d)$/.exec(text) ?? []
  if (year && Number(year) >= 1000 && Number(week) >= 1) {
    // 4 January is in the first week of every year.
    const monday = mondayOf(PlainDate.from(`${year}-01-04`)).add({ days: 7 * (Number(week) - 1) })
    if (formatWeek(monday) === text) return monday
  }
  throw badRequestError([periodMessages.week().withField('week')])
}

const laterDay = (a: Temporal.PlainDate, b: Temporal.PlainDate) => (PlainDate.compare(a, b) > 0 ? a : b)
const earlierDay = (a: Temporal.PlainDate, b: Temporal.PlainDate) => (PlainDate.compare(a, b) < 0 ? a : b)
