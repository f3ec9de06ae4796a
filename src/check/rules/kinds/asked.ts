import type { RuleKind } from '../kind.ts'
import type { TimedPhraseMatch } from '../search.ts'
import { SENTENCE_BREAK } from '../words.ts'
import { formatPhraseRequirement, judgePhraseRule, saidRuleKind } from './said.ts'

/** The rule is met if phrases of `any` occur in `min` (default 1) to `max` different questions, and each group of `all` matches. */
export const askedRuleKind: RuleKind = {
  ...saidRuleKind,
  needs: [['any']],
  takes: ['side', 'window', 'after', 'all', 'except', 'min', 'max', 'na', 'mono'],
  judge: (context, rule) => judgePhraseRule(context, rule, selectQuestions),
  question: {
    ...saidRuleKind.question!,
    metWhen: (rule, examples) => formatPhraseRequirement(rule, examples, ', in different questions'),
  },
}

const CONJUNCTIONS = new Set(['и', 'а', 'или', 'and', 'or', 'but'])
/** The maximum number of words between matches of one question: «подскажите, пожалуйста, какой вас интересует». */
const MAX_WORDS_WITHIN_QUESTION = 4

/**
 * Selects one match of each question. Questions are separated by the end of a sentence, a conjunction such as «и», more than
 * four words, or a change of speaker.
 */
function selectQuestions(found: TimedPhraseMatch[]): TimedPhraseMatch[] {
  const questions: TimedPhraseMatch[] = []
  let last: TimedPhraseMatch | undefined
  for (const next of found) {
    if (!last || isOtherQuestion(last, next)) questions.push(next)
    if (!last || last.match.line !== next.match.line || next.match.last > last.match.last) last = next
  }
  return questions
}

function isOtherQuestion({ match: before }: TimedPhraseMatch, { match: next }: TimedPhraseMatch): boolean {
  if (before.line !== next.line || next.first - before.last > MAX_WORDS_WITHIN_QUESTION + 1) return true
  const between = before.line.tokens.slice(before.last + 1, next.first + 1)
  return between.some(
    (token, index) => token.before === SENTENCE_BREAK || (index < between.length - 1 && CONJUNCTIONS.has(token.word)),
  )
}
