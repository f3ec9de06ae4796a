import { eachPiece, isTurn, measure, speakerOf, tellsSides, type Span } from '../measures.ts'

/** Seconds of the longest stretch in which a side speaks and the other says no more than a word or two. */
export const monologue = measure(async (context, { side = 'any' }) => {
  if (!tellsSides(context, side)) return 'speakersUnknown'
  let longest: number | undefined
  let stretch: (Span & { channel: number }) | undefined
  await eachPiece(context, (piece) => {
    if (stretch?.channel === piece.channel) stretch.end = Math.max(stretch.end, piece.end)
    else if (isTurn(piece) || !stretch) stretch = { start: piece.start, end: piece.end, channel: piece.channel }
    else return
    const counts = side === 'any' || speakerOf(context.talk, piece) === side
    if (counts) longest = Math.max(longest ?? 0, stretch.end - stretch.start)
  })
  return longest
})
