import type { Rule } from '../../check/rules/types.ts'
import type { Language } from '../frame/i18n.ts'
import { collectRulePhraseLists, buildRuleLine, type RuleLine } from './sentence.ts'

/** Limits the listed phrases, separately for added and removed ones. */
const MAX_SHOWN_PHRASES = 12

/** A changed field of a rule: another value, or added and removed phrases. */
interface FieldChange {
  label: string
  before: string | null
  after: string | null
  added: string[]
  removed: string[]
  more: string | null
}

interface RuleChange {
  what: 'added' | 'removed' | 'changed'
  name: string
  line: RuleLine | null
  fields: FieldChange[]
}

/** Compares two versions of a rule set by rule key. Lists added, changed and removed rules. */
export function buildRuleChanges(before: readonly Rule[], after: readonly Rule[], language: Language): RuleChange[] {
  const old = new Map(before.map((rule) => [rule.key, rule]))
  const changes = after.flatMap((rule): RuleChange[] => {
    const earlier = old.get(rule.key)
    if (!earlier) return [buildWholeRuleChange('added', rule, after, language)]
    const fields = compareFields(earlier, rule, [...before, ...after], language)
    return fields.length > 0 ? [{ what: 'changed', name: rule.name[language.code], line: null, fields }] : []
  })
  const removedRules = before.filter(({ key }) => !after.some((rule) => rule.key === key))
  return [...changes, ...removedRules.map((rule) => buildWholeRuleChange('removed', rule, before, language))]
}

const buildWholeRuleChange = (
  change: 'added' | 'removed',
  rule: Rule,
  rules: readonly Rule[],
  language: Language,
): RuleChange => ({
  what: change,
  name: rule.name[language.code],
  line: buildRuleLine(rule, rules, language),
  fields: [],
})

function compareFields(before: Rule, after: Rule, rules: Rule[], language: Language): FieldChange[] {
  const [old, now] = [formatFieldValues(before, rules, language), formatFieldValues(after, rules, language)]
  const values = now.flatMap(([label, value], n): FieldChange[] => {
    const oldValue = old[n]![1]
    return oldValue === value ? [] : [{ label, before: oldValue, after: value, added: [], removed: [], more: null }]
  })
  const [oldLists, nowLists] = [collectRulePhraseLists(before, language), collectRulePhraseLists(after, language)]
  const labels = [...new Set([...oldLists, ...nowLists].map(({ label }) => label))]
  return [...values, ...labels.flatMap((label) => comparePhrases(label, oldLists, nowLists, language))]
}

type PhraseLists = ReturnType<typeof collectRulePhraseLists>

function comparePhrases(
  label: string,
  before: PhraseLists,
  after: PhraseLists,
  { words, format }: Language,
): FieldChange[] {
  const [old, now] = [before, after].map((lists) => new Set(lists.find((list) => list.label === label)?.phrases))
  const added = [...now!].filter((phrase) => !old!.has(phrase))
  const removed = [...old!].filter((phrase) => !now!.has(phrase))
  if (added.length + removed.length === 0) return []
  const more = Math.max(0, added.length - MAX_SHOWN_PHRASES) + Math.max(0, removed.length - MAX_SHOWN_PHRASES)
  return [
    {
      label,
      before: null,
      after: null,
      added: added.slice(0, MAX_SHOWN_PHRASES),
      removed: removed.slice(0, MAX_SHOWN_PHRASES),
      more: more > 0 ? words.ruleSets.sentence.more(format.number(more)) : null,
    },
  ]
}

function formatFieldValues(
  rule: Rule,
  rules: Rule[],
  { words, format, code }: Language,
): [label: string, value: string | null][] {
  const t = words.ruleSets.fields
  const { sentence } = words.ruleSets
  const number = (value: number | undefined) => (value === undefined ? null : format.number(value))
  const { window, after } = rule
  const other = code === 'ru' ? 'en' : 'ru'
  return [
    [t.name[code], rule.name[code]],
    [t.name[other], rule.name[other]],
    [t.kind, words.ruleSets.kinds[rule.kind].title],
    [t.side, rule.side ? t.sides[rule.side] : null],
    [t.weight, number(rule.weight ?? 0)],
    [t.critical, rule.critical ? words.common.yes : words.common.no],
    [
      t.window,
      window?.first !== undefined
        ? sentence.first(window.first, format.number(window.first))
        : window?.last !== undefined
          ? sentence.last(window.last, format.number(window.last))
          : null,
    ],
    [t.min, number(rule.min)],
    [t.max, number(rule.max)],
    [
      t.afterRule,
      after?.rule === undefined ? null : (rules.find(({ key }) => key === after.rule)?.name[code] ?? after.rule),
    ],
    [t.afterSide, after?.side ? t.sides[after.side] : null],
    [t.within, number(after?.within)],
    [t.na, rule.na ? words.common.yes : words.common.no],
    [t.mono, rule.mono ? t.monos[rule.mono] : null],
    [t.hint[code], rule.hint?.[code] ?? null],
    [t.hint[other], rule.hint?.[other] ?? null],
  ]
}
