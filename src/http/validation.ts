import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormatsModule from 'ajv-formats'
import type { Static, TSchema } from 'typebox'
import { badRequest } from '../errors.ts'
import { parseDayOrTime, parseTime } from '../lib/time.ts'

const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default

function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({ allErrors: true, coerceTypes, strict: true, strictTypes: false, useDefaults: true })
  addFormats(ajv, ['uuid', 'email', 'uri'])
  // A time with or without an offset; ajv-formats asks for one.
  ajv.addFormat('date-time', (text: string) => parseTime(text, 'UTC') !== undefined)
  ajv.addFormat('day-or-time', (text: string) => parseDayOrTime(text, 'UTC') !== undefined)
  ajv.addFormat('digits', (text: string) => /[0-9]/.test(text))
  // Text that the database and every export can hold.
  // oxlint-disable-next-line no-control-regex
  ajv.addFormat('line', (text: string) => !/[\u0000-\u001f\u007f]/.test(text) && text.isWellFormed())
  return ajv
}

/** Bodies in JSON keep their types; queries and form fields arrive as text and are converted. */
const strictAjv = createAjv(false)
const textAjv = createAjv(true)
const compiled = new Map<TSchema, ValidateFunction>()

function compile(ajv: Ajv, schema: TSchema): ValidateFunction {
  let validate = compiled.get(schema)
  if (!validate) compiled.set(schema, (validate = ajv.compile(schema)))
  return validate
}

/** Checks a JSON body. @throws HttpError 400 with one string a faulty field */
export function checkBody<S extends TSchema>(schema: S, value: unknown): Static<S> {
  return check(compile(strictAjv, schema), value)
}

/** Checks values that came as text (query, form fields), converts them and fills in defaults. */
export function checkText<S extends TSchema>(schema: S, value: Record<string, unknown>): Static<S> {
  return check(compile(textAjv, schema), value)
}

function check<T>(validate: ValidateFunction, value: unknown): T {
  const isValid = validate(value)
  const faults = [...(isValid ? [] : faultsByField(validate.errors ?? [])), ...endlessNumbers(value)]
  if (faults.length > 0) throw badRequest(faults)
  return value as T
}

/** AJV makes Infinity of the text 1e999, and then asks no more of it. */
function endlessNumbers(value: unknown): string[] {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const endless = fields.filter(([, one]) => typeof one === 'number' && !Number.isFinite(one))
  return endless.map(([field]) => `${field} must be a number`)
}

/** One string a field, each naming the field first. */
function faultsByField(errors: ErrorObject[]): string[] {
  const faults = new Map<string, string>()
  for (const error of errors) {
    const [field, rule] = describe(error)
    if (!faults.has(field)) faults.set(field, `${field} ${rule}`)
  }
  return [...faults.values()]
}

function describe({ keyword, instancePath, params, message }: ErrorObject): [field: string, rule: string] {
  // One of several values (source=a,b) is a fault of its parameter.
  const field =
    instancePath
      .slice(1)
      .replace(/\/\d+$/, '')
      .replaceAll('/', '.') || 'body'
  switch (keyword) {
    case 'additionalProperties':
      return [shown(String(params.additionalProperty)), 'is not a known field']
    case 'required':
      return [String(params.missingProperty), 'is required']
    case 'enum':
      return [field, `must be one of ${(params.allowedValues as unknown[]).join(', ')}`]
    case 'type':
      return [field, `must be ${/^[aeiou]/.test(params.type) ? 'an' : 'a'} ${params.type}`]
    case 'minimum':
    case 'maximum':
      return [field, `must be ${keyword === 'minimum' ? 'at least' : 'at most'} ${params.limit}`]
    case 'minLength':
      return [field, params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`]
    case 'maxLength':
      return [field, `must have at most ${params.limit} characters`]
    case 'format':
      return [field, FORMAT_RULES[String(params.format)] ?? `must be a valid ${params.format}`]
    default:
      return [field, message ?? 'is not valid']
  }
}

const FORMAT_RULES: Record<string, string> = {
  'date-time': 'must be an ISO 8601 time such as 2026-03-01T10:00:00+03:00',
  'day-or-time': 'must be an ISO 8601 time such as 2026-03-01T10:00:00+03:00, or a day such as 2026-03-01',
  digits: 'must hold at least one digit',
  line: 'must be text without control characters',
  email: 'must be an e-mail address',
}

/** A name that the caller made up, cut to what belongs into a message. */
const shown = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}…` : name) || '(an empty name)'
