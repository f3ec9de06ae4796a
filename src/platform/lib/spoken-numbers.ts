import type { WordInfo } from './morphology.ts'

/** Whether a character is an ASCII digit. */
export const isDigit = (letter: string): boolean => letter >= '0' && letter <= '9'

/** A word with what the dictionaries know of it. */
export interface NumberWord {
  word: string
  info: WordInfo
}

const enumerateWords = (text: string, first: number, step = 1): [string, number][] =>
  text.split(' ').map((word, index) => [word, first + index * step])

/** Numbers that add up, by their basic form. */
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
/** Numbers that multiply the number before them. */
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

/** Whether a word multiplies the number before it, as «тысяча» does. */
export const isNumberScale = (word: NumberWord): boolean => findValue(SCALES, word) !== undefined

/** Whether a number can begin with a word. */
export const canBeginNumber = (word: NumberWord): boolean =>
  isDigit(word.word[0]!) || findValue(NUMBER_VALUES, word) !== undefined || findValue(SCALES, word) !== undefined

/** The number at an index of words, and the index after it; «полторы тысячи» is 1500. */
export function parseSpokenNumber(
  words: readonly NumberWord[],
  start: number,
): { value: number; next: number } | undefined {
  let [total, part, smallest, at] = [0, NaN, Infinity, start]
  let lastScale = Infinity
  for (let word = words[at]; word; word = words[at]) {
    const scale = findValue(SCALES, word)
    if (scale !== undefined) {
      // «сто тысяч сто тысяч» are two numbers.
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

/** The unit of a number word: ones (also ten to nineteen), tens, hundreds. */
const unitOf = (value: number): number => (value < 20 ? 1 : value < 100 ? 10 : 100)

/** Whether this continues a number: ones follow tens, and less than a hundred follows hundreds. */
const canContinueNumber = (value: number, smallest: number): boolean =>
  smallest === Infinity || (smallest > 1 && value > 0 && value < smallest)

/** «с половиной», "and a half": the number of their words. */
function countHalfWords(words: readonly NumberWord[], at: number): number {
  const first = words[at]!.word
  if (first === 'с') return words[at + 1]?.word === 'половиной' ? 2 : 0
  return first === 'and' && words[at + 1]?.word === 'a' && words[at + 2]?.word === 'half' ? 3 : 0
}

/** A number in digits; «1 500» and "1,500" are one. */
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
