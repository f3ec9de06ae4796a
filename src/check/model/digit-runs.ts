import { shouldYield, yieldToOthers } from '../../platform/lib/yielder.ts'
import { infoOf, type WordInfo } from '../../platform/lib/morphology.ts'
import { isDigit, readNumber } from '../../platform/lib/spoken-numbers.ts'
import type { Dialogue, Piece } from '../rules/types.ts'
import { NO_BREAK, wordsOf, type Word } from '../rules/words.ts'

interface Span {
  piece: number
  from: number
  to: number
}

/** So many digits in a row are a phone, a card or a contract. */
const DIGITS = 5
/** Words between the parts of a dictated number, and their maximum. */
const MOST_BETWEEN = 3
/** The longest pause of a person who dictates to somebody who writes, in seconds. */
const LONGEST_PAUSE = 30

const set = (words: string): Set<string> => new Set(words.split(/\s+/))
const BETWEEN = set(
  `ну э ээ эээ эм мм ммм м а и вот так да ага угу потом дальше далее затем значит еще опять снова типа короче ладно же
   тире дефис черточка черта дробь слеш точка плюс скобка скобки пробел пауза код номер добавочный последние следующие
   первые записали записывайте запишите пишите
   oh um umm uh uhm er erm mm hmm and then next again yes yeah okay ok right so well like dash hyphen slash point dot plus
   space pause area code number extension`,
)
/** Zeros that are no number words elsewhere; "oh" only counts beside number words. */
const ZEROS = set('нуль нолик нулик nought naught nil')
const OH = set('oh o')
const DIGIT_NAMES = set('единица двойка тройка четверка пятерка шестерка семерка восьмерка девятка')
/** The number before a digit in the plural repeats it: «три семёрки», "two fives". */
const REPEATED = set(
  `ноль нуль нолик нулик единица двойка тройка четверка пятерка шестерка семерка восьмерка девятка
   zero one two three four five six seven eight nine nought`,
)
const TIMES = new Map([
  ['double', 2],
  ['triple', 3],
  ['treble', 3],
])
const MONTHS = set(
  `январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
   january february march april may june july august september october november december`,
)
/** Units of counts, measures and money: a number before them is an amount. */
const UNITS = set(
  `рубль руб копейка доллар евро фунт юань тенге гривна белорусский российский американский процент год лет месяц неделя
   день сутки час минута секунда штука человек метр сантиметр миллиметр километр килограмм грамм тонна литр раз этаж
   комната место градус
   dollar buck pound euro ruble rouble cent percent year month week day hour minute second piece people person time meter
   metre foot mile kilo unit degree am pm o'clock`,
)
/** «секунду» behind a number asks to wait. */
const WAITS = set('секунду минуту')

interface Said extends Word {
  piece: number
  info: WordInfo
}

/** A number within one segment; `next` is the index after its last word. */
interface NumberSaid {
  first: number
  next: number
  /** The number of its dictated digits. */
  digits: number
  value: number
  isWritten: boolean
  isOh?: boolean
}

/**
 * Finds runs of five digits and more, also in words, across the segments of a channel; amounts in words and dates are none.
 * Lemmas must be loaded.
 */
export async function digitRuns({ segments, channels }: Dialogue): Promise<Span[]> {
  const order = segments.map((_, index) => index).sort((a, b) => segments[a]!.start - segments[b]!.start || a - b)
  const spans: Span[] = []
  for (const channel of new Set(segments.map((piece) => (channels === 2 ? piece.channel : 0)))) {
    const words: Said[] = []
    const numbers: NumberSaid[] = []
    for (const piece of order) {
      if (channels === 2 && segments[piece]!.channel !== channel) continue
      const first = words.length
      for (const word of wordsOf(segments[piece]!.text)) {
        words.push({ ...word, piece, info: infoOf(word.word) })
        if (shouldYield()) await yieldToOthers()
      }
      await addNumbers(words, first, numbers)
    }
    for (const run of await runsOf(words, numbers, segments)) spans.push(...spansOf(words, run))
  }
  return spans
}

/** Adds the numbers of the last segment: numbers never continue in the next one. */
async function addNumbers(words: Said[], first: number, numbers: NumberSaid[]): Promise<void> {
  for (let at = first; at < words.length;) {
    if (shouldYield()) await yieldToOthers()
    const number = numberAt(words, at)
    if (number) numbers.push(number)
    at = number?.next ?? at + 1
  }
}

function numberAt(words: Said[], at: number): NumberSaid | undefined {
  const { word, info } = words[at]!
  const times = TIMES.get(word)
  if (times) {
    const one = words[at + 1] && !TIMES.has(words[at + 1]!.word) ? numberAt(words, at + 1) : undefined
    return one && { ...one, first: at, digits: times * one.digits, isOh: false }
  }
  const plain = { first: at, next: at + 1, value: 0, digits: 1, isWritten: false }
  if (OH.has(word)) return { ...plain, isOh: true }
  if ([ZEROS, DIGIT_NAMES].some((names) => info.lemmas.some((lemma) => names.has(lemma)))) return plain
  const read = readNumber(words, at)
  if (!read) {
    const digits = digitsIn(word)
    return digits > 0 ? { ...plain, digits, value: NaN, isWritten: true } : undefined
  }
  const isRepeated = read.next === at + 1 && read.value >= 2 && read.value <= 9 && namesDigits(words[at + 1])
  if (isRepeated) return { ...plain, next: at + 2, digits: read.value }
  const parts = words.slice(at, read.next)
  const isWritten = parts.every((part) => isDigit(part.word[0]!))
  return { first: at, ...read, isWritten, digits: isWritten ? writtenIn(parts) : spokenIn(parts, read.value) }
}

const digitsIn = (word: string): number => Array.from(word).filter(isDigit).length

const writtenIn = (parts: Said[]): number => parts.reduce((sum, { word }) => sum + digitsIn(word), 0)

/** Thousands are spoken in amounts: the zeros at their end are not dictated. */
function spokenIn(parts: Said[], value: number): number {
  const figures = String(value).replace('.', '')
  let length = figures.length
  if (value >= 1000) while (figures[length - 1] === '0') length--
  return Math.max(length, writtenIn(parts))
}

/** Whether a word is a digit in the plural. */
const namesDigits = (word: Said | undefined): boolean =>
  word !== undefined && !REPEATED.has(word.word) && word.info.lemmas.some((lemma) => REPEATED.has(lemma))

async function runsOf(words: Said[], numbers: NumberSaid[], segments: Piece[]): Promise<NumberSaid[][]> {
  const runs: NumberSaid[][] = []
  let run: NumberSaid[] = []
  const isLong = (): boolean =>
    run.some(({ isOh }) => !isOh) && run.reduce((sum, { digits }) => sum + digits, 0) >= DIGITS
  for (const [index, number] of numbers.entries()) {
    if (shouldYield()) await yieldToOthers()
    const last = run.at(-1)
    if (last && !goesOn(words, last, number, segments)) {
      if (isLong()) runs.push(run)
      run = []
    }
    if (number.isOh && !isZero(words, number, numbers[index - 1], numbers[index + 1])) continue
    if (!isAmount(words, number)) {
      run.push(number)
      continue
    }
    // Right after a run, it is unclear which of the two a number belongs to.
    const isBehind = run.at(-1)?.next === number.first && words[number.first - 1]!.piece === words[number.first]!.piece
    if (isLong()) runs.push(isBehind ? [...run, number] : run)
    run = []
  }
  if (isLong()) runs.push(run)
  return runs
}

function goesOn(words: Said[], last: NumberSaid, next: NumberSaid, segments: Piece[]): boolean {
  const between = words.slice(last.next, Math.min(next.first, last.next + MOST_BETWEEN + 1))
  if (between.length > MOST_BETWEEN || !between.every(({ word }) => BETWEEN.has(word))) return false
  const [before, after] = [words[last.next - 1]!.piece, words[next.first]!.piece]
  return before === after || segments[after]!.start - segments[before]!.end <= LONGEST_PAUSE
}

/** Whether an "oh" is a zero: beside a number word and without a comma. Recognizers that write digits write a zero. */
function isZero(words: Said[], { first, next }: NumberSaid, before?: NumberSaid, after?: NumberSaid): boolean {
  const isBehind = before?.next === first && !before.isWritten
  const isBefore = after?.first === next && !after.isWritten && words[next]!.before === NO_BREAK
  return isBehind || isBefore
}

/** Whether a number is an amount or a time. */
function isAmount(words: Said[], { first, next, digits, value, isWritten }: NumberSaid): boolean {
  const [before, behind] = [words[first - 1], words[next]]
  if (isWritten && next === first + 1 && isDate(words[first]!.word)) return true
  const isSmall = digits < DIGITS
  const isLarge = !isWritten && value >= 1000
  if (isSmall && isLarge) return true
  if (value >= 1 && value <= 31 && [before, behind].some((word) => word && isOf(MONTHS, word))) return true
  if (!behind || !(isSmall || isLarge) || WAITS.has(behind.word) || !isOf(UNITS, behind)) return false
  return behind.before === NO_BREAK || behind.piece !== words[next - 1]!.piece
}

const isOf = (names: Set<string>, { info }: Said): boolean => info.lemmas.some((lemma) => names.has(lemma))

/** 15.03.2026 or 1.2.26 */
function isDate(word: string): boolean {
  const parts = word.split('.')
  const [day, month, year = ''] = parts
  return parts.length === 3 && isUpTo(31, day!) && isUpTo(12, month!) && (year.length === 2 || year.length === 4)
}

const isUpTo = (most: number, text: string): boolean => text.length <= 2 && Number(text) >= 1 && Number(text) <= most

/** The parts of a run in each of its segments. */
function spansOf(words: Said[], run: NumberSaid[]): Span[] {
  const spans: Span[] = []
  for (const { first, next } of run) {
    const [begin, end] = [words[first]!, words[next - 1]!]
    const last = spans.at(-1)
    if (last?.piece === begin.piece) last.to = end.to
    else spans.push({ piece: begin.piece, from: begin.from, to: end.to })
  }
  return spans
}
