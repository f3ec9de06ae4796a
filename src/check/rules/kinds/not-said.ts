import { outcome, scopeOf, speakersUnknown, withoutAnchor, type RuleKind } from '../kind.ts'

/** `any` not even once. */
export const notSaid: RuleKind = {
  needs: [['any']],
  takes: ['side', 'window', 'after', 'except', 'na', 'mono'],
  findsWords: true,
  mono: 'skip',
  async judge(context, rule) {
    const scope = await scopeOf(context, rule)
    if (!scope) return speakersUnknown()
    if (scope.lacksAnchor && rule.na === 'anchor') return withoutAnchor(context, rule)
    const found = await scope.find(rule.any)
    return found.length > 0
      ? outcome('missed', { code: 'forbidden', count: found.length }, found)
      : outcome('met', { code: 'found', count: 0 })
  },
  question: {
    metWhen({ any }, examples) {
      return `nothing like this is said${examples(any) && ` (for example: ${examples(any)})`}.`
    },
    missedWhen: (there) => `it is said${there}: quote it`,
    quotes: 'missed',
  },
}
