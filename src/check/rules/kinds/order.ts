import { createRuleOutcome, createSpeakersUnknownOutcome, type RuleKind } from '../kind.ts'
import {
  isAfterAnchor,
  selectLinesOfSide,
  searchRuleWindow,
  calculateRuleWindow,
  type TimedPhraseMatch,
} from '../search.ts'
import type { VerdictReason } from '../types.ts'

/**
 * The rule is met if each group of `all` matches after the group before. Of `after`, only `within` applies, in seconds between
 * steps.
 */
export const orderRuleKind: RuleKind = {
  needs: [['all']],
  takes: ['side', 'window', 'except', 'after', 'mono'],
  findsWords: true,
  *validate({ all, after }) {
    if (all && all.length < 2) yield ['all', 'order', 'Add at least two steps.', 'Добавьте не меньше двух шагов.']
    if (after && (after.any !== undefined || after.rule !== undefined))
      yield ['after', 'order', 'Only within applies here.', 'Здесь можно указать только within.']
  },
  async judge(context, rule) {
    const lines = selectLinesOfSide(context.talk, rule, rule.side)
    if (!lines) return createSpeakersUnknownOutcome()
    const within = rule.after?.within
    // Keep all matches that can be reached, because the first match of a step can be a dead end.
    const reachable: TimedPhraseMatch[][] = []
    for (const [index, group] of rule.all!.entries()) {
      const found = await searchRuleWindow(context, rule, lines, group)
      const before = reachable.at(-1)
      const next = before ? found.filter((one) => before.some((anchor) => isAfterAnchor(anchor, one, within))) : found
      if (next.length === 0) {
        const why: VerdictReason = { code: 'notInOrder', step: index + 1, ...calculateRuleWindow(context.talk, rule) }
        return createRuleOutcome('missed', why, buildChain(reachable, within))
      }
      reachable.push(next)
    }
    return createRuleOutcome('met', { code: 'found', count: reachable.length }, buildChain(reachable, within))
  },
  question: {
    metWhen({ all = [], after }, examples) {
      const steps = all.map((group, n) => `${n + 1}) ${examples(group)}`).join(', ')
      const within = after?.within === undefined ? '' : `, each at most ${after.within} seconds after the one before`
      return `each of these steps is said in these or other words, one after the other in this order${within}: ${steps}. Quote the last step.`
    },
    missedWhen: () => 'a step is not said, or not in its place',
    quotes: 'met',
  },
}

/** Returns one match for each reached step, ending with the first match of the last one. */
function buildChain(reachable: TimedPhraseMatch[][], within: number | undefined): TimedPhraseMatch[] {
  const chain = reachable.at(-1)?.slice(0, 1) ?? []
  for (const step of reachable.slice(0, -1).toReversed())
    chain.unshift(step.find((anchor) => isAfterAnchor(anchor, chain[0]!, within))!)
  return chain
}
