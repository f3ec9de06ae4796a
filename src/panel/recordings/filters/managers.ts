import { both } from '../../frame/words/translation.ts'
import { isLine, type Filter } from './filter.ts'

/** The name of a manager without the quotes that make it a whole name. */
const withoutQuotes = (manager: string): string => manager.replace(/^"(.+)"$/, '$1')

/** The managers of a value, as people read them. */
export const managersOf = (value: string | undefined): string[] => value?.split('|').map(withoutQuotes) ?? []

export const manager: Filter = {
  label: both('Manager', 'Менеджер'),
  check: isLine,
  field: { maxlength: 255 },
  chip(value, _, { code, managers }) {
    const names = managersOf(value)
    return {
      text: `${manager.label[code]}: ${names.join(', ')}`,
      inFacets: names.every((name) => managers.includes(name)),
    }
  },
}

export const department: Filter = {
  label: both('Department', 'Отдел'),
  check: (value, { invalid }) => !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value) && invalid.department,
  chip(value, _, { code, departments }) {
    const name = departments.find(({ id }) => id === value)?.name ?? value
    return { text: `${department.label[code]}: ${name}`, inFacets: true }
  },
}
