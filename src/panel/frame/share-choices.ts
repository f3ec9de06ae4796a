import type { PageContext } from './context.ts'
import { fetchVisibleDepartments } from './fetch-all.ts'

/** A view or a playlist, as the API returns it. */
interface SharedObject {
  departmentId: string | null
  department: string | null
  person: { id: string }
}

/**
 * Builds the options for sharing with a department: nobody, the person's departments (all for an owner) and the current one. Only
 * the author can choose nobody.
 * @param onlyYou text of the option for nobody
 */
export async function fetchShareChoices(
  context: PageContext,
  onlyYou: string,
  edited?: SharedObject,
): Promise<{ value: string; text: string }[]> {
  const { person } = context
  const own = person.role === 'owner' ? await fetchVisibleDepartments(context) : person.departments
  const current = edited?.departmentId ? [{ id: edited.departmentId, name: edited.department ?? '' }] : []
  const departments = new Map([...current, ...own].map(({ id, name }) => [id, name]))
  const isAuthor = !edited || edited.person.id === person.id
  const choices = [...departments].map(([value, text]) => ({ value, text }))
  return isAuthor ? [{ value: '', text: onlyYou }, ...choices] : choices
}
