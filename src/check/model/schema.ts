import Type, { type Static } from 'typebox'
import { nullableMoneySchema } from '../schemas.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { pageParameters, createPageResponse } from '../../platform/http/paging.ts'
import { QueuePauseSchema } from '../../platform/queue/schema.ts'
import * as field from '../../platform/http/field.ts'

const ownerAccess = { tag: 'Call check', access: 'owner' } as const

export const ModelRequestSchema = field.namedObject(
  'ModelRequest',
  'A request to the external model. Its text is not stored.',
  {
    id: field.id('The request.'),
    at: field.time('When it was recorded, before sending.'),
    recordingId: field.idOrNull('The call; it can be deleted.'),
    host: field.text('The address of the model.'),
    model: field.text('The name of the model.'),
    purpose: field.oneOf(
      ['check', 'repair', 'try', 'backtest'],
      'check: of a call; repair: once more for answers that the transcript did not bear out; try and backtest: of a draft.',
    ),
    attempt: field.integer('Above 1, it repeats the request of an earlier attempt of the same check.'),
    bytes: field.integer('The size of the request.'),
    bodySha256: field.text('The SHA-256 of the request.'),
    redactions: field.integer('The number of masked numbers and names.'),
    state: field.oneOf(
      ['sent', 'answered', 'failed'],
      'sent: the answer is not there yet, or the process died before it came.',
    ),
    statusCode: field.integerOrNull('The status of the response.'),
    error: field.textOrNull('Why it failed.'),
    inputTokens: field.integerOrNull('Input tokens, as counted by the model.'),
    outputTokens: field.integerOrNull('Output tokens.'),
    reasoningTokens: field.integerOrNull('Of these, tokens for reasoning.'),
    cost: nullableMoneySchema('The cost, if prices are set.'),
    durationMs: field.integerOrNull('Its duration.'),
  },
)
export type ModelRequestJson = Static<typeof ModelRequestSchema>

export const AnalysisProviderSchema = field.namedObject('AnalysisProvider', 'The provider of verdicts. No secrets.', {
  provider: field.oneOf(['rules', 'llm-compatible', 'mock', 'none'], 'ANALYSIS_PROVIDER.'),
  external: field.boolean('Whether texts of calls leave this server.'),
  host: field.textOrNull('The address of the model.'),
  model: field.textOrNull('The model.'),
  responseFormat: field.nullable(Type.Enum(['json_object', 'json_schema']), 'The format of its answers.'),
  concurrency: field.integer('Parallel checks in each process.'),
  requestsPerMinute: field.integer('The limit for all processes together.'),
  timeoutSeconds: field.integer('The time limit of an answer.'),
  prices: field.nullable(
    field.object({
      inputPerMillion: field.number('The price of a million input tokens.'),
      outputPerMillion: field.number('The price of a million output tokens.'),
      currency: field.text('The currency.'),
    }),
    'The prices of tokens.',
  ),
  state: field.oneOf(['on', 'off', 'paused'], 'Whether calls are checked.'),
  reason: field.textOrNull('Why the service paused the queue of checks.'),
  pause: field.nullable(QueuePauseSchema, 'The pause of the queue of checks, by the service or a person.'),
  warning: field.textOrNull('A deviation from the configuration.'),
})
export type AnalysisProviderJson = Static<typeof AnalysisProviderSchema>

export const readAnalysisProviderOperation = {
  ...ownerAccess,
  id: 'readAnalysisProvider',
  method: 'get',
  path: '/v1/analysis/provider',
  summary: 'The provider of verdicts, and whether it is ready',
  responses: {
    200: {
      description: 'The provider.',
      json: AnalysisProviderSchema,
      example: {
        provider: 'rules',
        external: false,
        host: null,
        model: null,
        responseFormat: null,
        concurrency: 2,
        requestsPerMinute: 60,
        timeoutSeconds: 180,
        prices: null,
        state: 'on',
        reason: null,
        pause: null,
        warning: null,
      },
    },
  },
} as const satisfies Operation

const exampleModelRequest: ModelRequestJson = {
  id: '01890a5d-ac96-774b-bcce-b302099a8070',
  at: '2026-03-01T07:01:00.000Z',
  recordingId: '01890a5d-ac96-774b-bcce-b302099a8057',
  host: 'models.example.com',
  model: 'qwen3-32b',
  purpose: 'check',
  attempt: 1,
  bytes: 5120,
  bodySha256: '7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069',
  redactions: 1,
  state: 'answered',
  statusCode: 200,
  error: null,
  inputTokens: 2620,
  outputTokens: 700,
  reasoningTokens: null,
  cost: { amount: 0.0016, currency: 'BYN' },
  durationMs: 4200,
}

export const listModelRequestsOperation = {
  ...ownerAccess,
  id: 'listModelRequests',
  method: 'get',
  path: '/v1/model-requests',
  audit: 'model.requests',
  summary: 'Requests sent to the external model, newest first',
  description: 'Each request is recorded before it is sent. The record outlives its call, and contains no text.',
  query: field.object({
    ...pageParameters,
    recordingId: Type.Optional(field.id('Only those of this call.')),
    from: Type.Optional(field.dayOrTime('From then on.')),
    to: Type.Optional(field.dayOrTime('Before then.')),
  }),
  responses: {
    200: createPageResponse(ModelRequestSchema, 'A page of requests.', exampleModelRequest),
  },
} as const satisfies Operation
