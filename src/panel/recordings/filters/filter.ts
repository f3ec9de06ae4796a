import type { LanguageFormats } from '../../frame/format.ts'
import type { ScoreBandLimits } from '../../frame/score-bands.ts'
import type { fieldRuleWords } from '../../frame/words/rules.ts'
import { text, type Translation, type TranslatedWords } from '../../frame/words/translation.ts'

/** A filter of the list of calls, as one parameter of its address. */
export interface CallFilter {
  /** Name of the input, the facet and the chip. */
  label: Translation<string>
  /** Name in the audit log; by default the label in lower case. */
  audit?: Translation<string>
  values?: Translation<Record<string, string>>
  /** Returns an error message, or false for a valid value. By default, only the keys of `values` are valid. */
  check?: (value: string, t: FilterErrorWords, filters: RawFilterValues) => string | false
  parse?: (text: string) => string
  /** Name and value in the API, if they differ from those in the address. `parse` converts the value back. */
  api?: { name?: string; value: (value: string) => string; parse: (value: string) => string }
  /** Attributes of the input in the filter form. Filters without them have no input. */
  field?: Record<string, string | number>
  /** Formats the text of the chip; an empty text hides it. By default label and value. */
  chip?: (value: string, context: FilterChipContext, filters: RawFilterValues) => string
  /** Names of the filters that share one chip, such as the limits of a range. */
  together?: string[]
}

/** All values of the address by parameter name, including other filters. */
export type RawFilterValues = Partial<Record<string, string>>

/** Messages for invalid filter values, in one language. */
export interface FilterErrorWords {
  rules: TranslatedWords<typeof fieldRuleWords>
  invalid: TranslatedWords<typeof filterErrorWords>
}

/** Data with which a chip formats its value, in one language. */
export interface FilterChipContext {
  code: 'en' | 'ru'
  format: LanguageFormats
  departments: { id: string; name: string }[]
  /** Name of the rule in the rule filter, if known. */
  ruleName?: string | undefined
  bands: ScoreBandLimits
  /** Name of the year or month that the date filters select exactly; null for other dates. */
  period: string | null
}

export const filterErrorWords = {
  day: text('Enter a date such as 21 Nov 2026.', 'Введите дату, например 21.11.2026.'),
  backwards: text('The end date is before the start date.', 'Конец раньше начала.'),
  length: text('Enter minutes, or minutes and seconds: 1:30.', 'Введите минуты или минуты и секунды: 1:30.'),
  shorter: text('The maximum is below the minimum.', 'Максимум меньше минимума.'),
  rule: text(
    'Enter a rule such as incoming-sales/next-step:missed.',
    'Введите правило, например incoming-sales/next-step:missed.',
  ),
  ids: text('At most 100 call IDs.', 'Не больше 100 ID звонков.'),
  department: text('Department not found.', 'Отдел не найден.'),
}

/** Rejects values that are longer than 255 characters or contain control characters. */
export const validateLineFilter: CallFilter['check'] = (value, { rules }) =>
  // oxlint-disable-next-line no-control-regex
  value.length > 255 ? rules.maxLength('255') : /[\u0000-\u001f\u007f]/.test(value) && rules.line
