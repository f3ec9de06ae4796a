import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormatsModule from 'ajv-formats'
import type { Static, TObject, TSchema } from 'typebox'
import type { Config } from '../config/config.ts'
import { badRequest, MOST_VIOLATIONS } from '../errors.ts'
import { isId } from '../lib/ids.ts'
import type { Message } from '../lib/messages.ts'
import { parseDayOrTime, parseTime } from '../lib/time.ts'
import { linkViolation } from '../outbound/net-guard.ts'
import { rules } from './messages.ts'
import { named } from '../lib/messages.ts'

const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default

/** The input of a check besides the schema: the keyword x-link needs the setting of private addresses. */
export type LinkRule = Pick<Config, 'ALLOW_PRIVATE_NETWORK_DOWNLOADS'>

/** Several can concern the same field. */
export const MOST_ERRORS = 10 * MOST_VIOLATIONS

/** AJV finds a million errors in a megabyte of empty objects, so its code throws once there are too many. */
const stopEarly = (code: string): string =>
  code.replace(/vErrors\.push\((\w+)\);/g, `if (vErrors.push($1) >= ${MOST_ERRORS}) throw vErrors;`)

const ajv = new Ajv({
  allErrors: true,
  strict: true,
  strictTypes: false,
  useDefaults: true,
  passContext: true,
  code: { process: stopEarly },
})
addFormats(ajv, ['email', 'uri'])
// The format of Postgres; ajv-formats also accepts a prefix urn:uuid:.
ajv.addFormat('uuid', isId)
// A time with or without an offset; ajv-formats requires one.
ajv.addFormat('date-time', (text: string) => parseTime(text, 'UTC') !== undefined)
ajv.addFormat('day-or-time', (text: string) => parseDayOrTime(text, 'UTC') !== undefined)
ajv.addFormat('digits', (text: string) => /[0-9]/.test(text))
// Text that the database and every export can store, and that is not blank.
// oxlint-disable-next-line no-control-regex
ajv.addFormat('line', (text: string) => /\S/.test(text) && !/[\u0000-\u001f\u007f]/.test(text) && text.isWellFormed())
ajv.addKeyword({ keyword: 'x-link', type: 'string', schemaType: 'boolean', errors: true, validate: checkLink })

/** A link that the service can follow. */
function checkLink(this: LinkRule, _schema: boolean, link: string): boolean {
  const violation = linkViolation(link, this.ALLOW_PRIVATE_NETWORK_DOWNLOADS)
  const checker = checkLink as { errors?: Partial<ErrorObject>[] }
  checker.errors = violation ? [{ keyword: 'x-link', params: { violation } }] : []
  return !violation
}

const compiled = new WeakMap<TSchema, ValidateFunction>()

/** Checks a JSON body. @throws HttpError 400 with one string per invalid field */
export function checkBody<S extends TSchema>(schema: S, value: unknown, rule: LinkRule): Static<S> {
  const violations = violationsOf(schema, value, rule)
  if (violations.size > 0) throw badRequest([...violations.values()])
  return value as Static<S>
}

const violationsOf = (schema: TSchema, value: unknown, rule: LinkRule): Map<string, Message> =>
  violationsByField(schemaErrors(schema, value, rule))

/** The errors of AJV, up to MOST_ERRORS. `rule` is needed for schemas with links. */
export function schemaErrors(schema: TSchema, value: unknown, rule?: LinkRule): ErrorObject[] {
  let validate = compiled.get(schema)
  if (!validate) compiled.set(schema, (validate = ajv.compile(schema)))
  try {
    return validate.call(rule, value) ? [] : validate.errors!
  } catch (thrown) {
    if (!Array.isArray(thrown)) throw thrown
    return thrown as ErrorObject[] // by stopEarly()
  }
}

/** Checks text values (query, form fields): converts numbers and booleans, fills in defaults. */
export function checkText<S extends TObject>(schema: S, given: Record<string, unknown>, rule: LinkRule): Static<S> {
  const values = new Map(Object.entries(given))
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = values.get(name)
    if (typeof text === 'string') values.set(name, convert(text, (property as { type?: string }).type))
  }
  const value = Object.fromEntries(values)
  const violations = violationsOf(schema, value, rule)
  for (const [name, property] of Object.entries(schema.properties)) {
    const isRepeated = Array.isArray(given[name]) && (property as { type?: string }).type !== 'array'
    if (isRepeated) violations.set(name, rules.once().about(name))
  }
  if (violations.size > 0) throw badRequest([...violations.values()])
  return value as Static<S>
}

/** The value of a text; the text itself if it has none, which the schema then rejects. */
function convert(text: string, type: string | undefined): unknown {
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  // Several values of one parameter are separated by commas.
  return type === 'array' ? text.split(',') : text
}

/** One message per field, each beginning with the field, by field. */
function violationsByField(errors: ErrorObject[]): Map<string, Message> {
  const violations = new Map<string, Message>()
  for (const error of errors) {
    const [field, rule] = describe(error)
    if (!violations.has(field)) violations.set(field, rule.about(field))
  }
  return violations
}

function describe({ keyword, instancePath, params, message }: ErrorObject): [field: string, rule: Message] {
  const field = fieldOf(instancePath, keyword === 'minItems' || keyword === 'maxItems' || params.type === 'array')
  const within = (name: string) => (field === 'body' ? name : `${field}.${name}`)
  switch (keyword) {
    case 'additionalProperties':
      return [within(shown(String(params.additionalProperty))), rules.unknownField()]
    case 'required':
      return [within(String(params.missingProperty)), rules.required()]
    case 'enum':
      return [field, rules.oneOf({ values: (params.allowedValues as unknown[]).map(String).join(', ') })]
    case 'type':
      return [field, typeRule([params.type as string | string[]].flat().join(' or '))]
    case 'minimum':
    case 'maximum':
      return [field, (keyword === 'minimum' ? rules.atLeast : rules.atMost)(limitOf(params))]
    case 'minLength':
      return [field, params.limit === 1 ? rules.notEmpty() : rules.minLength(limitOf(params))]
    case 'maxLength':
      return [field, rules.maxLength(limitOf(params))]
    case 'minItems':
    case 'maxItems':
      return [field, (keyword === 'minItems' ? rules.minItems : rules.maxItems)(limitOf(params))]
    case 'format':
      return [field, formatRule(String(params.format))]
    case 'pattern':
      return [field, rules.pattern({ pattern: String(params.pattern) })]
    case 'x-link':
      return [field, params.violation as Message]
    default:
      return [field, message ? rules.other({ rule: message }) : rules.notValid()]
  }
}

/** One of several values (source=a,b) is a violation of its parameter; a list within a list is named with its items. */
function fieldOf(instancePath: string, isList: boolean): string {
  const path = instancePath.slice(1).split('/')
  const [parent, last] = path.slice(-2)
  if (!isList && /^\d+$/.test(last ?? '') && !/^\d+$/.test(parent!)) path.pop()
  return path.join('.') || 'body'
}

const limitOf = (params: Record<string, unknown>) => ({ limit: Number(params.limit) })

const TYPE_NAMES = { number: 'число', integer: 'целое число', string: 'текст', boolean: 'true или false' }

const typeRule = (type: string): Message =>
  (/^[aeiou]/.test(type) ? rules.typeAn : rules.type)({ type: named(type, TYPE_NAMES) })

const FORMAT_RULES: Record<string, () => Message> = {
  'date-time': rules.time,
  'day-or-time': rules.dayOrTime,
  digits: rules.digits,
  line: rules.line,
  email: rules.email,
  uuid: rules.uuid,
}

const formatRule = (format: string): Message => FORMAT_RULES[format]?.() ?? rules.format({ format })

/** A name from the request, truncated for a message. */
const shown = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}…` : name) || '(an empty name)'

/** Values by name: an array if a name is repeated. In linear time for any input. */
export function gather(pairs: Iterable<[name: string, value: string]>): Map<string, string | string[]> {
  const given = new Map<string, string | string[]>()
  for (const [name, value] of pairs) {
    const before = given.get(name)
    if (Array.isArray(before)) before.push(value)
    else given.set(name, before === undefined ? value : [before, value])
  }
  return given
}
