import type { WordInfo } from './morphology.ts'

/** Returns true if a character is an ASCII digit. */
export const isDigit = (letter: string): boolean => letter >= '0' && letter <= '9'

/** Contains a word and its dictionary data, so that all inflected forms of a number are recognized. */
export interface NumberWord {
  word: string
  info: WordInfo
}

const enumerateWords = (text: string, first: number, step = 1): [string, number][] =>
  text.split(' ').map((word, index) => [word, first + index * step])

/** Maps number words to values that add up, by dictionary form. */
const NUMBER_VALUES = new Map<string, number>([
  ...enumerateWords(
    'ноль один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать',
    0,
  ),
  ...enumerateWords('четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать', 14),
  ...enumerateWords('двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто', 20, 10),
  ...enumerateWords('сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот', 100, 100),
  ...enumerateWords('zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen', 0),
  ...enumerateWords('sixteen seventeen eighteen nineteen', 16),
  ...enumerateWords('twenty thirty forty fifty sixty seventy eighty ninety', 20, 10),
  ['двое', 2],
  ['трое', 3],
  ['полтора', 1.5],
  ['полтораста', 150],
])
/** Maps number words to factors of the preceding number. */
const SCALES = new Map<string, number>([
  ['hundred', 100],
  ['тысяча', 1000],
  ['тыща', 1000],
  ['thousand', 1000],
  ['миллион', 1e6],
  ['million', 1e6],
  ['миллиард', 1e9],
  ['billion', 1e9],
])

const findValue = (table: Map<string, number>, { info }: NumberWord): number | undefined => {
  for (const lemma of info.lemmas) {
    const value = table.get(lemma)
    if (value !== undefined) return value
  }
  return undefined
}

/** Returns true if the word multiplies the preceding number, as «тысяча» does. */
export const isNumberScale = (word: NumberWord): boolean => findValue(SCALES, word) !== undefined

/** Returns true if a written or spoken number can begin with the word. */
export const canBeginNumber = (word: NumberWord): boolean =>
  isDigit(word.word[0]!) || findValue(NUMBER_VALUES, word) !== undefined || findValue(SCALES, word) !== undefined

/**
 * Parses the Russian or English number that begins at `start`; «полторы тысячи» is 1500.
 * @returns its value and the index after its last word; undefined if no number begins there
 */
export function parseSpokenNumber(
  words: readonly NumberWord[],
  start: number,
): { value: number; next: number } | undefined {
  let [total, part, smallest, at] = [0, NaN, Infinity, start]
  let lastScale = Infinity
  for (let word = words[at]; word; word = words[at]) {
    const scale = findValue(SCALES, word)
    if (scale !== undefined) {
      // «сто тысяч сто тысяч» are two numbers, not one.
      if (scale !== 100 && scale >= lastScale) break
      if (scale === 100 && part < 100) part *= 100
      else if (scale === 100 && Number.isNaN(part)) part = 100
      else if (scale === 100) break
      else {
        total += (Number.isNaN(part) ? 1 : part) * scale
        part = NaN
        lastScale = scale
      }
      smallest = scale
      at++
      continue
    }
    const half = countHalfWords(words, at)
    if (half && !Number.isNaN(part)) {
      part += 0.5
      at += half
      continue
    }
    const digits = parseDigits(words, at)
    const value = digits ?? { value: findValue(NUMBER_VALUES, word), next: at + 1 }
    if (value.value === undefined || !canContinueNumber(value.value, smallest) || (digits && smallest < 1000)) {
      const isAnd = word.word === 'and' && smallest >= 100 && smallest < Infinity
      const following = words[at + 1]
      const more = isAnd && following ? findValue(NUMBER_VALUES, following) : undefined
      if (more === undefined || !canContinueNumber(more, smallest)) break
      at++
      continue
    }
    part = (Number.isNaN(part) ? 0 : part) + value.value
    smallest = digits ? 1 : unitOf(value.value)
    at = value.next
  }
  const value = total + (Number.isNaN(part) ? 0 : part)
  return at > start ? { value, next: at } : undefined
}

/** Returns the place of a number word: 1 (up to nineteen), 10 or 100. */
const unitOf = (value: number): number => (value < 20 ? 1 : value < 100 ? 10 : 100)

/**
 * Returns true if the value can follow: ones after tens, less than a hundred after hundreds, less than a thousand after
 * thousands.
 */
const canContinueNumber = (value: number, smallest: number): boolean =>
  smallest === Infinity || (smallest > 1 && value > 0 && value < smallest)

/** Returns the number of words of «с половиной» or "and a half" at `at`; 0 without a match. */
function countHalfWords(words: readonly NumberWord[], at: number): number {
  const first = words[at]!.word
  if (first === 'с') return words[at + 1]?.word === 'половиной' ? 2 : 0
  return first === 'and' && words[at + 1]?.word === 'a' && words[at + 2]?.word === 'half' ? 3 : 0
}

/** Parses a number in digits. «1 500» and "1,500" are one number. */
function parseDigits(words: readonly NumberWord[], at: number): { value: number; next: number } | undefined {
  const literal = words[at]!.word
  if (!isDigit(literal[0]!)) return undefined
  const groups = literal.split(',')
  const thousands = groups.length > 1 && groups.slice(1).every((group) => group.length === 3 && !group.includes('.'))
  let digits = thousands ? groups.join('') : literal.replaceAll(',', '.')
  let next = at + 1
  if (literal.length <= 3 && !digits.includes('.'))
    for (; isGroup(words[next]?.word) && digits.length < 12; next++) digits += words[next]!.word
  const value = Number(digits)
  return Number.isFinite(value) ? { value, next } : undefined
}

const isGroup = (word: string | undefined): boolean => word?.length === 3 && Array.from(word).every(isDigit)
