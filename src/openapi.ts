import {
  OpenApiBuilder,
  type OperationObject,
  type ParameterObject,
  type ResponseObject,
  type SchemaObject,
} from 'openapi3-ts/oas31'
import type { TObject, TSchema } from 'typebox'
import { errorBody, ErrorBody } from './http/errors.ts'
import type { Operation, ResponseSpec } from './http/operation.ts'

const ERROR_SCHEMA = { $ref: '#/components/schemas/Error' }

/** The published description: OpenAPI 3.1, made of the operations that the router serves. */
export function describeApi(operations: Operation[]): object {
  const builder = OpenApiBuilder.create()
    .addOpenApiVersion('3.1.0')
    .addInfo({
      title: 'Call transcription service',
      version: SVC_VERSION,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    })
    .addServer({ url: '/' })
    .addSchema('Error', ErrorBody as unknown as SchemaObject)
    .addSecurityScheme('apiKey', { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' })
    .addSecurityScheme('bearer', { type: 'http', scheme: 'bearer', description: 'An API key.' })
    .addSecurityScheme('session', {
      type: 'apiKey',
      in: 'cookie',
      name: 'svc_session',
      description: 'A person’s login.',
    })
  for (const tag of new Set(operations.map(({ tag }) => tag))) builder.addTag({ name: tag })
  for (const operation of operations) {
    builder.addPath(operation.path, { [operation.method]: describeOperation(operation) })
  }
  return builder.getSpec()
}

const INTRODUCTION = `Phone calls go in, transcripts come out.

Send a key as \`X-API-Key\` or \`Authorization: Bearer\`. Errors have one shape: \`{statusCode, message, error}\`. Every
answer carries \`X-Request-Id\`: the caller's, if it sent one of at most 128 safe characters, else one of ours.

A recording with a \`callbackUrl\` gets one notification when it ends: a POST of \`{event, recording}\` with the headers
\`X-SVC-Event\` and \`X-SVC-Delivery\`, and, where a signing secret is set, \`X-SVC-Timestamp\` and \`X-SVC-Signature\`
(\`sha256=\` and the HMAC-SHA256 of timestamp, full stop and raw body, in lowercase hex). Receivers should skip what they
already handled, by \`X-SVC-Delivery\` and also by \`recording.id\` and \`event\`, because the delivery id is not covered by
the signature.`

function describeOperation(operation: Operation): OperationObject {
  const { id, tag, summary, description, access, rights } = operation
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    'x-access': access,
    ...(rights && { 'x-rights': rights }),
    security: securityOf(operation),
    parameters: parametersOf(operation),
    ...requestBodyOf(operation),
    responses: Object.fromEntries(
      Object.entries({ ...impliedErrors(operation), ...operation.responses }).map(([status, spec]) => [
        status,
        describeResponse(Number(status), spec!),
      ]),
    ),
  }
}

function securityOf({ access }: Operation): Record<string, string[]>[] {
  if (access === 'public') return []
  const byKey: Record<string, string[]>[] =
    access === 'ownerOrKey' || access === 'scoped' ? [{ apiKey: [] }, { bearer: [] }] : []
  return [...byKey, { session: [] }]
}

function parametersOf({ path, query }: Operation): ParameterObject[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]): ParameterObject => {
    const schema: SchemaObject = name === 'id' ? { type: 'string', format: 'uuid' } : { type: 'string' }
    return { name: name!, in: 'path', required: true, schema, description: `The ${name}.` }
  })
  return [...inPath, ...queryParameters(query)]
}

function queryParameters(query: TObject | undefined): ParameterObject[] {
  return Object.entries(query?.properties ?? {}).map(([name, schema]) => {
    const { description } = schema as { description?: string }
    const required = (query?.required as string[] | undefined)?.includes(name) && !('default' in schema)
    return {
      name,
      in: 'query',
      ...(required && { required }),
      ...((schema as { type?: string }).type === 'array' && { style: 'form' as const, explode: false }),
      schema: schema as SchemaObject,
      ...(description && { description }),
    }
  })
}

function requestBodyOf({ body, multipart }: Operation): Pick<OperationObject, 'requestBody'> {
  if (body)
    return { requestBody: { required: true, content: { 'application/json': { schema: body as SchemaObject } } } }
  if (!multipart) return {}
  const { properties } = multipart.fields
  const file = { type: 'string', contentMediaType: 'application/octet-stream', description: 'The audio file.' }
  const schema = {
    type: 'object',
    required: [multipart.file],
    properties: { [multipart.file]: file, ...(properties as Record<string, TSchema>) },
    additionalProperties: false,
  } as SchemaObject
  return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } }
}

/** The errors that follow from what an operation takes; its own descriptions win over these. */
function impliedErrors({ access, path, body, multipart }: Operation): Partial<Record<number, ResponseSpec>> {
  const takesBody = body !== undefined || multipart !== undefined
  return {
    400: { description: 'A parameter or field is unknown or breaks its rule.' },
    ...(access !== 'public' && {
      401: { description: 'Missing or invalid credentials.' },
      403: { description: 'Your role, key or rights do not allow this.' },
    }),
    ...(path.includes('{') && { 404: { description: 'Not found.' } }),
    ...(takesBody && {
      413: { description: 'The body is too large.' },
      415: { description: 'The body is of another media type.' },
    }),
    500: { description: 'Something went wrong on our side.' },
    503: { description: 'The database does not answer.' },
  }
}

function describeResponse(
  status: number,
  { description, json, example, content, headers }: ResponseSpec,
): ResponseObject {
  const isError = status >= 400
  const types: NonNullable<ResponseObject['content']> = {}
  if (json) types['application/json'] = { schema: json as SchemaObject, ...(example !== undefined && { example }) }
  if (isError) types['application/json'] = { schema: ERROR_SCHEMA, example: errorBody(status, description) }
  for (const type of content ?? []) types[type] = { schema: { type: 'string' } }
  return {
    description,
    ...(Object.keys(types).length > 0 && { content: types }),
    headers: Object.fromEntries(
      Object.entries({ 'X-Request-Id': 'The id of this request.', ...headers }).map(([name, text]) => [
        name,
        { description: text, schema: { type: 'string' as const } },
      ]),
    ),
  }
}
