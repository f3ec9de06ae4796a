import type { RuleSetReachJson } from '../../check/backtests/schema.ts'
import type { PageContext } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'
import { formatRuleSetApiPath, type RuleSetWithRules } from './rule-set.ts'

/** The texts of ruleSetReachWords also name this period. */
const COUNTED_DAYS = 30

/** Fetches how many calls of the last 30 days the rule set would check, and the sets that precede it. */
export const fetchRuleSetReach = (context: PageContext): Promise<RuleSetReachJson> =>
  context.api.fetch<RuleSetReachJson>(`${formatRuleSetApiPath(context)}/reach?days=${COUNTED_DAYS}`)

/** Describes how many recent calls a rule set would check, and which sets take precedence. */
export function buildRuleSetReach(reach: RuleSetReachJson, set: RuleSetWithRules, language: Language) {
  const { words, format, code } = language
  const t = words.ruleSets.reach
  const { calls, preceding } = reach
  const names = preceding.map(({ name }) => name[code])
  return {
    isShadowed: preceding.length > 0,
    text: formatReach(reach, set, names, language),
    counted: calls === 0 ? null : reach.isLimited ? t.countedNewest : preceding.length > 0 ? t.counted : null,
    hint: preceding.some(({ canPassIt }) => canPassIt) && set.rules !== null ? t.movesNow : null,
    preceding: preceding.map(({ id, name, calls: taken, canPassIt }) => ({
      id,
      text: t.getsInstead(name[code], taken, format.number(taken)),
      move: canPassIt ? t.moveBefore(name[code]) : null,
    })),
  }
}

function formatReach(
  { calls, received, preceding }: RuleSetReachJson,
  { mode }: RuleSetWithRules,
  names: string[],
  { words, format }: Language,
): string {
  const t = words.ruleSets.reach
  const total = format.number(calls)
  if (calls === 0) return t.none
  if (mode === 'label') return t.labels(calls, total)
  if (preceding.length === 0) return t.all(calls, total)
  return t.some(names, format.number(received), calls, total)
}
