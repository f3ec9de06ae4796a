import { outcome, speakersUnknown, withoutAnchor, type RuleKind } from '../kind.ts'
import { anchorsOf, follows, linesOf, searchWindow, windowOf } from '../search.ts'

/** `any` of `side` after `after`, by the other speaker. A missed reply shows the unanswered words. */
export const reply: RuleKind = {
  needs: [['any'], ['after']],
  takes: ['side', 'window', 'except', 'na', 'mono'],
  findsWords: true,
  mono: 'skip',
  async judge(context, rule) {
    const lines = linesOf(context.talk, rule, rule.side)
    const anchors = lines && (await anchorsOf(context, rule))
    if (!lines || !anchors) return speakersUnknown()
    if (anchors.length === 0) return withoutAnchor(context, rule)
    const found = await searchWindow(context, rule, lines, rule.any)
    const hasLines = context.talk.lines.length > 1
    for (const anchor of anchors) {
      const answer = found.find(
        (one) => !(hasLines && one.match.line === anchor.match.line) && follows(anchor, one, rule.after!.within),
      )
      if (answer) return outcome('met', { code: 'found', count: 1 }, [anchor, answer])
    }
    const within = rule.after!.within ?? null
    return outcome('missed', { code: 'noReply', within, ...windowOf(context.talk, rule) }, anchors)
  },
  question: {
    metWhen({ any }, examples) {
      return `the other speaker answers it in these or other words${examples(any) && ` (for example: ${examples(any)})`}.`
    },
    missedWhen: (there, noOccasion) => `it is not answered so${there}${noOccasion}`,
    quotes: 'met',
  },
}
