import { shouldYield, yieldToOthers } from '../../platform/lib/yielder.ts'
import type { Problem } from './kind.ts'
import { countPhrases } from './phrase-problems.ts'
import { referenceProblems, ruleProblems } from './rule-problems.ts'
import { shapeViolations, type Violation } from './shape.ts'
import type { Rule } from './types.ts'

/** The largest shipped set has 2,851 phrases in 131 KB. */
const MOST_SET_PHRASES = 10_000
const MOST_SET_KILOBYTES = 512

/**
 * Returns everything that is wrong with a rule set: what does not fit its schema, and of what fits what makes no sense. Do
 * not use the set for checks unless the list is empty. Yields to the event loop meanwhile.
 */
export async function violationsOf(set: unknown): Promise<Violation[]> {
  const rules: unknown = isRecord(set) ? set.rules : undefined
  if (Buffer.byteLength(JSON.stringify(rules) ?? '') > MOST_SET_KILOBYTES * 1024) return [tooLarge]
  const violations = shapeViolations(set)
  if (!Array.isArray(rules)) return violations
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
  if (isScored && rules.length > 0 && !sound.some(({ weight }) => weight! > 0)) violations.push(noWeight)
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

/** The fields of a rule that fit the schema. */
function withoutBroken(rule: unknown, path: string, broken: string[]): Partial<Rule> {
  const sound = Object.entries(isRecord(rule) ? rule : {}).filter(
    ([name]) => !broken.some((one) => one.startsWith(`${path}.${name}`)),
  )
  return Object.fromEntries(sound) as Partial<Rule>
}

function inRule(index: number, [path, rule, en, ru]: Problem): Violation {
  return { path: `rules[${index}]${path && '.'}${path}`, rule, message: { en, ru } }
}

/** The key of the rule that a path leads into. */
function keyAt(path: string, rules: unknown[]): Pick<Violation, 'ruleKey'> {
  const index = /^rules\[(\d+)\]/.exec(path)?.[1]
  const rule = index === undefined ? undefined : rules[Number(index)]
  return isRecord(rule) && typeof rule.key === 'string' ? { ruleKey: rule.key } : {}
}
