import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { analyzeWord, type WordInfo } from '../../platform/lib/morphology.ts'
import { canBeginNumber } from '../../platform/lib/spoken-numbers.ts'
import { isFormOfAddress, isDayWord, canBeProperName, type PhraseSlot } from './slots.ts'
import type { Dialogue, Evidence, DialogueSegment } from './types.ts'
import { SENTENCE_BREAK, splitWords, type WordBreak } from './words.ts'

/** A word of a segment with its analysis and position. */
export interface DialogueToken {
  word: string
  info: WordInfo
  /** `from` and `to` are indexes into the text of the segment. */
  from: number
  to: number
  segment: number
  before: WordBreak
  slots: PhraseSlot[]
  /** Only words of the same run can form a phrase. A run has one speaker and no long pause; in mono calls, it is one segment. */
  run: number
}

/** The words of one channel, ordered by the start of their segments. A mono call has one such text. */
export interface ChannelText {
  side: Evidence['side']
  tokens: DialogueToken[]
  /** The positions of each lemma and of each slot, such as {name}, in `tokens`. */
  positions: Map<string, number[]>
}

/** A transcript split into words. All rules share it. */
export interface TokenizedDialogue {
  dialogue: Dialogue
  lines: ChannelText[]
  /** Indexes of segments, ordered by their start. */
  order: number[]
  sidesKnown: boolean
  /** The start of the first word and the end of the last one, in seconds from the start of the call. */
  start: number
  end: number
}

/** A sentence can continue in the next segment of its speaker after a pause of at most this length. */
const MAX_SENTENCE_PAUSE_SECONDS = 1.5

const dialogueCache = new WeakMap<Dialogue, Promise<TokenizedDialogue>>()

/** Splits a transcript into words. The result is cached by the object, so all rule sets share it. */
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
    // In a text of capital letters alone, capitals do not indicate names.
    const capitals = piece.text !== piece.text.toUpperCase()
    // «Ольга Викторовна?» addresses a person and is no question.
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
  return { dialogue, lines: [...lines.values()], order, sidesKnown, ...calculateDialogueTimeSpan(dialogue) }
}

/** Returns the start of the first segment and the latest end, in seconds. Both are rounded like the times of words. */
export const calculateDialogueTimeSpan = ({ segments }: Dialogue): Pick<TokenizedDialogue, 'start' | 'end'> => ({
  start: roundToHundredths(segments.reduce((first, { start }) => Math.min(first, start), segments[0]?.start ?? 0)),
  end: roundToHundredths(segments.reduce((latest, { end }) => Math.max(latest, end), 0)),
})

const roundToHundredths = (seconds: number): number => Math.round(seconds * 100) / 100

/** Returns true if a segment can continue the sentence of the one before: it has the same known speaker and follows a short pause. */
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

/** Returns the slots that a word can fill. Words without slots share one list to save memory. */
function detectSlots(info: WordInfo, word: string, capital: boolean, asks: boolean): PhraseSlot[] {
  const slots: PhraseSlot[] = []
  if (canBeProperName(info, word, capital)) slots.push('{name}')
  if (canBeginNumber({ word, info })) slots.push('{number}')
  if (isDayWord(info, word)) slots.push('{day}')
  if (asks) slots.push('{question}')
  return slots.length > 0 ? slots : NO_SLOTS
}

const NO_SLOTS: PhraseSlot[] = []

function addToken({ positions, tokens }: ChannelText, token: DialogueToken): void {
  const position = tokens.push(token) - 1
  for (const keys of [token.info.lemmas, token.slots])
    for (const key of keys) {
      const found = positions.get(key)
      if (found) found.push(position)
      else positions.set(key, [position])
    }
}

/** Estimates when a position in the text of a segment is spoken, in seconds, because segments have no times of words. */
export function estimateSpokenSecond(piece: DialogueSegment, position: number): number {
  const share = piece.text.length > 0 ? position / piece.text.length : 0
  return roundToHundredths(piece.start + (piece.end - piece.start) * share)
}

/**
 * Creates the evidence for a part of a segment.
 * @param segment the index of the segment
 * @param from start in its text; `to` is the end
 */
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
  start: estimateSpokenSecond(piece, from),
  end: estimateSpokenSecond(piece, to),
  side,
})
