import type { CheckEstimateJson } from '../../check/backtests/schema.ts'
import type { Language } from '../frame/i18n.ts'

/** Formats the estimated tokens and cost of a model; undefined without a model. `money` is null without prices. */
export function formatModelUsage({ inputTokens, outputTokens, cost }: CheckEstimateJson, { format }: Language) {
  if (inputTokens === null) return undefined
  const money = cost && `${format.number(cost.amount)} ${cost.currency}`
  return { input: format.number(inputTokens), output: format.number(outputTokens ?? 0), money }
}
