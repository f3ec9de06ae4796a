import type { Config } from '../../platform/config/config.ts'
import type { Rule } from '../rules/types.ts'
import { costOf } from '../model/ledger.ts'
import { questionOf } from '../model/prompt.ts'

/** About how much a check of many calls takes. */
export interface Estimate {
  calls: number
  words: number
  inputTokens: number | null
  outputTokens: number | null
  cost: { amount: number; currency: string } | null
  seconds: number
}

/** Measured: tokens of a Russian word of a marked line, of a criterion, and of an answer to it. */
const TOKENS_A_WORD = 2.18
const TOKENS_A_CRITERION = 130
const TOKENS_AN_ANSWER = 54
/** Seconds that the rules take for a call of usual length, with reading and storing. */
const SECONDS_A_CALL = 0.03

/** What checking so many calls by such sets takes, in tokens and money where a model is asked: once a set and call. */
export function estimateOf(
  config: Config,
  { calls, words }: { calls: number; words: number },
  sets: readonly Rule[][],
): Estimate {
  if (config.ANALYSIS_PROVIDER !== 'llm-compatible') {
    return {
      calls,
      words,
      inputTokens: null,
      outputTokens: null,
      cost: null,
      seconds: Math.ceil(calls * SECONDS_A_CALL),
    }
  }
  const asked = sets.map((rules) => rules.filter(questionOf).length).filter((count) => count > 0)
  const criteria = asked.reduce((sum, count) => sum + count, 0)
  const input = Math.round(asked.length * words * TOKENS_A_WORD + calls * criteria * TOKENS_A_CRITERION)
  const output = Math.round(calls * criteria * TOKENS_AN_ANSWER)
  const amount = costOf(config, { input, output })
  return {
    calls,
    words,
    inputTokens: input,
    outputTokens: output,
    cost: amount === null ? null : { amount, currency: config.ANALYSIS_PRICE_CURRENCY },
    seconds: Math.ceil((asked.length * calls * 60) / config.ANALYSIS_REQUESTS_PER_MINUTE),
  }
}
