import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { parseSpokenNumber } from '../../platform/lib/spoken-numbers.ts'
import type { PhrasePart, CompiledPhrase } from './phrases.ts'
import type { ChannelText, DialogueToken } from './tokenize.ts'
import { CLAUSE_BREAK, NO_BREAK, SENTENCE_BREAK } from './words.ts'

/** A match of a phrase, from the index of its first token to the index of its last one. */
export interface PhraseMatch {
  line: ChannelText
  first: number
  last: number
  /** The value of the number in the slot {number}. */
  number?: number
}

/** The maximum number of other words between two words of a phrase. Fillers do not count. */
const MAX_WORDS_BETWEEN = 2
/** The maximum number of matches of a list in a line. Only a text of repeated words reaches it. */
const MAX_MATCHES = 2000
/** The maximum number of words of a question before its last word. */
const MAX_QUESTION_WORDS = 40
/** The maximum number of parallel paths through a phrase. Only repeated words cause more. */
const MAX_PATHS = 6
/** The maximum number of skipped fillers between two words of a phrase. It bounds the time for a text of fillers alone. */
const MAX_FILLERS_BETWEEN = 6

const parseWordSet = (words: string): Set<string> => new Set(words.split(' '))
const FILLERS = parseWordSet(
  'ну э ээ эээ эм мм ммм м а вот типа короче значит ага угу ладно да же ли ка um umm uh uhm er erm hm hmm mm well like just so oh',
)
const HESITATIONS = parseWordSet('э ээ эээ эм мм ммм м')
const NEGATIONS = parseWordSet('не ни без not without never')
/** These words negate a thing, but can also begin a sentence. */
const NO_WORDS = parseWordSet('нет no')
/** These words can occur between «не» and the negated word. */
const DEGREE_WORDS = parseWordSet(
  `очень так такой такая такое такие столь слишком особо особенно совсем сильно настолько никакой никакого никакая никаких
   very so too that really particularly quite a an the any such exactly be been going to`.replaceAll(/\s+/g, ' '),
)

/**
 * Finds the phrases of a list in a line, ordered by position.
 * @param options.negated false also returns negated matches
 * @param options.longer of two matches with the same first word, keeps the longer instead of the shorter one
 */
export async function collectPhraseMatches(
  line: ChannelText,
  phrases: CompiledPhrase[],
  { negated = true, longer = false } = {},
) {
  const matches = new Map<number, PhraseMatch>()
  for (const phrase of phrases) {
    if (shouldYield()) await yieldToEventLoop()
    if (!phrase.parts.every((part) => hasPart(line, part))) continue
    const positions = collectPositions(line, phrase.parts[0]!)
    let lastEnd = -1
    for (let index = 0; index < positions.length && matches.size < MAX_MATCHES; index++) {
      if ((index & 15) === 15 && shouldYield()) await yieldToEventLoop()
      // Skip positions within the previous match of this phrase.
      if (positions[index]! <= lastEnd) continue
      const match = findMatchAt(line, phrase, positions[index]!, negated)
      if (!match) continue
      lastEnd = match.last
      const existing = matches.get(match.first)
      if (!existing || (longer ? match.last > existing.last : match.last < existing.last))
        matches.set(match.first, match)
    }
  }
  return [...matches.values()].sort((a, b) => a.first - b.first)
}

/** Returns true if a part occurs in the line. This excludes most phrases quickly. */
function hasPart({ positions }: ChannelText, part: PhrasePart): boolean {
  if ('slot' in part) return positions.has(part.slot)
  return ('exact' in part ? part.exact : part.lemmas).some((lemma) => positions.has(lemma))
}

function collectPositions({ positions }: ChannelText, part: PhrasePart): ArrayLike<number> {
  if ('slot' in part) return positions.get(part.slot) ?? []
  const keys = 'exact' in part ? part.exact : part.lemmas
  if (keys.length === 1) return positions.get(keys[0]!) ?? []
  const all = keys.flatMap((key) => positions.get(key) ?? [])
  // Typed arrays sort numbers many times faster. A long text has tens of thousands of positions of «and/or».
  return all.length > 1 ? Int32Array.from(new Set(all)).sort() : all
}

function isPartMatch(token: DialogueToken, part: PhrasePart): boolean {
  if ('slot' in part) return token.slots.includes(part.slot)
  if ('exact' in part) return part.exact.includes(token.word)
  for (const lemma of token.info.lemmas) if (part.lemmas.includes(lemma)) return true
  return false
}

/** The end of a path through a phrase: the position of a part and of its last word, because numbers have several words. */
interface PathStep {
  at: number
  end: number
  back: PathStep | undefined
  number?: number
}

function findMatchAt(
  line: ChannelText,
  phrase: CompiledPhrase,
  position: number,
  negated: boolean,
): PhraseMatch | undefined {
  const { tokens } = line
  const { parts, close } = phrase
  if (!isPartMatch(tokens[position]!, parts[0]!)) return undefined
  let steps = [createStep(tokens, parts[0]!, position, undefined)]
  for (let index = 1; index < parts.length && steps.length > 0; index++)
    steps = extendPaths(tokens, steps, parts[index]!, close[index - 1]!)
  for (const step of steps) {
    const match: PhraseMatch = {
      line,
      first: isQuestionSlot(parts[0]!) ? findQuestionStart(tokens, position) : position,
      last: step.end,
    }
    const number = findPathNumber(step)
    if (number !== undefined) match.number = number
    if (!negated || !(isNegated(tokens, position) || hasInnerNegation(tokens, step, phrase))) return match
  }
  return undefined
}

function createStep(tokens: DialogueToken[], part: PhrasePart, at: number, back: PathStep | undefined): PathStep {
  if (!('slot' in part) || part.slot !== '{number}') return { at, end: at, back }
  const parsed = parseSpokenNumber(tokens, at)
  return parsed ? { at, end: parsed.next - 1, back, number: parsed.value } : { at, end: at, back }
}

const isQuestionSlot = (part: PhrasePart): boolean => 'slot' in part && part.slot === '{question}'

/** Returns the position of the first word of the question that ends at `position`. */
function findQuestionStart(tokens: DialogueToken[], position: number): number {
  let at = position
  while (
    at > 0 &&
    position - at < MAX_QUESTION_WORDS &&
    tokens[at]!.before !== SENTENCE_BREAK &&
    tokens[at - 1]!.run === tokens[at]!.run
  )
    at--
  return at
}

/** Extends each path by all positions of the next part within reach. Each position occurs once, and the nearest comes first. */
function extendPaths(tokens: DialogueToken[], steps: PathStep[], part: PhrasePart, close: boolean): PathStep[] {
  const next = new Map<number, PathStep>()
  for (const step of steps) {
    let [between, fillers] = [0, 0]
    for (let at = step.end + 1; at < tokens.length; at++) {
      const token = tokens[at]!
      // A match can cross the end of a sentence only between adjacent words, because recognizers guess full stops.
      if (token.run !== tokens[step.end]!.run) break
      if (token.before === SENTENCE_BREAK && at > step.end + 1) break
      if (isPartMatch(token, part) && !next.has(at)) next.set(at, createStep(tokens, part, at, step))
      if (close) break
      if (token.before === SENTENCE_BREAK) break
      if (FILLERS.has(token.word)) {
        if (++fillers > MAX_FILLERS_BETWEEN) break
      } else if (++between > MAX_WORDS_BETWEEN) break
    }
  }
  return [...next.values()].sort((a, b) => a.end - b.end).slice(0, MAX_PATHS)
}

function findPathNumber(step: PathStep | undefined): number | undefined {
  for (let at = step; at; at = at.back) if (at.number !== undefined) return at.number
  return undefined
}

/** Returns true if «не», «без», "not" or another negation comes before the word, with only fillers or words of degree between. */
function isNegated(tokens: DialogueToken[], first: number): boolean {
  let lastBreak = tokens[first]!.before
  for (let at = first - 1; at >= 0 && first - at <= 5; at--) {
    const { word, run, before } = tokens[at]!
    if (run !== tokens[first]!.run || lastBreak === SENTENCE_BREAK) return false
    if ((NEGATIONS.has(word) || NO_WORDS.has(word)) && isProposal(tokens, at)) return false
    if (NEGATIONS.has(word)) return !isStandaloneNo(tokens, at)
    if (NO_WORDS.has(word)) return lastBreak === NO_BREAK && (word === 'no' || tokens[at + 1]!.info.genitive)
    if (!DEGREE_WORDS.has(word) && !FILLERS.has(word)) return false
    lastBreak = before === NO_BREAK ? lastBreak : before
  }
  return false
}

/** «не» means «нет» before a comma, as in «не, это поздно». A comma before a hesitation does not count. */
const isStandaloneNo = (tokens: DialogueToken[], at: number): boolean =>
  tokens[at]!.word === 'не' && tokens[at + 1]!.before === CLAUSE_BREAK && !HESITATIONS.has(tokens[at + 1]!.word)

/** The maximum number of words between «почему бы» and the negation: «почему бы нам и не встретиться». */
const MAX_WORDS_AFTER_WHY = 2

/** Proposals contain a negation but negate nothing: "why not", «почему бы не», «почему бы и нет». */
function isProposal(tokens: DialogueToken[], at: number): boolean {
  const wordInRun = (position: number): string | undefined => {
    const token = tokens[position]
    return token?.run === tokens[at]!.run ? token.word : undefined
  }
  if (tokens[at]!.word === 'not') return wordInRun(at - 1) === 'why'
  for (let back = at - 1; back >= at - 1 - MAX_WORDS_AFTER_WHY; back--)
    if (wordInRun(back) === 'бы') return wordInRun(back - 1) === 'почему' || wordInRun(back - 1) === 'отчего'
  return false
}

/** Returns true if a negation is between the words of a phrase that has none: «могу вам не предложить». */
function hasInnerNegation(tokens: DialogueToken[], end: PathStep, { parts }: CompiledPhrase): boolean {
  if (parts.some((part) => !('slot' in part) && isNegation(part))) return false
  for (let step = end; step.back; step = step.back)
    for (let at = step.back.end + 1; at < step.at; at++)
      if (NEGATIONS.has(tokens[at]!.word) && tokens[at]!.before !== CLAUSE_BREAK && !isProposal(tokens, at)) return true
  return false
}

const isNegation = (part: { lemmas: string[] } | { exact: string[] }): boolean =>
  ('exact' in part ? part.exact : part.lemmas).some((word) => NEGATIONS.has(word))
