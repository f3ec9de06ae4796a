import { formatExcerpt, type RuleProblem, type RuleKind } from './kind.ts'
import { RULE_KINDS } from './judge-call.ts'
import { validateRulePhrases } from './phrase-problems.ts'
import { RULE_FIELD_NAMES } from './schema.ts'
import type { RuleKindName, Rule } from './types.ts'

const COMMON_FIELDS: (keyof Rule)[] = ['key', 'name', 'hint', 'kind', 'weight', 'critical']
const MAX_BOUND = 1e12

/**
 * Yields the problems of a rule, without its references to other rules.
 * @param rule the rule without fields that violate the schema
 * @param rawRule the rule with all its fields
 * @param isScored whether the rule set is a score set
 */
export async function* validateRule(
  rule: Partial<Rule>,
  rawRule: object,
  isScored: boolean,
): AsyncGenerator<RuleProblem> {
  const hasField = (field: keyof Rule) => (rawRule as Partial<Rule>)[field] !== undefined
  if (rule.key !== undefined && !/^[a-z0-9-]+$/.test(rule.key)) {
    const en = 'Use only lower-case Latin letters, digits and hyphens.'
    yield ['key', 'key', en, 'Используйте строчные латинские буквы, цифры и дефисы.']
  }
  if (isScored && !hasField('weight'))
    yield ['weight', 'required', 'Enter points for the rule.', 'Укажите баллы правила.']
  yield* validateRulePhrases(rule)
  yield* validateTimes(rule)
  const kind = rule.kind && RULE_KINDS[rule.kind]
  if (!kind) return
  yield* validateBounds(rule, kind)
  yield* validateFields(rule.kind!, kind, hasField)
  if (kind.validate) yield* kind.validate(rule)
}

function* validateTimes({ window, after, kind }: Partial<Rule>): Generator<RuleProblem> {
  if (window && (window.first === undefined) === (window.last === undefined)) {
    const en = 'Use {"first": seconds} or {"last": seconds}.'
    yield ['window', 'window', en, 'Нужно {"first": секунды} или {"last": секунды}.']
  }
  const times = { 'window.first': window?.first, 'window.last': window?.last, 'after.within': after?.within }
  for (const [path, seconds] of Object.entries(times))
    if (seconds !== undefined && seconds < 1) yield [path, 'minimum', 'It must be at least 1.', 'Нужно не меньше 1.']
  if (after?.any !== undefined && after.rule !== undefined)
    yield ['after', 'after', 'Choose either phrases or a rule.', 'Выберите фразы или правило.']
  if (after && after.any === undefined && after.rule === undefined && kind !== 'order')
    yield ['after', 'cannotMatch', 'Enter phrases or choose a rule.', 'Укажите фразы или правило.']
}

function* validateBounds(
  rule: Partial<Rule>,
  { limits: [least, most] = [0, MAX_BOUND] }: RuleKind,
): Generator<RuleProblem> {
  const { min, max } = rule
  for (const [path, value] of Object.entries({ min, max }))
    if (value !== undefined && (value < least || value > most))
      yield [path, 'range', `It must be a number from ${least} to ${most}.`, `Нужно число от ${least} до ${most}.`]
  if (min !== undefined && max !== undefined && min > max)
    yield ['min', 'bounds', 'The minimum is above the maximum.', 'Минимум больше максимума.']
}

function* validateFields(
  name: RuleKindName,
  { needs, takes }: RuleKind,
  hasField: (field: keyof Rule) => boolean,
): Generator<RuleProblem> {
  for (const fields of needs) {
    if (fields.some(hasField)) continue
    const en = `A rule of the type ${name} needs ${fields.join(' or ')}.`
    yield [fields[0]!, 'required', en, `Правилу типа ${name} нужно ${fields.join(' или ')}.`]
  }
  const allowedFields = [...COMMON_FIELDS, ...needs.flat(), ...takes]
  for (const field of RULE_FIELD_NAMES.filter((one) => hasField(one) && !allowedFields.includes(one)))
    yield [
      field,
      'unused',
      `A rule of the type ${name} does not use ${field}.`,
      `Правило типа ${name} не использует ${field}.`,
    ]
}

/**
 * Yields a problem if another rule has the same key, or if the rule has an invalid reference (`after.rule`).
 * @param index of the rule in `rules`
 */
export function* validateRuleReferences(
  rule: Partial<Rule>,
  index: number,
  rules: Partial<Rule>[],
): Generator<RuleProblem> {
  if (rule.key !== undefined && rules.findIndex(({ key }) => key === rule.key) < index)
    yield ['key', 'duplicateKey', 'Two rules have this key.', 'Этот ключ есть у двух правил.']
  const target = rule.after?.rule
  if (target === undefined) return
  const other = rules.find(({ key }) => key === target)
  const name = formatExcerpt(target)
  if (!other) yield ['after.rule', 'unknownRule', `There is no rule ${name}.`, `Правила ${name} нет.`]
  else if (other.kind && !RULE_KINDS[other.kind].findsWords) {
    const en = 'That rule does not search for words. Choose another.'
    yield ['after.rule', 'cannotMatch', en, 'Выбранное правило не ищет слова. Выберите другое.']
  } else if (isCircular(rule.key, rules))
    yield ['after.rule', 'circle', 'A rule cannot follow itself.', 'Правило не может следовать за самим собой.']
}

function isCircular(key: string | undefined, rules: Partial<Rule>[]): boolean {
  const next = new Map(rules.map((rule) => [rule.key, rule.after?.rule]))
  const visited = new Set<string>()
  let at = next.get(key)
  while (at !== undefined && at !== key && !visited.has(at)) {
    visited.add(at)
    at = next.get(at)
  }
  return at === key
}
