import type { Rule, RuleSetBody } from '../analysis/rules/types.ts'
import { violationsOf, type Violation } from '../analysis/rules/violations.ts'
import { badRequest } from '../errors.ts'
import type { Message } from '../lib/messages.ts'
import { ruleSetMessages } from './messages.ts'

/** So many are told at once. */
const MOST = 50

/**
 * The rules of a body, once nothing is wrong with them as those of a set.
 * @throws HttpError 400 with everything that is wrong, each with its field and rule
 */
export function checkedRules({ key, name, mode }: Omit<RuleSetBody, 'rules'>, rules: unknown): Rule[] {
  const violations = violationsOf({ key, name, mode, rules })
  if (violations.length === 0) return rules as Rule[]
  throw badRequest(told(violations))
}

/** What is wrong with the rules of a body that is refused already: so whoever sent it is told of everything at once. */
export function violationsOfRules(body: unknown): Message[] {
  const { rules, mode } = (body ?? {}) as { rules?: unknown; mode?: unknown }
  if (!Array.isArray(rules)) return []
  const name = { en: '-', ru: '-' }
  return told(violationsOf({ key: 'any', name, mode: mode === 'score' ? 'score' : 'label', rules }))
}

const told = (violations: Violation[]): Message[] =>
  violations.slice(0, MOST).map(({ path, ruleKey, message }) => {
    const place = path + (ruleKey ? ` (rule ${ruleKey})` : '')
    return ruleSetMessages.violation({ place, rule: message.en, inRussian: message.ru })
  })
