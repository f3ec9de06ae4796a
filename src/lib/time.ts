import { Temporal } from 'temporal-polyfill'

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?)?$/i

/**
 * Reads an ISO 8601 time. Without an offset it is a time of `timeZone`.
 * @returns undefined when it is none
 */
export function parseTime(text: string, timeZone: string): Date | undefined {
  if (!ISO_TIME.test(text)) return undefined
  try {
    const hasOffset = /(Z|[+-]\d\d(:?\d\d)?)$/i.test(text.slice(11))
    const instant = hasOffset
      ? Temporal.Instant.from(text)
      : Temporal.PlainDateTime.from(text, { overflow: 'reject' }).toZonedDateTime(timeZone).toInstant()
    const time = new Date(instant.epochMilliseconds)
    // Before and after lie typing mistakes, and years that four digits cannot write.
    return time.getUTCFullYear() >= 1970 && time.getUTCFullYear() <= 9999 ? time : undefined
  } catch {
    return undefined
  }
}
