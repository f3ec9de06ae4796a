import type { Rule, RuleSetBody } from '../rules/types.ts'
import { violationsOf, type Violation } from '../rules/violations.ts'
import { badRequest } from '../../platform/errors.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { ruleSetMessages } from './messages.ts'

/** The maximum number of listed violations; of more, only their number fits a response. */
export const MOST_NAMED = 1000

/** Otherwise a very long key would be part of every message of its rule. */
const LONGEST_KEY = 60

/** Validates the rules of a body as those of a set. @throws HttpError 400 with field and rule of all violations */
export async function checkedRules({ key, name, mode }: Omit<RuleSetBody, 'rules'>, rules: unknown): Promise<Rule[]> {
  const violations = await violationsOf({ key, name, mode, rules })
  if (violations.length === 0) return rules as Rule[]
  throw badRequest(toMessages(violations), Infinity)
}

/** The violations of the rules in a body that is already rejected, so that the response lists all at once. */
export async function violationsOfRules(body: unknown): Promise<Message[]> {
  const { rules, mode } = (body ?? {}) as { rules?: unknown; mode?: unknown }
  if (!Array.isArray(rules)) return []
  const name = { en: '-', ru: '-' }
  return toMessages(await violationsOf({ key: 'any', name, mode: mode === 'score' ? 'score' : 'label', rules }))
}

function toMessages(violations: Violation[]): Message[] {
  const more = violations.length - MOST_NAMED
  const named = violations.slice(0, MOST_NAMED).map(({ path, ruleKey, message }) => {
    const place = path + (ruleKey ? ` (rule ${ruleKey.slice(0, LONGEST_KEY)})` : '')
    return ruleSetMessages.violation({ place, rule: message })
  })
  if (more <= 0) return named
  const rest = { en: `Not named here: ${more} more.`, ru: `Не названо здесь: ещё ${more}.` }
  return [...named, ruleSetMessages.violation({ place: 'rules', rule: rest })]
}
