import { outcome, scopeOf, speakersUnknown, withoutAnchor, type RuleKind } from '../kind.ts'
import { readNumber } from '../../../platform/lib/spoken-numbers.ts'
import type { Timed } from '../search.ts'

/** A number between `min` and `max` in the slot {number} of a phrase, or within five words of it. */
export const number: RuleKind = {
  needs: [['any']],
  takes: ['side', 'window', 'after', 'except', 'min', 'max', 'na', 'mono'],
  findsWords: true,
  async judge(context, rule) {
    const scope = await scopeOf(context, rule)
    if (!scope) return speakersUnknown()
    const numbers = (await scope.find(rule.any)).flatMap((timed) => {
      const value = timed.match.number ?? numberNear(timed)
      return value === undefined ? [] : [{ timed, value }]
    })
    if (numbers.length === 0) return withoutAnchor(context, rule)
    const { min = -Infinity, max = Infinity } = rule
    const right = numbers.filter(({ value }) => value >= min && value <= max)
    const shown = right.length > 0 ? right : numbers
    return outcome(
      right.length > 0 ? 'met' : 'missed',
      { code: 'measured', value: shown[0]!.value, min: rule.min ?? null, max: rule.max ?? null },
      shown.map(({ timed }) => timed),
    )
  },
}

/** Words between a phrase and its number. */
const NEAR = 5
/** The maximum number of words in a number. */
const LONGEST_NUMBER = 12

/** The nearest number in the same passage, preferably after the phrase. */
function numberNear({ match: { line, first, last } }: Timed): number | undefined {
  const { tokens } = line
  const isNumber = (at: number): boolean =>
    tokens[at]?.run === tokens[first]!.run && tokens[at].slots.includes('{number}')
  for (let at = last + 1; at <= last + NEAR; at++) if (isNumber(at)) return readNumber(tokens, at)?.value
  for (let at = first - 1; at >= first - NEAR; at--)
    if (isNumber(at)) {
      let begin = at
      while (isNumber(begin - 1) && at - begin < LONGEST_NUMBER) begin--
      return readNumber(tokens, begin)?.value
    }
  return undefined
}
