import type { PhrasesByLanguage, Rule } from '../../check/rules/types.ts'
import type { Language } from '../frame/i18n.ts'
import type { RuleSentencePart } from './kind.ts'
import { RULE_KIND_VIEWS } from './kind-views.ts'

const MAX_SHOWN_PHRASES = 3

/** Returns the phrases in the person's language, or in the other language if there are none. */
function selectPhrases(phrases: PhrasesByLanguage | undefined, { code }: Pick<Language, 'code'>): string[] {
  const own = phrases?.[code] ?? []
  return own.length > 0 ? own : (phrases?.[code === 'ru' ? 'en' : 'ru'] ?? [])
}

/** Describes a rule as a sentence, such as “The agent says one of … in the first 20 seconds”. */
function buildSentence(rule: Rule, rules: readonly Rule[], language: Language): RuleSentencePart[] {
  const { sentence: t } = language.words.ruleSets
  const parts = [...buildCondition(rule, rules, language), ...buildCore(rule, language), ...buildWindow(rule, language)]
  const except = selectPhrases(rule.except, language)
  if (except.length > 0) parts.push(`, ${t.except}`, buildPhraseList(rule.except, language, 1))
  return capitalizeAndClose(parts)
}

function buildCondition({ kind, side, after }: Rule, rules: readonly Rule[], language: Language): RuleSentencePart[] {
  const { sentence: t } = language.words.ruleSets
  if (!after || kind === 'order') return []
  const within = after.within === undefined ? '' : ` ${t.within(after.within, formatNumber(after.within, language))},`
  if (after.rule !== undefined) {
    const name = rules.find(({ key }) => key === after.rule)?.name[language.code] ?? after.rule
    return [`${t.afterRule(name)},${within}`]
  }
  const speaker = t.sides[after.side ?? (side === 'agent' ? 'client' : 'any')]
  return [t.after(speaker), buildPhraseList(after.any, language), `,${within}`]
}

function buildCore(rule: Rule, language: Language): RuleSentencePart[] {
  const { words, code } = language
  const { sentence: t, kinds } = words.ruleSets
  const { kind, side = 'any', min, max, any, all = [], hint, name } = rule
  return RULE_KIND_VIEWS[kind].sentence(rule, kinds[kind], {
    who: t.sides[side],
    sides: t.sides,
    bounds:
      min === undefined && max === undefined ? '' : t.bounds(formatBound(min, language), formatBound(max, language)),
    last: max ?? min ?? 0,
    explanation: hint?.[code] ?? name[code],
    within: (seconds) => t.within(seconds, formatNumber(seconds, language)),
    list: (phrases) => buildPhraseList(phrases, language),
    groups: (first = t.and) =>
      all.flatMap((group, n): RuleSentencePart[] => [any || n > 0 ? t.and : first, buildPhraseList(group, language)]),
  })
}

function buildWindow({ window }: Rule, language: Language): RuleSentencePart[] {
  const { sentence: t } = language.words.ruleSets
  if (window?.first !== undefined) return [t.first(window.first, formatNumber(window.first, language))]
  return window?.last === undefined ? [] : [t.last(window.last, formatNumber(window.last, language))]
}

function buildPhraseList(
  phrases: PhrasesByLanguage | undefined,
  language: Language,
  limit = MAX_SHOWN_PHRASES,
): RuleSentencePart {
  const { sentence: t } = language.words.ruleSets
  const all = selectPhrases(phrases, language)
  const more = all.length - limit
  if (all.length === 0) return t.noPhrases
  return { phrases: all.slice(0, limit), more: more > 0 ? t.more(language.format.number(more)) : null }
}

const formatNumber = (value: number, { format }: Language): string => format.number(value)
const formatBound = (value: number | undefined, language: Language): string | null =>
  value === undefined ? null : formatNumber(value, language)

/** Capitalizes the first letter and ends the sentence with a full stop, except after a phrase list or other punctuation. */
function capitalizeAndClose(parts: RuleSentencePart[]): RuleSentencePart[] {
  const [first, ...otherParts] = parts
  const capitalized = typeof first === 'string' ? first.charAt(0).toUpperCase() + first.slice(1) : first!
  const last = otherParts.at(-1) ?? capitalized
  return typeof last !== 'string' || /[.!?…]$/.test(last)
    ? [capitalized, ...otherParts]
    : [capitalized, ...otherParts, '.']
}

const sumWeights = (rules: readonly Rule[]): number => rules.reduce((sum, { weight = 0 }) => sum + weight, 0)

/** Builds a line that describes a rule. @param rules all rules of the set, for the share of points and for references */
export function buildRuleLine(rule: Rule, rules: readonly Rule[], language: Language) {
  const { words, format } = language
  const { sentence: t } = words.ruleSets
  const { key, name, weight = 0, critical = false, na } = rule
  const lists = collectRulePhraseLists(rule, language)
  const share = Math.round((100 * weight) / (sumWeights(rules) || 1))
  return {
    key,
    name: name[language.code],
    parts: buildSentence(rule, rules, language),
    notes: [...(na ? [t.onlyThen] : []), ...(critical ? [t.critical] : [])],
    critical,
    points: weight > 0 ? t.points(weight, format.number(weight)) : null,
    share: weight > 0 ? words.common.percent(format.number(share)) : null,
    hasMorePhrases: lists.some(({ phrases }) => phrases.length > MAX_SHOWN_PHRASES),
  }
}

/** A rule in a list: its name, its sentence and its points. */
export type RuleLine = ReturnType<typeof buildRuleLine>

/** Collects the phrases of a rule by field, Russian ones before English ones. Omits empty lists. */
export function collectRulePhraseLists(rule: Rule, { words }: Language): { label: string; phrases: string[] }[] {
  const t = words.ruleSets.fields
  const lists: [string, PhrasesByLanguage | undefined][] = [
    [t.any, rule.any],
    ...(rule.all ?? []).map((group, n): [string, PhrasesByLanguage] => [t.group(n + 1), group]),
    [t.except, rule.except],
    [t.afterWords, rule.after?.any],
  ]
  return lists
    .map(([label, phrases]) => ({ label, phrases: [...(phrases?.ru ?? []), ...(phrases?.en ?? [])] }))
    .filter(({ phrases }) => phrases.length > 0)
}
