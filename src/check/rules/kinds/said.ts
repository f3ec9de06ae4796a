import {
  createNotFoundOutcome,
  createRuleOutcome,
  createRuleSearchScope,
  createSpeakersUnknownOutcome,
  createNoOccasionOutcome,
  type RuleKind,
} from '../kind.ts'
import type { RuleContext, TimedPhraseMatch } from '../search.ts'
import type { PhrasesByLanguage, Rule } from '../types.ts'

/** The maximum value of `min` and `max` in rules that count phrases. */
const MAX_COUNT = 1000

/** The rule is met if phrases of `any` occur from `min` (default 1) to `max` times, and each group of `all` matches. */
export const saidRuleKind: RuleKind = {
  needs: [['any', 'all']],
  takes: ['side', 'window', 'after', 'except', 'min', 'max', 'na', 'mono'],
  limits: [1, MAX_COUNT],
  findsWords: true,
  judge: judgePhraseRule,
  question: {
    metWhen: (rule, examples) => formatPhraseRequirement(rule, examples),
    missedWhen: (there, noOccasion) => `it is not said${there}${noOccasion}`,
    quotes: 'met',
  },
}

/**
 * Judges a rule by its phrases.
 * @param selectQuestions selects one match of each question, in rules that count questions
 */
export async function judgePhraseRule(
  context: RuleContext,
  rule: Rule,
  selectQuestions?: (found: TimedPhraseMatch[]) => TimedPhraseMatch[],
) {
  const scope = await createRuleSearchScope(context, rule)
  if (!scope) return createSpeakersUnknownOutcome()
  if (scope.lacksAnchor) return createNoOccasionOutcome(context, rule)
  const groups: TimedPhraseMatch[] = []
  for (const group of rule.all ?? []) {
    const found = await scope.find(group, !selectQuestions)
    if (found.length === 0) return createNotFoundOutcome(context, rule)
    groups.push(found[0]!)
  }
  const found = rule.any ? await scope.find(rule.any, !selectQuestions) : []
  const counted = selectQuestions ? selectQuestions(found) : found
  const needed = rule.any ? (rule.min ?? 1) : 0
  if (counted.length < needed) return createNotFoundOutcome(context, rule, counted, needed > 1 ? needed : undefined)
  if (rule.max !== undefined && counted.length > rule.max)
    return createRuleOutcome(
      'missed',
      { code: 'measured', value: counted.length, min: rule.min ?? null, max: rule.max },
      counted,
    )
  return createRuleOutcome('met', { code: 'found', count: counted.length + groups.length }, [...groups, ...counted])
}

/**
 * Describes the required phrases and counts of a rule for a model.
 * @param examples formats some phrases of a list
 * @param counted follows the count, such as ', in different questions'
 */
export function formatPhraseRequirement(
  { any, all = [], min, max }: Rule,
  examples: (phrases: PhrasesByLanguage | undefined) => string,
  counted = '',
): string {
  const groups = all.map((group, n) => `${n + 1}) ${examples(group)}`).join(', ')
  if (any === undefined && groups)
    return `something of each of these groups is said, in these or other words: ${groups}.`
  const exampleText = examples(any) && ` (for example: ${examples(any)})`
  const countText = [(min ?? 1) > 1 && ` at least ${min} times`, max !== undefined && ` at most ${max} times`]
    .filter(Boolean)
    .join(' and')
  const groupText = groups && `, and something of each of these groups: ${groups}`
  return `it is said${countText}${countText && counted}, in these or other words${exampleText}${groupText}.`
}
