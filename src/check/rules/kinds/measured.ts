import type { RuleKind } from '../kind.ts'
import {
  visitDialogueSegments,
  isSpeakingTurn,
  createMeasuredRuleKind,
  sumSpanSeconds,
  collectSpeechSpans,
  speakerSideOf,
  canMeasureSide,
  type TimeSpan,
} from '../measures.ts'
import { selectLinesOfSide } from '../search.ts'

/** Measures the agent's speech, or the client's if `side` is client, as a share of the speech of both, in percent. */
export const talkShareRuleKind: RuleKind = {
  ...createMeasuredRuleKind(async (context, { side }) => {
    const { talk } = context
    if (!talk.sidesKnown) return 'speakersUnknown'
    const speaker = side === 'client' ? 'client' : 'agent'
    const speakerSeconds = sumSpanSeconds(
      await collectSpeechSpans(context, (piece) => speakerSideOf(talk, piece) === speaker),
    )
    const otherSeconds = sumSpanSeconds(
      await collectSpeechSpans(context, (piece) => speakerSideOf(talk, piece) !== speaker),
    )
    return speakerSeconds + otherSeconds > 0 ? (100 * speakerSeconds) / (speakerSeconds + otherSeconds) : undefined
  }),
  limits: [0, 100],
  *validate({ side }) {
    if (side === 'any') yield ['side', 'side', 'Choose the agent or the client.', 'Выберите менеджера или клиента.']
  },
}

/** Measures the longest silence between two segments, in seconds. */
export const longestSilenceRuleKind = createMeasuredRuleKind(async (context) => {
  const spans = await collectSpeechSpans(context)
  if (spans.length === 0) return undefined
  return spans.slice(1).reduce((longest, span, index) => Math.max(longest, span.start - spans[index]!.end), 0)
})

/** Measures the words per minute of speech of a side. */
export const paceRuleKind = createMeasuredRuleKind(async (context, rule) => {
  const { talk } = context
  const lines = selectLinesOfSide(talk, rule, rule.side)
  if (!lines) return 'speakersUnknown'
  const sides: string[] = lines.map(({ side }) => side)
  const speechSeconds = sumSpanSeconds(
    await collectSpeechSpans(context, (piece) => !talk.sidesKnown || sides.includes(speakerSideOf(talk, piece))),
  )
  return speechSeconds > 0
    ? (60 * lines.reduce((sum, { tokens }) => sum + tokens.length, 0)) / speechSeconds
    : undefined
})

/** Shorter overlaps are normal when speakers take turns. */
const MIN_OVERLAP_SECONDS = 0.5

/** Counts the turns of a side that begin more than 0.5 seconds before a turn of the other side ends. */
export const interruptionsRuleKind = createMeasuredRuleKind(async (context, { side = 'any' }) => {
  if (!canMeasureSide(context, side)) return 'speakersUnknown'
  let count = 0
  const endByChannel = new Map<number, number>()
  await visitDialogueSegments(context, (piece) => {
    if (!isSpeakingTurn(piece)) return
    const otherEnds = [...endByChannel].filter(([channel]) => channel !== piece.channel).map(([, end]) => end)
    const isInterruption =
      otherEnds.some((end) => end - piece.start > MIN_OVERLAP_SECONDS) && piece.end - piece.start > MIN_OVERLAP_SECONDS
    if (isInterruption && (side === 'any' || speakerSideOf(context.talk, piece) === side)) count++
    endByChannel.set(piece.channel, Math.max(piece.end, endByChannel.get(piece.channel) ?? 0))
  })
  return count
})

/** Measures the longest monologue of a side, in seconds. A segment of one or two words of the other side does not end it. */
export const monologueRuleKind = createMeasuredRuleKind(async (context, { side = 'any' }) => {
  if (!canMeasureSide(context, side)) return 'speakersUnknown'
  let longest: number | undefined
  let turn: (TimeSpan & { channel: number }) | undefined
  await visitDialogueSegments(context, (piece) => {
    if (turn?.channel === piece.channel) turn.end = Math.max(turn.end, piece.end)
    else if (isSpeakingTurn(piece) || !turn) turn = { start: piece.start, end: piece.end, channel: piece.channel }
    else return
    const isCounted = side === 'any' || speakerSideOf(context.talk, piece) === side
    if (isCounted) longest = Math.max(longest ?? 0, turn.end - turn.start)
  })
  return longest
})
