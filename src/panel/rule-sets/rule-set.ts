import type { Rule } from '../../check/rules/types.ts'
import type { RuleSetJson } from '../../check/rule-sets/schema.ts'
import { type PageContext } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import type { Language } from '../frame/i18n.ts'

/** A rule set as the API returns it, with typed rules. */
export type RuleSetWithRules = Omit<RuleSetJson, 'rules' | 'draft'> & {
  rules: Rule[] | null
  draft: (Omit<NonNullable<RuleSetJson['draft']>, 'rules'> & { rules: Rule[] }) | null
}

/** Formats the API path of the rule set whose id is in the route. */
export const formatRuleSetApiPath = ({ ctx }: PageContext): string =>
  `/v1/rule-sets/${encodeURIComponent(String(ctx.params.id))}`

/** Rejects managers, who cannot see rule sets and reviews. @throws PageError 403 */
export function rejectManagerRole({ person }: PageContext): void {
  if (person.role === 'manager') throw new PageError(403)
}

/** Fetches the rule set whose id is in the route. @throws PageError 403 for managers */
export function fetchRuleSet(context: PageContext): Promise<RuleSetWithRules> {
  rejectManagerRole(context)
  return context.api.fetch<RuleSetWithRules>(formatRuleSetApiPath(context))
}

/** Fetches a rule set for editing. @throws PageError 403 if the person cannot change it or it is archived */
export async function fetchEditableRuleSet(context: PageContext): Promise<RuleSetWithRules> {
  const set = await fetchRuleSet(context)
  if (!set.mayEdit || set.archivedAt) throw new PageError(403)
  return set
}

/** Builds the heading that the pages of one rule set share. */
export const buildRuleSetHead = ({ id, name }: Pick<RuleSetWithRules, 'id' | 'name'>, { code }: Language) => ({
  href: `/rule-sets/${id}`,
  name: name[code],
})
