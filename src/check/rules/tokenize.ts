import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { analyzeWord, type WordInfo } from '../../platform/lib/morphology.ts'
import { canBeginNumber } from '../../platform/lib/spoken-numbers.ts'
import { isFormOfAddress, isDayWord, canBeName, type Slot } from './slots.ts'
import type { Dialogue, Evidence, DialogueSegment } from './types.ts'
import { SENTENCE_BREAK, splitWords, type WordBreak } from './words.ts'

/** A word of a segment. */
export interface Token {
  word: string
  info: WordInfo
  /** The position in the segment's text. */
  from: number
  to: number
  segment: number
  before: WordBreak
  /** The slots that it fills. */
  slots: Slot[]
  /** Words with the same number can form a phrase: one speaker, without a longer pause. */
  run: number
}

/** The text of one channel, or of all if the speakers are unknown. */
export interface ChannelText {
  side: Evidence['side']
  tokens: Token[]
  /** The positions of each lemma and each slot ({name}). */
  positions: Map<string, number[]>
}

/** A dialogue cut into words, shared by all rules. */
export interface TokenizedDialogue {
  dialogue: Dialogue
  lines: ChannelText[]
  /** Segments by their start. */
  order: number[]
  /** Whether agent and client are known. */
  sidesKnown: boolean
  /** Seconds of the first and the last word. */
  start: number
  end: number
}

/** The maximum pause within a sentence of a speaker over two segments, in seconds. */
const MAX_SENTENCE_PAUSE_SECONDS = 1.5

const dialogueCache = new WeakMap<Dialogue, Promise<TokenizedDialogue>>()

/** Splits a call into words; once for all rule sets that judge the same object. */
export function tokenizeDialogue(dialogue: Dialogue): Promise<TokenizedDialogue> {
  let talk = dialogueCache.get(dialogue)
  if (!talk) {
    talk = splitDialogue(dialogue)
    dialogueCache.set(dialogue, talk)
  }
  return talk
}

async function splitDialogue(dialogue: Dialogue): Promise<TokenizedDialogue> {
  const { segments, channels, agentChannel } = dialogue
  const order = segments.map((_, index) => index)
  if (segments.some(({ start }, index) => start < (segments[index - 1]?.start ?? -Infinity)))
    order.sort((a, b) => segments[a]!.start - segments[b]!.start || a - b)
  const sidesKnown = channels === 2 && agentChannel !== null
  const lines = new Map<number, ChannelText>()
  let run = 0
  let last: DialogueSegment | undefined
  for (const segment of order) {
    const piece = segments[segment]!
    const channel = channels === 2 ? piece.channel : 0
    if (!isContinuation(last, piece, channels)) run++
    last = piece
    const line = lines.get(channel) ?? createLine(lines, channel, dialogue)
    // In a text of capital letters alone, they have no meaning.
    const capitals = piece.text !== piece.text.toUpperCase()
    // «Ольга Викторовна?» addresses somebody and is no question.
    let addresses = true
    for (const { word, from, to, capital, before, asks } of splitWords(piece.text)) {
      const info = analyzeWord(word)
      const isNamed = capital && capitals && before !== SENTENCE_BREAK
      addresses = (addresses || before === SENTENCE_BREAK) && isFormOfAddress(info, word, isNamed)
      const slots = detectSlots(info, word, isNamed, asks && !addresses)
      addToken(line, { word, info, from, to, segment, before, slots, run })
      if (shouldYield()) await yieldToEventLoop()
    }
  }
  return { dialogue, lines: [...lines.values()], order, sidesKnown, ...calculateTimeSpan(dialogue) }
}

/** The start and end of the talk, in seconds, rounded like the times of words, so that it includes the first word. */
export const calculateTimeSpan = ({ segments }: Dialogue): Pick<TokenizedDialogue, 'start' | 'end'> => ({
  start: roundToHundredths(segments.reduce((first, { start }) => Math.min(first, start), segments[0]?.start ?? 0)),
  end: roundToHundredths(segments.reduce((latest, { end }) => Math.max(latest, end), 0)),
})

const roundToHundredths = (seconds: number): number => Math.round(seconds * 100) / 100

/** Whether a segment can continue the sentence of the one before: the same speaker, hardly a pause. */
const isContinuation = (last: DialogueSegment | undefined, piece: DialogueSegment, channels: number): boolean =>
  last !== undefined &&
  channels === 2 &&
  last.channel === piece.channel &&
  piece.start - last.end <= MAX_SENTENCE_PAUSE_SECONDS

function createLine(
  lines: Map<number, ChannelText>,
  channel: number,
  { channels, agentChannel }: Dialogue,
): ChannelText {
  const known = channels === 2 && agentChannel !== null
  const line: ChannelText = {
    side: !known ? 'unknown' : channel === agentChannel ? 'agent' : 'client',
    tokens: [],
    positions: new Map(),
  }
  lines.set(channel, line)
  return line
}

/** The slots of a word; words without any share one list. */
function detectSlots(info: WordInfo, word: string, capital: boolean, asks: boolean): Slot[] {
  const slots: Slot[] = []
  if (canBeName(info, word, capital)) slots.push('{name}')
  if (canBeginNumber({ word, info })) slots.push('{number}')
  if (isDayWord(info, word)) slots.push('{day}')
  if (asks) slots.push('{question}')
  return slots.length > 0 ? slots : NO_SLOTS
}

const NO_SLOTS: Slot[] = []

function addToken({ positions, tokens }: ChannelText, token: Token): void {
  const position = tokens.push(token) - 1
  for (const keys of [token.info.lemmas, token.slots])
    for (const key of keys) {
      const found = positions.get(key)
      if (found) found.push(position)
      else positions.set(key, [position])
    }
}

/** The second at which a position of a segment's text is spoken: segments have no times of words. */
export function estimateSecond(piece: DialogueSegment, position: number): number {
  const share = piece.text.length > 0 ? position / piece.text.length : 0
  return roundToHundredths(piece.start + (piece.end - piece.start) * share)
}

/** The evidence for a place in a segment. */
export const createEvidence = (
  piece: DialogueSegment,
  segment: number,
  from: number,
  to: number,
  side: Evidence['side'],
): Evidence => ({
  segment,
  from,
  to,
  quote: piece.text.slice(from, to),
  start: estimateSecond(piece, from),
  end: estimateSecond(piece, to),
  side,
})
