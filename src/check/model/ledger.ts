import type { Core } from '../../platform/core.ts'
import { retryWhileDatabaseDown } from '../../platform/db/db.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { JobClaimLostError } from '../../platform/queue/queue.ts'

/** Tokens that the model reports for a request. `reasoning` is null if it reports none. */
export interface ModelTokenUsage {
  input: number
  output: number
  reasoning: number | null
}

/** A request that the ledger records before it is sent. Of the body, the ledger stores only the size and the hash. */
export interface OutgoingModelRequest {
  recordingId: string
  analysisId: string | null
  /** The attempt token of the check; null without a claim, as in the trial of a draft. */
  token: string | null
  purpose: 'check' | 'repair' | 'try' | 'backtest'
  /** The attempt of the job, from 1. Later attempts repeat requests of earlier ones. */
  attempt: number
  body: string
  bodySha256: string
  redactions: number
}

interface RequestOutcome {
  statusCode: number | null
  error: string | null
  tokens: ModelTokenUsage | null
  durationMs: number
  /** The response body, stored until the check has ended. */
  answer?: string
}

/**
 * Inserts a request before it is sent. A check can insert only while its claim is valid.
 * @returns the id and the time of the database
 * @throws JobClaimLostError
 */
export async function insertModelRequest(
  { config, pool }: Core,
  request: OutgoingModelRequest,
): Promise<{ id: string; at: Date }> {
  const id = generateId()
  const { recordingId, analysisId, token, purpose, attempt, body, bodySha256, redactions } = request
  const { rows } = await pool.query<{ id: string; at: Date }>({
    text: `WITH claim AS (
             SELECT FROM analyses WHERE id = $3 AND attempt_token = $11 AND status = 'PROCESSING' FOR SHARE)
           INSERT INTO model_requests (id, recording_id, analysis_id, host, model, purpose, attempt, bytes, body_sha256, redactions)
           SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 WHERE $3::uuid IS NULL OR EXISTS (SELECT FROM claim)
           RETURNING id, at`,
    values: [
      id,
      recordingId,
      analysisId,
      new URL(config.ANALYSIS_BASE_URL!).host,
      config.ANALYSIS_MODEL,
      purpose,
      attempt,
      Buffer.byteLength(body),
      bodySha256,
      redactions,
      token,
    ],
  })
  if (!rows[0]) throw new JobClaimLostError()
  return rows[0]
}

/**
 * Stores the outcome of a request, and the response while its check is queued or running.
 * If a process dies before, the state of its request remains `sent`.
 */
export async function recordModelResponse(
  { config, pool }: Core,
  id: string,
  { statusCode, error, tokens, durationMs, answer }: RequestOutcome,
): Promise<void> {
  const cost = tokens && calculateTokenCost(config, tokens)
  await retryWhileDatabaseDown(() =>
    pool.query({
      text: `WITH ended AS (
               UPDATE model_requests SET state = $2, status_code = $3, error = $4, input_tokens = $5, output_tokens = $6,
                      reasoning_tokens = $7, cost = $8, currency = $9, duration_ms = $10 WHERE id = $1
               RETURNING analysis_id, body_sha256)
             INSERT INTO model_replies (analysis_id, body_sha256, answer)
             SELECT a.id, e.body_sha256, $11::text FROM ended e JOIN analyses a ON a.id = e.analysis_id
              WHERE $11::text IS NOT NULL AND a.status IN ('QUEUED', 'PROCESSING') FOR SHARE OF a ON CONFLICT DO NOTHING`,
      values: [
        id,
        error === null ? 'answered' : 'failed',
        statusCode,
        error,
        tokens?.input,
        tokens?.output,
        tokens?.reasoning,
        cost,
        cost === null ? null : config.ANALYSIS_PRICE_CURRENCY,
        durationMs,
        answer?.replaceAll('\0', ''),
      ],
    }),
  )
}

/** Returns the cost in ANALYSIS_PRICE_CURRENCY, or null if no prices are set. */
export function calculateTokenCost(
  config: Core['config'],
  tokens: Pick<ModelTokenUsage, 'input' | 'output'>,
): number | null {
  const { ANALYSIS_PRICE_INPUT_PER_MILLION: input, ANALYSIS_PRICE_OUTPUT_PER_MILLION: output } = config
  if (input === undefined || output === undefined) return null
  return (tokens.input * input + tokens.output * output) / 1_000_000
}
