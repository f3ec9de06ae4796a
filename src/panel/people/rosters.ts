import type { RecordingFacetsJson } from '../../calls/list/overview-schema.ts'
import type { DepartmentJson } from '../../people/departments/schema.ts'
import type { FormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { isKnownManagerName } from '../frame/manager-names.ts'

const findRosterDepartment = (name: string, departments: DepartmentJson[]): DepartmentJson | undefined =>
  departments.find(({ managers }) => isKnownManagerName(name, managers))

/** Suggests names of calls and rosters for a new person. A name of a roster also selects the department. */
export function buildManagerNameSuggestions(
  callManagers: RecordingFacetsJson['managers'],
  departments: DepartmentJson[],
  { words, format }: Language,
) {
  const names = callManagers.map(({ name }) => name)
  const rosterNames = departments.flatMap(({ managers }) => managers).filter((name) => !isKnownManagerName(name, names))
  const counts = new Map(callManagers.map(({ name, count }) => [name, count]))
  return [...names, ...rosterNames].map((name) => {
    const department = findRosterDepartment(name, departments)
    const count = counts.get(name)
    const details = [department?.name, count !== undefined && format.number(count)].filter(Boolean).join(' · ')
    return { name, text: words.people.withCalls(name, details), department: department?.id ?? null }
  })
}

/** Adds an error if the name is in the roster of a department that is not selected. The error asks to select it. */
export function addRosterHint(form: FormState, departments: DepartmentJson[], { words }: Language): FormState {
  const { values, errors } = form
  const name = values.text('name')
  const department = findRosterDepartment(name, departments)
  if (!department || errors.departments || values.checked('departments', department.id)) return form
  return { ...form, errors: { ...errors, departments: words.people.selectRoster(department.name, name) } }
}
