import { text } from '../../frame/words/translation.ts'
import { validateLineFilter, type CallFilter } from './filter.ts'

/** Splits the manager filter into names at `|`. Removes the quotes that mark an exact name. */
export const parseManagerFilter = (value: string | undefined): string[] =>
  value?.split('|').map((name) => name.replace(/^"(.+)"$/, '$1')) ?? []

export const managerPanelFilter: CallFilter = {
  label: text('Manager', 'Менеджер'),
  check: validateLineFilter,
  field: { maxlength: 255 },
  chip: (value, { code }) => `${managerPanelFilter.label[code]}: ${parseManagerFilter(value).join(', ')}`,
}

export const departmentPanelFilter: CallFilter = {
  label: text('Department', 'Отдел'),
  check: (value, { invalid }) => !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value) && invalid.department,
  chip(value, { code, departments }) {
    return `${departmentPanelFilter.label[code]}: ${departments.find(({ id }) => id === value)?.name ?? value}`
  },
}
