import { ApiError } from './api-client.ts'
import { Fields } from './fields.ts'
import type { Language } from './i18n.ts'

/** A form for rendering: the typed values, and their errors. */
export interface Form {
  values: Fields
  /** Errors by field, shown beside it. */
  errors: Record<string, string>
  /** The error of the form as a whole, shown above it. */
  error: string | null
}

export const createForm = (values = new Fields()): Form => ({ values, errors: {}, error: null })

/** The form with the API's errors, those of `names` beside their fields. @throws the error unless it is 400 or 409 */
export function createFormWithErrors(error: unknown, values: Fields, names: string[], { words }: Language): Form {
  if (!(error instanceof ApiError) || ![400, 409].includes(error.status)) throw error
  const errors: Record<string, string> = {}
  const generalErrors: string[] = []
  for (const { field, text } of error.messages) {
    const name = names.find((name) => field !== undefined && isWithin(field, name))
    if (name) errors[name] = joinOnce(errors[name], text)
    else generalErrors.push(field ? `${field}: ${text}` : text)
  }
  const general = Object.keys(errors).length > 0 ? words.rules.notAccepted : words.errors.pages[400]![1]
  return { values, errors, error: generalErrors.join(' ') || general }
}

/** A list field covers its items, such as departments.0. */
const isWithin = (field: string, name: string): boolean =>
  field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`)

/** Several items of a list can have the same error. */
const joinOnce = (before: string | undefined, text: string): string =>
  before === undefined || before.includes(text) ? (before ?? text) : `${before} ${text}`
