import type { Core } from '../../platform/core.ts'
import type { Message as Reason } from '../../platform/lib/messages.ts'
import { openOutboundRequest, OutboundError, type OutboundResponse } from '../../platform/outbound/client.ts'
import { SpacedRateLimiter } from '../../platform/outbound/spaced-rate-limiter.ts'
import { sha256 } from '../../platform/lib/crypto.ts'
import { parseJson } from '../../platform/lib/json.ts'
import { readText } from '../../platform/lib/read-text.ts'
import { JobFailedError } from '../../platform/queue/queue.ts'
import { buildModelAnswersSchema } from './answers.ts'
import { withModelConcurrencyLimit } from './concurrency.ts'
import { recordModelResponse, insertModelRequest, type OutgoingModelRequest, type ModelTokenUsage } from './ledger.ts'
import { modelMessages } from './messages.ts'
import type { ModelPromptMessage } from './prompt.ts'
import { findCachedModelReply } from './reply-cache.ts'
import { ModelUnavailableError, liftModelPause, pauseModelQueue, storeModelWarning } from './model-pause.ts'

/** A reply of the model. `content` is empty if the response was unusable. */
export interface ModelReply {
  content: string
  /** True if the token limit truncated the reply. */
  isCut: boolean
  tokens: ModelTokenUsage
}

/** A request to the model. `ids` has the keys of the rules that the model must answer. */
export interface ModelRequest extends Omit<OutgoingModelRequest, 'body' | 'bodySha256'> {
  messages: ModelPromptMessage[]
  ids: string[]
  maxTokens: number
  signal: AbortSignal
}

/** The model failed, but another attempt can succeed. `afterSeconds` is the pause that the model requested, if any. */
export class RetryableModelError extends JobFailedError {
  readonly afterSeconds: number | undefined
  constructor(reason: Reason, afterSeconds?: number) {
    super(reason)
    this.afterSeconds = afterSeconds
  }
}

const MAX_RESPONSE_BYTES = 1024 * 1024

/** Longer pauses are shortened to this one. */
const MAX_PAUSE_SECONDS = 3600

/** These models rejected ANALYSIS_EXTRA_BODY. The set lives as long as the process. */
const modelsRejectingExtraBody = new Set<string>()

const rateLimiters = new WeakMap<Core, SpacedRateLimiter>()

/** The pause after a 429 without a requested pause. */
const DEFAULT_PAUSE_SECONDS = 30

/**
 * Sends a request to the model, or reuses the response that an earlier attempt stored. The ledger records each request before
 * it is sent.
 * @throws RetryableModelError if another attempt can succeed, JobNotReadyError if all requests pause, else JobFailedError
 */
export async function fetchModelReply(core: Core, request: ModelRequest): Promise<ModelReply> {
  const { ANALYSIS_MODEL: model, ANALYSIS_EXTRA_BODY: extra } = core.config
  const sendsExtraBody = Object.keys(extra).length > 0 && !modelsRejectingExtraBody.has(model!)
  const firstResponse = await fetchCachedOrSend(core, request, sendsExtraBody ? extra : {})
  if (firstResponse.statusCode !== 400 || !sendsExtraBody || !hasExtraFieldName(firstResponse.text, extra))
    return interpretResponse(core, firstResponse)
  modelsRejectingExtraBody.add(model!)
  await storeModelWarning(core, modelMessages.extraRefused({ names: Object.keys(extra).join(', ') }))
  return interpretResponse(core, await fetchCachedOrSend(core, request, {}))
}

const hasExtraFieldName = (text: string, extra: object): boolean =>
  Object.entries(extra).some(([name, value]) =>
    [name, ...Object.keys(typeof value === 'object' && value !== null ? value : {})].some((word) =>
      text.includes(word),
    ),
  )

interface ModelResponse {
  statusCode: number
  headers: OutboundResponse['headers']
  text: string
  tokens: ModelTokenUsage | null
}

async function fetchCachedOrSend(core: Core, request: ModelRequest, extra: object): Promise<ModelResponse> {
  const body = buildRequestBody(core, request, extra)
  const bodySha256 = sha256(body).toString('hex')
  const cached = await findCachedModelReply(core, { ...request, bodySha256 })
  if (cached !== undefined) return { statusCode: 200, headers: {}, text: cached, tokens: parseTokens(cached) }
  return withModelConcurrencyLimit(core, request.signal, () => sendRequest(core, request, body, bodySha256))
}

/** Waits for the rate limit, sends the request and records the result in the ledger. */
async function sendRequest(
  core: Core,
  request: ModelRequest,
  body: string,
  bodySha256: string,
): Promise<ModelResponse> {
  const { config } = core
  await waitForRateLimit(core, request.signal)
  const entry = await insertModelRequest(core, { ...request, body, bodySha256 })
  const startedAt = performance.now()
  const recordResult = (
    statusCode: number | null,
    error: string | null,
    tokens: ModelTokenUsage | null,
    response?: string,
  ) =>
    recordModelResponse(core, entry.id, {
      statusCode,
      error,
      tokens,
      durationMs: Math.round(performance.now() - startedAt),
      answer: response,
    })
  const limitMs = config.ANALYSIS_REQUEST_TIMEOUT_SECONDS * 1000
  let statusCode: number | null = null
  try {
    const response = await openOutboundRequest({
      method: 'POST',
      url: `${config.ANALYSIS_BASE_URL!.replace(/\/+$/, '')}/chat/completions`,
      headers: {
        'Content-Type': 'application/json',
        ...(config.ANALYSIS_API_KEY && { Authorization: `Bearer ${config.ANALYSIS_API_KEY}` }),
      },
      body,
      allowPrivate: config.ALLOW_PRIVATE_NETWORK_DOWNLOADS,
      limits: { headMs: limitMs, silenceMs: limitMs, totalMs: limitMs, maxBytes: MAX_RESPONSE_BYTES },
      signal: request.signal,
    })
    statusCode = response.statusCode
    // Pause all processes after one 429, so that the others do not get one too.
    if (statusCode === 429)
      await getRateLimiter(core).extendPause(parseRateLimitPauseSeconds(response.headers) ?? DEFAULT_PAUSE_SECONDS)
    const text = await readResponseText(response)
    const tokens = parseTokens(text)
    if (statusCode < 300) {
      await recordResult(statusCode, null, tokens, text)
      await liftModelPause(core, entry.at)
    } else await recordResult(statusCode, `HTTP ${statusCode}`, tokens)
    return { statusCode, headers: response.headers, text, tokens }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    // Cache the oversized response as an empty reply, because a retry would be paid again.
    const isTooLarge = error.failure.kind === 'tooLarge'
    await recordResult(statusCode, error.message, null, isTooLarge ? '' : undefined)
    if (isTooLarge) return { statusCode: 200, headers: {}, text: '', tokens: null }
    if (error.failure.kind === 'aborted') throw error
    if (error.verdict === 'permanent')
      throw await pauseModelQueue(
        core,
        modelMessages.address({ rule: 'rule' in error.failure ? error.failure.rule : error.message }),
      )
    throw new RetryableModelError(modelMessages.noAnswer({ reason: error.message }))
  }
}

/** @throws ModelUnavailableError if the model requested a pause */
async function waitForRateLimit(core: Core, signal: AbortSignal): Promise<void> {
  const pauseSeconds = await getRateLimiter(core).waitForSlot(signal)
  if (pauseSeconds > 0)
    throw new ModelUnavailableError(modelMessages.resting({ seconds: Math.ceil(pauseSeconds) }), pauseSeconds)
}

function buildRequestBody({ config }: Core, { messages, ids, maxTokens }: ModelRequest, extra: object): string {
  const schema = {
    type: 'json_schema',
    json_schema: { name: 'answers', strict: true, schema: buildModelAnswersSchema(ids) },
  }
  return JSON.stringify({
    model: config.ANALYSIS_MODEL,
    messages,
    temperature: 0,
    max_tokens: maxTokens,
    response_format: config.ANALYSIS_RESPONSE_FORMAT === 'json_schema' ? schema : { type: 'json_object' },
    ...extra,
  })
}

function getRateLimiter(core: Core): SpacedRateLimiter {
  let rateLimiter = rateLimiters.get(core)
  if (!rateLimiter) {
    const { QUEUE_PREFIX: prefix, ANALYSIS_REQUESTS_PER_MINUTE: perMinute } = core.config
    rateLimiters.set(core, (rateLimiter = new SpacedRateLimiter(core.redis, `${prefix}:model-rate`, perMinute)))
  }
  return rateLimiter
}

async function readResponseText({ body, close }: OutboundResponse): Promise<string> {
  try {
    return await readText(body, MAX_RESPONSE_BYTES)
  } finally {
    await close()
  }
}

/** @throws RetryableModelError, JobNotReadyError, JobFailedError for a status that rejects the request */
async function interpretResponse(
  core: Core,
  { statusCode, headers, text, tokens }: ModelResponse,
): Promise<ModelReply> {
  const knownTokens = tokens ?? { input: 0, output: 0, reasoning: null }
  if (statusCode >= 200 && statusCode < 300) return { ...parseContent(text), tokens: knownTokens }
  if ([401, 403, 404].includes(statusCode)) throw await pauseModelQueue(core, REJECTION_MESSAGES[statusCode]!)
  if (statusCode === 408 || statusCode === 429 || statusCode >= 500) {
    throw new RetryableModelError(modelMessages.answered({ status: statusCode }), parseRateLimitPauseSeconds(headers))
  }
  throw new JobFailedError(modelMessages.refused({ status: statusCode }), true)
}

const REJECTION_MESSAGES: Record<number, ReturnType<typeof modelMessages.key>> = {
  401: modelMessages.key(),
  403: modelMessages.access(),
  404: modelMessages.notThere(),
}

function parseContent(text: string): Pick<ModelReply, 'content' | 'isCut'> {
  const choice = (tryParseJson(text) as { choices?: { message?: { content?: unknown }; finish_reason?: unknown }[] })
    ?.choices?.[0]
  const content = choice?.message?.content
  return { content: typeof content === 'string' ? content : '', isCut: choice?.finish_reason === 'length' }
}

function parseTokens(text: string): ModelTokenUsage | null {
  const usage = (tryParseJson(text) as { usage?: Record<string, unknown> } | undefined)?.usage
  const [input, output] = [parseCount(usage?.prompt_tokens), parseCount(usage?.completion_tokens)]
  if (input === null || output === null) return null
  const details = usage?.completion_tokens_details as Record<string, unknown> | undefined
  return { input, output, reasoning: parseCount(details?.reasoning_tokens) }
}

const parseCount = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 1e9 ? (value as number) : null

function tryParseJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/**
 * Parses the pause that a server requests, from Retry-After or else the longest of its rate limits.
 * @returns seconds from 0 to 3600; undefined without such a header
 */
export function parseRateLimitPauseSeconds(headers: OutboundResponse['headers'], now = Date.now()): number | undefined {
  const text = (name: string) => [headers[name]].flat()[0]
  const retryAfter = text('retry-after')
  const requestedSeconds =
    retryAfter === undefined
      ? undefined
      : /^\d+(\.\d+)?$/.test(retryAfter)
        ? Number(retryAfter)
        : (Date.parse(retryAfter) - now) / 1000
  const resetSeconds = ['x-ratelimit-reset-requests', 'x-ratelimit-reset-tokens'].flatMap(
    (name) => parseDurationSeconds(text(name)) ?? [],
  )
  const seconds =
    requestedSeconds !== undefined && Number.isFinite(requestedSeconds)
      ? requestedSeconds
      : resetSeconds.length > 0
        ? Math.max(...resetSeconds)
        : undefined
  return seconds === undefined ? undefined : Math.min(MAX_PAUSE_SECONDS, Math.max(0, seconds))
}

/** Parses durations such as 1m30s, 20ms or, in seconds, 6.2. @returns seconds */
function parseDurationSeconds(text: string | undefined): number | undefined {
  if (text === undefined || text.length > 40) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)]
  const units: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600 }
  return parts.length > 0 ? parts.reduce((sum, [, count, unit]) => sum + Number(count) * units[unit!]!, 0) : undefined
}
