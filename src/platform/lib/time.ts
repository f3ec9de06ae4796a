import { Temporal } from 'temporal-polyfill'

const ISO_TIME_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?)?$/i

/** Later years have more than four digits. */
const MAX_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Parses an ISO 8601 time from 1970 on, without an offset in `timeZone`. @returns undefined if it is none */
export function parseTime(text: string, timeZone: string): Date | undefined {
  // Earlier years are typos. The written year counts, so a text is valid in every time zone or in none.
  return Number(text.slice(0, 4)) < 1970 ? undefined : parseAnyTime(text, timeZone)
}

function parseAnyTime(text: string, timeZone: string): Date | undefined {
  if (!ISO_TIME_PATTERN.test(text)) return undefined
  try {
    const hasOffset = /(Z|[+-]\d\d(:?\d\d)?)$/i.test(text.slice(11))
    const instant = hasOffset
      ? Temporal.Instant.from(text)
      : Temporal.PlainDateTime.from(text, { overflow: 'reject' }).toZonedDateTime(timeZone).toInstant()
    return new Date(Math.min(instant.epochMilliseconds, MAX_TIME_MS))
  } catch {
    return undefined
  }
}

/** Parses a time of any year, or a day as its first moment in `timeZone`. An unescaped plus sign arrives as a space. */
export function parseDayOrTime(text: string, timeZone: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return parseAnyTime(text.replace(/ (?=\d\d(:?\d\d)?$)/, '+'), timeZone)
  try {
    const day = Temporal.PlainDate.from(text, { overflow: 'reject' })
    return new Date(day.toZonedDateTime(timeZone).epochMilliseconds)
  } catch {
    return undefined
  }
}

/** Parses the exclusive end of a period: for a day, the start of the next. @returns undefined if it is neither */
export function parsePeriodEnd(text: string, timeZone: string): Date | undefined {
  const time = parseDayOrTime(text, timeZone)
  if (!time || !/^\d{4}-\d\d-\d\d$/.test(text)) return time
  const next = Temporal.PlainDate.from(text).add({ days: 1 }).toZonedDateTime(timeZone)
  return new Date(Math.min(next.epochMilliseconds, MAX_TIME_MS))
}

/** The day of a moment in `timeZone`, such as 2026-03-01; the last one with four digits if it is later. */
export function formatDay(moment: Date, timeZone: string): string {
  const day = Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()
  return day.year > 9999 ? '9999-12-31' : day.toString()
}
