import { ApiError } from './api-client.ts'
import { FormValues } from './fields.ts'
import type { Language } from './i18n.ts'

/** The values of a form and the errors to show with them. */
export interface FormState {
  values: FormValues
  /** Messages by field name, shown beside the fields. */
  errors: Record<string, string>
  /** Message for the whole form, shown above it. */
  error: string | null
}

/** Creates the state of a form without errors. @param values shown values, by default empty */
export const createFormState = (values = new FormValues()): FormState => ({ values, errors: {}, error: null })

/**
 * Creates the form state for a rejected change. Errors of `names` go beside their fields, others above the form. @throws `error`
 * unless it is an ApiError 400 or 409
 */
export function createFormWithErrors(
  error: unknown,
  values: FormValues,
  names: string[],
  { words }: Language,
): FormState {
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

/** Errors of list items, such as `departments.0`, belong to the field of the list. */
const isWithin = (field: string, name: string): boolean =>
  field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`)

/** Several items of a list can have the same error, which is shown once. */
const joinOnce = (before: string | undefined, text: string): string =>
  before === undefined || before.includes(text) ? (before ?? text) : `${before} ${text}`
