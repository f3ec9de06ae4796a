import { createRuleOutcome, createSpeakersUnknownOutcome, createNoOccasionOutcome, type RuleKind } from '../kind.ts'
import {
  searchRuleAnchors,
  isAfterAnchor,
  selectLinesOfSide,
  searchRuleWindow,
  calculateRuleWindow,
} from '../search.ts'

/**
 * The rule is met if the other speaker answers the condition `after` with a phrase of `any`. In a mono call, any speaker can
 * answer. A missed reply quotes the unanswered words.
 */
export const replyRuleKind: RuleKind = {
  needs: [['any'], ['after']],
  takes: ['side', 'window', 'except', 'na', 'mono'],
  findsWords: true,
  mono: 'skip',
  async judge(context, rule) {
    const lines = selectLinesOfSide(context.talk, rule, rule.side)
    const anchors = lines && (await searchRuleAnchors(context, rule))
    if (!lines || !anchors) return createSpeakersUnknownOutcome()
    if (anchors.length === 0) return createNoOccasionOutcome(context, rule)
    const found = await searchRuleWindow(context, rule, lines, rule.any)
    const hasLines = context.talk.lines.length > 1
    for (const anchor of anchors) {
      const answer = found.find(
        (one) => !(hasLines && one.match.line === anchor.match.line) && isAfterAnchor(anchor, one, rule.after!.within),
      )
      if (answer) return createRuleOutcome('met', { code: 'found', count: 1 }, [anchor, answer])
    }
    const within = rule.after!.within ?? null
    return createRuleOutcome('missed', { code: 'noReply', within, ...calculateRuleWindow(context.talk, rule) }, anchors)
  },
  question: {
    metWhen({ any }, examples) {
      return `the other speaker answers it in these or other words${examples(any) && ` (for example: ${examples(any)})`}.`
    },
    missedWhen: (there, noOccasion) => `it is not answered so${there}${noOccasion}`,
    quotes: 'met',
  },
}
