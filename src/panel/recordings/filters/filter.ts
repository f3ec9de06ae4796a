import type { Formats } from '../../frame/format.ts'
import type { rules } from '../../frame/words/rules.ts'
import { both, type Translation, type Words } from '../../frame/words/translation.ts'

/** A filter of the list of recordings: a parameter of its address. */
export interface Filter {
  /** Names its field, its facet, its chip and, in small letters, its value in the audit log. */
  label: Translation<string>
  /** Its name in the audit log, if it is another. */
  audit?: Translation<string>
  /** The names of its values, if it has a fixed set. */
  values?: Translation<Record<string, string>>
  /** What is wrong with a value; false if it is valid. */
  check: (value: string, t: CheckWords, filters: FilterValues) => string | false
  /** Parses what a person typed into the value of the address. */
  parse?: (text: string) => string
  /** Its name and value in the API, if they differ. */
  api?: { name?: string; value: (value: string) => string }
  /** Attributes of its input in the form of filters; it has none without them. */
  field?: Record<string, string | number>
  /** The chip of a value; by default its label and the value. False if another filter's chip shows it. */
  chip?: false | ((value: string, filters: FilterValues, context: ChipContext) => Chip | false)
}

/** The values of filters, by name. */
export type FilterValues = Partial<Record<string, string>>

/** Words for what is wrong with a value. */
export interface CheckWords {
  rules: Words<typeof rules>
  invalid: Words<typeof invalidWords>
}

/** What a chip depends on besides the filters. */
export interface ChipContext {
  code: 'en' | 'ru'
  format: Formats
  departments: { id: string; name: string }[]
  /** The managers that the facets show. */
  managers: string[]
  /** The year or month that the dates are, as the strip of months shows it. */
  period: string | null
}

/** A chip above the list: its text, the filters that its link removes, and whether the facets show it too. */
export interface Chip {
  text: string
  names?: string[]
  inFacets?: boolean
}

export const invalidWords = {
  day: both('A day as 21 Nov 2026 or 2026-11-21.', 'День в виде 21.11.2026 или 2026-11-21.'),
  backwards: both('It lies before the beginning.', 'Это раньше начала.'),
  length: both('Minutes, or minutes and seconds as 1:30.', 'Минуты, или минуты и секунды: 1:30.'),
  shorter: both('It is shorter than the least length.', 'Это короче наименьшей длины.'),
  rule: both('A rule as incoming-sales/next-step:missed.', 'Правило в виде incoming-sales/next-step:missed.'),
  department: both('There is no such department.', 'Такого отдела нет.'),
}

export const oneOf =
  (...allowed: string[]): Filter['check'] =>
  (value, { rules }) =>
    !allowed.includes(value) && rules.oneOf(allowed.join(', '))

export const isLine: Filter['check'] = (value, { rules }) =>
  // oxlint-disable-next-line no-control-regex
  value.length > 255 ? rules.maxLength('255') : /[\u0000-\u001f\u007f]/.test(value) && rules.line

export const isNumber: Filter['check'] = (value, { rules }) => !/^\d{1,3}(\.\d+)?$/.test(value) && rules.number

/** A filter by values of a fixed set, which the facets show. */
export function choice(
  label: Translation<string>,
  values: Translation<Record<string, string>>,
  more: Partial<Filter> = {},
): Filter {
  return {
    label,
    values,
    check: oneOf(...Object.keys(values.en)),
    chip(value, _, { code }) {
      const each = value.split(',')
      const text = each.map((one) => values[code][one] ?? one).join(', ')
      return { text: `${label[code]}: ${text}`, inFacets: each.length === 1 }
    },
    ...more,
  }
}
