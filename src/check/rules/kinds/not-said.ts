import {
  createRuleOutcome,
  createRuleSearchScope,
  createSpeakersUnknownOutcome,
  createNoOccasionOutcome,
  type RuleKind,
} from '../kind.ts'

/** The rule is met if no phrase of `any` occurs. */
export const notSaidRuleKind: RuleKind = {
  needs: [['any']],
  takes: ['side', 'window', 'after', 'except', 'na', 'mono'],
  findsWords: true,
  mono: 'skip',
  async judge(context, rule) {
    const scope = await createRuleSearchScope(context, rule)
    if (!scope) return createSpeakersUnknownOutcome()
    if (scope.lacksAnchor && rule.na === 'anchor') return createNoOccasionOutcome(context, rule)
    const found = await scope.find(rule.any)
    return found.length > 0
      ? createRuleOutcome('missed', { code: 'forbidden', count: found.length }, found)
      : createRuleOutcome('met', { code: 'found', count: 0 })
  },
  question: {
    metWhen({ any }, examples) {
      return `nothing like this is said${examples(any) && ` (for example: ${examples(any)})`}.`
    },
    missedWhen: (there) => `it is said${there}: quote it`,
    quotes: 'missed',
  },
}
