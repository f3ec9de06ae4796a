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
export const apiPath = ({ ctx }: PageContext): string => `/v1/rule-sets/${encodeURIComponent(String(ctx.params.id))}`

/** Managers do not see rule sets. @throws PageError 403 */
export function refuseManagers({ person }: PageContext): void {
  if (person.role === 'manager') throw new PageError(403)
}

/** The set in the address. @throws PageError 403 */
export function loadSet(context: PageContext): Promise<RuleSet> {
  refuseManagers(context)
  return context.api.read<RuleSet>(apiPath(context))
}

/** The same, for a set that the person can change. @throws PageError 403 */
export async function loadEditable(context: PageContext): Promise<RuleSet> {
  const set = await loadSet(context)
  if (!set.mayEdit || set.archivedAt) throw new PageError(403)
  return set
}

/** The title that every page of a set shows. */
export const headOf = ({ id, name }: Pick<RuleSet, 'id' | 'name'>, { code }: Language) => ({
  href: `/rule-sets/${id}`,
  name: name[code],
})
