import { shouldYield, yieldToOthers } from '../../platform/lib/yielder.ts'
import { outcome, speakersUnknown, type Outcome, type RuleKind } from './kind.ts'
import type { Context } from './search.ts'
import type { Talk } from './talk.ts'
import type { Piece, Rule, Side } from './types.ts'

export interface Span {
  start: number
  end: number
}

type Measured = number | 'speakersUnknown' | undefined

/** Fewer words than these («угу», "right") neither interrupt nor end the other's speech. */
const TURN_WORDS = 3

/** A kind that compares a figure of the call with `min` and `max`; undefined if the call has none. */
export function measure(figureOf: (context: Context, rule: Rule) => Promise<Measured>): RuleKind {
  return {
    needs: [['min', 'max']],
    takes: ['side', 'mono'],
    findsWords: false,
    judge: async (context, rule) => compare(await figureOf(context, rule), rule),
  }
}

function compare(value: Measured, { min = null, max = null }: { min?: number | null; max?: number | null }): Outcome {
  if (value === 'speakersUnknown') return speakersUnknown()
  if (value === undefined) return outcome('unknown', { code: 'nothingSaid' })
  const shown = Math.round(value * 10) / 10
  const isRight = (min === null || shown >= min) && (max === null || shown <= max)
  return outcome(isRight ? 'met' : 'missed', { code: 'measured', value: shown, min, max })
}

/** True if a rule about a side, or about both sides separately, can be measured. */
export const tellsSides = ({ talk: { dialogue, sidesKnown } }: Context, side: Side = 'any'): boolean =>
  dialogue.channels === 2 && (side === 'any' || sidesKnown)

export const speakerOf = ({ dialogue }: Talk, { channel }: Piece): Side =>
  dialogue.agentChannel === null ? 'any' : channel === dialogue.agentChannel ? 'agent' : 'client'

/** Segments between two checks of the clock. */
const BATCH = 1000

/** Visits the segments by their start. */
export async function eachPiece({ talk }: Context, visit: (piece: Piece) => void): Promise<void> {
  const { dialogue, order } = talk
  for (let first = 0; first < order.length; first += BATCH) {
    for (const index of order.slice(first, first + BATCH)) visit(dialogue.segments[index]!)
    if (shouldYield()) await yieldToOthers()
  }
}

/** The times of speech, in order, with overlaps joined. */
export async function spansOf(context: Context, speaks: (piece: Piece) => boolean = () => true): Promise<Span[]> {
  const spans: Span[] = []
  await eachPiece(context, (piece) => {
    if (!speaks(piece)) return
    const { start, end } = piece
    const last = spans.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else spans.push({ start, end: Math.max(start, end) })
  })
  return spans
}

export const seconds = (spans: Span[]): number => spans.reduce((sum, { start, end }) => sum + end - start, 0)

/** True if a segment is more than a listener's word. */
export function isTurn(piece: Piece): boolean {
  let words = 0
  for (const part of piece.text.split(' ')) if (part && ++words >= TURN_WORDS) return true
  return false
}
