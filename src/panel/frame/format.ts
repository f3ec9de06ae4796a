import { dayAfter } from './dates.ts'

/** Numbers, times and lengths in the format of a language, in the time zone of the service. */
export interface Formats {
  number(value: number): string
  /** 19 Nov 16:42, with the year if it is not the present one. */
  shortTime(iso: string): string
  /** 19 Nov 16:42:05 */
  shortTimeToSecond(iso: string): string
  /** 19 November 2026, 16:42 */
  longTime(iso: string): string
  /** 19 November 2026, 16:42:05 (Europe/Minsk): a time to the second with its time zone. */
  exactTime(iso: string): string
  /** 19 November 2026 (Europe/Minsk): a calendar day with its time zone. */
  exactDay(day: string): string
  /** 2026-11-19: the day of a time. */
  dayOf(iso: string): string
  /** 2026-11-19T16:42: a time in the zone of the service, to the minute. */
  localTime(iso: string): string
  /** 2026-11-19T16:42:05, likewise. */
  localTimeToSecond(iso: string): string
  /** 19 Nov 2026 16:42 of 2026-11-19T16:42, for a field of a day with or without a time; other text unchanged. */
  field(text: string): string
  /** 16:42 */
  clock(iso: string): string
  /** 19 Nov 2026 of 2026-11-19, a calendar day. */
  day(day: string): string
  /** 19 Nov of 2026-11-19, with the year if it is not the present one. */
  shortDay(day: string): string
  /** Friday 27 November of 2026-11-27. */
  weekday(day: string): string
  /** 9–15 Nov 2026: a range of calendar days. */
  days(from: string, to: string): string
  /** 9–15 Nov: the same, with the year only if it is not the present one. */
  shortDays(from: string, to: string): string
  /** November 2026 of 2026-11, and Nov 2026. */
  month(month: string): string
  shortMonth(month: string): string
  /** 4:12, or 1:04:12 from an hour on: whole elapsed seconds, as in players. */
  length(seconds: number): string
  /** +375 29 123-45-67 of +375291234567; numbers of other countries unchanged. */
  phone(text: string | null): string | null
  /** 0.0016 BYN, 12.50 BYN, 43,960 BYN: an amount in a currency. */
  money(amount: number, currency: string): string
  /** 3.9 MB */
  size(bytes: number): string
  /** Russian of ru: the name of a language; unknown codes unchanged. */
  language(code: string): string
}

/** Numbers of Belarus, and of Russia and Kazakhstan, with their usual groups of digits. */
const PHONE_PATTERN = /^(?:(\+375)(\d\d)|(\+7)(\d{3}))(\d{3})(\d\d)(\d\d)$/

/** Groups the digits of a known number, however it was typed; any other text is unchanged. */
function formatPhone(text: string | null): string | null {
  const digits = text?.replace(/[\s()-]/g, '') ?? ''
  return PHONE_PATTERN.test(digits) ? digits.replace(PHONE_PATTERN, '$1$3 $2$4 $5-$6-$7') : text
}

/** Builds the formats once per language, because Intl objects are slow to create. */
export function createFormats(locale: string, timeZone: string): Formats {
  const date = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { timeZone, ...options })
  const day = date({ day: 'numeric', month: 'short' })
  // Days of other years are numeric if the language writes them so: 19.11.2024 is shorter than 19 нояб. 2024 г.
  const dayOfYear = locale.startsWith('ru')
    ? date({ day: '2-digit', month: '2-digit', year: 'numeric' })
    : date({ day: 'numeric', month: 'short', year: 'numeric' })
  const longDay = date({ day: 'numeric', month: 'long', year: 'numeric' })
  const clock = date({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const seconds = date({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })
  const year = date({ year: 'numeric' })
  const sortableDay = new Intl.DateTimeFormat('sv-SE', { timeZone })
  const calendar = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options })
  const calendarShortDay = calendar({ day: 'numeric', month: 'short' })
  const calendarDay = calendar({ day: 'numeric', month: 'short', year: 'numeric' })
  // Numeric if the language writes days so: 19.11.2026; numeric English days are ambiguous.
  const fieldDay = locale.startsWith('ru')
    ? calendar({ day: '2-digit', month: '2-digit', year: 'numeric' })
    : calendarDay
  const longCalendarDay = calendar({ day: 'numeric', month: 'long', year: 'numeric' })
  const calendarWeekday = calendar({ weekday: 'long', day: 'numeric', month: 'long' })
  const month = calendar({ month: 'long', year: 'numeric' })
  const shortMonth = calendar({ month: 'short', year: 'numeric' })
  const numbers = new Intl.NumberFormat(locale)
  const amounts = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 4 })
  const formatAmount = (amount: number) => (Number.isInteger(amount) ? numbers : amounts).format(amount)
  const languages = new Intl.DisplayNames(locale, { type: 'language' })
  const unit = (name: string, digits: number, unitDisplay: 'short' | 'long' = 'short') =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay, maximumFractionDigits: digits })
  const sizes = [unit('byte', 0, 'long'), unit('kilobyte', 0), unit('megabyte', 1), unit('gigabyte', 2)]
  const isThisYear = (time: Date) => year.format(time) === year.format(new Date())
  const shortDay = (time: Date) => (isThisYear(time) ? day : dayOfYear).format(time)
  const stripYearWord = (text: string) => text.replace(/\s*г\.$/, '')
  const formatDayRange = (format: Intl.DateTimeFormat, from: string, to: string) =>
    normalizeRangeSpaces(stripYearWord(format.formatRange(new Date(from), new Date(to))))
  return {
    number: (value) => numbers.format(value),
    money: (amount, currency) => `${formatAmount(amount)} ${currency}`,
    shortTime: (iso) => `${shortDay(new Date(iso))} ${clock.format(new Date(iso))}`,
    shortTimeToSecond: (iso) => `${shortDay(new Date(iso))} ${seconds.format(new Date(iso))}`,
    longTime: (iso) => `${longDay.format(new Date(iso))}, ${clock.format(new Date(iso))}`,
    exactTime: (iso) => `${longDay.format(new Date(iso))}, ${seconds.format(new Date(iso))} (${timeZone})`,
    exactDay: (day) => `${longCalendarDay.format(new Date(day))} (${timeZone})`,
    dayOf: (iso) => sortableDay.format(new Date(iso)),
    localTime: (iso) => `${sortableDay.format(new Date(iso))}T${clock.format(new Date(iso))}`,
    localTimeToSecond: (iso) => `${sortableDay.format(new Date(iso))}T${seconds.format(new Date(iso))}`,
    field(text) {
      const [, day, time] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?))?$/.exec(text) ?? []
      return day && dayAfter(day) ? [fieldDay.format(new Date(day)), time].filter(Boolean).join(' ') : text
    },
    clock: (iso) => clock.format(new Date(iso)),
    day: (day) => stripYearWord(calendarDay.format(new Date(day))),
    shortDay: (day) => (isThisYear(new Date(day)) ? calendarShortDay : fieldDay).format(new Date(day)),
    weekday: (day) => calendarWeekday.format(new Date(day)),
    days: (from, to) => formatDayRange(calendarDay, from, to),
    shortDays: (from, to) =>
      formatDayRange(isThisYear(new Date(from)) && isThisYear(new Date(to)) ? calendarShortDay : calendarDay, from, to),
    phone: formatPhone,
    month: (text) => capitalize(stripYearWord(month.format(new Date(text)))),
    shortMonth: (text) => stripYearWord(shortMonth.format(new Date(text))),
    length: formatLength,
    language: (code) => (/^[a-z]{2,3}$/.test(code) ? (languages.of(code) ?? code) : code),
    size(bytes) {
      const step = Math.min(sizes.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
      return sizes[step]!.format(bytes / 1000 ** step)
    },
  }
}

/** With the same spaces in every version of ICU: 9–15 Nov 2026, 30 Mar – 5 Apr 2026. */
const normalizeRangeSpaces = (text: string): string => text.replace(/\s–\s/, ' – ').replace(/^(\d+) – (\d)/, '$1–$2')

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function formatLength(seconds: number): string {
  const totalSeconds = Math.floor(seconds)
  const [hours, minutes, remainder] = [
    Math.floor(totalSeconds / 3600),
    Math.floor(totalSeconds / 60) % 60,
    totalSeconds % 60,
  ]
  const padTwo = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${padTwo(minutes)}:${padTwo(remainder)}` : `${minutes}:${padTwo(remainder)}`
}
