import type { RuleKind } from '../kind.ts'
import { eachPiece, isTurn, measure, seconds, spansOf, speakerOf, tellsSides, type Span } from '../measures.ts'
import { linesOf } from '../search.ts'

/** The share of one side in the speech of both, in percent. */
export const talkShare: RuleKind = {
  ...measure(async (context, { side }) => {
    const { talk } = context
    if (!talk.sidesKnown) return 'speakersUnknown'
    const speaker = side === 'client' ? 'client' : 'agent'
    const own = seconds(await spansOf(context, (piece) => speakerOf(talk, piece) === speaker))
    const other = seconds(await spansOf(context, (piece) => speakerOf(talk, piece) !== speaker))
    return own + other > 0 ? (100 * own) / (own + other) : undefined
  }),
  limits: [0, 100],
  *validate({ side }) {
    if (side === 'any') yield ['side', 'side', 'It must be the agent or the client.', 'Нужен менеджер или клиент.']
  },
}

/** The longest silence between the first and the last word, in seconds. */
export const longestSilence = measure(async (context) => {
  const spans = await spansOf(context)
  if (spans.length === 0) return undefined
  return spans.slice(1).reduce((longest, span, index) => Math.max(longest, span.start - spans[index]!.end), 0)
})

/** Words per minute in the speech of a side. */
export const pace = measure(async (context, rule) => {
  const { talk } = context
  const lines = linesOf(talk, rule, rule.side)
  if (!lines) return 'speakersUnknown'
  const sides: string[] = lines.map(({ side }) => side)
  const time = seconds(await spansOf(context, (piece) => !talk.sidesKnown || sides.includes(speakerOf(talk, piece))))
  return time > 0 ? (60 * lines.reduce((sum, { tokens }) => sum + tokens.length, 0)) / time : undefined
})

/** Shorter overlaps, in seconds, are normal turn-taking. */
const OVERLAP = 0.5

/** How often a side begins while the other is speaking. */
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

/** The longest monologue of a side in seconds, with at most a word or two of the other. */
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
