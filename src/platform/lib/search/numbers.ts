import { infoOf } from '../morphology.ts'
import { beginsNumber, isScale, readNumber } from '../spoken-numbers.ts'
import { isNumber, type Token } from './tokens.ts'

/** A number in a text as digits, in the tokens from `from` to before `to`. */
export interface NumberSpan {
  digits: string
  from: number
  to: number
}

/** The minimum number of digits of joined numbers, so that "55" does not find "5 5". */
const MIN_JOINED_DIGITS = 4
/** A phone number with its country and extension has fewer digits. */
const MAX_JOINED_DIGITS = 18
/** The maximum of joined numbers: a phone number can be dictated digit by digit. */
const MAX_JOINED = 12
/** More numbers in a row are a list, and joining neighbours would take too long. */
const MAX_GROUP = 60
/** Characters between two numbers that can be groups of one number. */
const MAX_GAP = 3

/** The numbers of a text in order: written ones token by token, spoken ones by their value. */
export function findNumbers(tokens: readonly Token[]): NumberSpan[] {
  const words = tokens.map(({ word }) => ({ word, info: infoOf(word) }))
  const found: NumberSpan[] = []
  let at = 0
  while (at < words.length) {
    const word = words[at]!
    const isWritten = isNumber(word.word)
    const next = words[at + 1]
    // «5 тысяч» is one number. In «1,5 тысячи» the 5 is no separate number.
    const isSaid = isWritten ? next && isScale(next) && tokens[at]!.joint === undefined : beginsNumber(word)
    const number = isSaid ? readNumber(words, at) : undefined
    if (number && Number.isSafeInteger(number.value)) {
      found.push({ digits: String(number.value), from: at, to: number.next })
    } else if (isWritten) found.push({ digits: word.word, from: at, to: at + 1 })
    at = Math.max(at + 1, number?.next ?? 0)
  }
  return found
}

/** Adjacent numbers that can be groups of one, such as "8 800 555-35-35". */
export function groupNumbers(tokens: readonly Token[], numbers: readonly NumberSpan[]): NumberSpan[][] {
  const groups: NumberSpan[][] = []
  for (const number of numbers) {
    const last = groups.at(-1)?.at(-1)
    const follows = last?.to === number.from && tokens[number.from]!.start - tokens[last.to - 1]!.end <= MAX_GAP
    if (follows) groups.at(-1)!.push(number)
    else groups.push([number])
  }
  return groups
}

/** All numbers that two or more neighbours of a group form: "8 800 555" is 8800, 800555 and 8800555. */
export function* joinedNumbers(group: readonly NumberSpan[]): Generator<NumberSpan> {
  if (group.length > MAX_GROUP) return
  for (const [start, { digits: first, from }] of group.entries()) {
    let digits = first
    for (const { digits: next, to } of group.slice(start + 1, start + MAX_JOINED)) {
      digits += next
      if (digits.length > MAX_JOINED_DIGITS) break
      if (digits.length >= MIN_JOINED_DIGITS) yield { digits, from, to }
    }
  }
}
