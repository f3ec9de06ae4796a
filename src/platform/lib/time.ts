import { Temporal } from 'temporal-polyfill'

const ISO_TIME_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?)?$/i

/** Limits later times, because their years have more than four digits. */
const MAX_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Parses an ISO 8601 time from 1970 on. A time without an offset is in `timeZone`. @returns undefined for other text */
export function parseIsoTime(text: string, timeZone: string): Date | undefined {
  // Earlier years are typos. Check the written year, so that the result does not depend on the time zone.
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

/**
 * Parses an ISO 8601 time of any year, or a day as its first moment in `timeZone`. A time without an offset is in `timeZone`.
 * Accepts a space for the plus of an offset, because URLs decode it so.
 * @returns undefined for other text
 */
export function parseDayOrTime(text: string, timeZone: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return parseAnyTime(text.replace(/ (?=\d\d(:?\d\d)?$)/, '+'), timeZone)
  try {
    const day = Temporal.PlainDate.from(text, { overflow: 'reject' })
    return new Date(day.toZonedDateTime(timeZone).epochMilliseconds)
  } catch {
    return undefined
  }
}

/**
 * Parses the exclusive end of a period: a time, or the first moment after a day in `timeZone`. @returns undefined for other text
 */
export function parsePeriodEnd(text: string, timeZone: string): Date | undefined {
  const time = parseDayOrTime(text, timeZone)
  if (!time || !/^\d{4}-\d\d-\d\d$/.test(text)) return time
  const next = Temporal.PlainDate.from(text).add({ days: 1 }).toZonedDateTime(timeZone)
  return new Date(Math.min(next.epochMilliseconds, MAX_TIME_MS))
}

/** Formats the day of a moment in `timeZone`, such as 2026-03-01; at most 9999-12-31. */
export function formatDay(moment: Date, timeZone: string): string {
  const day = Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()
  return day.year > 9999 ? '9999-12-31' : day.toString()
}
