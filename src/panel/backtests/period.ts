import type { CheckEstimateJson } from '../../check/backtests/schema.ts'
import { parseDay } from '../frame/dates.ts'
import { FormValues } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'

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

/** Formats the estimated tokens and cost of a model; undefined without a model. `money` is null without prices. */
export function formatModelUsage({ inputTokens, outputTokens, cost }: CheckEstimateJson, { format }: Language) {
  if (inputTokens === null) return undefined
  const money = cost && `${format.number(cost.amount)} ${cost.currency}`
  return { input: format.number(inputTokens), output: format.number(outputTokens ?? 0), money }
}
