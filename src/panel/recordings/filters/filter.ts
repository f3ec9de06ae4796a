import type { Formats } from '../../frame/format.ts'
import type { ScoreBands } from '../../frame/score-bands.ts'
import type { fieldRuleWords } from '../../frame/words/rules.ts'
import { text, type Translation, type Words } from '../../frame/words/translation.ts'

/** A filter of the list of recordings: a parameter of its address. */
export interface Filter {
  /** Names its field, facet and chip. */
  label: Translation<string>
  /** Its name in the audit log; by default the label in small letters. */
  audit?: Translation<string>
  values?: Translation<Record<string, string>>
  /** The problem of a value; false if it is valid. By default, only those in `values` are valid. */
  check?: (value: string, t: CheckWords, filters: FilterValues) => string | false
  parse?: (text: string) => string
  /** Its name and value in the API, if they differ. */
  api?: { name?: string; value: (value: string) => string }
  /** Attributes of its input in the form of filters; it has none without them. */
  field?: Record<string, string | number>
  /** The text of its chip, empty for none; by default its label and value. */
  chip?: (value: string, context: ChipContext, filters: FilterValues) => string
  /** The names of the filters that share its chip. */
  together?: string[]
}

export type FilterValues = Partial<Record<string, string>>

export interface CheckWords {
  rules: Words<typeof fieldRuleWords>
  invalid: Words<typeof invalidWords>
}

export interface ChipContext {
  code: 'en' | 'ru'
  format: Formats
  departments: { id: string; name: string }[]
  /** The name of the rule in the filter. */
  ruleName?: string | undefined
  bands: ScoreBands
  /** The year or month that the dates are, if they are one. */
  period: string | null
}

export const invalidWords = {
  day: text('Enter a date such as 21 Nov 2026.', 'Введите дату, например 21.11.2026.'),
  backwards: text('The end date is before the start date.', 'Конец раньше начала.'),
  length: text('Enter minutes, or minutes and seconds: 1:30.', 'Введите минуты или минуты и секунды: 1:30.'),
  shorter: text('The maximum is below the minimum.', 'Максимум меньше минимума.'),
  rule: text(
    'Enter a rule such as incoming-sales/next-step:missed.',
    'Введите правило, например incoming-sales/next-step:missed.',
  ),
  ids: text('At most 100 ids of calls.', 'Не больше 100 номеров звонков.'),
  department: text('Department not found.', 'Отдел не найден.'),
}

export const checkLine: Filter['check'] = (value, { rules }) =>
  // oxlint-disable-next-line no-control-regex
  value.length > 255 ? rules.maxLength('255') : /[\u0000-\u001f\u007f]/.test(value) && rules.line
