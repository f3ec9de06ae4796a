import type { Context } from './search.ts'
import { outcome, speakersUnknown, type Outcome } from './kinds.ts'
import { linesOf } from './search.ts'
import type { Talk } from './talk.ts'
import type { Piece, Rule, Side } from './types.ts'

interface Span {
  start: number
  end: number
}

/** Speaking over another for less than this, in seconds, is how people take turns. */
const OVERLAP = 0.5
/** Fewer words than these («угу», "right") neither interrupt nor end what the other says. */
const TURN_WORDS = 3

/** talkShare, longestSilence, pace, interruptions, monologue: a figure between min and max. */
export async function judgeMeasure(context: Context, rule: Rule): Promise<Outcome> {
  const value = await measure(context, rule)
  if (value === 'speakersUnknown') return speakersUnknown()
  if (value === undefined) return outcome('unknown', { code: 'nothingSaid' })
  const shown = Math.round(value * 10) / 10
  const [min, max] = [rule.min ?? null, rule.max ?? null]
  const right = (min === null || shown >= min) && (max === null || shown <= max)
  return outcome(right ? 'met' : 'missed', { code: 'measured', value: shown, min, max })
}

async function measure(context: Context, rule: Rule): Promise<number | 'speakersUnknown' | undefined> {
  const { talk } = context
  const { dialogue, sidesKnown } = talk
  const side = rule.side ?? 'any'
  const mono = dialogue.channels === 1
  if (rule.kind === 'longestSilence') return longestSilence(context)
  if (rule.kind === 'pace') {
    const lines = linesOf(talk, rule, side)
    return lines
      ? wordsAMinute(
          context,
          lines.map((line) => line.side),
        )
      : 'speakersUnknown'
  }
  if (rule.kind === 'talkShare' ? !sidesKnown : mono || (side !== 'any' && !sidesKnown)) return 'speakersUnknown'
  if (rule.kind === 'talkShare') return talkShare(context, side === 'client' ? 'client' : 'agent')
  return rule.kind === 'interruptions' ? interruptions(context, side) : longestMonologue(context, side)
}

const speakerOf = ({ dialogue }: Talk, { channel }: Piece): Side =>
  dialogue.agentChannel === null ? 'any' : channel === dialogue.agentChannel ? 'agent' : 'client'

/** Segments between two looks at the clock. */
const AT_ONCE = 1000

/** Goes through the segments by their beginning, and lets others work in between. */
async function eachPiece({ talk: { dialogue, order }, pace }: Context, look: (piece: Piece) => void): Promise<void> {
  for (let first = 0; first < order.length; first += AT_ONCE) {
    for (const index of order.slice(first, first + AT_ONCE)) look(dialogue.segments[index]!)
    if (pace.due()) await pace.rest()
  }
}

/** Times in which somebody speaks, overlapping ones joined, in order. */
async function spansOf(context: Context, speaks: (piece: Piece) => boolean = () => true): Promise<Span[]> {
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

const seconds = (spans: Span[]): number => spans.reduce((sum, { start, end }) => sum + end - start, 0)

/** Percent of the speech of both that is this side's. */
async function talkShare(context: Context, side: Side): Promise<number | undefined> {
  const own = seconds(await spansOf(context, (piece) => speakerOf(context.talk, piece) === side))
  const other = seconds(await spansOf(context, (piece) => speakerOf(context.talk, piece) !== side))
  return own + other > 0 ? (100 * own) / (own + other) : undefined
}

/** Seconds of the longest time between the first and the last word in which nobody speaks. */
async function longestSilence(context: Context): Promise<number | undefined> {
  const spans = await spansOf(context)
  return spans.length === 0
    ? undefined
    : spans.slice(1).reduce((longest, span, index) => Math.max(longest, span.start - spans[index]!.end), 0)
}

async function wordsAMinute(context: Context, sides: string[]): Promise<number | undefined> {
  const { talk } = context
  const lines = talk.lines.filter(({ side }) => sides.includes(side))
  const time = seconds(await spansOf(context, (piece) => !talk.sidesKnown || sides.includes(speakerOf(talk, piece))))
  return time > 0 ? (60 * lines.reduce((sum, { tokens }) => sum + tokens.length, 0)) / time : undefined
}

/** Whether a segment is more than a word of listening. */
function isTurn(piece: Piece): boolean {
  let words = 0
  for (const part of piece.text.split(' ')) if (part && ++words >= TURN_WORDS) return true
  return false
}

/** How often a side begins while the other still speaks. */
async function interruptions(context: Context, side: Side): Promise<number> {
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
}

/** Seconds of the longest stretch in which a side speaks and the other says no more than a word or two. */
async function longestMonologue(context: Context, side: Side): Promise<number | undefined> {
  let longest: number | undefined
  let stretch: (Span & { channel: number }) | undefined
  await eachPiece(context, (piece) => {
    if (stretch?.channel === piece.channel) stretch.end = Math.max(stretch.end, piece.end)
    else if (isTurn(piece) || !stretch) stretch = { start: piece.start, end: piece.end, channel: piece.channel }
    else return
    const isAsked = side === 'any' || speakerOf(context.talk, piece) === side
    if (isAsked) longest = Math.max(longest ?? 0, stretch.end - stretch.start)
  })
  return longest
}
