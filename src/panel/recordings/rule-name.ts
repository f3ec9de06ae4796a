import type { RuleSetJson, RuleSetSummaryJson } from '../../check/rule-sets/schema.ts'
import type { PageContext } from '../frame/context.ts'
import { fetchAll } from '../frame/fetch-all.ts'

/** The name of the rule in a filter such as incoming-sales/next-step:missed; null if its set is not visible. */
export async function fetchRuleName(
  { api, language }: PageContext,
  filter: string | undefined,
): Promise<string | null> {
  if (!filter) return null
  const [setKey, ruleKey] = filter.split(':')[0]!.split('/')
  const sets = await fetchAll<RuleSetSummaryJson>(api, '/v1/rule-sets').catch(() => [])
  const set = sets.find(({ key }) => key === setKey)
  if (!set) return null
  const ruleSet = await api.fetch<RuleSetJson>(`/v1/rule-sets/${set.id}`).catch(() => null)
  return ruleSet?.rules?.find(({ key }) => key === ruleKey)?.name[language.code] ?? null
}
