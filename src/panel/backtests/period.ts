import type { CheckEstimateJson } from '../../check/backtests/schema.ts'
import { parseDay } from '../frame/dates.ts'
import { Fields } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'

const DEFAULT_PERIOD_DAYS = 30
const DAY_MS = 86_400_000

/** The fields of a form for a period: the last days. */
export function createRecentPeriod({ format }: Language): { from: string; to: string } {
  const day = (time: number) => format.dayOf(new Date(time).toISOString())
  return { from: day(Date.now() - DEFAULT_PERIOD_DAYS * DAY_MS), to: day(Date.now()) }
}

/** The period of a form in the format of the API: both days are included. */
export const parsePeriod = (fields: Fields): { from: string; to: string } => ({
  from: parseDay(fields.text('from')),
  to: parseDay(fields.text('to')),
})

/** A period of the API in words; `to` is exclusive. */
export function formatPeriod({ from, to }: { from: string; to: string }, { format }: Language): string {
  const lastMoment = new Date(Date.parse(to) - 1).toISOString()
  return [from, lastMoment].map((time) => format.day(format.dayOf(time))).join(' – ')
}

/** The tokens and cost of a model for the calls of an estimate; undefined without one. */
export function formatModelUsage({ inputTokens, outputTokens, cost }: CheckEstimateJson, { format }: Language) {
  if (inputTokens === null) return undefined
  const money = cost && `${format.number(cost.amount)} ${cost.currency}`
  return { input: format.number(inputTokens), output: format.number(outputTokens ?? 0), money }
}
