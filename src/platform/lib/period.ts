import { Temporal } from 'temporal-polyfill'
import { badRequest } from '../errors.ts'
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

interface Asked {
  from?: string | undefined
  to?: string | undefined
}

/** The default and the maximum number of days. */
interface Limits {
  days: number
  most: number
}

/** @throws HttpError 400 for an invalid day or time, and for a range that is empty or too long */
export function readPeriod(given: Asked, timeZone: string, { days, most }: Limits): Period {
  const day = (name: 'from' | 'to') => given[name]?.trim() && readDay(name, given[name], timeZone)
  const to = day('to') || Now.plainDateISO(timeZone)
  const from = day('from') || to.subtract({ days: days - 1 })
  const length = from.until(to).days + 1
  if (length < 1) throw badRequest([periodMessages.backwards().about('from')])
  if (length > most) throw badRequest([periodMessages.tooLong({ days: most - 1 }).about('from')])
  return periodOf(from, to, timeZone)
}

export function periodOf(from: Temporal.PlainDate, to: Temporal.PlainDate, timeZone: string): Period {
  return {
    from,
    to,
    timeZone,
    since: startOf(from, timeZone),
    until: startOf(to.add({ days: 1 }), timeZone),
    complete: PlainDate.compare(to, Now.plainDateISO(timeZone)) < 0,
  }
}

/** The first moment of a day: if the clocks change at midnight, that is not 00:00. */
export const startOf = (day: Temporal.PlainDate, timeZone: string): Date =>
  new Date(day.toZonedDateTime(timeZone).epochMilliseconds)

function readDay(name: string, text: string, timeZone: string): Temporal.PlainDate {
  const noon = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T12:00` : text
  const time = parseDayOrTime(noon, timeZone)
  const day = time && Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()
  // Beyond these years, the database and the calendar disagree.
  if (day && day.year >= 1000 && day.year <= 9999) return day
  throw badRequest([periodMessages.day().about(name)])
}

/** The weeks of a period, from Monday, oldest first. */
export function weeksOf({ from, to, timeZone }: Period): Week[] {
  const today = Now.plainDateISO(timeZone)
  const weeks: Week[] = []
  for (let monday = mondayOf(from); PlainDate.compare(monday, to) <= 0; monday = monday.add({ days: 7 })) {
    const sunday = monday.add({ days: 6 })
    const [first, last] = [latest(monday, from), earliest(sunday, to)]
    weeks.push({
      week: weekName(monday),
      from: first.toString(),
      to: last.toString(),
      since: startOf(first, timeZone),
      until: startOf(last.add({ days: 1 }), timeZone),
      complete: first.equals(monday) && last.equals(sunday) && PlainDate.compare(sunday, today) < 0,
    })
  }
  return weeks
}

export const mondayOf = (day: Temporal.PlainDate): Temporal.PlainDate => day.subtract({ days: day.dayOfWeek - 1 })

/** By ISO 8601: 1 January 2027 is in 2026-W53. */
export const weekName = (day: Temporal.PlainDate): string =>
  `${day.yearOfWeek}-W${String(day.weekOfYear).padStart(2, '0')}`

/** The Monday of a week such as 2026-W12. @throws HttpError 400 for weeks that their year does not have */
export function readWeek(text: string): Temporal.PlainDate {
  const [, year, week] = /^(\d{4})-W(\d\d)$/.exec(text) ?? []
  if (year && Number(year) >= 1000 && Number(week) >= 1) {
    // 4 January is in the first week of every year.
    const monday = mondayOf(PlainDate.from(`${year}-01-04`)).add({ days: 7 * (Number(week) - 1) })
    if (weekName(monday) === text) return monday
  }
  throw badRequest([periodMessages.week().about('week')])
}

const latest = (a: Temporal.PlainDate, b: Temporal.PlainDate) => (PlainDate.compare(a, b) > 0 ? a : b)
const earliest = (a: Temporal.PlainDate, b: Temporal.PlainDate) => (PlainDate.compare(a, b) < 0 ? a : b)
