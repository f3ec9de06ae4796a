import { shouldYield, yieldToOthers } from '../../platform/lib/yielder.ts'
import { infoOf, type WordInfo } from '../../platform/lib/morphology.ts'
import { beginsNumber } from '../../platform/lib/spoken-numbers.ts'
import { isAddress, isDay, mayBeName, type Slot } from './slots.ts'
import type { Dialogue, Evidence, Piece } from './types.ts'
import { SENTENCE, wordsOf, type Break } from './words.ts'

export interface Token {
  word: string
  info: WordInfo
  /** The position in the segment's text. */
  from: number
  to: number
  segment: number
  before: Break
  /** The slots that it fills. */
  slots: Slot[]
  /** Words with the same number can form a phrase: one speaker, without a longer pause. */
  run: number
}

/** The text of one channel, or of all if the speakers are unknown. */
export interface Line {
  side: Evidence['side']
  tokens: Token[]
  /** The positions of each lemma and each slot ({name}). */
  positions: Map<string, number[]>
}

export interface Talk {
  dialogue: Dialogue
  lines: Line[]
  /** Segments by their start. */
  order: number[]
  /** Whether agent and client are known. */
  sidesKnown: boolean
  /** Seconds of the first and the last word. */
  start: number
  end: number
}

/** The maximum pause within a sentence of a speaker over two segments, in seconds. */
const PAUSE = 1.5

const kept = new WeakMap<Dialogue, Promise<Talk>>()

/** Splits a call into words; once for all rule sets that judge the same object. */
export function talkOf(dialogue: Dialogue): Promise<Talk> {
  let talk = kept.get(dialogue)
  if (!talk) {
    talk = cut(dialogue)
    kept.set(dialogue, talk)
  }
  return talk
}

async function cut(dialogue: Dialogue): Promise<Talk> {
  const { segments, channels, agentChannel } = dialogue
  const order = segments.map((_, index) => index)
  if (segments.some(({ start }, index) => start < (segments[index - 1]?.start ?? -Infinity)))
    order.sort((a, b) => segments[a]!.start - segments[b]!.start || a - b)
  const sidesKnown = channels === 2 && agentChannel !== null
  const lines = new Map<number, Line>()
  let run = 0
  let last: Piece | undefined
  for (const segment of order) {
    const piece = segments[segment]!
    const channel = channels === 2 ? piece.channel : 0
    if (!goesOn(last, piece, channels)) run++
    last = piece
    const line = lines.get(channel) ?? newLine(lines, channel, dialogue)
    // In a text of capital letters alone, they have no meaning.
    const capitals = piece.text !== piece.text.toUpperCase()
    // «Ольга Викторовна?» addresses somebody and is no question.
    let addresses = true
    for (const { word, from, to, capital, before, asks } of wordsOf(piece.text)) {
      const info = infoOf(word)
      const isNamed = capital && capitals && before !== SENTENCE
      addresses = (addresses || before === SENTENCE) && isAddress(info, word, isNamed)
      const slots = slotsOf(info, word, isNamed, asks && !addresses)
      addToken(line, { word, info, from, to, segment, before, slots, run })
      if (shouldYield()) await yieldToOthers()
    }
  }
  return { dialogue, lines: [...lines.values()], order, sidesKnown, ...spanOf(dialogue) }
}

/** The start and end of the talk, in seconds, rounded like the times of words, so that it includes the first word. */
export const spanOf = ({ segments }: Dialogue): Pick<Talk, 'start' | 'end'> => ({
  start: hundredths(segments.reduce((first, { start }) => Math.min(first, start), segments[0]?.start ?? 0)),
  end: hundredths(segments.reduce((latest, { end }) => Math.max(latest, end), 0)),
})

const hundredths = (seconds: number): number => Math.round(seconds * 100) / 100

/** Whether a segment can continue the sentence of the one before: the same speaker, hardly a pause. */
const goesOn = (last: Piece | undefined, piece: Piece, channels: number): boolean =>
  last !== undefined && channels === 2 && last.channel === piece.channel && piece.start - last.end <= PAUSE

function newLine(lines: Map<number, Line>, channel: number, { channels, agentChannel }: Dialogue): Line {
  const known = channels === 2 && agentChannel !== null
  const line: Line = {
    side: !known ? 'unknown' : channel === agentChannel ? 'agent' : 'client',
    tokens: [],
    positions: new Map(),
  }
  lines.set(channel, line)
  return line
}

/** The slots of a word; words without any share one list. */
function slotsOf(info: WordInfo, word: string, capital: boolean, asks: boolean): Slot[] {
  const slots: Slot[] = []
  if (mayBeName(info, word, capital)) slots.push('{name}')
  if (beginsNumber({ word, info })) slots.push('{number}')
  if (isDay(info, word)) slots.push('{day}')
  if (asks) slots.push('{question}')
  return slots.length > 0 ? slots : NO_SLOTS
}

const NO_SLOTS: Slot[] = []

function addToken({ positions, tokens }: Line, token: Token): void {
  const position = tokens.push(token) - 1
  for (const keys of [token.info.lemmas, token.slots])
    for (const key of keys) {
      const found = positions.get(key)
      if (found) found.push(position)
      else positions.set(key, [position])
    }
}

/** The second at which a position of a segment's text is spoken: segments have no times of words. */
export function momentOf(piece: Piece, position: number): number {
  const share = piece.text.length > 0 ? position / piece.text.length : 0
  return hundredths(piece.start + (piece.end - piece.start) * share)
}

export const quoteAt = (piece: Piece, segment: number, from: number, to: number, side: Evidence['side']): Evidence => ({
  segment,
  from,
  to,
  quote: piece.text.slice(from, to),
  start: momentOf(piece, from),
  end: momentOf(piece, to),
  side,
})
