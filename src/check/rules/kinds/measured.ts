import type { RuleKind } from '../kind.ts'
import {
  visitSegments,
  isTurn,
  createMeasuredKind,
  sumSeconds,
  collectSpeechSpans,
  speakerOf,
  canMeasureSide,
  type TimeSpan,
} from '../measures.ts'
import { selectLines } from '../search.ts'

/** Measures the speech of one side as a share of all speech, in percent. */
export const talkShare: RuleKind = {
  ...createMeasuredKind(async (context, { side }) => {
    const { talk } = context
    if (!talk.sidesKnown) return 'speakersUnknown'
    const speaker = side === 'client' ? 'client' : 'agent'
    const speakerSeconds = sumSeconds(await collectSpeechSpans(context, (piece) => speakerOf(talk, piece) === speaker))
    const otherSeconds = sumSeconds(await collectSpeechSpans(context, (piece) => speakerOf(talk, piece) !== speaker))
    return speakerSeconds + otherSeconds > 0 ? (100 * speakerSeconds) / (speakerSeconds + otherSeconds) : undefined
  }),
  limits: [0, 100],
  *validate({ side }) {
    if (side === 'any') yield ['side', 'side', 'Choose the agent or the client.', 'Выберите менеджера или клиента.']
  },
}

/** Measures the longest silence between two segments, in seconds. */
export const longestSilence = createMeasuredKind(async (context) => {
  const spans = await collectSpeechSpans(context)
  if (spans.length === 0) return undefined
  return spans.slice(1).reduce((longest, span, index) => Math.max(longest, span.start - spans[index]!.end), 0)
})

/** Measures the words per minute of speech of a side. */
export const pace = createMeasuredKind(async (context, rule) => {
  const { talk } = context
  const lines = selectLines(talk, rule, rule.side)
  if (!lines) return 'speakersUnknown'
  const sides: string[] = lines.map(({ side }) => side)
  const speechSeconds = sumSeconds(
    await collectSpeechSpans(context, (piece) => !talk.sidesKnown || sides.includes(speakerOf(talk, piece))),
  )
  return speechSeconds > 0
    ? (60 * lines.reduce((sum, { tokens }) => sum + tokens.length, 0)) / speechSeconds
    : undefined
})

/** Shorter overlaps are normal when speakers take turns. */
const MIN_OVERLAP_SECONDS = 0.5

/** Counts how often a side begins to speak while the other side speaks. */
export const interruptions = createMeasuredKind(async (context, { side = 'any' }) => {
  if (!canMeasureSide(context, side)) return 'speakersUnknown'
  let count = 0
  const endByChannel = new Map<number, number>()
  await visitSegments(context, (piece) => {
    if (!isTurn(piece)) return
    const otherEnds = [...endByChannel].filter(([channel]) => channel !== piece.channel).map(([, end]) => end)
    const isInterruption =
      otherEnds.some((end) => end - piece.start > MIN_OVERLAP_SECONDS) && piece.end - piece.start > MIN_OVERLAP_SECONDS
    if (isInterruption && (side === 'any' || speakerOf(context.talk, piece) === side)) count++
    endByChannel.set(piece.channel, Math.max(piece.end, endByChannel.get(piece.channel) ?? 0))
  })
  return count
})

/** Measures the longest monologue of a side, in seconds. One or two words of the other side do not end it. */
export const monologue = createMeasuredKind(async (context, { side = 'any' }) => {
  if (!canMeasureSide(context, side)) return 'speakersUnknown'
  let longest: number | undefined
  let turn: (TimeSpan & { channel: number }) | undefined
  await visitSegments(context, (piece) => {
    if (turn?.channel === piece.channel) turn.end = Math.max(turn.end, piece.end)
    else if (isTurn(piece) || !turn) turn = { start: piece.start, end: piece.end, channel: piece.channel }
    else return
    const isCounted = side === 'any' || speakerOf(context.talk, piece) === side
    if (isCounted) longest = Math.max(longest ?? 0, turn.end - turn.start)
  })
  return longest
})
