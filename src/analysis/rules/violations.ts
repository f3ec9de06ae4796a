import { choicesOf, piecesOf } from './phrases.ts'
import { checkName, checkRule, MOST_GROUPS } from './rule-violations.ts'
import type { Kind } from './types.ts'
import { at, isRecord, quote, Violations, type Violation } from './violation.ts'

export type { Violation } from './violation.ts'

const MOST_RULES = 100
const LONGEST_KEY = 60

/** All that is wrong with a rule set, at once; nothing of it may be judged by before the list is empty. */
export function violationsOf(set: unknown): Violation[] {
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
  } else checkRules(set.rules, set.mode === 'score', violations)
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

function checkRules(rules: unknown[], scored: boolean, violations: Violations): void {
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
    checkRule(rule, path, scored, inRule)
    checkMatchable(rule, path, inRule)
  }
  const weighed = rules.filter((rule) => isRecord(rule) && typeof rule.weight === 'number' && rule.weight > 0)
  if (scored && weighed.length === 0) {
    const message = 'Every weight is 0: there is nothing to score.'
    violations.add('rules', 'noWeight', message, 'Все веса равны 0: оценивать нечего.')
  }
  checkAfters(rules.filter(isRecord), violations)
}

/** Rules that can find nothing, whatever is said: no phrases, or exceptions that take each of them away. */
function checkMatchable(rule: Record<string, unknown>, path: string, violations: Violations): void {
  const except = textsOf(rule.except).map(wordsIn)
  const check = (value: unknown, where: string, excepted: boolean): void => {
    if (value === undefined) return
    const phrases = textsOf(value)
    if (phrases.some((phrase) => !excepted || !except.some((taken) => holds(wordsIn(phrase), taken)))) return
    const message =
      phrases.length === 0 ? 'Without a phrase it finds nothing.' : 'The exceptions take every phrase away.'
    const russian = phrases.length === 0 ? 'Без фраз ничего не найти.' : 'Исключения отнимают все фразы.'
    violations.add(where, 'cannotMatch', message, russian)
  }
  check(rule.any, at(path, 'any'), true)
  if (Array.isArray(rule.all))
    for (const [index, group] of rule.all.slice(0, MOST_GROUPS).entries())
      check(group, at(at(path, 'all'), index), true)
  const after = isRecord(rule.after) ? rule.after : undefined
  if (after) check(after.any, at(path, 'after.any'), false)
  if (after && after.any === undefined && after.rule === undefined && rule.kind !== 'order')
    violations.add(at(path, 'after'), 'cannotMatch', 'It needs phrases or a rule.', 'Нужны фразы или правило.')
}

const textsOf = (value: unknown): string[] =>
  isRecord(value)
    ? [value.ru, value.en]
        .flatMap((list): unknown[] => (Array.isArray(list) ? list.slice(0, 200) : []))
        .filter((text) => typeof text === 'string')
    : []

const wordsIn = (text: string): string[][] =>
  (piecesOf(text) ?? []).flatMap((piece) => (piece.slot ? [[piece.text]] : choicesOf(piece.text)))

/** Whether some words, whichever of those one may choose, stand within others, side by side. */
const holds = (words: string[][], within: string[][]): boolean =>
  within.length > 0 &&
  words.some((_, start) =>
    within.every((choice, index) => words[start + index]?.every((word) => choice.includes(word))),
  )

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
    if (!rules.some(({ key }) => key === target)) {
      const name = quote(typeof target === 'string' ? target : JSON.stringify(target))
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
