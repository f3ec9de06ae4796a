import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { createRuleOutcome, createSpeakersUnknownOutcome, type RuleOutcome, type RuleKind } from './kind.ts'
import type { RuleContext } from './search.ts'
import type { TokenizedDialogue } from './tokenize.ts'
import type { DialogueSegment, Rule, SpeakerSide } from './types.ts'

/** A part of a call, in seconds from its start. */
export interface TimeSpan {
  start: number
  end: number
}

type Measurement = number | 'speakersUnknown' | undefined

/** Segments with fewer words («угу», "right") neither interrupt nor end the speech of the other side. */
const MIN_TURN_WORDS = 3

/**
 * Creates a rule kind that compares a figure of the call with `min` and `max`.
 * @param measureFigure returns undefined if the call has no such figure, or `speakersUnknown` if it needs known speakers
 */
export function createMeasuredRuleKind(
  measureFigure: (context: RuleContext, rule: Rule) => Promise<Measurement>,
): RuleKind {
  return {
    needs: [['min', 'max']],
    takes: ['side', 'mono'],
    findsWords: false,
    judge: async (context, rule) => compareToBounds(await measureFigure(context, rule), rule),
  }
}

function compareToBounds(
  value: Measurement,
  { min = null, max = null }: { min?: number | null; max?: number | null },
): RuleOutcome {
  if (value === 'speakersUnknown') return createSpeakersUnknownOutcome()
  if (value === undefined) return createRuleOutcome('unknown', { code: 'nothingSaid' })
  const rounded = Math.round(value * 10) / 10
  const isInRange = (min === null || rounded >= min) && (max === null || rounded <= max)
  return createRuleOutcome(isInRange ? 'met' : 'missed', { code: 'measured', value: rounded, min, max })
}

/** Returns true if a figure about this side can be measured. It needs two channels, and known speakers unless the side is any. */
export const canMeasureSide = ({ talk: { dialogue, sidesKnown } }: RuleContext, side: SpeakerSide = 'any'): boolean =>
  dialogue.channels === 2 && (side === 'any' || sidesKnown)

/** Returns the side that speaks a segment; `any` if the agent's channel is unknown. */
export const speakerSideOf = ({ dialogue }: TokenizedDialogue, { channel }: DialogueSegment): SpeakerSide =>
  dialogue.agentChannel === null ? 'any' : channel === dialogue.agentChannel ? 'agent' : 'client'

/** The number of segments between two calls of shouldYield(). */
const SEGMENT_BATCH_SIZE = 1000

/** Calls `visit` for each segment in the order of their starts, yielding to the event loop. */
export async function visitDialogueSegments(
  { talk }: RuleContext,
  visit: (piece: DialogueSegment) => void,
): Promise<void> {
  const { dialogue, order } = talk
  for (let first = 0; first < order.length; first += SEGMENT_BATCH_SIZE) {
    for (const index of order.slice(first, first + SEGMENT_BATCH_SIZE)) visit(dialogue.segments[index]!)
    if (shouldYield()) await yieldToEventLoop()
  }
}

/**
 * Returns the times of speech in order, with overlapping segments merged.
 * @param isIncluded selects the segments
 */
export async function collectSpeechSpans(
  context: RuleContext,
  isIncluded: (piece: DialogueSegment) => boolean = () => true,
): Promise<TimeSpan[]> {
  const spans: TimeSpan[] = []
  await visitDialogueSegments(context, (piece) => {
    if (!isIncluded(piece)) return
    const { start, end } = piece
    const last = spans.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else spans.push({ start, end: Math.max(start, end) })
  })
  return spans
}

/** Adds up the lengths of spans. @returns seconds */
export const sumSpanSeconds = (spans: TimeSpan[]): number => spans.reduce((sum, { start, end }) => sum + end - start, 0)

/** Returns true if a segment has at least three words, so that it is more than a sign of listening. */
export function isSpeakingTurn(piece: DialogueSegment): boolean {
  let words = 0
  for (const part of piece.text.split(' ')) if (part && ++words >= MIN_TURN_WORDS) return true
  return false
}
