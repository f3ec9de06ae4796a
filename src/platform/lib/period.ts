import { Temporal } from 'temporal-polyfill'
import { badRequestError } from '../errors.ts'
import { parseDayOrTime } from './time.ts'
import { periodMessages } from './period-messages.ts'

const { PlainDate, Now, Instant } = Temporal

/** Represents a range of days in APP_TIMEZONE with its start and end as instants. */
export interface Period {
  from: Temporal.PlainDate
  /** Last day, included. */
  to: Temporal.PlainDate
  timeZone: string
  since: Date
  /** First moment after the period. */
  until: Date
  /** True if the last day is over. */
  complete: boolean
}

/** Represents a week of a period. The first and the last week can have fewer days. */
export interface PeriodWeek {
  /** ISO 8601 week, such as 2026-W12. */
  week: string
  from: string
  to: string
  since: Date
  until: Date
  /** True if the period contains all seven days and all are over. Do not compare incomplete weeks. */
  complete: boolean
}

interface PeriodParameters {
  from?: string | undefined
  to?: string | undefined
}

interface PeriodLimits {
  days: number
  most: number
}

/**
 * Parses the query parameters `from` and `to` as whole days. By default, the period ends today and has `days` days.
 * @param limits the default (`days`) and the maximum (`most`) number of days
 * @throws HttpError 400 for an invalid day and for an empty or too long range
 */
export function parsePeriod(parameters: PeriodParameters, timeZone: string, { days, most }: PeriodLimits): Period {
  const day = (name: 'from' | 'to') => parameters[name]?.trim() && parseDay(name, parameters[name], timeZone)
  const to = day('to') || Now.plainDateISO(timeZone)
  const from = day('from') || to.subtract({ days: days - 1 })
  const length = from.until(to).days + 1
  if (length < 1) throw badRequestError([periodMessages.backwards().withField('from')])
  if (length > most) throw badRequestError([periodMessages.tooLong({ days: most - 1 }).withField('from')])
  return createPeriod(from, to, timeZone)
}

/** Creates a period of whole days. Both days are included. */
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

/** Returns the first moment of a day, which is not 00:00 if the clocks go forward at midnight. */
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

/** Splits a period into weeks from Monday to Sunday, oldest first. */
export function splitIntoWeeks({ from, to, timeZone }: Period): PeriodWeek[] {
  const today = Now.plainDateISO(timeZone)
  const weeks: PeriodWeek[] = []
  for (let monday = mondayOf(from); PlainDate.compare(monday, to) <= 0; monday = monday.add({ days: 7 })) {
    const sunday = monday.add({ days: 6 })
    const [first, last] = [laterDay(monday, from), earlierDay(sunday, to)]
    weeks.push({
      week: formatIsoWeek(monday),
      from: first.toString(),
      to: last.toString(),
      since: startOfDay(first, timeZone),
      until: startOfDay(last.add({ days: 1 }), timeZone),
      complete: first.equals(monday) && last.equals(sunday) && PlainDate.compare(sunday, today) < 0,
    })
  }
  return weeks
}

/** Returns the Monday of the week of a day. */
export const mondayOf = (day: Temporal.PlainDate): Temporal.PlainDate => day.subtract({ days: day.dayOfWeek - 1 })

/** Formats the ISO 8601 week of a day. 1 January 2027 is in 2026-W53. */
export const formatIsoWeek = (day: Temporal.PlainDate): string =>
  `${day.yearOfWeek}-W${String(day.weekOfYear).padStart(2, '0')}`

/**
 * Returns the Monday of an ISO 8601 week such as 2026-W12. @throws HttpError 400 for other text, a year before 1000, or a week
 * that the year does not have
 */
export function parseIsoWeek(text: string): Temporal.PlainDate {
  const [, year, week] = /^(\d{4})-W(\d\d)$/.exec(text) ?? []
  if (year && Number(year) >= 1000 && Number(week) >= 1) {
    // 4 January is in the first ISO week of every year.
    const monday = mondayOf(PlainDate.from(`${year}-01-04`)).add({ days: 7 * (Number(week) - 1) })
    if (formatIsoWeek(monday) === text) return monday
  }
  throw badRequestError([periodMessages.week().withField('week')])
}

const laterDay = (a: Temporal.PlainDate, b: Temporal.PlainDate) => (PlainDate.compare(a, b) > 0 ? a : b)
const earlierDay = (a: Temporal.PlainDate, b: Temporal.PlainDate) => (PlainDate.compare(a, b) < 0 ? a : b)
