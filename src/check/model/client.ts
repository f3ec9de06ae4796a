import type { Core } from '../../platform/core.ts'
import type { Message as Reason } from '../../platform/lib/messages.ts'
import { openRequest, OutboundFailed, type OutboundAnswer } from '../../platform/outbound/client.ts'
import { SpacedRate } from '../../platform/outbound/spaced-rate.ts'
import { sha256 } from '../../platform/lib/crypto.ts'
import { parseJson } from '../../platform/lib/json.ts'
import { readText } from '../../platform/lib/read-text.ts'
import { JobFailed } from '../../platform/queue/queue.ts'
import { answersSchema } from './answers.ts'
import { withConcurrencyLimit } from './concurrency.ts'
import { recordAnswer, noteLeaving, type Leaving, type Tokens } from './ledger.ts'
import { modelMessages } from './messages.ts'
import type { Message } from './prompt.ts'
import { findCachedReply } from './reply-cache.ts'
import { ModelAway, noteAnswered, pauseFor, warn } from './state.ts'

export interface Reply {
  content: string
  /** The limit of tokens cut it off. */
  isCut: boolean
  tokens: Tokens
}

export interface Question extends Omit<Leaving, 'body' | 'bodySha256'> {
  messages: Message[]
  ids: string[]
  maxTokens: number
  signal: AbortSignal
}

/** Another attempt can succeed, after this pause at the earliest. */
export class TryLater extends JobFailed {
  readonly afterSeconds: number | undefined
  constructor(reason: Reason, afterSeconds?: number) {
    super(reason)
    this.afterSeconds = afterSeconds
  }
}

/** A larger response is rejected. */
const MAX_BYTES = 1024 * 1024

/** Longer pauses from a server are ignored. */
const LONGEST_PAUSE_SECONDS = 3600

/** Models that reject the extra body, until this process ends. */
const refusesExtra = new Set<string>()

const rates = new WeakMap<Core, SpacedRate>()

/** The pause after a 429 that names none. */
const BUSY_SECONDS = 30

/**
 * Asks the model once; the ledger records each request before it is sent. An unusable response counts as an empty one. Reuses
 * the response of an earlier attempt.
 * @throws TryLater if another attempt can help, NotReady if the queue was paused
 */
export async function askModel(core: Core, question: Question): Promise<Reply> {
  const { ANALYSIS_MODEL: model, ANALYSIS_EXTRA_BODY: extra } = core.config
  const withExtra = Object.keys(extra).length > 0 && !refusesExtra.has(model!)
  const first = await send(core, question, withExtra ? extra : {})
  if (first.statusCode !== 400 || !withExtra || !namesOneOf(first.text, extra)) return replyOf(core, first)
  refusesExtra.add(model!)
  await warn(core, modelMessages.extraRefused({ names: Object.keys(extra).join(', ') }))
  return replyOf(core, await send(core, question, {}))
}

const namesOneOf = (text: string, extra: object): boolean =>
  Object.entries(extra).some(([name, value]) =>
    [name, ...Object.keys(typeof value === 'object' && value !== null ? value : {})].some((word) =>
      text.includes(word),
    ),
  )

interface Answer {
  statusCode: number
  headers: OutboundAnswer['headers']
  text: string
  tokens: Tokens | null
}

async function send(core: Core, question: Question, extra: object): Promise<Answer> {
  const body = bodyOf(core, question, extra)
  const bodySha256 = sha256(body).toString('hex')
  const cached = await findCachedReply(core, { ...question, bodySha256 })
  if (cached !== undefined) return { statusCode: 200, headers: {}, text: cached, tokens: tokensIn(cached) }
  return withConcurrencyLimit(core, question.signal, () => exchange(core, question, body, bodySha256))
}

/** Sends a request in its turn and reads the response. */
async function exchange(core: Core, question: Question, body: string, bodySha256: string): Promise<Answer> {
  const { config } = core
  await turn(core, question.signal)
  const row = await noteLeaving(core, { ...question, body, bodySha256 })
  const began = performance.now()
  const ended = (statusCode: number | null, error: string | null, tokens: Tokens | null, answer?: string) =>
    recordAnswer(core, row.id, { statusCode, error, tokens, durationMs: Math.round(performance.now() - began), answer })
  const limitMs = config.ANALYSIS_REQUEST_TIMEOUT_SECONDS * 1000
  let statusCode: number | null = null
  try {
    const answer = await openRequest({
      method: 'POST',
      url: `${config.ANALYSIS_BASE_URL!.replace(/\/+$/, '')}/chat/completions`,
      headers: {
        'Content-Type': 'application/json',
        ...(config.ANALYSIS_API_KEY && { Authorization: `Bearer ${config.ANALYSIS_API_KEY}` }),
      },
      body,
      allowPrivate: config.ALLOW_PRIVATE_NETWORK_DOWNLOADS,
      limits: { headMs: limitMs, silenceMs: limitMs, totalMs: limitMs, maxBytes: MAX_BYTES },
      signal: question.signal,
    })
    statusCode = answer.statusCode
    // One 429 pauses all processes, so not each of them runs into it.
    if (statusCode === 429) await rateOf(core).rest(pauseIn(answer.headers) ?? BUSY_SECONDS)
    const text = await textOf(answer)
    const tokens = tokensIn(text)
    if (statusCode < 300) {
      await ended(statusCode, null, tokens, text)
      await noteAnswered(core, row.at)
    } else await ended(statusCode, `HTTP ${statusCode}`, tokens)
    return { statusCode, headers: answer.headers, text, tokens }
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error
    // A too large response is rejected; requesting it again would only cost again.
    const isTooLarge = error.failure.kind === 'tooLarge'
    await ended(statusCode, error.message, null, isTooLarge ? '' : undefined)
    if (isTooLarge) return { statusCode: 200, headers: {}, text: '', tokens: null }
    if (error.failure.kind === 'aborted') throw error
    if (error.verdict === 'permanent')
      throw await pauseFor(
        core,
        modelMessages.address({ rule: 'rule' in error.failure ? error.failure.rule : error.message }),
      )
    throw new TryLater(modelMessages.noAnswer({ reason: error.message }))
  }
}

/** Waits until a request is allowed. @throws ModelAway during a pause set by the model */
async function turn(core: Core, signal: AbortSignal): Promise<void> {
  const restSeconds = await rateOf(core).turn(signal)
  if (restSeconds > 0) throw new ModelAway(modelMessages.resting({ seconds: Math.ceil(restSeconds) }), restSeconds)
}

function bodyOf({ config }: Core, { messages, ids, maxTokens }: Question, extra: object): string {
  const schema = { type: 'json_schema', json_schema: { name: 'answers', strict: true, schema: answersSchema(ids) } }
  return JSON.stringify({
    model: config.ANALYSIS_MODEL,
    messages,
    temperature: 0,
    max_tokens: maxTokens,
    response_format: config.ANALYSIS_RESPONSE_FORMAT === 'json_schema' ? schema : { type: 'json_object' },
    ...extra,
  })
}

function rateOf(core: Core): SpacedRate {
  let rate = rates.get(core)
  if (!rate) {
    const { QUEUE_PREFIX: prefix, ANALYSIS_REQUESTS_PER_MINUTE: perMinute } = core.config
    rates.set(core, (rate = new SpacedRate(core.redis, `${prefix}:model-rate`, perMinute)))
  }
  return rate
}

async function textOf({ body, close }: OutboundAnswer): Promise<string> {
  try {
    return await readText(body, MAX_BYTES)
  } finally {
    await close()
  }
}

/** Converts a response. @throws TryLater, NotReady */
async function replyOf(core: Core, { statusCode, headers, text, tokens }: Answer): Promise<Reply> {
  const known = tokens ?? { input: 0, output: 0, reasoning: null }
  if (statusCode >= 200 && statusCode < 300) return { ...contentIn(text), tokens: known }
  if ([401, 403, 404].includes(statusCode)) throw await pauseFor(core, REFUSALS[statusCode]!)
  if (statusCode === 408 || statusCode === 429 || statusCode >= 500) {
    throw new TryLater(modelMessages.answered({ status: statusCode }), pauseIn(headers))
  }
  throw new JobFailed(modelMessages.refused({ status: statusCode }), true)
}

const REFUSALS: Record<number, ReturnType<typeof modelMessages.key>> = {
  401: modelMessages.key(),
  403: modelMessages.access(),
  404: modelMessages.notThere(),
}

function contentIn(text: string): Pick<Reply, 'content' | 'isCut'> {
  const choice = (parse(text) as { choices?: { message?: { content?: unknown }; finish_reason?: unknown }[] })
    ?.choices?.[0]
  const content = choice?.message?.content
  return { content: typeof content === 'string' ? content : '', isCut: choice?.finish_reason === 'length' }
}

function tokensIn(text: string): Tokens | null {
  const usage = (parse(text) as { usage?: Record<string, unknown> } | undefined)?.usage
  const [input, output] = [countIn(usage?.prompt_tokens), countIn(usage?.completion_tokens)]
  if (input === null || output === null) return null
  const details = usage?.completion_tokens_details as Record<string, unknown> | undefined
  return { input, output, reasoning: countIn(details?.reasoning_tokens) }
}

const countIn = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 1e9 ? (value as number) : null

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** The pause set by a server, in seconds: Retry-After, or the longest of its rate limits. */
export function pauseIn(headers: OutboundAnswer['headers'], now = Date.now()): number | undefined {
  const text = (name: string) => [headers[name]].flat()[0]
  const after = text('retry-after')
  const asked =
    after === undefined ? undefined : /^\d+(\.\d+)?$/.test(after) ? Number(after) : (Date.parse(after) - now) / 1000
  const resets = ['x-ratelimit-reset-requests', 'x-ratelimit-reset-tokens'].flatMap((name) => spanIn(text(name)) ?? [])
  const seconds =
    asked !== undefined && Number.isFinite(asked) ? asked : resets.length > 0 ? Math.max(...resets) : undefined
  return seconds === undefined ? undefined : Math.min(LONGEST_PAUSE_SECONDS, Math.max(0, seconds))
}

/** 1m30s, 20ms, 6.2 */
function spanIn(text: string | undefined): number | undefined {
  if (text === undefined || text.length > 40) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)]
  const units: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600 }
  return parts.length > 0 ? parts.reduce((sum, [, count, unit]) => sum + Number(count) * units[unit!]!, 0) : undefined
}
