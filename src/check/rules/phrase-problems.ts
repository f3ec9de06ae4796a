import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { formatExcerpt, type RuleProblem } from './kind.ts'
import { parseWordChoices, hasMisplacedSlash, splitPhrase } from './phrases.ts'
import { PHRASE_SLOTS_BY_NAME } from './slots.ts'
import type { PhrasesByLanguage, Rule } from './types.ts'

const MAX_PHRASE_WORDS = 10
const MAX_CHOICES = 20
/** The maximum number of words of a phrase, including alternatives. Shipped phrases have at most 29 words in 266 characters. */
const MAX_ALTERNATIVES = 100
const MAX_PHRASE_LENGTH = 1000
const MAX_PHRASES = 200
const MAX_WORD_LENGTH = 30
const MAX_GROUPS = 20
const LANGUAGES = ['ru', 'en'] as const
const SLOT_LIST = Object.keys(PHRASE_SLOTS_BY_NAME).join(', ')

const PHRASE_RULES = {
  maxLength: [
    `A phrase can have at most ${MAX_PHRASE_LENGTH} characters`,
    `Во фразе не больше ${MAX_PHRASE_LENGTH} знаков`,
  ],
  open: ['Close the quotation mark or brace', 'Закройте кавычку или скобку'],
  emptyPhrase: ['A phrase needs a word or a placeholder', 'Во фразе нужно слово или заполнитель {…}'],
  maxWords: [`A phrase can have at most ${MAX_PHRASE_WORDS} words`, `Во фразе не больше ${MAX_PHRASE_WORDS} слов`],
  stroke: ['Use a slash only between two single words', 'Косая черта ставится только между двумя одиночными словами'],
  maxChoices: [`A word can have at most ${MAX_CHOICES} alternatives`, `У слова не больше ${MAX_CHOICES} вариантов`],
  maxAlternatives: [
    `A phrase can have at most ${MAX_ALTERNATIVES} words, including alternatives`,
    `Во фразе не больше ${MAX_ALTERNATIVES} слов вместе с вариантами`,
  ],
  maxLetters: [`A word can have at most ${MAX_WORD_LENGTH} letters`, `В слове не больше ${MAX_WORD_LENGTH} букв`],
} as const

function* validatePhrase(phrase: string): Generator<keyof typeof PHRASE_RULES> {
  if (phrase.length > MAX_PHRASE_LENGTH) {
    yield 'maxLength'
    return
  }
  const pieces = splitPhrase(phrase)
  if (!pieces) {
    yield 'open'
    return
  }
  const words = pieces.filter(({ slot }) => !slot).flatMap(({ text }) => parseWordChoices(text))
  const length = words.length + pieces.filter(({ slot }) => slot).length
  if (length === 0) yield 'emptyPhrase'
  if (length > MAX_PHRASE_WORDS) yield 'maxWords'
  if (pieces.some((piece) => !piece.slot && hasMisplacedSlash(piece.text))) yield 'stroke'
  if (words.some((choice) => choice.length > MAX_CHOICES)) yield 'maxChoices'
  if (words.flat().length > MAX_ALTERNATIVES) yield 'maxAlternatives'
  if (words.flat().some((word) => word.length > MAX_WORD_LENGTH)) yield 'maxLetters'
}

function collectUnknownSlots(phrase: string): string[] {
  const slots = (phrase.length > MAX_PHRASE_LENGTH ? undefined : splitPhrase(phrase))?.filter(({ slot }) => slot) ?? []
  return slots.map(({ text }) => text).filter((text) => !Object.hasOwn(PHRASE_SLOTS_BY_NAME, text.toLowerCase()))
}

/** Yields the problems of the phrases of a rule: invalid phrases, too many phrases, and phrases that can never match. */
export async function* validateRulePhrases(rule: Partial<Rule>): AsyncGenerator<RuleProblem> {
  const { any, all = [], except, after } = rule
  const searchedLists: [path: string, phrases: PhrasesByLanguage][] = all
    .slice(0, MAX_GROUPS)
    .map((group, n) => [`all[${n}]`, group])
  if (any) searchedLists.unshift(['any', any])
  for (const [path, phrases] of searchedLists) yield* validatePhraseList(path, phrases)
  if (except) yield* validatePhraseList('except', except)
  if (after?.any) yield* validatePhraseList('after.any', after.any)
  const lists = searchedLists.map(([, phrases]) => phrases)
  yield* validatePhraseCount('', lists)
  yield* validatePhraseCount('except', except ? [except] : [])
  yield* validatePhraseCount('after.any', after?.any ? [after.any] : [])
  if (rule.all?.length === 0) yield ['all', 'cannotMatch', 'Add a group.', 'Добавьте группу.']
  if (all.length > MAX_GROUPS)
    yield ['all', 'maxGroups', `At most ${MAX_GROUPS} groups.`, `Не больше ${MAX_GROUPS} групп.`]
  const exceptions = await ExceptionMatcher.create(except)
  for (const [path, phrases] of searchedLists) yield* validateMatchability(path, phrases, exceptions)
  if (after?.any) yield* validateMatchability('after.any', after.any, new ExceptionMatcher())
}

async function* validatePhraseList(path: string, phrases: PhrasesByLanguage): AsyncGenerator<RuleProblem> {
  for (const language of LANGUAGES)
    for (const [index, phrase] of (phrases[language] ?? []).slice(0, MAX_PHRASES).entries()) {
      const phrasePath = `${path}.${language}[${index}]`
      const excerpt = formatExcerpt(phrase)
      for (const slot of collectUnknownSlots(phrase)) {
        const ru = `Заполнителя ${formatExcerpt(slot)} нет. Есть ${SLOT_LIST}.`
        yield [phrasePath, 'unknownSlot', `No placeholder ${formatExcerpt(slot)}. Use ${SLOT_LIST}.`, ru]
      }
      for (const code of validatePhrase(phrase)) {
        const [en, ru] = PHRASE_RULES[code]
        yield [phrasePath, code, `${en}: ${excerpt}.`, `${ru}: ${excerpt}.`]
      }
      if (shouldYield()) await yieldToEventLoop()
    }
}

function* validatePhraseCount(path: string, lists: PhrasesByLanguage[]): Generator<RuleProblem> {
  const countPhrasesIn = (language: 'ru' | 'en') => lists.reduce((sum, list) => sum + (list[language]?.length ?? 0), 0)
  const count = Math.max(...LANGUAGES.map(countPhrasesIn))
  if (count <= MAX_PHRASES) return
  const en = `A rule can have at most ${MAX_PHRASES} phrases in one language here, not ${count}.`
  yield [path, 'maxPhrases', en, `Фраз на одном языке здесь: ${count}. Допустимо не больше ${MAX_PHRASES}.`]
}

/** Yields a problem if no phrase of a list can match, because each contains an exception or the list is empty. */
async function* validateMatchability(
  path: string,
  phrases: PhrasesByLanguage,
  exceptions: ExceptionMatcher,
): AsyncGenerator<RuleProblem> {
  const texts = collectTexts(phrases)
  if (texts.length === 0) yield [path, 'cannotMatch', 'Add a phrase.', 'Добавьте фразу.']
  for (const text of texts) {
    if (!exceptions.hasMatch(parsePhraseWords(text))) return
    if (shouldYield()) await yieldToEventLoop()
  }
  if (texts.length > 0)
    yield [path, 'cannotMatch', 'The exceptions exclude every phrase.', 'Исключения отменяют все фразы.']
}

/** Counts the phrases of a rule in both languages, including conditions and exceptions. */
export const countRulePhrases = ({ any, all = [], except, after }: Partial<Rule>): number =>
  [any, ...all, except, after?.any].reduce((sum, list) => sum + (list?.ru?.length ?? 0) + (list?.en?.length ?? 0), 0)

const collectTexts = (phrases: PhrasesByLanguage): string[] =>
  LANGUAGES.flatMap((language) => (phrases[language] ?? []).slice(0, MAX_PHRASES))

const parsePhraseWords = (text: string): string[][] =>
  (splitPhrase(text) ?? []).flatMap((piece) => (piece.slot ? [[piece.text]] : parseWordChoices(piece.text)))

/** Matches all exceptions against a phrase at once with the Shift-And algorithm, in which each word of the exceptions is a bit. */
class ExceptionMatcher {
  /** For each word, a bit mask of its positions in the concatenated exceptions. */
  private readonly places = new Map<string, bigint>()
  private first = 0n
  private last = 0n
  private next = 1n

  static async create(except: PhrasesByLanguage = {}): Promise<ExceptionMatcher> {
    const exceptions = new ExceptionMatcher()
    for (const text of collectTexts(except)) {
      exceptions.add(parsePhraseWords(text))
      if (shouldYield()) await yieldToEventLoop()
    }
    return exceptions
  }

  private add(exception: string[][]): void {
    if (exception.length === 0) return
    this.first |= this.next
    for (const choice of exception) {
      for (const word of choice) this.places.set(word, (this.places.get(word) ?? 0n) | this.next)
      this.next <<= 1n
    }
    this.last |= this.next >> 1n
  }

  /** Returns true if a phrase contains an exception as adjacent words, whichever of its alternatives is said. */
  hasMatch(phrase: string[][]): boolean {
    let reached = 0n
    for (const choice of phrase) {
      const fitting = choice.reduce((places, word) => places & (this.places.get(word) ?? 0n), -1n)
      reached = ((reached << 1n) | this.first) & fitting
      if ((reached & this.last) !== 0n) return true
    }
    return false
  }
}
