import { isDeepStrictEqual } from 'node:util'
import type { RuleKindName, PhrasesByLanguage, Rule } from '../../check/rules/types.ts'
import { LANGUAGES } from '../../people/people/values.ts'
import type { ApiError } from '../frame/api-client.ts'
import { FormValues } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { parseTranslatedName, parseNumberField } from './settings-form.ts'
import type { RuleKindView } from './kind.ts'
import { RULE_KIND_VIEWS } from './kind-views.ts'

/** Converts a rule to the values of its form. Each phrase list becomes a text with one phrase per line. */
export function buildRuleFormFields(rule: Rule): FormValues {
  const { name, kind, hint, side, window, after, any, all = [], except, min, max, weight, critical, na, mono } = rule
  return FormValues.of({
    ...buildLanguageFields('name', name),
    ...buildLanguageFields('hint', hint),
    kind,
    // The kind talkShare needs one side, so its form does not offer both.
    side: side ?? (kind === 'talkShare' ? 'agent' : 'any'),
    window: window?.first !== undefined ? 'first' : window?.last !== undefined ? 'last' : 'none',
    seconds: window?.first ?? window?.last,
    ...buildPhraseFields('any', any),
    ...Object.assign({}, ...all.map((group, n) => buildPhraseFields(`all.${n}`, group))),
    ...buildPhraseFields('except', except),
    ...buildPhraseFields('after.any', after?.any),
    'after.side': after?.side ?? '',
    'after.rule': after?.rule,
    'after.within': after?.within,
    min,
    max,
    weight: weight ?? 0,
    critical: critical ? 'true' : '',
    na: na ? 'true' : '',
    mono: mono ?? 'usual',
  })
}

const buildLanguageFields = (name: string, text: Partial<Record<'en' | 'ru', string>> = {}) =>
  Object.fromEntries(LANGUAGES.map((code) => [`${name}.${code}`, text[code]]))

const buildPhraseFields = (name: string, phrases: PhrasesByLanguage = {}) =>
  Object.fromEntries(LANGUAGES.map((code) => [`${name}.${code}`, phrases[code]?.join('\n')]))

/**
 * Parses the form of a rule without validating it, because the API validates it. @param key key of the rule @param scored whether
 * the rule set has points
 */
export function parseRuleForm(fields: FormValues, key: string, scored: boolean): Rule {
  const kind = fields.text('kind') as RuleKindName
  const has = (field: RuleKindView['form'][number]) => RULE_KIND_VIEWS[kind].form.includes(field)
  const side = fields.text('side')
  const seconds = parseNumberField(fields.text('seconds'))
  const window = fields.text('window')
  const after = has('after') ? parseAfter(fields, kind) : has('within') ? parseWithin(fields) : undefined
  const all = has('groups') || has('steps') ? parseGroups(fields) : []
  const except = parsePhrases(fields, 'except')
  const weight = parseNumberField(fields.text('weight'))
  const mono = fields.text('mono')
  const hint = parseTexts(fields, 'hint')
  const rule = {
    key,
    name: parseTranslatedName(fields),
    ...(hint && { hint }),
    kind,
    ...(has('side') && side && { side }),
    ...(has('window') && window !== 'none' && { window: { [window]: seconds } }),
    ...(after && { after }),
    ...(has('any') && (parsePhrases(fields, 'any') || all.length === 0) && { any: parsePhrases(fields, 'any') ?? {} }),
    ...((all.length > 0 || has('steps')) && { all }),
    ...(has('except') && except && { except }),
    ...(has('bounds') && parseBounds(fields)),
    ...(scored && { weight: weight ?? 0 }),
    ...(fields.checked('critical') && { critical: true }),
    ...(has('na') && fields.checked('na') && { na: 'anchor' }),
    ...(has('mono') && mono !== 'usual' && mono && { mono }),
  }
  return rule as Rule
}

/**
 * Applies the form to a stored rule. Unless the kind changed, unchanged fields keep their stored value exactly, so that existing
 * reviews still apply.
 */
export function parseChangedRuleForm(stored: Rule, fields: FormValues, scored: boolean): Rule {
  const enteredRule = parseRuleForm(fields, stored.key, scored)
  if (enteredRule.kind !== stored.kind) return enteredRule
  const unchanged = parseRuleForm(buildRuleFormFields(stored), stored.key, scored)
  const names = Object.keys({ ...stored, ...enteredRule }) as (keyof Rule)[]
  const values = names.map((name): [string, unknown] => {
    return [name, (isDeepStrictEqual(enteredRule[name], unchanged[name]) ? stored : enteredRule)[name]]
  })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as unknown as Rule
}

/** Higher than the API's limit of phrases in a list, so that the API rejects too many. */
const MAX_LINES = 1000

const splitPhrases = (text: string): string[] =>
  text
    .split(/\r\n|\r|\n/, MAX_LINES)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Parses a phrase list in both languages; undefined if it has no phrases. */
function parsePhrases(fields: FormValues, name: string): PhrasesByLanguage | undefined {
  const found = LANGUAGES.map((code) => [code, splitPhrases(fields.raw(`${name}.${code}`))] as const)
  const filled = found.filter(([, phrases]) => phrases.length > 0)
  return filled.length > 0 ? Object.fromEntries(filled) : undefined
}

function parseTexts(fields: FormValues, name: string): Rule['hint'] | undefined {
  // Browsers send line breaks as \r\n; rules store \n.
  const readField = (code: string) => fields.text(`${name}.${code}`).replaceAll('\r\n', '\n')
  const found = LANGUAGES.map((code) => [code, readField(code)] as const).filter(([, text]) => text)
  return found.length > 0 ? Object.fromEntries(found) : undefined
}

const MAX_GROUPS = 20

function parseGroups(fields: FormValues): PhrasesByLanguage[] {
  return Array.from({ length: MAX_GROUPS }, (_, n) => parsePhrases(fields, `all.${n}`)).filter(
    (group): group is PhrasesByLanguage => group !== undefined,
  )
}

/**
 * Returns the number of phrase groups in the form: the filled ones and an empty one, at most MAX_GROUPS. The kind `order` has at
 * least two.
 */
export function countPhraseGroupFields(fields: FormValues, kind: RuleKindName): number {
  const filled = parseGroups(fields).length
  return Math.min(MAX_GROUPS, Math.max(filled + 1, kind === 'order' ? 2 : 0))
}

function parseAfter(fields: FormValues, kind: RuleKindName): object | undefined {
  const [rule, any, side] = [fields.text('after.rule'), parsePhrases(fields, 'after.any'), fields.text('after.side')]
  const within = parseNumberField(fields.text('after.within'))
  if (!rule && !any && kind !== 'reply') return undefined
  const phrases = any ?? (rule ? undefined : {})
  return {
    ...(side && !rule && { side }),
    ...(phrases && { any: phrases }),
    ...(rule && { rule }),
    ...(within !== undefined && { within }),
  }
}

function parseWithin(fields: FormValues): object | undefined {
  const within = parseNumberField(fields.text('after.within'))
  return within === undefined ? undefined : { within }
}

function parseBounds(fields: FormValues): object {
  const [min, max] = [parseNumberField(fields.text('min')), parseNumberField(fields.text('max'))]
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) }
}

/**
 * Splits the messages of the API. `errors` has the first message per form field of the rule at `position`. `others` has the messages
 * about other rules and the set.
 */
export function splitRuleErrors(
  { messages }: ApiError,
  position: number,
  rules: readonly Rule[],
  language: Language,
): { errors: Record<string, string>; others: string[] } {
  const errors: Record<string, string> = {}
  const others: string[] = []
  for (const { field = '', text } of messages) {
    const [, index, path = ''] = /^rules(?:\[(\d+)\](?:\.(.+))?)?$/.exec(field) ?? []
    const error = text.replace(/^\(rule [^)]*\): /, '')
    if (index === undefined) others.push(error)
    else if (Number(index) !== position) others.push(`${rules[Number(index)]?.name[language.code] ?? ''}: ${error}`)
    else errors[findFormField(path, language)] ??= error
  }
  return { errors, others: [...new Set(others)] }
}

/** Returns the name of the form field that edits a path of a rule, such as `all[1].en[0]`. */
function findFormField(path: string, { code }: Language): string {
  const [, list, lang] = /^(any|except|after\.any|after|all\[\d+\]|all)(?:\.(en|ru))?(?:\[\d+\])?$/.exec(path) ?? []
  if (list) {
    const name = list === 'after' ? 'after.any' : list.replace(/\[(\d+)\]/, '.$1')
    return `${name === 'all' ? 'all.0' : name}.${lang ?? code}`
  }
  if (path.startsWith('window')) return 'seconds'
  return path
}
