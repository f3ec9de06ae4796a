import Type, { type Static } from 'typebox'
import { nullableMoneySchema } from '../schemas.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { pageParameters, createPageResponse } from '../../platform/http/paging.ts'
import { QueuePauseSchema } from '../../platform/queue/schema.ts'
import * as field from '../../platform/http/field.ts'

const ownerAccess = { tag: 'Call check', access: 'owner' } as const

const ModelRequestSchema = field.namedObject(
  'ModelRequest',
  'A request to the external model. Its text is not stored.',
  {
    id: field.id('The request.'),
    at: field.time('When the request was recorded, directly before it was sent.'),
    recordingId: field.idOrNull('The call, which can have been deleted; null if there is none.'),
    host: field.text('The host of the model API.'),
    model: field.text('The name of the model.'),
    purpose: field.oneOf(
      ['check', 'repair', 'try', 'backtest'],
      'check: a check of a call. repair: a second request in a check, for answers that the transcript does not ' +
        'support. try: the trial of a draft. backtest: a backtest of a draft.',
    ),
    attempt: field.integer(
      'The number of the attempt of the check, from 1. Above 1, the request repeats one of an earlier attempt.',
    ),
    bytes: field.integer('The size of the request body in bytes.'),
    bodySha256: field.text('The SHA-256 of the request body, in hexadecimal.'),
    redactions: field.integer('The number of masked numbers and names.'),
    state: field.oneOf(
      ['sent', 'answered', 'failed'],
      'sent: the request has no response yet, or the process stopped before the response arrived. answered: the ' +
        'model responded. failed: `error` has the reason.',
    ),
    statusCode: field.integerOrNull('The HTTP status of the response; null without one.'),
    error: field.textOrNull('Why the request failed; null if it did not.'),
    inputTokens: field.integerOrNull('Input tokens, as reported by the model; null if unknown.'),
    outputTokens: field.integerOrNull('Output tokens, as reported by the model; null if unknown.'),
    reasoningTokens: field.integerOrNull('Of the output tokens, those for reasoning; null if unknown.'),
    cost: nullableMoneySchema('The cost; null if prices are not set or the tokens are unknown.'),
    durationMs: field.integerOrNull('The duration in milliseconds; null without an outcome.'),
  },
)
export type ModelRequestJson = Static<typeof ModelRequestSchema>

const AnalysisProviderSchema = field.namedObject('AnalysisProvider', 'The provider of verdicts, without secrets.', {
  provider: field.oneOf(['rules', 'llm-compatible', 'mock', 'none'], 'The value of ANALYSIS_PROVIDER.'),
  external: field.boolean('Whether texts of calls leave this server.'),
  host: field.textOrNull('The host of the model API; null without an external model.'),
  model: field.textOrNull('The name of the model; null without an external model.'),
  responseFormat: field.nullable(
    Type.Enum(['json_object', 'json_schema']),
    'The format of the model’s answers; null without an external model.',
  ),
  concurrency: field.integer('Parallel checks in each process.'),
  requestsPerMinute: field.integer('The limit of requests per minute for all processes together.'),
  timeoutSeconds: field.integer('The time limit of a request, in seconds.'),
  prices: field.nullable(
    field.object({
      inputPerMillion: field.number('The price of a million input tokens.'),
      outputPerMillion: field.number('The price of a million output tokens.'),
      currency: field.text('The currency.'),
    }),
    'The prices of tokens; null if they are not set.',
  ),
  state: field.oneOf(
    ['on', 'off', 'paused'],
    'on: calls are checked. off: ANALYSIS_PROVIDER is none. paused: the queue of checks is paused.',
  ),
  reason: field.textOrNull('Why the service paused the queue of checks; null if it did not.'),
  pause: field.nullable(
    QueuePauseSchema,
    'The pause of the queue of checks, by the service or a person; null if the queue is not paused.',
  ),
  warning: field.textOrNull('How the model differs from the configuration; null if it does not.'),
})
export type AnalysisProviderJson = Static<typeof AnalysisProviderSchema>

export const readAnalysisProviderOperation = {
  ...ownerAccess,
  id: 'readAnalysisProvider',
  method: 'get',
  path: '/v1/analysis/provider',
  summary: 'The provider of verdicts and its state',
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
  description:
    'Each request is recorded before it is sent. Deleting a call does not delete the records of its requests. ' +
    'Records contain no text.',
  query: field.object({
    ...pageParameters,
    recordingId: Type.Optional(field.id('Only requests about this call.')),
    from: Type.Optional(field.dayOrTime('Only requests at this time or later.')),
    to: Type.Optional(field.dayOrTime('Only requests before this time.')),
  }),
  responses: {
    200: createPageResponse(ModelRequestSchema, 'A page of requests.', exampleModelRequest),
  },
} as const satisfies Operation
