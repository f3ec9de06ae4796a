/** The portal's formats of values: numbers as texts, absent ones as '', '0', null or an empty map. */

/** Limit of stored portal texts; titles and names have at most 255 characters there. */
const MAX_TEXT_LENGTH = 1000

/** Returns a non-empty text; null if it is too long or Postgres rejects it (NUL, half a surrogate pair). */
export function parseText(value: unknown, limit = MAX_TEXT_LENGTH): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const text = String(value).trim()
  const isStorable = text !== '' && text.length <= limit && !text.includes('\0') && text.isWellFormed()
  return isStorable ? text : null
}

/** An id, as text; 0 is none. */
export function parseId(value: unknown): string | null {
  const text = parseText(value)
  return text !== null && /^[1-9]\d{0,17}$/.test(text) ? text : null
}

/** An id that can be 0, such as the default funnel's. */
export function parseNumber(value: unknown): number | null {
  const text = parseText(value)
  const number = text === null ? Number.NaN : Number(text)
  return Number.isSafeInteger(number) ? number : null
}

/** Returns the values of a list, or of the map into which PHP turns a list with gaps. */
export const toArray = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : []

/** Parses an amount of money as a decimal text, without rounding. @returns null if it is none */
export function parseAmount(value: unknown): string | null {
  const [, integer, fraction = ''] = /^(-?\d{1,15})(\.\d+)?$/.exec(parseText(value) ?? '') ?? []
  return integer === undefined ? null : integer + fraction.slice(0, 9)
}

const [EARLIEST_TIME_MS, LATEST_TIME_MS] = [Date.UTC(1990, 0), Date.UTC(2100, 0)]

/** Parses a time with an offset; null if it is invalid, not a calendar day, or implausible. */
export function parsePortalTime(value: unknown, latestMs = LATEST_TIME_MS): Date | null {
  const text = parseText(value, 40) ?? ''
  const date = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d/.exec(text)?.[1]
  if (date === undefined || !isCalendarDay(date)) return null
  const time = Date.parse(text)
  return time >= EARLIEST_TIME_MS && time < latestMs ? new Date(time) : null
}

/** Date.parse accepts 31 February as a day of March. */
const isCalendarDay = (date: string): boolean => {
  const time = Date.parse(date)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date)
}

/** A time in the format of all filters: whole seconds with an offset. */
export const formatFilterTime = (time: Date): string => `${time.toISOString().slice(0, 19)}+00:00`

/** Y or true, depending on the method. */
export const parseFlag = (value: unknown): boolean => value === true || value === 'Y' || value === 'true' || value === 1
