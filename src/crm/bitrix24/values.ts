/** Most texts of the portal have at most 255 characters. Texts longer than this limit are invalid. */
const MAX_TEXT_LENGTH = 1000

/**
 * Parses a text or number as a trimmed text.
 * @param limit in characters
 * @returns null if it is empty, too long, or Postgres rejects it (NUL, half a surrogate pair)
 */
export function parsePortalText(value: unknown, limit = MAX_TEXT_LENGTH): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const text = String(value).trim()
  const isStorable = text !== '' && text.length <= limit && !text.includes('\0') && text.isWellFormed()
  return isStorable ? text : null
}

/** Parses a positive id as text. The portal uses 0 for a missing id, which gives null. */
export function parsePortalId(value: unknown): string | null {
  const text = parsePortalText(value)
  return text !== null && /^[1-9]\d{0,17}$/.test(text) ? text : null
}

/** Parses a whole number. Unlike parsePortalId(), it accepts 0, such as the id of the default funnel. */
export function parsePortalNumber(value: unknown): number | null {
  const text = parsePortalText(value)
  const number = text === null ? Number.NaN : Number(text)
  return Number.isSafeInteger(number) ? number : null
}

/** Returns the values of a list, or of the map into which PHP turns a list with gaps. Other values give an empty list. */
export const toPortalArray = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : []

/** Parses an amount of money as text with up to 8 decimals, because a number would round it. @returns null if it is invalid */
export function parsePortalAmount(value: unknown): string | null {
  const [, integer, fraction = ''] = /^(-?\d{1,15})(\.\d+)?$/.exec(parsePortalText(value) ?? '') ?? []
  return integer === undefined ? null : integer + fraction.slice(0, 9)
}

const [EARLIEST_TIME_MS, LATEST_TIME_MS] = [Date.UTC(1990, 0), Date.UTC(2100, 0)]

/**
 * Parses an ISO 8601 time.
 * @param latestMs the first time that is too late
 * @returns null if it is no calendar day, before 1990, or too late
 */
export function parsePortalTime(value: unknown, latestMs = LATEST_TIME_MS): Date | null {
  const text = parsePortalText(value, 40) ?? ''
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

/** Formats a time for filters of the portal, which accept whole seconds with an offset. */
export const formatPortalFilterTime = (time: Date): string => `${time.toISOString().slice(0, 19)}+00:00`

/** Parses a flag. Methods of the portal write Y, true or 1; all other values are false. */
export const parsePortalFlag = (value: unknown): boolean =>
  value === true || value === 'Y' || value === 'true' || value === 1
