import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormatsModule from 'ajv-formats'
import type { Static, TObject, TSchema } from 'typebox'
import type { Config } from '../config/config.ts'
import { badRequestError, MAX_RESPONSE_VIOLATIONS } from '../errors.ts'
import { isUuid } from '../lib/ids.ts'
import type { Message } from '../lib/messages.ts'
import { parseDayOrTime, parseIsoTime } from '../lib/time.ts'
import { findLinkViolation } from '../outbound/net-guard.ts'
import { fieldRuleMessages } from './messages.ts'
import { toBilingualCode } from '../lib/messages.ts'
import { CRM_ID_PATTERN, NO_NUL_PATTERN } from './field.ts'

const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default

/** Contains the setting that the schema keyword x-link needs: whether links can lead to private addresses. */
export type LinkPolicy = Pick<Config, 'ALLOW_PRIVATE_NETWORK_DOWNLOADS'>

/** Limits the errors of AJV. Several can concern one field, so the limit exceeds MAX_RESPONSE_VIOLATIONS. */
export const MAX_SCHEMA_ERRORS = 10 * MAX_RESPONSE_VIOLATIONS

/** AJV finds a million errors in a megabyte of empty objects, so the generated code throws at MAX_SCHEMA_ERRORS. */
const limitErrors = (code: string): string =>
  code.replace(/vErrors\.push\((\w+)\);/g, `if (vErrors.push($1) >= ${MAX_SCHEMA_ERRORS}) throw vErrors;`)

const ajv = new Ajv({
  allErrors: true,
  strict: true,
  strictTypes: false,
  useDefaults: true,
  passContext: true,
  code: { process: limitErrors },
})
addFormats(ajv, ['email', 'uri'])
// ajv-formats also accepts a prefix urn:uuid:, which Postgres rejects.
ajv.addFormat('uuid', isUuid)
// ajv-formats requires an offset; we accept times without one.
ajv.addFormat('date-time', (text: string) => parseIsoTime(text, 'UTC') !== undefined)
ajv.addFormat('day-or-time', (text: string) => parseDayOrTime(text, 'UTC') !== undefined)
ajv.addFormat('digits', (text: string) => /[0-9]/.test(text))
// Accepts non-blank text that the database and every export can store.
// oxlint-disable-next-line no-control-regex
ajv.addFormat('line', (text: string) => /\S/.test(text) && !/[\u0000-\u001f\u007f]/.test(text) && text.isWellFormed())
ajv.addKeyword({ keyword: 'x-link', type: 'string', schemaType: 'boolean', errors: true, validate: checkLink })

/** Implements the keyword x-link: a link that the service can request. */
function checkLink(this: LinkPolicy, _schema: boolean, link: string): boolean {
  const violation = findLinkViolation(link, this.ALLOW_PRIVATE_NETWORK_DOWNLOADS)
  const checker = checkLink as { errors?: Partial<ErrorObject>[] }
  checker.errors = violation ? [{ keyword: 'x-link', params: { violation } }] : []
  return !violation
}

const compiledValidators = new WeakMap<TSchema, ValidateFunction>()

/** Validates a JSON body and fills in defaults. @throws HttpError 400 with one message per invalid field */
export function validateBody<S extends TSchema>(schema: S, value: unknown, rule: LinkPolicy): Static<S> {
  const violations = collectViolations(schema, value, rule)
  if (violations.size > 0) throw badRequestError([...violations.values()])
  return value as Static<S>
}

const collectViolations = (schema: TSchema, value: unknown, rule: LinkPolicy): Map<string, Message> =>
  groupViolationsByField(collectSchemaErrors(schema, value, rule))

/** Returns the errors of AJV, at most MAX_SCHEMA_ERRORS. @param rule required for schemas with links */
export function collectSchemaErrors(schema: TSchema, value: unknown, rule?: LinkPolicy): ErrorObject[] {
  let validate = compiledValidators.get(schema)
  if (!validate) compiledValidators.set(schema, (validate = ajv.compile(schema)))
  try {
    return validate.call(rule, value) ? [] : validate.errors!
  } catch (thrown) {
    if (!Array.isArray(thrown)) throw thrown
    return thrown as ErrorObject[] // limitErrors() throws the error list
  }
}

/**
 * Validates query parameters or form fields. Converts numbers, booleans and lists, and fills in defaults.
 * @throws HttpError 400 with one message per invalid or repeated parameter
 */
export function validateTextValues<S extends TObject>(
  schema: S,
  parameters: Record<string, unknown>,
  rule: LinkPolicy,
): Static<S> {
  const values = new Map(Object.entries(parameters))
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = values.get(name)
    if (typeof text === 'string') values.set(name, parseTextValue(text, (property as { type?: string }).type))
  }
  const value = Object.fromEntries(values)
  const violations = collectViolations(schema, value, rule)
  for (const [name, property] of Object.entries(schema.properties)) {
    const isRepeated = Array.isArray(parameters[name]) && (property as { type?: string }).type !== 'array'
    if (isRepeated) violations.set(name, fieldRuleMessages.once().withField(name))
  }
  if (violations.size > 0) throw badRequestError([...violations.values()])
  return value as Static<S>
}

/** Converts a text to the type of its schema. Returns unconvertible text unchanged, and the schema then rejects it. */
function parseTextValue(text: string, type: string | undefined): unknown {
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  // One parameter can have several values, separated by commas.
  return type === 'array' ? text.split(',') : text
}

/** Keeps the first error of each field as a message that begins with the field. */
function groupViolationsByField(errors: ErrorObject[]): Map<string, Message> {
  const violations = new Map<string, Message>()
  for (const error of errors) {
    const [field, rule] = describeError(error)
    if (!violations.has(field)) violations.set(field, rule.withField(field))
  }
  return violations
}

function describeError({ keyword, instancePath, params, message }: ErrorObject): [field: string, rule: Message] {
  const field = formatFieldPath(
    instancePath,
    keyword === 'minItems' || keyword === 'maxItems' || params.type === 'array',
  )
  const qualifyName = (name: string) => (field === 'body' ? name : `${field}.${name}`)
  switch (keyword) {
    case 'additionalProperties':
      return [qualifyName(truncateName(String(params.additionalProperty))), fieldRuleMessages.unknownField()]
    case 'required':
      return [qualifyName(String(params.missingProperty)), fieldRuleMessages.required()]
    case 'enum':
      return [field, fieldRuleMessages.oneOf({ values: (params.allowedValues as unknown[]).map(String).join(', ') })]
    case 'type':
      return [field, buildTypeRule([params.type as string | string[]].flat().join(' or '))]
    case 'minimum':
    case 'maximum':
      return [field, (keyword === 'minimum' ? fieldRuleMessages.atLeast : fieldRuleMessages.atMost)(limitOf(params))]
    case 'minLength':
      return [field, params.limit === 1 ? fieldRuleMessages.notEmpty() : fieldRuleMessages.minLength(limitOf(params))]
    case 'maxLength':
      return [field, fieldRuleMessages.maxLength(limitOf(params))]
    case 'minItems':
    case 'maxItems':
      return [
        field,
        (keyword === 'minItems' ? fieldRuleMessages.minItems : fieldRuleMessages.maxItems)(limitOf(params)),
      ]
    case 'maxProperties':
      return [field, fieldRuleMessages.maxItems(limitOf(params))]
    case 'format':
      return [field, buildFormatRule(String(params.format), instancePath)]
    case 'pattern':
      return [field, buildPatternRule(String(params.pattern))]
    case 'x-link':
      return [field, params.violation as Message]
    default:
      return [field, message ? fieldRuleMessages.other({ rule: message }) : fieldRuleMessages.notValid()]
  }
}

/** Formats the field of an error. An invalid value of source=a,b belongs to `source`; nested lists keep their indices. */
function formatFieldPath(instancePath: string, isList: boolean): string {
  const path = instancePath.slice(1).split('/')
  const [parent, last] = path.slice(-2)
  if (!isList && /^\d+$/.test(last ?? '') && !/^\d+$/.test(parent!)) path.pop()
  return path.join('.') || 'body'
}

const limitOf = (params: Record<string, unknown>) => ({ limit: Number(params.limit) })

const TYPE_NAMES = {
  number: 'число',
  integer: 'целое число',
  string: 'текст',
  boolean: 'true или false',
  array: 'список',
  object: 'объект',
}

const buildTypeRule = (type: string): Message =>
  (/^[aeiou]/.test(type) ? fieldRuleMessages.typeAn : fieldRuleMessages.type)({
    type: toBilingualCode(type, TYPE_NAMES),
  })

const FORMAT_RULES: Record<string, () => Message> = {
  'date-time': fieldRuleMessages.time,
  'day-or-time': fieldRuleMessages.dayOrTime,
  digits: fieldRuleMessages.digits,
  line: fieldRuleMessages.line,
  email: fieldRuleMessages.email,
  uuid: fieldRuleMessages.uuid,
}

/** @param instancePath tells a list of UUIDs from one UUID, because errors of items name the list */
function buildFormatRule(format: string, instancePath: string): Message {
  if (format === 'uuid' && /\/\d+$/.test(instancePath)) return fieldRuleMessages.uuids()
  return FORMAT_RULES[format]?.() ?? fieldRuleMessages.format({ format })
}

const PATTERN_RULES: Record<string, () => Message> = {
  [NO_NUL_PATTERN]: fieldRuleMessages.noNul,
  [CRM_ID_PATTERN]: fieldRuleMessages.crmId,
}

const buildPatternRule = (pattern: string): Message =>
  PATTERN_RULES[pattern]?.() ?? fieldRuleMessages.pattern({ pattern })

const truncateName = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}…` : name) || '(an empty name)'

/** Groups values by name, as an array if a name is repeated. Takes linear time for any input. */
export function groupValuesByName(pairs: Iterable<[name: string, value: string]>): Map<string, string | string[]> {
  const parameters = new Map<string, string | string[]>()
  for (const [name, value] of pairs) {
    const existing = parameters.get(name)
    if (Array.isArray(existing)) existing.push(value)
    else parameters.set(name, existing === undefined ? value : [existing, value])
  }
  return parameters
}
