import { ApiError } from './api-client.ts'
import type { Fields } from './fields.ts'
import { faultyForm, type Form } from './form.ts'
import type { Language } from './i18n.ts'

/** What the API says of people and departments: beside which field it stands, and how it is said here. */
type Known = [pattern: RegExp, field: string | null, say: (words: Language['words'], match: RegExpExecArray) => string]

const PEOPLE: Known[] = [
  [/^A person with this e-mail/, 'email', ({ people }) => people.faults.emailTaken],
  [
    /^(.*) stands in the roster of the department (.*)$/s,
    'name',
    (w, [, name, of]) => w.people.faults.inRoster(name!, of!),
  ],
  [/^The name belongs to another department/, 'name', ({ people }) => people.faults.elsewhere],
  [/^The name belongs to somebody else/, 'name', ({ people }) => people.faults.foreign],
  [/^A manager of this name is already/, 'name', ({ people }) => people.faults.doubled],
  [/^Another manager called/, 'departments', ({ people }) => people.faults.namesake],
  [/^At least one active owner/, null, ({ people }) => people.faults.lastOwner],
  [/^departments must be one at most/, 'departments', ({ people }) => people.faults.oneDepartment],
  [/^departments must name at least one/, 'departments', ({ people }) => people.faults.noDepartment],
  [/^departments must be among/, 'departments', ({ people }) => people.faults.otherDepartment],
  [/^departments names one/, 'departments', ({ people }) => people.faults.goneDepartment],
]

const DEPARTMENTS: Known[] = [
  [/^A department with this name/, 'name', ({ departments }) => departments.faults.nameTaken],
  [
    /^(.*) stands in the roster of the department (.*)$/s,
    'managers',
    (w, [, name, of]) => w.people.faults.inRoster(name!, of!),
  ],
  [/^People belong to this department/, null, ({ departments }) => departments.faults.occupied],
]

const PASSWORD: Known[] = [[/^currentPassword is wrong/, 'currentPassword', ({ account }) => account.password.wrong]]

/** As faultyForm(), with what the API says of people in the person's language. */
export const faultyPerson = (error: unknown, values: Fields, language: Language): Form =>
  explain(PEOPLE, error, values, ['name', 'email', 'password', 'role', 'departments', 'rights', 'language'], language)

/** As faultyForm(), with what the API says of departments in the person's language. */
export const faultyDepartment = (error: unknown, values: Fields, language: Language): Form =>
  explain(DEPARTMENTS, error, values, ['name', 'managers'], language)

/** As faultyForm(), with what the API says of one's own password in the person's language. */
export const faultyPassword = (error: unknown, values: Fields, language: Language): Form =>
  explain(PASSWORD, error, values, ['currentPassword', 'newPassword'], language)

function explain(known: Known[], error: unknown, values: Fields, names: string[], language: Language): Form {
  if (!(error instanceof ApiError) || ![400, 409].includes(error.status)) throw error
  const errors: Record<string, string> = {}
  const faults: string[] = []
  const others = error.messages.filter((message) => {
    const found = known.map(([pattern, ...rest]) => [pattern.exec(message), ...rest] as const).find(([match]) => match)
    if (!found) return true
    const [match, field, say] = found
    const text = say(language.words, match!)
    // Of a roster several names may be taken: each is said.
    if (field) errors[field] = [errors[field], text].filter(Boolean).join(' ')
    else faults.push(text)
    return false
  })
  const form = faultyForm(new ApiError(error.status, others, error.headers), values, names, language)
  const said = Object.keys(errors).length > 0 || faults.length > 0
  const fault = others.length > 0 || !said ? form.fault : faults.join(' ') || language.words.rules.notFaulty
  return { ...form, errors: { ...form.errors, ...errors }, fault }
}
