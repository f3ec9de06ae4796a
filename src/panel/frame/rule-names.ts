import type { RuleSetJson, RuleSetSummaryJson } from '../../check/rule-sets/schema.ts'
import type { PageContext } from './context.ts'
import { fetchAll } from './fetch-all.ts'

/** The names of a rule set and its published rules, by keys. */
export interface RuleNames {
  set: string
  rules: ReadonlyMap<string, string>
}

/** The names behind the key of a set in use, in the person's language; undefined without such a set. */
export async function fetchRuleNames({ api, language }: PageContext, setKey: string): Promise<RuleNames | undefined> {
  const sets = await fetchAll<RuleSetSummaryJson>(api, '/v1/rule-sets')
  const summary = sets.find(({ key }) => key === setKey)
  if (!summary) return undefined
  const { name, rules } = await api.fetch<RuleSetJson>(`/v1/rule-sets/${summary.id}`)
  return {
    set: name[language.code],
    rules: new Map((rules ?? []).map((rule) => [rule.key, rule.name[language.code]])),
  }
}

/** The name of a rule in a filter as incoming-sales/next-step; its key if the set has no such rule. */
export async function fetchRuleName(context: PageContext, setAndRule: string): Promise<string> {
  const [setKey = '', ruleKey = ''] = setAndRule.split('/')
  const names = await fetchRuleNames(context, setKey)
  return names?.rules.get(ruleKey) ?? ruleKey
}
