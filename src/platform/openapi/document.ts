import {
  OpenApiBuilder,
  type OperationObject,
  type ParameterObject,
  type ReferenceObject,
  type ResponseObject,
  type SchemaObject,
} from 'openapi3-ts/oas31'
import type { TObject, TSchema } from 'typebox'
import { canUseSeeAs, canApiKeyCall, SEE_AS_HEADER } from '../http/access.ts'
import { formatErrorBody, ApiErrorSchema } from '../http/errors.ts'
import type { Operation, ResponseSpec, Webhook } from '../http/operation.ts'

const TAG_DESCRIPTIONS: Record<string, string> = {
  Access: 'Logins of people, and API keys of integrations.',
  Analytics: 'Reports about managers and sales, with their statistical certainty.',
  'Audit log': 'Reads and changes by people and keys.',
  'Call check': 'Verdicts about calls, their reviews, and the rules behind them.',
  CRM: 'The connection to the CRM: its calls, managers and deals.',
  Description: 'This API description.',
  People: 'People, their departments and their rights.',
  Queues: 'Queues of background work and their jobs.',
  Recordings: 'Calls: submit, find, read and manage them.',
  Statistics: 'The load over time.',
  System: 'Health, versions, storage and ingestion.',
  Transcripts: 'Transcripts of calls, one by one or exported.',
  'Working together':
    'Comments on calls, notifications, assignments, saved views, playlists, bulk actions and calibrations. For people only, not for keys.',
}

const INTRODUCTION = `Phone calls go in, transcripts come out.

Send an API key as \`X-API-Key\` or \`Authorization: Bearer\`. All errors have the shape \`{statusCode, message, error}\`. Every
response has \`X-Request-Id\`: the value that the caller sent, if it has at most 128 safe characters, else a generated one.

\`x-access\` lists the callers of an operation. \`public\`: anyone. \`self\`: any person, about themselves. \`owner\`: an owner.
\`ownerOrKey\`: an owner or an API key. \`ownerOrHead\`: an owner, or a head inside their departments. \`scoped\`: keys and
owners see all objects. Other people see objects that their role and rights allow, and get 404 for others. \`x-rights\` lists
additional rights that people other than owners need; keys need none. A key can call operations with \`apiKey\` in their
\`security\`, and gets 403 from others.

Requests that match no operation get errors of the same shape. 400: invalid HTTP, or broken percent-encoding in the path. 404:
an unknown address. 405: another method than those in \`Allow\`. 408: the request did not arrive in time. 414: an address of over
8192 characters. 431: over 32 KB of headers. 501: an unknown HTTP method. Every GET operation also accepts HEAD.

Times in responses are ISO 8601 in UTC, and durations are seconds. Ids are UUIDs, and a path with another id gets 404. Lists with
\`page\` and \`pageSize\` return \`{items, total, page, pageSize}\`; other lists return all their \`items\`. PATCH does not change
omitted fields.

In a 400 about fields, \`message\` is a list with one text per field, which begins with the field. Other errors have one text.
Texts are in English, or in Russian for a person whose \`Accept-Language\` prefers Russian. The API limits the rate of failed logins
only.

A recording with a \`callbackUrl\` gets one callback when it becomes DONE or FAILED; see the webhook \`recordingFinished\`.`

/** Describes errors that many operations share. An operation can describe a status itself. */
const SHARED_ERRORS: Record<number, string> = {
  400: 'A parameter or field is unknown or invalid.',
  401: 'Missing or invalid credentials.',
  403: 'Your role, key or rights do not allow this.',
  404: 'Not found.',
  408: 'The body did not arrive within 30 seconds.',
  413: 'The body is too large.',
  415: 'The media type of the body is not supported, or the body is compressed.',
  500: 'An unexpected error of the service.',
  503: 'The database or the storage does not respond. Retry later.',
  507: 'The storage is full.',
}

type Responses = Record<string, ResponseObject | ReferenceObject>

/** Builds the published OpenAPI 3.1 description from the operations of the router and the requests of the service. */
export function buildOpenApiDocument(operations: Operation[], webhooks: readonly Webhook[]): object {
  const builder = OpenApiBuilder.create()
    .addOpenApiVersion('3.1.0')
    .addInfo({
      title: 'Call transcription service',
      version: SVC_VERSION,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    })
    .addServer({ url: '/' })
    .addSecurityScheme('apiKey', { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' })
    .addSecurityScheme('bearer', { type: 'http', scheme: 'bearer', description: 'An API key.' })
    .addSecurityScheme('session', {
      type: 'apiKey',
      in: 'cookie',
      name: 'svc_session',
      description: 'A person’s login.',
    })
  const publish = createPublisher(builder)
  publish(ApiErrorSchema)
  for (const tag of new Set(operations.map(({ tag }) => tag))) {
    builder.addTag({ name: tag, ...(TAG_DESCRIPTIONS[tag] && { description: TAG_DESCRIPTIONS[tag] }) })
  }
  for (const operation of operations) {
    builder.addPath(operation.path, { [operation.method]: buildOperation(operation, publish) })
  }
  for (const webhook of webhooks) builder.addWebhook(webhook.id, { post: buildWebhook(webhook, publish) })
  const used = new Set(operations.flatMap((operation) => listImpliedErrors(operation)))
  for (const status of used) {
    builder.addResponse(
      formatErrorName(status),
      buildResponse(status, { description: SHARED_ERRORS[status]! }, publish),
    )
  }
  return builder.getSpec()
}

type PublishSchema = (schema: TSchema) => SchemaObject

/**
 * Returns a function that publishes schemas. A schema with a title becomes a component, and the format `line` becomes a pattern.
 * The returned function throws if two schemas share a title.
 */
function createPublisher(builder: OpenApiBuilder): PublishSchema {
  const components = new Map<string, unknown>()
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit)
    if (typeof value !== 'object' || value === null) return value
    const { title, format, ...others } = value as { title?: unknown; format?: unknown }
    // Keep `title` and `format` if they are the schemas of properties with these names.
    const remainingFields = {
      ...others,
      ...(typeof title === 'object' && { title }),
      ...(typeof format === 'object' && { format }),
    }
    if (typeof title === 'string') {
      if (!components.has(title)) {
        components.set(title, value)
        builder.addSchema(
          title,
          visit({ ...remainingFields, ...(typeof format === 'string' && { format }) }) as SchemaObject,
        )
      }
      if (components.get(title) !== value) throw new Error(`two schemas have the title ${title}`)
      return { $ref: `#/components/schemas/${title}` }
    }
    const visited: Record<string, unknown> = Object.fromEntries(
      Object.entries(remainingFields).map(([name, child]) => [name, visit(child)]),
    )
    // Client generators and /docs need the type of an enum.
    const enumValues = visited.enum ?? (visited.const === undefined ? undefined : [visited.const])
    const isText = Array.isArray(enumValues) && enumValues.every((word) => typeof word === 'string')
    if (isText) visited.type ??= 'string'
    if (format === 'line') return { ...visited, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }
    return typeof format === 'string' ? { ...visited, format } : visited
  }
  return (schema) => visit(schema) as SchemaObject
}

function buildOperation(operation: Operation, publish: PublishSchema): OperationObject {
  const { id, tag, summary, description, access, rights } = operation
  const implied: Responses = Object.fromEntries(
    listImpliedErrors(operation).map((status) => [
      status,
      { $ref: `#/components/responses/${formatErrorName(status)}` },
    ]),
  )
  const ownResponses: Responses = Object.fromEntries(
    Object.entries(operation.responses).map(([status, spec]) => [status, buildResponse(Number(status), spec, publish)]),
  )
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    'x-access': access,
    'x-rights': rights ?? [],
    security: buildSecurity(operation),
    parameters: buildParameters(operation, publish),
    ...buildRequestBody(operation, publish),
    responses: { ...implied, ...ownResponses },
  }
}

function buildWebhook(webhook: Webhook, publish: PublishSchema): OperationObject {
  const { id, tag, summary, description, headers, body, example, responses } = webhook
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: [],
    parameters: Object.entries(headers).map(([name, about]) => ({
      name,
      in: 'header',
      schema: { type: 'string' },
      ...about,
    })),
    requestBody: { required: true, content: { 'application/json': { schema: publish(body), example } } },
    responses: Object.fromEntries(Object.entries(responses).map(([status, about]) => [status, { description: about }])),
  }
}

function buildSecurity(operation: Operation): Record<string, string[]>[] {
  if (operation.access === 'public') return []
  const byKey: Record<string, string[]>[] = canApiKeyCall(operation) ? [{ apiKey: [] }, { bearer: [] }] : []
  return [...byKey, { session: [] }]
}

const SEE_AS_PARAMETER: ParameterObject = {
  name: SEE_AS_HEADER,
  in: 'header',
  required: false,
  schema: { type: 'string', format: 'uuid' },
  description:
    'The id of a head or a manager with access. An owner then sees the data that this person sees, without rights ' +
    'to change anything. Only owners can send this header, and only with reads that list it; other requests get ' +
    '403. The audit log records the request under the owner’s name.',
}

function buildParameters(operation: Operation, publish: PublishSchema): ParameterObject[] {
  const { path, params, query } = operation
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]): ParameterObject => {
    const byName: SchemaObject = name === 'id' ? { type: 'string', format: 'uuid' } : { type: 'string' }
    const { description = name === 'id' ? describeId(path) : `The ${name}.`, ...schema } = params?.[name!]
      ? publish(params[name!]!)
      : byName
    return { name: name!, in: 'path', required: true, schema, description }
  })
  const seeAs = canUseSeeAs(operation) ? [SEE_AS_PARAMETER] : []
  return [...inPath, ...buildQueryParameters(query, publish), ...seeAs]
}

const OBJECT_NAMES: Record<string, string> = {
  people: 'person',
  'api-keys': 'API key',
  'analysis-runs': 'recheck',
  loads: 'history load',
}

/** Describes the parameter {id} by the segment before it: “The rule set.” for /v1/rule-sets/{id}. */
function describeId(path: string): string {
  const segments = path.split('/')
  const plural = segments[segments.indexOf('{id}') - 1]!
  return `The ${OBJECT_NAMES[plural] ?? plural.replace(/s$/, '').replaceAll('-', ' ')}.`
}

function buildQueryParameters(query: TObject | undefined, publish: PublishSchema): ParameterObject[] {
  return Object.entries(query?.properties ?? {}).map(([name, property]) => {
    const { description, ...schema } = publish(property)
    const required = (query?.required as string[] | undefined)?.includes(name) && !('default' in schema)
    return {
      name,
      in: 'query',
      ...(required && { required }),
      ...((property as { type?: string }).type === 'array' && { style: 'form' as const, explode: false }),
      schema,
      ...(description && { description }),
    }
  })
}

function buildRequestBody(
  { body: acceptedBody, publishedBody: body = acceptedBody, optionalBody, multipart, formOrJson }: Operation,
  publish: PublishSchema,
): Pick<OperationObject, 'requestBody'> {
  if (body) {
    const content = { 'application/json': { schema: publish(body) } }
    return { requestBody: { required: !optionalBody, content } }
  }
  if (formOrJson) {
    const content = { schema: publish(formOrJson) }
    const types = { 'application/x-www-form-urlencoded': content, 'application/json': content }
    return { requestBody: { required: true, content: types } }
  }
  if (!multipart) return {}
  const { properties, required } = multipart.fields as TObject & { required?: string[] }
  const file = { type: 'string', contentMediaType: 'application/octet-stream', description: 'The audio file.' }
  const schema = {
    type: 'object',
    required: [multipart.file, ...(required ?? [])],
    properties: { [multipart.file]: file, ...(publish({ properties }).properties as object) },
    additionalProperties: false,
  } as SchemaObject
  return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } }
}

/**
 * Returns the error statuses that follow from the access, method, path and body of an operation and that the operation does not
 * describe.
 */
function listImpliedErrors(operation: Operation): number[] {
  const { access, method, path, body, multipart, formOrJson, responses } = operation
  const isWrite = method !== 'get'
  // Public reads need neither credentials nor the database.
  const isStatic = access === 'public' && !isWrite
  // The role, the key, a right, a foreign page or X-See-As can cause a 403.
  const canForbid = isWrite || access !== 'public'
  const acceptsBody = body !== undefined || multipart !== undefined || formOrJson !== undefined
  const implied: Record<number, boolean> = {
    400: true,
    401: access !== 'public',
    403: canForbid,
    404: path.includes('{'),
    408: isWrite && multipart === undefined,
    413: acceptsBody,
    415: isWrite,
    500: true,
    503: !isStatic,
    507: isWrite,
  }
  return Object.keys(implied)
    .map(Number)
    .filter((status) => implied[status] && !(status in responses))
}

const formatErrorName = (status: number): string => formatErrorBody(status, '').error.replaceAll(/[^A-Za-z]/g, '')

const RESPONSE_HEADERS: Record<string, string> = { 'X-Request-Id': 'The id of this request.' }

function buildResponse(status: number, spec: ResponseSpec, publish: PublishSchema): ResponseObject {
  const { description, json, example, content = [], headers } = spec
  const types: NonNullable<ResponseObject['content']> = {}
  if (json) types['application/json'] = { schema: publish(json), ...(example !== undefined && { example }) }
  if (status >= 400) {
    types['application/json'] = { schema: publish(ApiErrorSchema), example: formatErrorBody(status, description) }
  }
  for (const type of content) {
    const text = spec.contentExamples?.[type]
    types[type] = { schema: { type: 'string' }, ...(text !== undefined && { example: text }) }
  }
  return {
    description,
    ...(Object.keys(types).length > 0 && { content: types }),
    headers: Object.fromEntries(
      Object.entries({ ...RESPONSE_HEADERS, ...headers }).map(([name, text]) => [
        name,
        { description: text, schema: { type: 'string' as const } },
      ]),
    ),
  }
}
