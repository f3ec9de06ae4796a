import { analyzeWord } from '../morphology.ts'
import { canBeginNumber, isNumberScale, parseSpokenNumber, type NumberWord } from '../spoken-numbers.ts'
import { isDigitWord, type TextToken } from './tokens.ts'

/** Represents a number in a text. It spans the tokens from `from` to before `to`. */
export interface NumberSpan {
  /** Decimal digits, such as 250 or 1.5. */
  digits: string
  from: number
  to: number
  /**
   * `written`: one token of digits. `ordinal`: spoken, such as «пятого». `cardinal`: any other, such as «пять», a decimal or a
   * joined number.
   */
  kind: 'written' | 'cardinal' | 'ordinal'
}

/** Minimum digits of joined numbers, so that "55" does not find "5 5". Three single digits also count. */
const MIN_JOINED_DIGITS = 4
const MIN_SINGLE_DIGITS = 3
/** A phone number has at most 15 digits (E.164). */
const MAX_JOINED_DIGITS = 18
/** Limits the parts of a joined number. A phone number can be dictated digit by digit. */
const MAX_JOINED_NUMBERS = 12
/** More numbers in a row are a list, and joining all neighbours takes too long. */
const MAX_GROUP_NUMBERS = 60
/** Stops joining numbers of a text after about this many, because a table has very many. */
const MAX_ADDED_NUMBERS = 20_000
/** Longest spoken number that the scan recognizes, in words. */
const MAX_NUMBER_WORDS = 12

/** Maps English ordinals to values. The dictionary contains the Russian ones. */
const ORDINALS = new Map(
  `zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
   sixteenth seventeenth eighteenth nineteenth twentieth`
    .split(/\s+/)
    .map((word, value) => [word, value]),
)
ORDINALS.set('thirtieth', 30)

/** Yields the numbers of a text in order. Written numbers are single tokens; a spoken number can span several. */
export function* scanNumbers(tokens: readonly TextToken[]): Generator<NumberSpan> {
  let at = 0
  while (at < tokens.length) {
    const spoken = findSpokenNumber(tokens, at)
    if (spoken) yield spoken
    else if (isDigitWord(tokens[at]!.word)) yield { digits: tokens[at]!.word, from: at, to: at + 1, kind: 'written' }
    at = spoken?.to ?? at + 1
  }
}

/**
 * Finds the spoken number that begins at a token, including «5 тысяч» and "1.5 million". The number ends at the latest with its
 * clause.
 */
function findSpokenNumber(tokens: readonly TextToken[], at: number): NumberSpan | undefined {
  const first = tokens[at]!
  const ordinal = ORDINALS.get(first.word)
  if (ordinal !== undefined) return { digits: String(ordinal), from: at, to: at + 1, kind: 'ordinal' }
  if (!canBeginNumber(toNumberWord(first))) return undefined
  const decimal = isDigitWord(first.word) ? findDecimal(tokens, at) : undefined
  const skipped = decimal === undefined ? 0 : 1
  const words = listClauseWords(tokens, at + skipped)
  if (decimal !== undefined) words[0] = { ...words[0]!, word: decimal }
  // A written number alone, or the second half of «1,5», adds nothing to its digits.
  if (isDigitWord(first.word) && (first.joint !== undefined || !words[1] || !isNumberScale(words[1]))) return undefined
  const number = parseSpokenNumber(trimDigitRun(words), 0)
  if (!number || number.value > Number.MAX_SAFE_INTEGER) return undefined
  const last = at + skipped + number.next
  const added = tokens[last]?.pause === 'none' ? ORDINALS.get(tokens[last].word) : undefined
  if (added !== undefined && added < 10 && number.value % 10 === 0) {
    return { digits: String(number.value + added), from: at, to: last + 1, kind: 'ordinal' }
  }
  const kind = words[number.next - 1]!.info.ordinal ? 'ordinal' : 'cardinal'
  return { digits: String(number.value), from: at, to: last, kind }
}

const toNumberWord = ({ word }: TextToken): NumberWord => ({ word, info: analyzeWord(word) })

/** Returns the words from `at` to the end of the clause, at most 12. */
function listClauseWords(tokens: readonly TextToken[], at: number): NumberWord[] {
  let end = at + 1
  while (end < at + MAX_NUMBER_WORDS && tokens[end]?.pause === 'none') end++
  return tokens.slice(at, end).map(toNumberWord)
}

/** Returns the decimal that begins at a token, such as "1.5" or "1,5", always with a point. */
function findDecimal(tokens: readonly TextToken[], at: number): string | undefined {
  const [integer, part, next] = tokens.slice(at, at + 3)
  const isDecimal = isDigitWord(integer!.word) && part && /^[.,]$/.test(part.joint ?? '') && isDigitWord(part.word)
  const isAlone = integer!.joint === undefined && !(next?.joint !== undefined && isDigitWord(next.word))
  return isDecimal && isAlone ? `${integer!.word}.${part.word}` : undefined
}

/**
 * Cuts off a run of three or more single digits: «восемьсот пять пять пять» is a phone number after 800, not 805 and two digits.
 */
function trimDigitRun(words: NumberWord[]): NumberWord[] {
  const isSingle = (word?: NumberWord) => word !== undefined && (parseSpokenNumber([word], 0)?.value ?? 10) < 10
  const run = words.findIndex((word, n) => n > 0 && isSingle(word) && isSingle(words[n + 1]) && isSingle(words[n + 2]))
  return run < 0 ? words : words.slice(0, run)
}

/**
 * Yields the numbers that adjacent members of a group form together: "8 800 555" gives 8800, 8800555 and 800555. Omits numbers
 * with fewer than 4 digits, except three single digits.
 */
function* generateJoinedNumbers(group: readonly NumberSpan[]): Generator<NumberSpan> {
  if (group.length > MAX_GROUP_NUMBERS) return
  for (const [start, { digits: first, from }] of group.entries()) {
    let digits = first
    for (const [n, { digits: next, to }] of group.slice(start + 1, start + MAX_JOINED_NUMBERS).entries()) {
      digits += next
      if (digits.length > MAX_JOINED_DIGITS) break
      const areSingle = digits.length === n + 2
      if (digits.length >= (areSingle ? MIN_SINGLE_DIGITS : MIN_JOINED_DIGITS))
        yield { digits, from, to, kind: 'cardinal' }
    }
  }
}

/** Yields the numbers of a text, and the decimals and joined numbers by which a query can also find the text. */
export function* scanSearchNumbers(tokens: readonly TextToken[]): Generator<NumberSpan> {
  let remaining = MAX_ADDED_NUMBERS
  /** Collects adjacent numbers that can be groups of one number, such as "8 800 555-35-35". */
  let group: NumberSpan[] = []
  for (const number of scanNumbers(tokens)) {
    const { digits, from, kind } = number
    const decimal = findDecimal(tokens, from)
    if (decimal !== undefined) yield { digits: decimal, from, to: from + 2, kind: 'cardinal' }
    yield number
    const follows = group.at(-1)?.to === from && tokens[from]!.pause !== 'sentence'
    if (!follows || kind === 'ordinal' || !isDigitWord(digits)) {
      for (const joined of generateJoinedNumbers(group)) {
        if (remaining-- <= 0) break
        yield joined
      }
      group = []
    }
    if (kind !== 'ordinal' && isDigitWord(digits)) group.push(number)
  }
  yield* generateJoinedNumbers(group)
}

/** People give phone numbers without the first digits, so the last digits find them too. */
const ENDING_LENGTHS = [4, 7, 10]

/**
 * Returns the last 4, 7 and 10 digits of a number with at least 7 digits, so that "6789" finds 89123456789. Omits the number
 * itself.
 */
export function getNumberEndings(word: string): string[] {
  if (word.length < 7 || !isDigitWord(word)) return []
  return ENDING_LENGTHS.filter((length) => length < word.length).map((length) => word.slice(-length))
}
