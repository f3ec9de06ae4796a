import {
  createRuleOutcome,
  createRuleSearchScope,
  createSpeakersUnknownOutcome,
  createNoOccasionOutcome,
  type RuleKind,
} from '../kind.ts'
import { parseSpokenNumber } from '../../../platform/lib/spoken-numbers.ts'
import type { TimedPhraseMatch } from '../search.ts'

/**
 * The rule is met if a number from `min` to `max` fills the slot {number} of a phrase.
 * The number can also be at most five words away from the phrase.
 */
export const numberRuleKind: RuleKind = {
  needs: [['any']],
  takes: ['side', 'window', 'after', 'except', 'min', 'max', 'na', 'mono'],
  findsWords: true,
  async judge(context, rule) {
    const scope = await createRuleSearchScope(context, rule)
    if (!scope) return createSpeakersUnknownOutcome()
    const numbers = (await scope.find(rule.any)).flatMap((timed) => {
      const value = timed.match.number ?? findNearestNumber(timed)
      return value === undefined ? [] : [{ timed, value }]
    })
    if (numbers.length === 0) return createNoOccasionOutcome(context, rule)
    const { min = -Infinity, max = Infinity } = rule
    const inRange = numbers.filter(({ value }) => value >= min && value <= max)
    const quoted = inRange.length > 0 ? inRange : numbers
    return createRuleOutcome(
      inRange.length > 0 ? 'met' : 'missed',
      { code: 'measured', value: quoted[0]!.value, min: rule.min ?? null, max: rule.max ?? null },
      quoted.map(({ timed }) => timed),
    )
  },
}

const MAX_WORDS_TO_NUMBER = 5
const MAX_NUMBER_WORDS = 12

/** Returns the nearest number after the phrase, or else before it. Number and phrase must be in one run of the same speaker. */
function findNearestNumber({ match: { line, first, last } }: TimedPhraseMatch): number | undefined {
  const { tokens } = line
  const isNumber = (at: number): boolean =>
    tokens[at]?.run === tokens[first]!.run && tokens[at].slots.includes('{number}')
  for (let at = last + 1; at <= last + MAX_WORDS_TO_NUMBER; at++)
    if (isNumber(at)) return parseSpokenNumber(tokens, at)?.value
  for (let at = first - 1; at >= first - MAX_WORDS_TO_NUMBER; at--)
    if (isNumber(at)) {
      let begin = at
      while (isNumber(begin - 1) && at - begin < MAX_NUMBER_WORDS) begin--
      return parseSpokenNumber(tokens, begin)?.value
    }
  return undefined
}
