import { measure, spansOf } from '../measures.ts'

/** Seconds of the longest time between the first and the last word in which nobody speaks. */
export const longestSilence = measure(async (context) => {
  const spans = await spansOf(context)
  if (spans.length === 0) return undefined
  return spans.slice(1).reduce((longest, span, index) => Math.max(longest, span.start - spans[index]!.end), 0)
})
