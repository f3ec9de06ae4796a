import type { Rule, RuleSetBody } from '../analysis/rules/types.ts'
import { violationsOf } from '../analysis/rules/violations.ts'
import { badRequest } from '../errors.ts'
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
  const told = violations.slice(0, MOST).map(({ path, ruleKey, message }) => {
    const place = path + (ruleKey ? ` (rule ${ruleKey})` : '')
    return { place, rule: message.en, inRussian: message.ru }
  })
  throw badRequest(told.map((one) => ruleSetMessages.violation(one)))
}
