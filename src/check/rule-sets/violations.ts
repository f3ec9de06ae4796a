import type { Rule, RuleSetBody } from '../rules/types.ts'
import { collectRuleSetViolations, type RuleSetViolation } from '../rules/violations.ts'
import { badRequestError } from '../../platform/errors.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { ruleSetMessages } from './messages.ts'

/** The maximum number of listed violations. A response gives only the number of the others. */
export const MAX_LISTED_VIOLATIONS = 1000

/** Longer keys are cut, because every message of a rule repeats its key. */
const MAX_KEY_LENGTH = 60

/** Returns the rules if they are valid for the rule set. @throws HttpError 400 with the field and message of each violation */
export async function validateRules({ key, name, mode }: Omit<RuleSetBody, 'rules'>, rules: unknown): Promise<Rule[]> {
  const violations = await collectRuleSetViolations({ key, name, mode, rules })
  if (violations.length === 0) return rules as Rule[]
  throw badRequestError(toMessages(violations), Infinity)
}

/** Collects the violations of the rules in a body that is already rejected, so that one response lists all violations. */
export async function collectRuleSetBodyViolations(body: unknown): Promise<Message[]> {
  const { rules, mode } = (body ?? {}) as { rules?: unknown; mode?: unknown }
  if (!Array.isArray(rules)) return []
  const name = { en: '-', ru: '-' }
  return toMessages(
    await collectRuleSetViolations({ key: 'any', name, mode: mode === 'score' ? 'score' : 'label', rules }),
  )
}

function toMessages(violations: RuleSetViolation[]): Message[] {
  const unlistedCount = violations.length - MAX_LISTED_VIOLATIONS
  const listed = violations.slice(0, MAX_LISTED_VIOLATIONS).map(({ path, ruleKey, message }) => {
    const place = path + (ruleKey ? ` (rule ${ruleKey.slice(0, MAX_KEY_LENGTH)})` : '')
    return ruleSetMessages.violation({ place, rule: message })
  })
  if (unlistedCount <= 0) return listed
  const unlisted = {
    en: `${unlistedCount} more ${unlistedCount === 1 ? 'problem' : 'problems'}.`,
    ru: `И ещё ${unlistedCount}.`,
  }
  return [...listed, ruleSetMessages.violation({ place: 'rules', rule: unlisted })]
}
