import { ApiError, type ApiMessage } from './api-client.ts'
import { Fields } from './fields.ts'
import type { Language } from './i18n.ts'
import { fieldOf, sayMessage } from './messages.ts'

/** A form as it is shown: what was typed, and what is wrong with it. */
export interface Form {
  values: Fields
  /** What is wrong with a field, by its name; it stands beside the field. */
  errors: Record<string, string>
  /** What is wrong with all of it; it stands above the form. */
  error: string | null
}

/** A form that nothing is wrong with yet. */
export const freshForm = (values = new Fields()): Form => ({ values, errors: {}, error: null })

/** Beside which field a message stands that names none, by its id. */
export type Beside = Readonly<Record<string, string>>

/**
 * The form again, with what the API found wrong with it: beside the fields `names` what is about them, above them what
 * belongs to none. Its answer has the status of the API's.
 * @throws the error itself where it is no 400 and no 409
 */
export function formWithErrors(
  error: unknown,
  values: Fields,
  names: string[],
  language: Language,
  beside: Beside = {},
): Form {
  if (!(error instanceof ApiError) || ![400, 409].includes(error.status)) throw error
  const errors: Record<string, string> = {}
  const others: string[] = []
  for (const message of error.messages) {
    const field = beside[message.known?.id ?? ''] ?? fieldOf(message)
    const name = names.find((name) => field !== undefined && isWithin(field, name))
    const said = sayMessage(message, language)
    if (name) errors[name] = joined(errors[name], said)
    else others.push(isTold(message, language) && field ? `${field}: ${said}` : said)
  }
  const ours = Object.keys(errors).length > 0 ? language.words.rules.notAccepted : language.words.errors.pages[400]![1]
  return { values, errors, error: others.join(' ') || ours }
}

/** A field is called by its name, and what lies in it by its index, such as departments.0. */
const isWithin = (field: string, name: string): boolean =>
  field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`)

/** Of a field that holds several things each is told, and the same of two of them once. */
const joined = (before: string | undefined, said: string): string =>
  before === undefined || before.includes(said) ? (before ?? said) : `${before} ${said}`

/** Whether it is said by us: then it does not name its field. */
const isTold = ({ known }: ApiMessage, { messages }: Language): boolean =>
  known !== undefined && messages[known.id] !== undefined
