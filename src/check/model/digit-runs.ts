import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { analyzeWord, type WordInfo } from '../../platform/lib/morphology.ts'
import { isDigit, parseSpokenNumber } from '../../platform/lib/spoken-numbers.ts'
import type { Dialogue, DialogueSegment } from '../rules/types.ts'
import { NO_BREAK, splitWords, type TextWord } from '../rules/words.ts'

interface DigitSpan {
  piece: number
  from: number
  to: number
}

/** Phone, card and contract numbers have at least this many digits. */
const MIN_DIGITS = 5
/** The maximum number of connecting words, such as "dash", between two parts of a dictated number. */
const MAX_WORDS_BETWEEN = 3
/** The longest pause, in seconds, between segments while a person dictates. */
const MAX_PAUSE_SECONDS = 30

const parseWordSet = (words: string): Set<string> => new Set(words.split(/\s+/))
const CONNECTING_WORDS = parseWordSet(
  `ну э ээ эээ эм мм ммм м а и вот так да ага угу потом дальше далее затем значит еще опять снова типа короче ладно же
   тире дефис черточка черта дробь слеш точка плюс скобка скобки пробел пауза код номер добавочный последние следующие
   первые записали записывайте запишите пишите
   oh um umm uh uhm er erm mm hmm and then next again yes yeah okay ok right so well like dash hyphen slash point dot plus
   space pause area code number extension`,
)
/** Words for zero that parseSpokenNumber() does not parse. "oh" counts only beside number words. */
const ZERO_WORDS = parseWordSet('нуль нолик нулик nought naught nil')
const OH_WORDS = parseWordSet('oh o')
const DIGIT_NAMES = parseWordSet('единица двойка тройка четверка пятерка шестерка семерка восьмерка девятка')
/** A number before one of these in the plural repeats the digit: «три семёрки», "two fives". */
const REPEATABLE_DIGITS = parseWordSet(
  `ноль нуль нолик нулик единица двойка тройка четверка пятерка шестерка семерка восьмерка девятка
   zero one two three four five six seven eight nine nought`,
)
const MULTIPLIERS = new Map([
  ['double', 2],
  ['triple', 3],
  ['treble', 3],
])
const MONTHS = parseWordSet(
  `январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
   january february march april may june july august september october november december`,
)
/** A number before one of these units is an amount, not a part of a phone number. */
const UNIT_WORDS = parseWordSet(
  `рубль руб копейка доллар евро фунт юань тенге гривна белорусский российский американский процент год лет месяц неделя
   день сутки час минута секунда штука человек метр сантиметр миллиметр километр килограмм грамм тонна литр раз этаж
   комната место градус
   dollar buck pound euro ruble rouble cent percent year month week day hour minute second piece people person time meter
   metre foot mile kilo unit degree am pm o'clock`,
)
/** «секунду» after a number asks to wait, so the number is no amount. */
const WAIT_WORDS = parseWordSet('секунду минуту')

interface SegmentWord extends TextWord {
  piece: number
  info: WordInfo
}

/** A number within one segment, as indexes of `words`; `next` is the index after its last word. */
interface SpokenNumber {
  first: number
  next: number
  /** The number of digits as they were dictated. */
  digits: number
  value: number
  isWritten: boolean
  isOh?: boolean
}

/**
 * Finds runs of at least five digits, written or spoken, so that they can be masked. A run can continue in later segments
 * of its channel. Amounts in words and dates do not count. Call loadMorphology() first.
 */
export async function collectDigitRuns({ segments, channels }: Dialogue): Promise<DigitSpan[]> {
  const order = segments.map((_, index) => index).sort((a, b) => segments[a]!.start - segments[b]!.start || a - b)
  const spans: DigitSpan[] = []
  for (const channel of new Set(segments.map((piece) => (channels === 2 ? piece.channel : 0)))) {
    const words: SegmentWord[] = []
    const numbers: SpokenNumber[] = []
    for (const piece of order) {
      if (channels === 2 && segments[piece]!.channel !== channel) continue
      const first = words.length
      for (const word of splitWords(segments[piece]!.text)) {
        words.push({ ...word, piece, info: analyzeWord(word.word) })
        if (shouldYield()) await yieldToEventLoop()
      }
      await addNumbers(words, first, numbers)
    }
    for (const run of await groupRuns(words, numbers, segments)) spans.push(...toDigitSpans(words, run))
  }
  return spans
}

/** Parses the words of one segment from index `first`. A number never continues in the next segment. */
async function addNumbers(words: SegmentWord[], first: number, numbers: SpokenNumber[]): Promise<void> {
  for (let at = first; at < words.length;) {
    if (shouldYield()) await yieldToEventLoop()
    const number = parseNumberAt(words, at)
    if (number) numbers.push(number)
    at = number?.next ?? at + 1
  }
}

function parseNumberAt(words: SegmentWord[], at: number): SpokenNumber | undefined {
  const { word, info } = words[at]!
  const multiplier = MULTIPLIERS.get(word)
  if (multiplier) {
    const repeatedNumber =
      words[at + 1] && !MULTIPLIERS.has(words[at + 1]!.word) ? parseNumberAt(words, at + 1) : undefined
    return repeatedNumber && { ...repeatedNumber, first: at, digits: multiplier * repeatedNumber.digits, isOh: false }
  }
  const singleDigit = { first: at, next: at + 1, value: 0, digits: 1, isWritten: false }
  if (OH_WORDS.has(word)) return { ...singleDigit, isOh: true }
  if ([ZERO_WORDS, DIGIT_NAMES].some((names) => info.lemmas.some((lemma) => names.has(lemma)))) return singleDigit
  const parsed = parseSpokenNumber(words, at)
  if (!parsed) {
    const digits = countDigits(word)
    return digits > 0 ? { ...singleDigit, digits, value: NaN, isWritten: true } : undefined
  }
  const isRepeated = parsed.next === at + 1 && parsed.value >= 2 && parsed.value <= 9 && isPluralDigit(words[at + 1])
  if (isRepeated) return { ...singleDigit, next: at + 2, digits: parsed.value }
  const parts = words.slice(at, parsed.next)
  const isWritten = parts.every((part) => isDigit(part.word[0]!))
  return {
    first: at,
    ...parsed,
    isWritten,
    digits: isWritten ? countWrittenDigits(parts) : countSpokenDigits(parts, parsed.value),
  }
}

const countDigits = (word: string): number => Array.from(word).filter(isDigit).length

const countWrittenDigits = (parts: SegmentWord[]): number => parts.reduce((sum, { word }) => sum + countDigits(word), 0)

/** The trailing zeros of a spoken number from 1000 do not count, because people say thousands in amounts. */
function countSpokenDigits(parts: SegmentWord[], value: number): number {
  const digitText = String(value).replace('.', '')
  let length = digitText.length
  if (value >= 1000) while (digitText[length - 1] === '0') length--
  return Math.max(length, countWrittenDigits(parts))
}

const isPluralDigit = (word: SegmentWord | undefined): boolean =>
  word !== undefined &&
  !REPEATABLE_DIGITS.has(word.word) &&
  word.info.lemmas.some((lemma) => REPEATABLE_DIGITS.has(lemma))

async function groupRuns(
  words: SegmentWord[],
  numbers: SpokenNumber[],
  segments: DialogueSegment[],
): Promise<SpokenNumber[][]> {
  const runs: SpokenNumber[][] = []
  let run: SpokenNumber[] = []
  const isLong = (): boolean =>
    run.some(({ isOh }) => !isOh) && run.reduce((sum, { digits }) => sum + digits, 0) >= MIN_DIGITS
  for (const [index, number] of numbers.entries()) {
    if (shouldYield()) await yieldToEventLoop()
    const last = run.at(-1)
    if (last && !canContinueRun(words, last, number, segments)) {
      if (isLong()) runs.push(run)
      run = []
    }
    if (number.isOh && !isOhZero(words, number, numbers[index - 1], numbers[index + 1])) continue
    if (!isAmount(words, number)) {
      run.push(number)
      continue
    }
    // A number directly after a run can belong to the run or to the unit, so it counts as a part of the run.
    const isAfterPrevious =
      run.at(-1)?.next === number.first && words[number.first - 1]!.piece === words[number.first]!.piece
    if (isLong()) runs.push(isAfterPrevious ? [...run, number] : run)
    run = []
  }
  if (isLong()) runs.push(run)
  return runs
}

function canContinueRun(
  words: SegmentWord[],
  last: SpokenNumber,
  next: SpokenNumber,
  segments: DialogueSegment[],
): boolean {
  const between = words.slice(last.next, Math.min(next.first, last.next + MAX_WORDS_BETWEEN + 1))
  if (between.length > MAX_WORDS_BETWEEN || !between.every(({ word }) => CONNECTING_WORDS.has(word))) return false
  const [before, after] = [words[last.next - 1]!.piece, words[next.first]!.piece]
  return before === after || segments[after]!.start - segments[before]!.end <= MAX_PAUSE_SECONDS
}

/** "oh" is a zero directly after a spoken number, or before one without a comma. Recognizers that write digits write zeros as digits too. */
function isOhZero(
  words: SegmentWord[],
  { first, next }: SpokenNumber,
  before?: SpokenNumber,
  after?: SpokenNumber,
): boolean {
  const isAfterPrevious = before?.next === first && !before.isWritten
  const isBeforeNext = after?.first === next && !after.isWritten && words[next]!.before === NO_BREAK
  return isAfterPrevious || isBeforeNext
}

/** Returns true for amounts, dates and times. */
function isAmount(words: SegmentWord[], { first, next, digits, value, isWritten }: SpokenNumber): boolean {
  const [before, behind] = [words[first - 1], words[next]]
  if (isWritten && next === first + 1 && isDate(words[first]!.word)) return true
  const isSmall = digits < MIN_DIGITS
  const isLarge = !isWritten && value >= 1000
  if (isSmall && isLarge) return true
  if (value >= 1 && value <= 31 && [before, behind].some((word) => word && hasLemmaIn(MONTHS, word))) return true
  if (!behind || !(isSmall || isLarge) || WAIT_WORDS.has(behind.word) || !hasLemmaIn(UNIT_WORDS, behind)) return false
  return behind.before === NO_BREAK || behind.piece !== words[next - 1]!.piece
}

const hasLemmaIn = (names: Set<string>, { info }: SegmentWord): boolean => info.lemmas.some((lemma) => names.has(lemma))

/** Matches dates such as 15.03.2026 and 1.2.26. */
function isDate(word: string): boolean {
  const parts = word.split('.')
  const [day, month, year = ''] = parts
  return (
    parts.length === 3 && isNumberUpTo(31, day!) && isNumberUpTo(12, month!) && (year.length === 2 || year.length === 4)
  )
}

const isNumberUpTo = (max: number, text: string): boolean =>
  text.length <= 2 && Number(text) >= 1 && Number(text) <= max

/** Merges the numbers of a run into one span for each of its segments. */
function toDigitSpans(words: SegmentWord[], run: SpokenNumber[]): DigitSpan[] {
  const spans: DigitSpan[] = []
  for (const { first, next } of run) {
    const [begin, end] = [words[first]!, words[next - 1]!]
    const last = spans.at(-1)
    if (last?.piece === begin.piece) last.to = end.to
    else spans.push({ piece: begin.piece, from: begin.from, to: end.to })
  }
  return spans
}
