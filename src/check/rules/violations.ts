import type { ErrorObject } from 'ajv'
import { MOST_ERRORS, schemaErrors } from '../../platform/http/validation.ts'
import { shouldYield, yieldToOthers } from '../../platform/lib/yielder.ts'
import { quote, type Problem } from './kind.ts'
import { countPhrases } from './phrase-problems.ts'
import { referenceProblems, ruleProblems } from './rule-problems.ts'
import { RULE_FIELDS, RuleSetBodySchema } from './schema.ts'
import type { Rule } from './types.ts'

export interface Violation {
  /** The path, such as `rules[2].any.ru[0]`; empty for the whole set. */
  path: string
  ruleKey?: string
  /** The violated rule: a keyword of JSON Schema, or a code of this folder. */
  rule: string
  message: { en: string; ru: string }
}

/** The largest shipped set has 2,851 phrases in 131 KB. */
const MOST_SET_PHRASES = 10_000
const MOST_SET_KILOBYTES = 512

/** Returns all violations of a rule set; use the set only if the list is empty. Yields to the event loop. */
export async function violationsOf(set: unknown): Promise<Violation[]> {
  const rules: unknown = isRecord(set) ? set.rules : undefined
  if (Buffer.byteLength(JSON.stringify(rules) ?? '') > MOST_SET_KILOBYTES * 1024) return [tooLarge]
  const errors = schemaErrors(RuleSetBodySchema, set)
  const violations = shapeViolations(errors)
  const isUnusable = errors.length >= MOST_ERRORS || violations.some(({ path }) => path === 'rules')
  if (!Array.isArray(rules) || isUnusable) return violations
  const broken = violations.map(({ path }) => path)
  const sound = rules.map((rule, index) => withoutBroken(rule, `rules[${index}]`, broken))
  const phrases = sound.reduce((sum, rule) => sum + countPhrases(rule), 0)
  if (phrases > MOST_SET_PHRASES) return [tooManyPhrases(phrases)]
  const isScored = isRecord(set) && set.mode === 'score'
  for (const [index, rule] of sound.entries()) {
    const given = rules[index] as unknown
    if (!isRecord(given)) continue
    for await (const problem of ruleProblems(rule, given, isScored)) violations.push(inRule(index, problem))
    for (const problem of referenceProblems(rule, index, sound)) violations.push(inRule(index, problem))
    if (shouldYield()) await yieldToOthers()
  }
  if (isScored && !sound.some(({ weight }) => weight! > 0)) violations.push(noWeight)
  return violations.map((violation) => ({ ...violation, ...keyAt(violation.path, rules) }))
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const tooLarge: Violation = {
  path: 'rules',
  rule: 'maxBytes',
  message: {
    en: `The rules of a set take at most ${MOST_SET_KILOBYTES} KB.`,
    ru: `Правила набора занимают не больше ${MOST_SET_KILOBYTES} КБ.`,
  },
}

const tooManyPhrases = (phrases: number): Violation => ({
  path: 'rules',
  rule: 'maxPhrases',
  message: {
    en: `The rules of a set have at most ${MOST_SET_PHRASES} phrases together, not ${phrases}.`,
    ru: `Во всех правилах набора не больше ${MOST_SET_PHRASES} фраз, а не ${phrases}.`,
  },
})

const noWeight: Violation = {
  path: 'rules',
  rule: 'noWeight',
  message: { en: 'Every weight is 0: there is nothing to score.', ru: 'Все веса равны 0: оценивать нечего.' },
}

function withoutBroken(rule: unknown, path: string, broken: string[]): Partial<Rule> {
  const isBroken = (field: string) =>
    broken.some((one) => one === field || one.startsWith(`${field}.`) || one.startsWith(`${field}[`))
  if (!isRecord(rule)) return {}
  const sound = RULE_FIELDS.filter((name) => Object.hasOwn(rule, name) && !isBroken(`${path}.${name}`))
  return Object.fromEntries(sound.map((name) => [name, rule[name]]))
}

function inRule(index: number, [path, rule, en, ru]: Problem): Violation {
  return { path: `rules[${index}]${path && '.'}${path}`, rule, message: { en, ru } }
}

function keyAt(path: string, rules: unknown[]): Pick<Violation, 'ruleKey'> {
  const index = /^rules\[(\d+)\]/.exec(path)?.[1]
  const rule = index === undefined ? undefined : rules[Number(index)]
  return isRecord(rule) && typeof rule.key === 'string' ? { ruleKey: rule.key } : {}
}

/** The violations of the schema by a rule set: the first error of each value. */
function shapeViolations(errors: ErrorObject[]): Violation[] {
  const found = new Map<string, Violation>()
  for (const error of errors) {
    const path = pathOf(error)
    if (!found.has(path)) found.set(path, { path, rule: error.keyword, message: messageOf(error) })
  }
  return [...found.values()]
}

function pathOf({ instancePath, params }: ErrorObject): string {
  const { additionalProperty, missingProperty } = params as Record<string, string | undefined>
  const inner = additionalProperty ?? missingProperty
  const path =
    instancePath.replaceAll(/\/(\d+)/g, '[$1]').replaceAll('/', '.') + (inner === undefined ? '' : `.${inner}`)
  return path.replace(/^\./, '')
}

function messageOf({ keyword, params }: ErrorObject): Violation['message'] {
  const { allowedValues, additionalProperty, type } = params as Record<string, unknown>
  const limit = String(params.limit)
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
      return { en: 'It must not be empty.', ru: 'Нужно заполнить.' }
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
