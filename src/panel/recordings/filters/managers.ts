import { text } from '../../frame/words/translation.ts'
import { checkLine, type Filter } from './filter.ts'

/** Parses the manager filter into names. Names are separated by `|`, and exact names are in quotes. */
export const parseManagers = (value: string | undefined): string[] =>
  value?.split('|').map((name) => name.replace(/^"(.+)"$/, '$1')) ?? []

export const manager: Filter = {
  label: text('Manager', 'Менеджер'),
  check: checkLine,
  field: { maxlength: 255 },
  chip: (value, { code }) => `${manager.label[code]}: ${parseManagers(value).join(', ')}`,
}

export const department: Filter = {
  label: text('Department', 'Отдел'),
  check: (value, { invalid }) => !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value) && invalid.department,
  chip(value, { code, departments }) {
    return `${department.label[code]}: ${departments.find(({ id }) => id === value)?.name ?? value}`
  },
}
