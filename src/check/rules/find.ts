import { shouldYield, yieldToOthers } from '../../platform/lib/yielder.ts'
import { readNumber } from '../../platform/lib/spoken-numbers.ts'
import type { Part, Phrase } from './phrases.ts'
import type { Line, Token } from './talk.ts'
import { CLAUSE, NO_BREAK, SENTENCE } from './words.ts'

/** A match of a phrase: from its first to its last word. */
export interface Match {
  line: Line
  first: number
  last: number
  /** The value of the slot {number}. */
  number?: number
}

/** The maximum number of words between two words of a phrase, except fillers. */
const BETWEEN = 2
/** The maximum number of matches: only a text of one repeated word has more. */
const MOST = 2000
/** The maximum number of words of a question, counted back from its mark. */
const LONGEST_QUESTION = 40
/** The maximum number of parallel paths through a phrase: only repeated words cause more. */
const WAYS = 6
/** The maximum number of fillers to skip, so that a text of fillers alone takes no longer. */
const FILLERS_BETWEEN = 6

const set = (words: string): Set<string> => new Set(words.split(' '))
const FILLERS = set(
  'ну э ээ эээ эм мм ммм м а вот типа короче значит ага угу ладно да же ли ка um umm uh uhm er erm hm hmm mm well like just so oh',
)
const HESITATIONS = set('э ээ эээ эм мм ммм м')
const NOT = set('не ни без not without never')
/** They negate a thing, but can also begin a sentence. */
const NO = set('нет no')
/** Words between «не» and the negated word. */
const DEGREES = set(
  `очень так такой такая такое такие столь слишком особо особенно совсем сильно настолько никакой никакого никакая никаких
   very so too that really particularly quite a an the any such exactly be been going to`.replaceAll(/\s+/g, ' '),
)

/** Finds all phrases in a line, in the order of the text. If two begin with the same word, takes the shorter or the longer one. */
export async function findAll(line: Line, phrases: Phrase[], { negated = true, longer = false } = {}) {
  const found = new Map<number, Match>()
  for (const phrase of phrases) {
    if (shouldYield()) await yieldToOthers()
    if (!phrase.parts.every((part) => isIn(line, part))) continue
    const positions = positionsOf(line, phrase.parts[0]!)
    let behind = -1
    for (let index = 0; index < positions.length && found.size < MOST; index++) {
      if ((index & 15) === 15 && shouldYield()) await yieldToOthers()
      // A phrase is not searched within its own match.
      if (positions[index]! <= behind) continue
      const match = matchAt(line, phrase, positions[index]!, negated)
      if (!match) continue
      behind = match.last
      const known = found.get(match.first)
      if (!known || (longer ? match.last > known.last : match.last < known.last)) found.set(match.first, match)
    }
  }
  return [...found.values()].sort((a, b) => a.first - b.first)
}

/** Whether a line contains a part at all: this excludes most phrases. */
function isIn({ positions }: Line, part: Part): boolean {
  if ('slot' in part) return positions.has(part.slot)
  return ('exact' in part ? part.exact : part.lemmas).some((lemma) => positions.has(lemma))
}

function positionsOf({ positions }: Line, part: Part): ArrayLike<number> {
  if ('slot' in part) return positions.get(part.slot) ?? []
  const keys = 'exact' in part ? part.exact : part.lemmas
  if (keys.length === 1) return positions.get(keys[0]!) ?? []
  const all = keys.flatMap((key) => positions.get(key) ?? [])
  // Typed arrays sort numbers many times faster; a long text has tens of thousands of «and/or».
  return all.length > 1 ? Int32Array.from(new Set(all)).sort() : all
}

function fits(token: Token, part: Part): boolean {
  if ('slot' in part) return token.slots.includes(part.slot)
  if ('exact' in part) return part.exact.includes(token.word)
  for (const lemma of token.info.lemmas) if (part.lemmas.includes(lemma)) return true
  return false
}

/** A path through a phrase: the word at which a part begins, and its end (numbers take several). */
interface Step {
  at: number
  end: number
  back: Step | undefined
  number?: number
}

function matchAt(line: Line, phrase: Phrase, position: number, negated: boolean): Match | undefined {
  const { tokens } = line
  const { parts, close } = phrase
  if (!fits(tokens[position]!, parts[0]!)) return undefined
  let steps = [stepAt(tokens, parts[0]!, position, undefined)]
  for (let index = 1; index < parts.length && steps.length > 0; index++)
    steps = follow(tokens, steps, parts[index]!, close[index - 1]!)
  for (const step of steps) {
    const match: Match = { line, first: isQuestion(parts[0]!) ? beginOf(tokens, position) : position, last: step.end }
    const number = numberOf(step)
    if (number !== undefined) match.number = number
    if (!negated || !(isNegated(tokens, position) || breaksOff(tokens, step, phrase))) return match
  }
  return undefined
}

function stepAt(tokens: Token[], part: Part, at: number, back: Step | undefined): Step {
  if (!('slot' in part) || part.slot !== '{number}') return { at, end: at, back }
  const read = readNumber(tokens, at)
  return read ? { at, end: read.next - 1, back, number: read.value } : { at, end: at, back }
}

const isQuestion = (part: Part): boolean => 'slot' in part && part.slot === '{question}'

/** The beginning of the question that ends at a position. */
function beginOf(tokens: Token[], position: number): number {
  let at = position
  while (
    at > 0 &&
    position - at < LONGEST_QUESTION &&
    tokens[at]!.before !== SENTENCE &&
    tokens[at - 1]!.run === tokens[at]!.run
  )
    at--
  return at
}

/** All positions of the next part within reach, nearest first, each once. */
function follow(tokens: Token[], steps: Step[], part: Part, close: boolean): Step[] {
  const next = new Map<number, Step>()
  for (const step of steps) {
    let [between, fillers] = [0, 0]
    for (let at = step.end + 1; at < tokens.length; at++) {
      const token = tokens[at]!
      // A match can contain the end of a sentence only between adjacent words, because recognizers guess full stops.
      if (token.run !== tokens[step.end]!.run) break
      if (token.before === SENTENCE && at > step.end + 1) break
      if (fits(token, part) && !next.has(at)) next.set(at, stepAt(tokens, part, at, step))
      if (close) break
      if (token.before === SENTENCE) break
      if (FILLERS.has(token.word)) {
        if (++fillers > FILLERS_BETWEEN) break
      } else if (++between > BETWEEN) break
    }
  }
  return [...next.values()].sort((a, b) => a.end - b.end).slice(0, WAYS)
}

function numberOf(step: Step | undefined): number | undefined {
  for (let at = step; at; at = at.back) if (at.number !== undefined) return at.number
  return undefined
}

/** Whether «не», «без», "not" or a similar word is before it. */
function isNegated(tokens: Token[], first: number): boolean {
  let broken = tokens[first]!.before
  for (let at = first - 1; at >= 0 && first - at <= 5; at--) {
    const { word, run, before } = tokens[at]!
    if (run !== tokens[first]!.run || broken === SENTENCE) return false
    if ((NOT.has(word) || NO.has(word)) && isProposed(tokens, at)) return false
    if (NOT.has(word)) return !isNo(tokens, at)
    if (NO.has(word)) return broken === NO_BREAK && (word === 'no' || tokens[at + 1]!.info.genitive)
    if (!DEGREES.has(word) && !FILLERS.has(word)) return false
    broken = before === NO_BREAK ? broken : before
  }
  return false
}

/** Whether «не» means «нет», as in «не, это поздно»: a comma follows it that marks no hesitation. */
const isNo = (tokens: Token[], at: number): boolean =>
  tokens[at]!.word === 'не' && tokens[at + 1]!.before === CLAUSE && !HESITATIONS.has(tokens[at + 1]!.word)

/** Words between «почему бы» and its negation: «почему бы нам и не встретиться». */
const BETWEEN_WHY = 2

/** Whether a negation belongs to a proposal, or agrees to one: "why not", «почему бы не», «почему бы и нет». */
function isProposed(tokens: Token[], at: number): boolean {
  const inRun = (position: number): string | undefined => {
    const token = tokens[position]
    return token?.run === tokens[at]!.run ? token.word : undefined
  }
  if (tokens[at]!.word === 'not') return inRun(at - 1) === 'why'
  for (let back = at - 1; back >= at - 1 - BETWEEN_WHY; back--)
    if (inRun(back) === 'бы') return inRun(back - 1) === 'почему' || inRun(back - 1) === 'отчего'
  return false
}

/** Whether there is a negation between the words of a phrase that has none: «могу вам не предложить». */
function breaksOff(tokens: Token[], end: Step, { parts }: Phrase): boolean {
  if (parts.some((part) => !('slot' in part) && isNot(part))) return false
  for (let step = end; step.back; step = step.back)
    for (let at = step.back.end + 1; at < step.at; at++)
      if (NOT.has(tokens[at]!.word) && tokens[at]!.before !== CLAUSE && !isProposed(tokens, at)) return true
  return false
}

const isNot = (part: { lemmas: string[] } | { exact: string[] }): boolean =>
  ('exact' in part ? part.exact : part.lemmas).some((word) => NOT.has(word))
