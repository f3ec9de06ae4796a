import type { RuleSetJson, RuleSetSummaryJson } from '../../check/rule-sets/schema.ts'
import type { PageContext } from './context.ts'
import { fetchAllItems } from './fetch-all.ts'

/** The name of a rule set, and the names of its published rules by rule key. */
interface RuleSetNames {
  set: string
  rules: ReadonlyMap<string, string>
}

/** Fetches the names of a rule set in the person's language; undefined if no rule set has the key. */
export async function fetchRuleNames(
  { api, language }: PageContext,
  setKey: string,
): Promise<RuleSetNames | undefined> {
  const sets = await fetchAllItems<RuleSetSummaryJson>(api, '/v1/rule-sets')
  const summary = sets.find(({ key }) => key === setKey)
  if (!summary) return undefined
  const { name, rules } = await api.fetch<RuleSetJson>(`/v1/rule-sets/${summary.id}`)
  return {
    set: name[language.code],
    rules: new Map((rules ?? []).map((rule) => [rule.key, rule.name[language.code]])),
  }
}

/**
 * Fetches the name of a rule. Returns the rule key if the rule is unknown. @param setAndRule keys such as
 * incoming-sales/next-step
 */
export async function fetchRuleName(context: PageContext, setAndRule: string): Promise<string> {
  const [setKey = '', ruleKey = ''] = setAndRule.split('/')
  const names = await fetchRuleNames(context, setKey)
  return names?.rules.get(ruleKey) ?? ruleKey
}
