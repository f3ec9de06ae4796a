import type { Rule } from '../../check/rules/types.ts'
import type { RuleSetJson } from '../../check/rule-sets/schema.ts'
import { type PageContext } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import type { Language } from '../frame/i18n.ts'

export type RuleSet = Omit<RuleSetJson, 'rules' | 'draft'> & {
  rules: Rule[] | null
  draft: (Omit<NonNullable<RuleSetJson['draft']>, 'rules'> & { rules: Rule[] }) | null
}

/** The set's address in the API. */
export const formatRuleSetApiPath = ({ ctx }: PageContext): string =>
  `/v1/rule-sets/${encodeURIComponent(String(ctx.params.id))}`

/** Managers do not see rule sets. @throws PageError 403 */
export function rejectManagers({ person }: PageContext): void {
  if (person.role === 'manager') throw new PageError(403)
}

/** The set in the address. @throws PageError 403 */
export function fetchRuleSet(context: PageContext): Promise<RuleSet> {
  rejectManagers(context)
  return context.api.fetch<RuleSet>(formatRuleSetApiPath(context))
}

/** The same, for a set that the person can change. @throws PageError 403 */
export async function fetchEditableRuleSet(context: PageContext): Promise<RuleSet> {
  const set = await fetchRuleSet(context)
  if (!set.mayEdit || set.archivedAt) throw new PageError(403)
  return set
}

/** The title that every page of a set shows. */
export const buildHead = ({ id, name }: Pick<RuleSet, 'id' | 'name'>, { code }: Language) => ({
  href: `/rule-sets/${id}`,
  name: name[code],
})
