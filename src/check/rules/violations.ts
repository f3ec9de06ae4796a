import type { ErrorObject } from 'ajv'
import { MAX_SCHEMA_ERRORS, collectSchemaErrors } from '../../platform/http/validation.ts'
import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { formatExcerpt, type RuleProblem } from './kind.ts'
import { countRulePhrases } from './phrase-problems.ts'
import { validateRuleReferences, validateRule } from './rule-problems.ts'
import { RULE_FIELD_NAMES, RuleSetBodySchema } from './schema.ts'
import type { Rule } from './types.ts'

/** A violated constraint of a rule set, with its message in English and Russian. */
export interface RuleSetViolation {
  /** The path of the value, such as `rules[2].any.ru[0]`; empty for the whole rule set. */
  path: string
  ruleKey?: string
  /** The violated constraint: a keyword of JSON Schema, or a code of this folder. */
  rule: string
  message: { en: string; ru: string }
}

/** The largest shipped rule set has 2,851 phrases in 128 KB. */
const MAX_SET_PHRASES = 10_000
const MAX_SET_KILOBYTES = 512

/**
 * Collects the violations of a rule set, yielding to the event loop. An empty list means that the rule set is valid.
 * Too large rule sets get only that violation.
 */
export async function collectRuleSetViolations(set: unknown): Promise<RuleSetViolation[]> {
  const rules: unknown = isRecord(set) ? set.rules : undefined
  if (Buffer.byteLength(JSON.stringify(rules) ?? '') > MAX_SET_KILOBYTES * 1024) return [tooLargeViolation]
  const errors = collectSchemaErrors(RuleSetBodySchema, set)
  const violations = collectSchemaViolations(errors)
  const isUnusable = errors.length >= MAX_SCHEMA_ERRORS || violations.some(({ path }) => path === 'rules')
  if (!Array.isArray(rules) || isUnusable) return violations
  const invalidPaths = violations.map(({ path }) => path)
  const valid = rules.map((rule, index) => omitInvalidFields(rule, `rules[${index}]`, invalidPaths))
  const phrases = valid.reduce((sum, rule) => sum + countRulePhrases(rule), 0)
  if (phrases > MAX_SET_PHRASES) return [createTooManyPhrasesViolation(phrases)]
  const isScored = isRecord(set) && set.mode === 'score'
  for (const [index, rule] of valid.entries()) {
    const rawRule = rules[index] as unknown
    if (!isRecord(rawRule)) continue
    for await (const problem of validateRule(rule, rawRule, isScored)) violations.push(toViolation(index, problem))
    for (const problem of validateRuleReferences(rule, index, valid)) violations.push(toViolation(index, problem))
    if (shouldYield()) await yieldToEventLoop()
  }
  if (isScored && !valid.some(({ weight }) => weight! > 0)) violations.push(noWeightViolation)
  return violations.map((violation) => ({ ...violation, ...findRuleKey(violation.path, rules) }))
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const tooLargeViolation: RuleSetViolation = {
  path: 'rules',
  rule: 'maxBytes',
  message: {
    en: `The rules of a set must not exceed ${MAX_SET_KILOBYTES} KB.`,
    ru: `Правила набора больше ${MAX_SET_KILOBYTES} КБ.`,
  },
}

const createTooManyPhrasesViolation = (phrases: number): RuleSetViolation => ({
  path: 'rules',
  rule: 'maxPhrases',
  message: {
    en: `The rules of a set can have at most ${MAX_SET_PHRASES} phrases in total, not ${phrases}.`,
    ru: `Фраз во всех правилах набора: ${phrases}. Допустимо не больше ${MAX_SET_PHRASES}.`,
  },
})

const noWeightViolation: RuleSetViolation = {
  path: 'rules',
  rule: 'noWeight',
  message: { en: 'Give points to at least one rule.', ru: 'Хотя бы у одного правила должны быть баллы.' },
}

function omitInvalidFields(rule: unknown, path: string, invalidPaths: string[]): Partial<Rule> {
  const isInvalid = (field: string) =>
    invalidPaths.some((one) => one === field || one.startsWith(`${field}.`) || one.startsWith(`${field}[`))
  if (!isRecord(rule)) return {}
  const valid = RULE_FIELD_NAMES.filter((name) => Object.hasOwn(rule, name) && !isInvalid(`${path}.${name}`))
  return Object.fromEntries(valid.map((name) => [name, rule[name]]))
}

function toViolation(index: number, [path, rule, en, ru]: RuleProblem): RuleSetViolation {
  return { path: `rules[${index}]${path && '.'}${path}`, rule, message: { en, ru } }
}

function findRuleKey(path: string, rules: unknown[]): Pick<RuleSetViolation, 'ruleKey'> {
  const index = /^rules\[(\d+)\]/.exec(path)?.[1]
  const rule = index === undefined ? undefined : rules[Number(index)]
  return isRecord(rule) && typeof rule.key === 'string' ? { ruleKey: rule.key } : {}
}

/** Keeps only the first error of each value. */
function collectSchemaViolations(errors: ErrorObject[]): RuleSetViolation[] {
  const violationByPath = new Map<string, RuleSetViolation>()
  for (const error of errors) {
    const path = formatPath(error)
    if (!violationByPath.has(path))
      violationByPath.set(path, { path, rule: error.keyword, message: createMessage(error) })
  }
  return [...violationByPath.values()]
}

function formatPath({ instancePath, params }: ErrorObject): string {
  const { additionalProperty, missingProperty } = params as Record<string, string | undefined>
  const property = additionalProperty ?? missingProperty
  const path =
    instancePath.replaceAll(/\/(\d+)/g, '[$1]').replaceAll('/', '.') + (property === undefined ? '' : `.${property}`)
  return path.replace(/^\./, '')
}

function createMessage({ keyword, params }: ErrorObject): RuleSetViolation['message'] {
  const { allowedValues, additionalProperty, type } = params as Record<string, unknown>
  const limit = String(params.limit)
  switch (keyword) {
    case 'additionalProperties': {
      const name = formatExcerpt(String(additionalProperty))
      return { en: `Unknown field ${name}.`, ru: `Неизвестное поле ${name}.` }
    }
    case 'required':
      return { en: 'Fill in this field.', ru: 'Заполните это поле.' }
    case 'enum': {
      const values = (allowedValues as unknown[]).map(String).join(', ')
      return { en: `Use one of: ${values}.`, ru: `Допустимо: ${values}.` }
    }
    case 'type': {
      const [en, ru] = TYPE_NAMES[String(type)] ?? ['of another type', 'значение другого типа']
      return { en: `It must be ${en}.`, ru: `Нужно ${ru}.` }
    }
    case 'minimum':
      return { en: `It must be at least ${limit}.`, ru: `Нужно не меньше ${limit}.` }
    case 'maximum':
      return { en: `It must be at most ${limit}.`, ru: `Нужно не больше ${limit}.` }
    case 'minLength':
      return { en: 'Fill in this field.', ru: 'Заполните это поле.' }
    case 'maxLength':
      return { en: `It must have at most ${limit} characters.`, ru: `Нужно не больше ${limit} знаков.` }
    case 'minItems':
      return { en: `Enter ${limit} or more items.`, ru: `Нужно не меньше ${limit}.` }
    case 'maxItems':
      return { en: `Enter at most ${limit} items.`, ru: `Нужно не больше ${limit}.` }
    default:
      return { en: 'Invalid value.', ru: 'Неверное значение.' }
  }
}

const TYPE_NAMES: Record<string, [en: string, ru: string]> = {
  object: ['an object', 'объект'],
  array: ['a list', 'список'],
  string: ['text', 'текст'],
  number: ['a number', 'число'],
  integer: ['a whole number', 'целое число'],
  boolean: ['true or false', 'true или false'],
}
