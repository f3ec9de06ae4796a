import { createOutcome, createSpeakersUnknownOutcome, createNoAnchorOutcome, type RuleKind } from '../kind.ts'
import { searchAnchors, isAfterAnchor, selectLines, searchWindow, calculateWindow } from '../search.ts'

/**
 * The rule is met if the other speaker answers the condition `after` with a phrase of `any`. A missed reply quotes the unanswered
 * words.
 */
export const reply: RuleKind = {
  needs: [['any'], ['after']],
  takes: ['side', 'window', 'except', 'na', 'mono'],
  findsWords: true,
  mono: 'skip',
  async judge(context, rule) {
    const lines = selectLines(context.talk, rule, rule.side)
    const anchors = lines && (await searchAnchors(context, rule))
    if (!lines || !anchors) return createSpeakersUnknownOutcome()
    if (anchors.length === 0) return createNoAnchorOutcome(context, rule)
    const found = await searchWindow(context, rule, lines, rule.any)
    const hasLines = context.talk.lines.length > 1
    for (const anchor of anchors) {
      const answer = found.find(
        (one) => !(hasLines && one.match.line === anchor.match.line) && isAfterAnchor(anchor, one, rule.after!.within),
      )
      if (answer) return createOutcome('met', { code: 'found', count: 1 }, [anchor, answer])
    }
    const within = rule.after!.within ?? null
    return createOutcome('missed', { code: 'noReply', within, ...calculateWindow(context.talk, rule) }, anchors)
  },
  question: {
    metWhen({ any }, examples) {
      return `the other speaker answers it in these or other words${examples(any) && ` (for example: ${examples(any)})`}.`
    },
    missedWhen: (there, noOccasion) => `it is not answered so${there}${noOccasion}`,
    quotes: 'met',
  },
}
