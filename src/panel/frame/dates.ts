/** English and Russian month names begin with these letters. */
const MONTH_PREFIXES = [
  ['jan', 'янв'],
  ['feb', 'фев'],
  ['mar', 'мар'],
  ['apr', 'апр'],
  ['may', 'май', 'мая'],
  ['jun', 'июн'],
  ['jul', 'июл'],
  ['aug', 'авг'],
  ['sep', 'сен'],
  ['oct', 'окт'],
  ['nov', 'ноя'],
  ['dec', 'дек'],
]

const DAY_PATTERN = [
  String.raw`(?<iso>\d{4}-\d\d-\d\d)`,
  String.raw`(?<d>\d{1,2})[./](?<m>\d{1,2})[./](?<y>\d{4})`,
  String.raw`(?<d2>\d{1,2}) +(?<name>[a-zа-я]{3,9})\.?,? +(?<y2>\d{4})(?: г\.)?`,
].join('|')
const DATE_TIME_PATTERN = new RegExp(
  String.raw`^(?:${DAY_PATTERN})(?:(?:[ ,]+|T)(?<h>[01]?\d|2[0-3]):(?<min>[0-5]\d)(?::(?<s>[0-5]\d))?)?$`,
  'i',
)

/** Parses a day such as 21.11.2026 or 21 Nov 2026 14:30 to ISO format. Other text stays unchanged, so that the API rejects it. */
export function parseDay(text: string): string {
  const { iso, d, m, y, d2, name, y2, h, min, s } = DATE_TIME_PATTERN.exec(text.trim())?.groups ?? {}
  const padTwo = (part: string | number) => String(part).padStart(2, '0')
  const month = m ?? MONTH_PREFIXES.findIndex((names) => names.includes((name ?? '').slice(0, 3).toLowerCase())) + 1
  const day = iso ?? `${y ?? y2}-${padTwo(month)}-${padTwo(d ?? d2 ?? '')}`
  if (getDayAfter(day) === undefined) return text
  return h === undefined ? day : `${day}T${padTwo(h)}:${min}${s ? `:${s}` : ''}`
}

/** Returns the next day, YYYY-MM-DD, or undefined if the day is invalid or before 1970. After 9999-12-31 it returns the API's last moment. */
export function getDayAfter(day: string): string | undefined {
  const time = Date.parse(/^(19[7-9]\d|[2-9]\d{3})-\d\d-\d\d$/.test(day) ? `${day}T00:00:00Z` : '')
  if (Number.isNaN(time) || formatDay(time) !== day) return undefined // rejects days such as 30 February, which Date.parse moves to March
  return day === '9999-12-31' ? '9999-12-31T23:59:59.999Z' : formatDay(time + 86_400_000)
}

/** Adds days to a calendar day, both YYYY-MM-DD. @param days can be negative */
export const addDays = (day: string, days: number): string => formatDay(Date.parse(day) + days * 86_400_000)

const formatDay = (time: number): string => new Date(time).toISOString().slice(0, 10)
