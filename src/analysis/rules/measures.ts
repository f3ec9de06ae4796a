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
export function judgeMeasure({ talk }: Context, rule: Rule): Outcome {
  const value = measure(talk, rule)
  if (value === 'speakersUnknown') return speakersUnknown()
  if (value === undefined) return outcome('unknown', { code: 'nothingSaid' })
  const shown = Math.round(value * 10) / 10
  const [min, max] = [rule.min ?? null, rule.max ?? null]
  const right = (min === null || shown >= min) && (max === null || shown <= max)
  return outcome(right ? 'met' : 'missed', { code: 'measured', value: shown, min, max })
}

function measure(talk: Talk, rule: Rule): number | 'speakersUnknown' | undefined {
  const { dialogue, sidesKnown } = talk
  const side = rule.side ?? 'any'
  const mono = dialogue.channels === 1
  if (rule.kind === 'longestSilence') return longestSilence(talk)
  if (rule.kind === 'pace') {
    const lines = linesOf(talk, rule, side)
    return lines
      ? wordsAMinute(
          talk,
          lines.map((line) => line.side),
        )
      : 'speakersUnknown'
  }
  if (rule.kind === 'talkShare' ? !sidesKnown : mono || (side !== 'any' && !sidesKnown)) return 'speakersUnknown'
  if (rule.kind === 'talkShare') return talkShare(talk, side === 'client' ? 'client' : 'agent')
  return rule.kind === 'interruptions' ? interruptions(talk, side) : longestMonologue(talk, side)
}

/** Who speaks in a segment, by its channel. */
const speakerOf = ({ dialogue }: Talk, { channel }: Piece): Side =>
  dialogue.agentChannel === null ? 'any' : channel === dialogue.agentChannel ? 'agent' : 'client'

/** Times in which somebody speaks, overlapping ones joined, in order. */
function spansOf({ dialogue, order }: Talk, speaks: (piece: Piece) => boolean = () => true): Span[] {
  const spans: Span[] = []
  for (const index of order) {
    const piece = dialogue.segments[index]!
    if (!speaks(piece)) continue
    const { start, end } = piece
    const last = spans.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else spans.push({ start, end: Math.max(start, end) })
  }
  return spans
}

const seconds = (spans: Span[]): number => spans.reduce((sum, { start, end }) => sum + end - start, 0)

/** Percent of the speech of both that is this side's. */
function talkShare(talk: Talk, side: Side): number | undefined {
  const own = seconds(spansOf(talk, (piece) => speakerOf(talk, piece) === side))
  const other = seconds(spansOf(talk, (piece) => speakerOf(talk, piece) !== side))
  return own + other > 0 ? (100 * own) / (own + other) : undefined
}

/** Seconds of the longest time between the first and the last word in which nobody speaks. */
function longestSilence(talk: Talk): number | undefined {
  const spans = spansOf(talk)
  return spans.length === 0
    ? undefined
    : spans.slice(1).reduce((longest, span, place) => Math.max(longest, span.start - spans[place]!.end), 0)
}

function wordsAMinute(talk: Talk, sides: string[]): number | undefined {
  const lines = talk.lines.filter(({ side }) => sides.includes(side))
  const time = seconds(spansOf(talk, (piece) => !talk.sidesKnown || sides.includes(speakerOf(talk, piece))))
  return time > 0 ? (60 * lines.reduce((sum, { tokens }) => sum + tokens.length, 0)) / time : undefined
}

/** Whether a segment is more than a word of listening. */
function isTurn(piece: Piece): boolean {
  let words = 0
  for (const part of piece.text.split(' ')) if (part && ++words >= TURN_WORDS) return true
  return false
}

/** How often a side begins while the other still speaks. */
function interruptions(talk: Talk, side: Side): number {
  let count = 0
  const until = new Map<number, number>()
  for (const index of talk.order) {
    const piece = talk.dialogue.segments[index]!
    const others = [...until].filter(([channel]) => channel !== piece.channel).map(([, end]) => end)
    const breaksIn = others.some((end) => end - piece.start > OVERLAP) && piece.end - piece.start > OVERLAP
    if (breaksIn && isTurn(piece) && (side === 'any' || speakerOf(talk, piece) === side)) count++
    if (isTurn(piece)) until.set(piece.channel, Math.max(piece.end, until.get(piece.channel) ?? 0))
  }
  return count
}

/** Seconds of the longest stretch in which a side speaks and the other says no more than a word or two. */
function longestMonologue(talk: Talk, side: Side): number | undefined {
  let longest: number | undefined
  let stretch: (Span & { channel: number }) | undefined
  for (const index of talk.order) {
    const piece = talk.dialogue.segments[index]!
    if (stretch?.channel === piece.channel) stretch.end = Math.max(stretch.end, piece.end)
    else if (isTurn(piece) || !stretch) stretch = { start: piece.start, end: piece.end, channel: piece.channel }
    else continue
    if (side === 'any' || speakerOf(talk, piece) === side) longest = Math.max(longest ?? 0, stretch.end - stretch.start)
  }
  return longest
}
