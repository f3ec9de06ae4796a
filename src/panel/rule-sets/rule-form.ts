import { isDeepStrictEqual } from 'node:util'
import type { Kind, Phrases, Rule } from '../../check/rules/types.ts'
import { LANGUAGES } from '../../people/people/values.ts'
import type { ApiError } from '../frame/api-client.ts'
import { Fields } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { bothNames, numberOf } from './forms.ts'
import type { KindView } from './kind.ts'
import { KIND_VIEWS } from './kind-views.ts'

/** A rule as the fields of its form: each list of phrases as lines. */
export function fieldsOfRule(rule: Rule): Fields {
  const { name, kind, hint, side, window, after, any, all = [], except, min, max, weight, critical, na, mono } = rule
  return Fields.of({
    ...inLanguages('name', name),
    ...inLanguages('hint', hint),
    kind,
    // A share of the talk is about one side: the form has no other choice.
    side: side ?? (kind === 'talkShare' ? 'agent' : 'any'),
    window: window?.first !== undefined ? 'first' : window?.last !== undefined ? 'last' : 'none',
    seconds: window?.first ?? window?.last,
    ...linesOf('any', any),
    ...Object.assign({}, ...all.map((group, n) => linesOf(`all.${n}`, group))),
    ...linesOf('except', except),
    ...linesOf('after.any', after?.any),
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

const inLanguages = (name: string, text: Partial<Record<'en' | 'ru', string>> = {}) =>
  Object.fromEntries(LANGUAGES.map((code) => [`${name}.${code}`, text[code]]))

const linesOf = (name: string, phrases: Phrases = {}) =>
  Object.fromEntries(LANGUAGES.map((code) => [`${name}.${code}`, phrases[code]?.join('\n')]))

/** The rule in a form; the API validates it. */
export function ruleOf(fields: Fields, key: string, scored: boolean): Rule {
  const kind = fields.text('kind') as Kind
  const has = (field: KindView['form'][number]) => KIND_VIEWS[kind].form.includes(field)
  const side = fields.text('side')
  const seconds = numberOf(fields.text('seconds'))
  const window = fields.text('window')
  const after = has('after') ? afterOf(fields, kind) : has('within') ? withinOf(fields) : undefined
  const all = has('groups') || has('steps') ? groupsOf(fields) : []
  const except = phrasesOf(fields, 'except')
  const weight = numberOf(fields.text('weight'))
  const mono = fields.text('mono')
  const hint = textsOf(fields, 'hint')
  const rule = {
    key,
    name: bothNames(fields),
    ...(hint && { hint }),
    kind,
    ...(has('side') && side && { side }),
    ...(has('window') && window !== 'none' && { window: { [window]: seconds } }),
    ...(after && { after }),
    ...(has('any') && (phrasesOf(fields, 'any') || all.length === 0) && { any: phrasesOf(fields, 'any') ?? {} }),
    ...((all.length > 0 || has('steps')) && { all }),
    ...(has('except') && except && { except }),
    ...(has('bounds') && boundsOf(fields)),
    ...(scored && { weight: weight ?? 0 }),
    ...(fields.checked('critical') && { critical: true }),
    ...(has('na') && fields.checked('na') && { na: 'anchor' }),
    ...(has('mono') && mono !== 'usual' && mono && { mono }),
  }
  return rule as Rule
}

/** The rule with the changes of its form. Untouched fields stay exactly as stored, so people's verdicts still apply. */
export function changedRule(stored: Rule, fields: Fields, scored: boolean): Rule {
  const typed = ruleOf(fields, stored.key, scored)
  if (typed.kind !== stored.kind) return typed
  const shown = ruleOf(fieldsOfRule(stored), stored.key, scored)
  const names = Object.keys({ ...stored, ...typed }) as (keyof Rule)[]
  const values = names.map((name): [string, unknown] => {
    return [name, (isDeepStrictEqual(typed[name], shown[name]) ? stored : typed)[name]]
  })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as unknown as Rule
}

/** More lines than phrases allowed in a list, so that the API still rejects too many. */
const MOST_LINES = 1000

const phrasesIn = (text: string): string[] =>
  text
    .split(/\r\n|\r|\n/, MOST_LINES)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** The phrases of a list in both languages; undefined if there are none. */
function phrasesOf(fields: Fields, name: string): Phrases | undefined {
  const found = LANGUAGES.map((code) => [code, phrasesIn(fields.raw(`${name}.${code}`))] as const)
  const filled = found.filter(([, phrases]) => phrases.length > 0)
  return filled.length > 0 ? Object.fromEntries(filled) : undefined
}

function textsOf(fields: Fields, name: string): Rule['hint'] | undefined {
  // Browsers send a line break as two characters.
  const textIn = (code: string) => fields.text(`${name}.${code}`).replaceAll('\r\n', '\n')
  const found = LANGUAGES.map((code) => [code, textIn(code)] as const).filter(([, text]) => text)
  return found.length > 0 ? Object.fromEntries(found) : undefined
}

const MOST_GROUPS = 20

function groupsOf(fields: Fields): Phrases[] {
  return Array.from({ length: MOST_GROUPS }, (_, n) => phrasesOf(fields, `all.${n}`)).filter(
    (group): group is Phrases => group !== undefined,
  )
}

/** The number of groups in the form: the filled ones and an empty one; at least two for an order. */
export function groupCount(fields: Fields, kind: Kind): number {
  const filled = groupsOf(fields).length
  return Math.min(MOST_GROUPS, Math.max(filled + 1, kind === 'order' ? 2 : 0))
}

function afterOf(fields: Fields, kind: Kind): object | undefined {
  const [rule, any, side] = [fields.text('after.rule'), phrasesOf(fields, 'after.any'), fields.text('after.side')]
  const within = numberOf(fields.text('after.within'))
  if (!rule && !any && kind !== 'reply') return undefined
  const phrases = any ?? (rule ? undefined : {})
  return {
    ...(side && !rule && { side }),
    ...(phrases && { any: phrases }),
    ...(rule && { rule }),
    ...(within !== undefined && { within }),
  }
}

function withinOf(fields: Fields): object | undefined {
  const within = numberOf(fields.text('after.within'))
  return within === undefined ? undefined : { within }
}

function boundsOf(fields: Fields): object {
  const [min, max] = [numberOf(fields.text('min')), numberOf(fields.text('max'))]
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) }
}

/** The API's violations: beside fields of the rule at `position`, of other rules, and of the whole set. */
export function errorsOfRules(
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
    else errors[fieldAt(path, language)] ??= error
  }
  return { errors, others: [...new Set(others)] }
}

/** The form field of a path in a rule. */
function fieldAt(path: string, { code }: Language): string {
  const [, list, lang] = /^(any|except|after\.any|after|all\[\d+\]|all)(?:\.(en|ru))?(?:\[\d+\])?$/.exec(path) ?? []
  if (list) {
    const name = list === 'after' ? 'after.any' : list.replace(/\[(\d+)\]/, '.$1')
    return `${name === 'all' ? 'all.0' : name}.${lang ?? code}`
  }
  if (path.startsWith('window')) return 'seconds'
  return path
}
