import type { Phrases, Rule } from '../../check/rules/types.ts'
import type { Language } from '../frame/i18n.ts'
import type { Part } from './kind.ts'
import { KIND_VIEWS } from './kind-views.ts'

/** The number of shown phrases of a list in a sentence. */
const SHOWN = 3

/** The phrases for a reader: in their language, or else in the other. */
function phrasesIn(phrases: Phrases | undefined, { code }: Pick<Language, 'code'>): string[] {
  const own = phrases?.[code] ?? []
  return own.length > 0 ? own : (phrases?.[code === 'ru' ? 'en' : 'ru'] ?? [])
}

/** A rule as a sentence that a sales lead reads: “The agent says one of … in the first 20 seconds”. */
function sentenceOf(rule: Rule, rules: readonly Rule[], language: Language): Part[] {
  const { sentence: t } = language.words.ruleSets
  const parts = [...conditionOf(rule, rules, language), ...coreOf(rule, language), ...windowOf(rule, language)]
  const except = phrasesIn(rule.except, language)
  if (except.length > 0) parts.push(`, ${t.except}`, listOf(rule.except, language, 1))
  return closed(parts)
}

/** The condition of a rule, as the beginning of the sentence. */
function conditionOf({ kind, side, after }: Rule, rules: readonly Rule[], language: Language): Part[] {
  const { sentence: t } = language.words.ruleSets
  if (!after || kind === 'order') return []
  const within = after.within === undefined ? '' : ` ${t.within(after.within, shown(after.within, language))},`
  if (after.rule !== undefined) {
    const name = rules.find(({ key }) => key === after.rule)?.name[language.code] ?? after.rule
    return [`${t.afterRule(name)},${within}`]
  }
  const who = t.sides[after.side ?? (side === 'agent' ? 'client' : 'any')]
  return [t.after(who), listOf(after.any, language), `,${within}`]
}

function coreOf(rule: Rule, language: Language): Part[] {
  const { words, code } = language
  const { sentence: t, kinds } = words.ruleSets
  const { kind, side = 'any', min, max, any, all = [], hint, name } = rule
  return KIND_VIEWS[kind].sentence(rule, kinds[kind], {
    who: t.sides[side],
    sides: t.sides,
    bounds: min === undefined && max === undefined ? '' : t.bounds(boundOf(min, language), boundOf(max, language)),
    last: max ?? min ?? 0,
    explanation: hint?.[code] ?? name[code],
    within: (seconds) => t.within(seconds, shown(seconds, language)),
    list: (phrases) => listOf(phrases, language),
    groups: (first = t.and) =>
      all.flatMap((group, n): Part[] => [any || n > 0 ? t.and : first, listOf(group, language)]),
  })
}

function windowOf({ window }: Rule, language: Language): Part[] {
  const { sentence: t } = language.words.ruleSets
  if (window?.first !== undefined) return [t.first(window.first, shown(window.first, language))]
  return window?.last === undefined ? [] : [t.last(window.last, shown(window.last, language))]
}

function listOf(phrases: Phrases | undefined, language: Language, most = SHOWN): Part {
  const { sentence: t } = language.words.ruleSets
  const all = phrasesIn(phrases, language)
  const more = all.length - most
  if (all.length === 0) return t.noPhrases
  return { phrases: all.slice(0, most), more: more > 0 ? t.more(language.format.number(more)) : null }
}

const shown = (value: number, { format }: Language): string => format.number(value)
const boundOf = (value: number | undefined, language: Language): string | null =>
  value === undefined ? null : shown(value, language)

/** Begins with a capital letter and ends with a full stop, except before a list. */
function closed(parts: Part[]): Part[] {
  const [first, ...rest] = parts
  const begun = typeof first === 'string' ? first.charAt(0).toUpperCase() + first.slice(1) : first!
  const last = rest.at(-1) ?? begun
  return typeof last !== 'string' || /[.!?…]$/.test(last) ? [begun, ...rest] : [begun, ...rest, '.']
}

/** The total weight of the rules, for their shares. */
const weightOf = (rules: readonly Rule[]): number => rules.reduce((sum, { weight = 0 }) => sum + weight, 0)

/** A rule as a line of a list: its sentence, and its weight. */
export function ruleLine(rule: Rule, rules: readonly Rule[], language: Language) {
  const { words, format } = language
  const { sentence: t } = words.ruleSets
  const { key, name, weight = 0, critical = false, na } = rule
  const lists = phraseLists(rule, language)
  const share = Math.round((100 * weight) / (weightOf(rules) || 1))
  return {
    key,
    name: name[language.code],
    parts: sentenceOf(rule, rules, language),
    notes: [...(na ? [t.onlyThen] : []), ...(critical ? [t.critical] : [])],
    critical,
    points: weight > 0 ? t.points(weight, format.number(weight)) : null,
    share: weight > 0 ? words.common.percent(format.number(share)) : null,
    // All of them, if the sentence shows only the first of a list.
    words: lists.some(({ phrases }) => phrases.length > SHOWN) ? lists : [],
  }
}

export type RuleLine = ReturnType<typeof ruleLine>

/** The phrases of a rule in both languages, by their field. */
export function phraseLists(rule: Rule, { words }: Language): { label: string; phrases: string[] }[] {
  const t = words.ruleSets.fields
  const lists: [string, Phrases | undefined][] = [
    [t.any, rule.any],
    ...(rule.all ?? []).map((group, n): [string, Phrases] => [t.group(n + 1), group]),
    [t.except, rule.except],
    [t.afterWords, rule.after?.any],
  ]
  return lists
    .map(([label, phrases]) => ({ label, phrases: [...(phrases?.ru ?? []), ...(phrases?.en ?? [])] }))
    .filter(({ phrases }) => phrases.length > 0)
}
