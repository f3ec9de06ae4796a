import type { ErrorObject } from 'ajv'
import { schemaErrors } from '../../platform/http/validation.ts'
import { RuleSetBodySchema } from './schema.ts'

/** One thing that is wrong with a rule set. */
export interface Violation {
  /** Where, as in `rules[2].any.ru[0]`; empty for the whole set. */
  path: string
  /** The key of its rule, if it has one. */
  ruleKey?: string
  /** What it breaks: a keyword of JSON Schema, or a code of this folder. */
  rule: string
  message: { en: string; ru: string }
}

/** What of a rule set does not fit its schema: the first error of each value. */
export function shapeViolations(set: unknown): Violation[] {
  const found = new Map<string, Violation>()
  for (const error of schemaErrors(RuleSetBodySchema, set)) {
    const path = pathOf(error)
    if (!found.has(path)) found.set(path, { path, rule: error.keyword, message: messageOf(error) })
  }
  return [...found.values()]
}

/** The path of an error as in `rules[2].any.ru[0]`. */
function pathOf({ instancePath, params }: ErrorObject): string {
  const { additionalProperty, missingProperty } = params as Record<string, string | undefined>
  const inner = additionalProperty ?? missingProperty
  const path =
    instancePath.replaceAll(/\/(\d+)/g, '[$1]').replaceAll('/', '.') + (inner === undefined ? '' : `.${inner}`)
  return path.replace(/^\./, '')
}

function messageOf({ keyword, params }: ErrorObject): Violation['message'] {
  const { limit, allowedValues, additionalProperty, type } = params as Record<string, unknown>
  switch (keyword) {
    case 'additionalProperties': {
      const name = quote(String(additionalProperty))
      return { en: `There is no field ${name} here.`, ru: `Поля ${name} здесь нет.` }
    }
    case 'required':
      return { en: 'It is required.', ru: 'Это обязательно.' }
    case 'enum': {
      const values = (allowedValues as unknown[]).map(String).join(', ')
      return { en: `It must be one of: ${values}.`, ru: `Можно только: ${values}.` }
    }
    case 'type': {
      const [en, ru] = TYPES[String(type)] ?? ['of another type', 'значение другого типа']
      return { en: `It must be ${en}.`, ru: `Нужно ${ru}.` }
    }
    case 'minimum':
      return { en: `It must be at least ${limit}.`, ru: `Нужно не меньше ${limit}.` }
    case 'maximum':
      return { en: `It must be at most ${limit}.`, ru: `Нужно не больше ${limit}.` }
    case 'minLength':
      return { en: 'It must not be empty.', ru: 'Нужен текст.' }
    case 'maxLength':
      return { en: `It must have at most ${limit} characters.`, ru: `Нужно не больше ${limit} знаков.` }
    case 'minItems':
      return { en: `It must hold at least ${limit}.`, ru: `Нужно не меньше ${limit}.` }
    case 'maxItems':
      return { en: `It must hold at most ${limit}.`, ru: `Нужно не больше ${limit}.` }
    default:
      return { en: 'It is not valid.', ru: 'Здесь ошибка.' }
  }
}

const TYPES: Record<string, [en: string, ru: string]> = {
  object: ['an object', 'объект'],
  array: ['a list', 'список'],
  string: ['a text', 'текст'],
  number: ['a number', 'число'],
  integer: ['a whole number', 'целое число'],
  boolean: ['true or false', 'true или false'],
}

/** A text of the request in a message, cut to a readable length. */
export const quote = (text: string): string => `«${text.length > 60 ? `${text.slice(0, 60)}…` : text}»`
