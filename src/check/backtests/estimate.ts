import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequestError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { parseDayOrTime, parsePeriodEnd } from '../../platform/lib/time.ts'
import { SqlParameters, toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { calculateTokenCost } from '../model/ledger.ts'
import { modelQuestionOf } from '../model/prompt.ts'
import type { Rule } from '../rules/types.ts'
import { backtestMessages } from './messages.ts'
import type { CheckEstimateJson } from './schema.ts'

/** The period of calls that a request selects. Each value is a day or a time, as in the API. */
export interface CallPeriod {
  from: string
  to: string
}

const DEFAULT_PERIOD_MS = 30 * 24 * 3600_000

/**
 * Parses the period of a request in APP_TIMEZONE. The default is the 30 days before `to`, and `to` defaults to now.
 * @throws HttpError 400 if the start is not before the end
 */
export function parseCallPeriod({ config }: Core, period: Partial<CallPeriod>): { from: Date; to: Date } {
  const zone = config.APP_TIMEZONE
  const to = period.to === undefined ? new Date() : parsePeriodEnd(period.to, zone)!
  const from =
    period.from === undefined ? new Date(to.getTime() - DEFAULT_PERIOD_MS) : parseDayOrTime(period.from, zone)!
  if (from >= to) throw badRequestError([backtestMessages.backwards().withField('to')])
  return { from, to }
}

/** Builds SQL conditions for the transcribed calls of a period that the actor can see. The query must alias recordings as r. */
export const callPeriodConditions = (actor: Actor, { from, to }: { from: Date; to: Date }): SqlConditions => [
  ...toConditions([`r.status = ?`, 'DONE'], ['r.call_at >= ?::timestamptz', from], ['r.call_at < ?::timestamptz', to]),
  ...visibleRecordingsCondition(actor),
]

export const TRANSCRIPT_EXISTS_CONDITION = {
  sql: 'EXISTS (SELECT FROM transcripts t WHERE t.recording_id = r.id)',
  values: [],
}

/** Estimates the words of transcripts t from their characters: 6.2 characters per word, with the space. */
export const WORD_COUNT_SQL = 'coalesce(sum(length(t.text)) / 6.2, 0)::int AS words'

/**
 * Counts the matching calls that have a transcript and estimates their words.
 * @param conditions on recordings r
 */
export async function countCallsAndWords(
  sql: Sql,
  conditions: SqlConditions,
): Promise<{ calls: number; words: number }> {
  const p = new SqlParameters()
  const { rows } = await sql.query<{ calls: number; words: number }>({
    text: `SELECT count(*)::int AS calls, ${WORD_COUNT_SQL}
             FROM recordings r JOIN transcripts t ON t.recording_id = r.id WHERE ${p.and(conditions)}`,
    values: p.values,
  })
  return rows[0]!
}

/** Measured tokens: per Russian word of a marked line, per criterion, and per answer. */
const TOKENS_PER_WORD = 2.18
const TOKENS_PER_CRITERION = 130
const TOKENS_PER_ANSWER = 54
/** Measured seconds to check a typical call by rules, including database reads and writes. */
const SECONDS_PER_CALL = 0.03

/** Estimates duration, tokens and cost of checking calls by rule sets. A model gets one request per call and rule set. */
export function estimateCheckCost(
  config: Config,
  { calls, words }: { calls: number; words: number },
  sets: readonly Rule[][],
): CheckEstimateJson {
  if (config.ANALYSIS_PROVIDER !== 'llm-compatible') {
    const seconds = Math.ceil(calls * SECONDS_PER_CALL)
    return { calls, words, inputTokens: null, outputTokens: null, cost: null, seconds }
  }
  const criteriaPerSet = sets.map((rules) => rules.filter(modelQuestionOf).length).filter((count) => count > 0)
  const criteria = criteriaPerSet.reduce((sum, count) => sum + count, 0)
  const inputTokens = Math.round(
    criteriaPerSet.length * words * TOKENS_PER_WORD + calls * criteria * TOKENS_PER_CRITERION,
  )
  const outputTokens = Math.round(calls * criteria * TOKENS_PER_ANSWER)
  const amount = calculateTokenCost(config, { input: inputTokens, output: outputTokens })
  return {
    calls,
    words,
    inputTokens,
    outputTokens,
    cost: amount === null ? null : { amount, currency: config.ANALYSIS_PRICE_CURRENCY },
    seconds: Math.ceil((criteriaPerSet.length * calls * 60) / config.ANALYSIS_REQUESTS_PER_MINUTE),
  }
}
