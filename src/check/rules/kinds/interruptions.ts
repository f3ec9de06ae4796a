import { eachPiece, isTurn, measure, speakerOf, tellsSides } from '../measures.ts'

/** Speaking over another for less than this, in seconds, is how people take turns. */
const OVERLAP = 0.5

/** How often a side begins while the other still speaks. */
export const interruptions = measure(async (context, { side = 'any' }) => {
  if (!tellsSides(context, side)) return 'speakersUnknown'
  let count = 0
  const until = new Map<number, number>()
  await eachPiece(context, (piece) => {
    if (!isTurn(piece)) return
    const others = [...until].filter(([channel]) => channel !== piece.channel).map(([, end]) => end)
    const breaksIn = others.some((end) => end - piece.start > OVERLAP) && piece.end - piece.start > OVERLAP
    if (breaksIn && (side === 'any' || speakerOf(context.talk, piece) === side)) count++
    until.set(piece.channel, Math.max(piece.end, until.get(piece.channel) ?? 0))
  })
  return count
})
