import type { Config } from '../config.ts'
import type { Rule } from '../analysis/rules/types.ts'
import { costOf } from '../model/ledger.ts'

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
const TOKENS_A_CRITERION = 92
const TOKENS_AN_ANSWER = 54
/** Seconds that the rules take for a call of usual length, with reading and storing. */
const SECONDS_A_CALL = 0.03

/** What checking so many calls by such rules takes, in tokens and money where a model is asked. */
export function estimateOf(
  config: Config,
  { calls, words }: { calls: number; words: number },
  rules: Rule[],
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
  const input = Math.round(words * TOKENS_A_WORD + calls * rules.length * TOKENS_A_CRITERION)
  const output = Math.round(calls * rules.length * TOKENS_AN_ANSWER)
  const amount = costOf(config, { input, output })
  return {
    calls,
    words,
    inputTokens: input,
    outputTokens: output,
    cost: amount === null ? null : { amount, currency: config.ANALYSIS_PRICE_CURRENCY },
    seconds: Math.ceil((calls * 60) / config.ANALYSIS_REQUESTS_PER_MINUTE),
  }
}
