import { ApiError } from './api-client.ts'
import { Fields } from './fields.ts'
import type { Language } from './i18n.ts'

/** A form as it is shown: what was typed, and what is wrong with it. */
export interface Form {
  values: Fields
  /** What is wrong with a field, by its name; it stands beside the field. */
  errors: Record<string, string>
  /** What is wrong with all of it; it stands above the form. */
  fault: string | null
}

/** A form that nothing is wrong with yet. */
export const freshForm = (values = new Fields()): Form => ({ values, errors: {}, fault: null })

/**
 * The form again, with what the API found wrong with it: a 400 beside the fields `names` and above them what belongs to
 * none, a 409 above them. Its answer has the status of the API's.
 * @throws the error itself where it is of another kind
 */
export function faultyForm(error: unknown, values: Fields, names: string[], language: Language): Form {
  if (!(error instanceof ApiError) || ![400, 409].includes(error.status)) throw error
  const errors: Record<string, string> = {}
  const others: string[] = []
  for (const message of error.messages) {
    const name = names.find((name) => isAbout(message, name))
    const rule = message.slice(name?.length).replace(/^[.[]\S*/, '')
    if (name) errors[name] ??= ruleInWords(rule.trim(), language)
    else others.push(sentence(message))
  }
  const ours = Object.keys(errors).length > 0 ? language.words.rules.notFaulty : language.words.errors.pages[400]![1]
  return { values, errors, fault: others.join(' ') || ours }
}

/** The API's messages begin with the field's name, or with a place inside of it. */
const isAbout = (message: string, name: string): boolean =>
  message.startsWith(name) && /^[\s.:[]/.test(message.slice(name.length))

type Rules = Language['words']['rules']

/** The rules that every field of the API can have (http/validation.ts), and how each is said here. */
const RULES: [RegExp, (rules: Rules, limit: string) => string][] = [
  [/^(?:is required|must not be empty)$/, (rules) => rules.required],
  [/^must have at least (\d+) characters$/, (rules, limit) => rules.minLength(limit)],
  [/^must have at most (\d+) characters$/, (rules, limit) => rules.maxLength(limit)],
  [/^must be at least (\S+)$/, (rules, limit) => rules.atLeast(limit)],
  [/^must be at most (\S+)$/, (rules, limit) => rules.atMost(limit)],
  [/^must be one of (.+)$/, (rules, limit) => rules.oneOf(limit)],
  [/^must be an integer$/, (rules) => rules.integer],
  [/^must be a number$/, (rules) => rules.number],
  [/^must be an ISO 8601 time/, (rules) => rules.time],
  [/^must not be after to$/, (rules) => rules.backwards],
  [/^must be at most (\d+) days before to$/, (rules, limit) => rules.daysBefore(limit)],
  [/^must be a day such as/, (rules) => rules.day],
  [/^must hold at least one digit$/, (rules) => rules.digits],
  [/^must be text without control characters$/, (rules) => rules.line],
  [/^must be an e-mail address$/, (rules) => rules.email],
  [/^must be an http or https URL$/, (rules) => rules.link.notHttp],
  [/^(?:must not lead to|the name leads to) (?:a private|a local)/, (rules) => rules.link.inside],
  [/^must not carry a user name or password$/, (rules) => rules.link.password],
  [/^must not use port (\d+)$/, (rules, port) => rules.link.port(port)],
]

/** A rule in the person's language; one that is not known here stays as the API says it. */
export function ruleInWords(rule: string, { words }: Language): string {
  for (const [pattern, say] of RULES) {
    const match = pattern.exec(rule)
    if (match) return say(words.rules, match[1] ?? '')
  }
  return sentence(rule)
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`
}
