import { measure, seconds, spansOf, speakerOf } from '../measures.ts'
import { linesOf } from '../search.ts'

/** Words a minute of the speech of a side. */
export const pace = measure(async (context, rule) => {
  const { talk } = context
  const lines = linesOf(talk, rule, rule.side)
  if (!lines) return 'speakersUnknown'
  const sides: string[] = lines.map(({ side }) => side)
  const time = seconds(await spansOf(context, (piece) => !talk.sidesKnown || sides.includes(speakerOf(talk, piece))))
  return time > 0 ? (60 * lines.reduce((sum, { tokens }) => sum + tokens.length, 0)) / time : undefined
})
