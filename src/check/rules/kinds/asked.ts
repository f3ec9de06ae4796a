import type { RuleKind } from '../kind.ts'
import type { Timed } from '../search.ts'
import { SENTENCE } from '../words.ts'
import { asSaid, judgeSaid, said } from './said.ts'

/** `any` in at least `min` different questions. */
export const asked: RuleKind = {
  ...said,
  needs: [['any']],
  takes: ['side', 'window', 'after', 'all', 'except', 'min', 'max', 'na', 'mono'],
  judge: (context, rule) => judgeSaid(context, rule, questionsOf),
  question: { ...said.question!, metWhen: (rule, examples) => asSaid(rule, examples, ', in different questions') },
}

const AND = new Set(['и', 'а', 'или', 'and', 'or', 'but'])
/** Words between two matches in one question, as in «подскажите, пожалуйста, какой вас интересует». */
const WITHIN_QUESTION = 4

/** Matches in different questions: another sentence, further away, or after «и». */
function questionsOf(found: Timed[]): Timed[] {
  const questions: Timed[] = []
  let last: Timed | undefined
  for (const next of found) {
    if (!last || isOtherQuestion(last, next)) questions.push(next)
    if (!last || last.match.line !== next.match.line || next.match.last > last.match.last) last = next
  }
  return questions
}

function isOtherQuestion({ match: before }: Timed, { match: next }: Timed): boolean {
  if (before.line !== next.line || next.first - before.last > WITHIN_QUESTION + 1) return true
  const between = before.line.tokens.slice(before.last + 1, next.first + 1)
  return between.some(
    (token, index) => token.before === SENTENCE || (index < between.length - 1 && AND.has(token.word)),
  )
}
