import { getDayAfter } from './dates.ts'

/** Formats numbers, times and lengths for one language, in the time zone of the service. */
export interface LanguageFormats {
  number(value: number): string
  /** Formats a time as 19 Nov 16:42, with the year if it is not the current one. */
  shortTime(iso: string): string
  /** Formats a time as 19 Nov 16:42:05, with the year if it is not the current one. */
  shortTimeToSecond(iso: string): string
  /** Formats a time as 19 November 2026, 16:42. */
  longTime(iso: string): string
  /** Formats a time as 19 November 2026, 16:42:05 (Europe/Minsk). */
  exactTime(iso: string): string
  /** Formats a day YYYY-MM-DD as 19 November 2026 (Europe/Minsk). */
  exactDay(day: string): string
  /** Returns the day of a time as YYYY-MM-DD, in the time zone of the service. */
  dayOf(iso: string): string
  /** Converts a time to 2026-11-19T16:42 in the time zone of the service. */
  localTime(iso: string): string
  /** Converts a time to 2026-11-19T16:42:05 in the time zone of the service. */
  localTimeToSecond(iso: string): string
  /** Formats an ISO day or local time as an input value, such as 19 Nov 2026 16:42. Other text stays unchanged. */
  field(text: string): string
  /** Formats the time of day as 16:42. */
  clock(iso: string): string
  /** Formats a day YYYY-MM-DD as 19 Nov 2026. */
  day(day: string): string
  /** Formats a day YYYY-MM-DD as 19 Nov, with the year if it is not the current one. */
  shortDay(day: string): string
  /** Formats a day YYYY-MM-DD as Friday 27 November. */
  weekday(day: string): string
  /** Formats two days YYYY-MM-DD as 9–15 Nov 2026. */
  days(from: string, to: string): string
  /** Formats two days YYYY-MM-DD as 9–15 Nov, with the year if it is not the current one. */
  shortDays(from: string, to: string): string
  /** Formats a month YYYY-MM as November 2026. */
  month(month: string): string
  shortMonth(month: string): string
  /** Formats a playing time as 4:12, or as 1:04:12 from one hour. */
  length(seconds: number): string
  /** Formats a phone number as +375 29 123-45-67. Numbers of unknown countries stay unchanged. */
  phone(text: string | null): string | null
  /** Formats money as 43,960 BYN, 12.50 BYN or 0.0016 BYN: amounts with a fraction get two to four decimals. */
  money(amount: number, currency: string): string
  /** Formats a size as 3.9 MB. */
  size(bytes: number): string
  /** Returns the name of a language by its code: `ru` becomes Russian. Unknown codes stay unchanged. */
  language(code: string): string
}

/** Matches numbers of Belarus, Russia and Kazakhstan. */
const PHONE_PATTERN = /^(?:(\+375)(\d\d)|(\+7)(\d{3}))(\d{3})(\d\d)(\d\d)$/

/** Groups the digits of a known number, however the number was typed. Other text stays unchanged. */
function formatPhone(text: string | null): string | null {
  const digits = text?.replace(/[\s()-]/g, '') ?? ''
  return PHONE_PATTERN.test(digits) ? digits.replace(PHONE_PATTERN, '$1$3 $2$4 $5-$6-$7') : text
}

/** Creates the formats of a language. Call it once per language, because Intl objects are slow to create. */
export function createLanguageFormats(locale: string, timeZone: string): LanguageFormats {
  const date = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { timeZone, ...options })
  const day = date({ day: 'numeric', month: 'short' })
  // Russian uses numeric days for other years, because 19.11.2024 is shorter than 19 нояб. 2024 г.
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
  // Russian fields use numeric days. English fields name the month, because numeric English days are ambiguous.
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
      return day && getDayAfter(day) ? [fieldDay.format(new Date(day)), time].filter(Boolean).join(' ') : text
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

/** Unifies the spaces of date ranges, which differ between versions of ICU: 9–15 Nov 2026, 30 Mar – 5 Apr 2026. */
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
