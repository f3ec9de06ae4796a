import type { Dialogue, RuleSetBody } from './types.ts'
import { wordsOf } from './words.ts'

/** Whether a rule set is for a call: its direction, its department, and whether enough was said. */
export function appliesTo(
  { applies = {} }: RuleSetBody,
  dialogue: Dialogue,
  departmentId: string | null = null,
): boolean {
  const { direction, departmentIds, minDurationSeconds = 0, minWords = 0 } = applies
  if (direction && !direction.includes(dialogue.direction)) return false
  if (departmentIds && departmentIds.length > 0 && !(departmentId && departmentIds.includes(departmentId))) return false
  return dialogue.durationSeconds >= minDurationSeconds && hasWords(dialogue, minWords)
}

function hasWords({ segments }: Dialogue, needed: number): boolean {
  let left = needed
  for (const { text } of segments) {
    const words = wordsOf(text)
    while (left > 0 && !words.next().done) left--
    if (left <= 0) return true
  }
  return left <= 0
}
