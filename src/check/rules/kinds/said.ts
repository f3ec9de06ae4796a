import { notFound, outcome, scopeOf, speakersUnknown, withoutAnchor, type RuleKind } from '../kind.ts'
import type { Context, Timed } from '../search.ts'
import type { Phrases, Rule } from '../types.ts'

/** The maximum count: nothing is said more often in a call. */
const MOST_TIMES = 1000

/** `any` at least `min` times (1), and a match of each group of `all`. */
export const said: RuleKind = {
  needs: [['any', 'all']],
  takes: ['side', 'window', 'after', 'except', 'min', 'max', 'na', 'mono'],
  limits: [1, MOST_TIMES],
  findsWords: true,
  judge: judgeSaid,
  question: {
    metWhen: (rule, examples) => asSaid(rule, examples),
    missedWhen: (there, noOccasion) => `it is not said${there}${noOccasion}`,
    quotes: 'met',
  },
}

/** @param questionsOf for questions: the matches that count, one of each question */
export async function judgeSaid(context: Context, rule: Rule, questionsOf?: (found: Timed[]) => Timed[]) {
  const scope = await scopeOf(context, rule)
  if (!scope) return speakersUnknown()
  if (scope.lacksAnchor) return withoutAnchor(context, rule)
  const groups: Timed[] = []
  for (const group of rule.all ?? []) {
    const found = await scope.find(group, !questionsOf)
    if (found.length === 0) return notFound(context, rule)
    groups.push(found[0]!)
  }
  const found = rule.any ? await scope.find(rule.any, !questionsOf) : []
  const counted = questionsOf ? questionsOf(found) : found
  const needed = rule.any ? (rule.min ?? 1) : 0
  if (counted.length < needed) return notFound(context, rule, counted, needed > 1 ? needed : undefined)
  if (rule.max !== undefined && counted.length > rule.max)
    return outcome('missed', { code: 'measured', value: counted.length, min: rule.min ?? null, max: rule.max }, counted)
  return outcome('met', { code: 'found', count: counted.length + groups.length }, [...groups, ...counted])
}

/** The requirement of phrases and their number, for a model. */
export function asSaid(
  { any, all = [], min, max }: Rule,
  examples: (phrases: Phrases | undefined) => string,
  counted = '',
): string {
  const groups = all.map((group, n) => `${n + 1}) ${examples(group)}`).join(', ')
  if (any === undefined && groups)
    return `something of each of these groups is said, in these or other words: ${groups}.`
  const like = examples(any) && ` (for example: ${examples(any)})`
  const times = [(min ?? 1) > 1 && ` at least ${min} times`, max !== undefined && ` at most ${max} times`]
    .filter(Boolean)
    .join(' and')
  const each = groups && `, and something of each of these groups: ${groups}`
  return `it is said${times}${times && counted}, in these or other words${like}${each}.`
}
