import { parseDay } from './dates.ts'
import type { FormValues } from './fields.ts'
import type { Language } from './i18n.ts'

const DEFAULT_PERIOD_DAYS = 30
const DAY_MS = 86_400_000

/** Returns the default period of a form as YYYY-MM-DD: from DEFAULT_PERIOD_DAYS ago to today. */
export function createRecentPeriod({ format }: Language): { from: string; to: string } {
  const day = (time: number) => format.dayOf(new Date(time).toISOString())
  return { from: day(Date.now() - DEFAULT_PERIOD_DAYS * DAY_MS), to: day(Date.now()) }
}

/** Parses the fields `from` and `to` of a form into YYYY-MM-DD days. Text that is no date stays unchanged. */
export const parsePeriodFields = (fields: FormValues): { from: string; to: string } => ({
  from: parseDay(fields.text('from')),
  to: parseDay(fields.text('to')),
})

/** Formats a period of the API, whose `to` is exclusive, by its first and last day. */
export function formatApiPeriod({ from, to }: { from: string; to: string }, { format }: Language): string {
  const lastMoment = new Date(Date.parse(to) - 1).toISOString()
  return [from, lastMoment].map((time) => format.day(format.dayOf(time))).join(' – ')
}
