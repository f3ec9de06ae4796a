import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import { API_WEBHOOKS, listApiOperations } from '../app/api.ts'
import { buildOpenApiDocument } from '../platform/openapi/document.ts'

/** A response with its body as text and JSON. */
export interface TestResponse {
  status: number
  headers: Headers
  text: string
  /** The parsed body; undefined if the content type is not JSON. */
  json: any // oxlint-disable-line typescript/no-explicit-any
}

type Content = Record<string, object>
interface ResponseDescription {
  content?: Content
  headers?: Record<string, object>
}
interface Document {
  paths: Record<string, Record<string, { responses: Record<string, ResponseDescription & { $ref?: string }> }>>
  components: { responses: Record<string, ResponseDescription> }
}

const apiDocument = buildOpenApiDocument(listApiOperations(), API_WEBHOOKS) as Document
// Most schemas are used only a few times, so optimising their code costs more time than it saves.
const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } }).addSchema(apiDocument, 'api')
;(addFormatsModule as unknown as typeof addFormatsModule.default)(ajv)
const validators = new Map<string, ValidateFunction>()

/** Converts the paths to patterns in the order of the router: fixed paths come before paths with parameters. */
const pathPatterns = Object.keys(apiDocument.paths)
  .sort((a, b) => a.split('{').length - b.split('{').length)
  .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`) }))

/** The HTTP layer can send these statuses before an operation runs, so no operation describes them. */
const HTTP_LAYER_STATUSES = new Set([400, 404, 405, 414])

/** Clients use these headers, so the description of a response must list them. */
const DESCRIBED_HEADERS = ['Location', 'Content-Disposition', 'Content-Range']

/**
 * Checks a response of the API against the published description of its operation.
 * @throws Error with the differences
 */
export function expectMatchesApiDescription(method: string, address: string, clientResponse: TestResponse): void {
  const error = findContractError(method.toLowerCase(), address.split('?')[0]!, clientResponse)
  if (error)
    throw new Error(`${method} ${address}: ${clientResponse.status} ${error}\n${clientResponse.text.slice(0, 2000)}`)
}

function findContractError(
  method: string,
  address: string,
  { status, headers, text, json }: TestResponse,
): string | undefined {
  if (!headers.get('x-request-id')) return 'has no X-Request-Id'
  const path = pathPatterns.find(({ pattern }) => pattern.test(address))?.path
  const operation = path && apiDocument.paths[path]![method === 'head' ? 'get' : method]
  if (!operation || status === 414) {
    if (!HTTP_LAYER_STATUSES.has(status)) return 'is no answer for what reaches no operation'
    if (status === 405 && !headers.get('allow')) return 'has no Allow'
    return method === 'head' ? undefined : findSchemaError('/components/schemas/Error', json)
  }
  let response = operation.responses[status]
  if (!response) return `is not described; described are ${Object.keys(operation.responses).join(', ')}`
  let pointer = `/paths/${escapePointer(path)}/${method}/responses/${status}`
  if (response.$ref) {
    pointer = response.$ref.slice(1)
    response = apiDocument.components.responses[response.$ref.split('/').pop()!]!
  }
  const undescribed = DESCRIBED_HEADERS.find((name) => headers.has(name) && !response.headers?.[name])
  if (undescribed) return `has a header ${undescribed} that is not described`
  if (method === 'head') return undefined
  if (!response.content) return text === '' ? undefined : 'has a body'
  const type = headers.get('content-type')?.split(';')[0] ?? 'none'
  const described = Object.keys(response.content).find((one) => one === type || one === type.replace(/\/.*/, '/*'))
  if (!described) return `has the type ${type}; described are ${Object.keys(response.content).join(', ')}`
  return findSchemaError(
    `${pointer}/content/${escapePointer(described)}/schema`,
    type === 'application/json' ? json : text,
  )
}

const escapePointer = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1')

function findSchemaError(pointer: string, body: unknown): string | undefined {
  let validate = validators.get(pointer)
  if (!validate) validators.set(pointer, (validate = ajv.compile({ $ref: `api#${encodeURI(pointer)}` })))
  return validate(body) ? undefined : `breaks its schema: ${ajv.errorsText(validate.errors)}`
}
