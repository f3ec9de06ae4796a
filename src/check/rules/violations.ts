import { checkMatchable, phrasesIn } from './matchable.ts'
import { checkName, checkRule } from './rule-violations.ts'
import type { Kind } from './types.ts'
import { at, isRecord, quote, Violations, type Violation } from './violation.ts'

export type { Violation } from './violation.ts'

const MOST_RULES = 100
const LONGEST_KEY = 60
/** The largest shipped set has 2,851 phrases in 131 KB. */
const MOST_SET_PHRASES = 10_000
const MOST_SET_KILOBYTES = 512

/**
 * Returns everything that is wrong with a rule set. Do not use the set for checks unless the list is empty. Yields to the event
 * loop meanwhile.
 */
export async function violationsOf(set: unknown): Promise<Violation[]> {
  const violations = new Violations()
  if (!isRecord(set)) {
    violations.add('', 'set', 'It must be a rule set.', 'Нужен набор правил.')
    return violations.list
  }
  violations.unknownKeys(set, '', ['key', 'name', 'mode', 'applies', 'rules'])
  checkKey(set.key, 'key', violations)
  checkName(set.name, 'name', violations)
  if (set.mode !== 'score' && set.mode !== 'label')
    violations.add('mode', 'oneOf', 'The mode must be score or label.', 'Режим — score или label.')
  checkApplies(set.applies, violations)
  if (!Array.isArray(set.rules) || set.rules.length === 0 || set.rules.length > MOST_RULES) {
    const message = `A rule set has 1 to ${MOST_RULES} rules.`
    violations.add('rules', 'rules', message, `В наборе от 1 до ${MOST_RULES} правил.`)
  } else await checkRules(set.rules, set.mode === 'score', violations)
  return violations.list
}

const isKeyLetter = (letter: string): boolean =>
  (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter === '-'

function checkKey(key: unknown, path: string, violations: Violations): void {
  if (typeof key === 'string' && key.length > 0 && key.length <= LONGEST_KEY && Array.from(key).every(isKeyLetter))
    return
  const message = `A key is 1 to ${LONGEST_KEY} small Latin letters, digits and hyphens.`
  violations.add(path, 'key', message, `Ключ — от 1 до ${LONGEST_KEY} латинских строчных букв, цифр, дефисов.`)
}

function checkApplies(applies: unknown, violations: Violations): void {
  if (applies === undefined) return
  if (!isRecord(applies)) {
    violations.add('applies', 'applies', 'It must tell which calls the set is for.', 'Нужно, для каких звонков набор.')
    return
  }
  violations.unknownKeys(applies, 'applies', ['direction', 'departmentIds', 'minDurationSeconds', 'minWords'])
  violations.number(applies.minDurationSeconds, 'applies.minDurationSeconds', 0, 86_400)
  violations.number(applies.minWords, 'applies.minWords', 0, 1_000_000)
  for (const field of ['direction', 'departmentIds'] as const)
    checkList(applies[field], at('applies', field), field === 'direction', violations)
}

function checkList(list: unknown, path: string, directions: boolean, violations: Violations): void {
  if (list === undefined) return
  if (!Array.isArray(list)) {
    violations.add(path, 'list', 'It must be a list.', 'Нужен список.')
    return
  }
  if (directions && list.length === 0)
    violations.add(path, 'cannotMatch', 'Without a direction it is for no call.', 'Без направления набор ни для чего.')
  for (const [index, value] of list.slice(0, 1000).entries())
    if (directions) violations.oneOf(value, at(path, index), ['INBOUND', 'OUTBOUND', null])
    else if (typeof value !== 'string')
      violations.add(at(path, index), 'text', 'It must be an id.', 'Нужен идентификатор.')
}

async function checkRules(rules: unknown[], scored: boolean, violations: Violations): Promise<void> {
  if (isTooLarge(rules, violations)) return
  const seen = new Set<unknown>()
  for (const [index, rule] of rules.entries()) {
    const path = at('rules', index)
    if (!isRecord(rule)) {
      violations.add(path, 'rule', 'It must be a rule.', 'Нужно правило.')
      continue
    }
    const inRule = violations.of(typeof rule.key === 'string' ? rule.key : undefined)
    checkKey(rule.key, at(path, 'key'), inRule)
    if (seen.has(rule.key))
      inRule.add(at(path, 'key'), 'duplicateKey', 'Two rules have this key.', 'Этот ключ есть у двух правил.')
    seen.add(rule.key)
    await checkRule(rule, path, scored, inRule)
    await checkMatchable(rule, path, inRule)
  }
  const weighed = rules.filter((rule) => isRecord(rule) && typeof rule.weight === 'number' && rule.weight > 0)
  if (scored && weighed.length === 0) {
    const message = 'Every weight is 0: there is nothing to score.'
    violations.add('rules', 'noWeight', message, 'Все веса равны 0: оценивать нечего.')
  }
  checkAfters(rules.filter(isRecord), violations)
}

/** Whether a set is too large to be checked rule by rule. */
function isTooLarge(rules: unknown[], violations: Violations): boolean {
  if (Buffer.byteLength(JSON.stringify(rules)) > MOST_SET_KILOBYTES * 1024) {
    const message = `The rules of a set take at most ${MOST_SET_KILOBYTES} KB.`
    violations.add('rules', 'maxBytes', message, `Правила набора занимают не больше ${MOST_SET_KILOBYTES} КБ.`)
    return true
  }
  const phrases = rules.reduce((sum: number, rule) => sum + (isRecord(rule) ? phrasesIn(rule) : 0), 0)
  if (phrases <= MOST_SET_PHRASES) return false
  const message = `The rules of a set have at most ${MOST_SET_PHRASES} phrases together, not ${phrases}.`
  const russian = `Во всех правилах набора не больше ${MOST_SET_PHRASES} фраз, а не ${phrases}.`
  violations.add('rules', 'maxPhrases', message, russian)
  return true
}

/** Kinds whose verdict rests on no words of the rules. */
const HAS_NO_WORDS: ReadonlySet<unknown> = new Set<Kind>([
  'talkShare',
  'longestSilence',
  'pace',
  'interruptions',
  'monologue',
  'model',
])

/** What comes after a rule that is not there or has no place in the call, or in a circle after itself. */
function checkAfters(rules: Record<string, unknown>[], violations: Violations): void {
  const next = new Map<unknown, unknown>()
  for (const rule of rules) if (isRecord(rule.after)) next.set(rule.key, rule.after.rule)
  for (const [index, rule] of rules.entries()) {
    const target = isRecord(rule.after) ? rule.after.rule : undefined
    if (target === undefined) continue
    const path = `rules[${index}].after.rule`
    const inRule = violations.of(typeof rule.key === 'string' ? rule.key : undefined)
    if (typeof target !== 'string') {
      inRule.add(path, 'text', 'It must be the key of a rule.', 'Нужен ключ правила.')
    } else if (!rules.some(({ key }) => key === target)) {
      const name = quote(target)
      inRule.add(path, 'unknownRule', `There is no rule ${name}.`, `Правила ${name} нет.`)
    } else if (rules.some(({ key, kind }) => key === target && HAS_NO_WORDS.has(kind))) {
      const message = 'That rule finds no words to come after.'
      inRule.add(path, 'cannotMatch', message, 'То правило не находит слов, после которых искать.')
    } else if (leadsBack(rule.key, next)) {
      const message = 'The rule would come after itself.'
      inRule.add(path, 'circle', message, 'Правило ждёт само себя.')
    }
  }
}

function leadsBack(key: unknown, next: Map<unknown, unknown>): boolean {
  const seen = new Set<unknown>()
  let at = next.get(key)
  while (at !== undefined && at !== key && !seen.has(at)) {
    seen.add(at)
    at = next.get(at)
  }
  return at === key
}
