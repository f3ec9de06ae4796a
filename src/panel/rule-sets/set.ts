import type { Rule } from '../../check/rules/types.ts'
import type { DepartmentJson } from '../../people/departments/schema.ts'
import type { RuleSetJson } from '../../check/rule-sets/schema.ts'
import { loadFrame, type PageContext, type Person } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import type { Language } from '../frame/i18n.ts'
import { readAll } from '../frame/read-all.ts'

export type RuleSet = Omit<RuleSetJson, 'rules' | 'draft'> & {
  rules: Rule[] | null
  draft: (Omit<NonNullable<RuleSetJson['draft']>, 'rules'> & { rules: Rule[] }) | null
}

/** The set's address in the API. */
export const apiPath = ({ ctx }: PageContext): string => `/v1/rule-sets/${encodeURIComponent(String(ctx.params.id))}`

/** The frame, for those who see rule sets: managers do not. @throws PageError 403 */
export async function loadForEditors(context: PageContext): Promise<Person> {
  const person = await loadFrame(context)
  if (person.role === 'manager') throw new PageError(403)
  return person
}

/** The frame and the set that the address names. */
export async function loadSet(context: PageContext): Promise<{ person: Person; set: RuleSet }> {
  const [person, set] = await Promise.all([loadForEditors(context), context.api.read<RuleSet>(apiPath(context))])
  return { person, set }
}

/** The same, for a set that the person may change. @throws PageError 403 */
export async function loadEditable(context: PageContext): Promise<{ person: Person; set: RuleSet }> {
  const { person, set } = await loadSet(context)
  if (!set.mayEdit || set.archivedAt) throw new PageError(403)
  return { person, set }
}

export const departmentsOf = (context: PageContext): Promise<DepartmentJson[]> =>
  readAll<DepartmentJson>(context.api, '/v1/departments')

/** What every page of a set says of it in its head. */
export const headOf = ({ id, name }: Pick<RuleSet, 'id' | 'name'>, { code }: Language) => ({
  href: `/rule-sets/${id}`,
  name: name[code],
})
