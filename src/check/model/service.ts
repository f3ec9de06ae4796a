import type { Core } from '../../platform/core.ts'
import { listPage, type PageRequest } from '../../platform/db/page.ts'
import { parseDayOrTime } from '../../platform/lib/time.ts'
import { SqlParameters, toConditions } from '../../platform/lib/sql-conditions.ts'
import { presentQueuePause, loadQueuePauses } from '../../platform/queue/pauses.ts'
import type { ModelRequestJson, AnalysisProviderJson } from './schema.ts'
import { loadModelWarning } from './model-pause.ts'

/** Loads the provider of verdicts with its pause, warning and prices. The result has no secrets. */
export async function loadAnalysisProvider(core: Core): Promise<AnalysisProviderJson> {
  const { config } = core
  const external = config.ANALYSIS_PROVIDER === 'llm-compatible'
  const [pauses, warning] = await Promise.all([loadQueuePauses(core), loadModelWarning(core)])
  const pause = presentQueuePause(pauses.get('analysis'))
  const [input, output] = [config.ANALYSIS_PRICE_INPUT_PER_MILLION, config.ANALYSIS_PRICE_OUTPUT_PER_MILLION]
  return {
    provider: config.ANALYSIS_PROVIDER,
    external,
    host: external ? new URL(config.ANALYSIS_BASE_URL!).host : null,
    model: external ? config.ANALYSIS_MODEL! : null,
    responseFormat: external ? config.ANALYSIS_RESPONSE_FORMAT : null,
    concurrency: config.ANALYSIS_CONCURRENCY,
    requestsPerMinute: config.ANALYSIS_REQUESTS_PER_MINUTE,
    timeoutSeconds: config.ANALYSIS_REQUEST_TIMEOUT_SECONDS,
    prices:
      input === undefined || output === undefined
        ? null
        : { inputPerMillion: input, outputPerMillion: output, currency: config.ANALYSIS_PRICE_CURRENCY },
    state: config.ANALYSIS_PROVIDER === 'none' ? 'off' : pause ? 'paused' : 'on',
    reason: pause?.reason ?? null,
    pause,
    warning: external ? warning : null,
  }
}

interface ModelRequestQuery extends PageRequest {
  recordingId?: string
  from?: string
  to?: string
}

type ModelRequestRow = Omit<ModelRequestJson, 'at' | 'cost'> & {
  at: Date
  amount: number | null
  currency: string | null
}

/**
 * Lists the requests to the model in the ledger, newest first.
 * @param from time or day in APP_TIMEZONE, like `to`
 */
export async function listModelRequests({ config, pool }: Core, { recordingId, from, to, ...page }: ModelRequestQuery) {
  const parseTime = (text?: string) => text && parseDayOrTime(text, config.APP_TIMEZONE)
  const p = new SqlParameters()
  const conditions = toConditions(
    ['recording_id = ?::uuid', recordingId],
    ['at >= ?::timestamptz', parseTime(from)],
    ['at < ?::timestamptz', parseTime(to)],
  )
  const list = {
    select: `id, at, recording_id AS "recordingId", host, model, purpose, attempt, bytes, body_sha256 AS "bodySha256",
             redactions, state, status_code AS "statusCode", error, input_tokens AS "inputTokens",
             output_tokens AS "outputTokens", reasoning_tokens AS "reasoningTokens", cost AS amount, currency,
             duration_ms AS "durationMs"`,
    from: `model_requests WHERE ${p.and(conditions)}`,
    order: 'at DESC, id DESC',
    values: p.values,
  }
  const result = await listPage<ModelRequestRow>(pool, list, page)
  const items = result.items.map(({ at, amount, currency, ...row }): ModelRequestJson => {
    const cost = amount === null || currency === null ? null : { amount, currency }
    return { ...row, at: at.toISOString(), cost }
  })
  return { ...result, items }
}
