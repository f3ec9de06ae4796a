import { shouldYield, yieldToOthers } from '../../platform/lib/yielder.ts'
import { quote, type Problem } from './kind.ts'
import { choicesOf, hasIdleStrokes, piecesOf } from './phrases.ts'
import { SLOTS } from './slots.ts'
import type { Phrases, Rule } from './types.ts'

const MOST_WORDS = 10
const MOST_CHOICES = 20
/** Limit for all words of a phrase together; shipped phrases have at most 29 words, in 266 characters. */
const MOST_ALTERNATIVES = 100
const LONGEST_PHRASE = 1000
const MOST_PHRASES = 200
const LONGEST_WORD = 30
const MOST_GROUPS = 20
const LANGUAGES = ['ru', 'en'] as const
const KNOWN_SLOTS = Object.keys(SLOTS).join(', ')

const PHRASE_RULES = {
  maxLength: [`A phrase has at most ${LONGEST_PHRASE} characters`, `Во фразе не больше ${LONGEST_PHRASE} знаков`],
  open: ['A quotation mark or a brace is left open', 'Не закрыта кавычка или скобка'],
  emptyPhrase: ['A phrase must have a word or a slot', 'Во фразе нужно слово или место {…}'],
  maxWords: [`A phrase has at most ${MOST_WORDS} words`, `Во фразе не больше ${MOST_WORDS} слов`],
  stroke: ['A stroke must stand between two single words', 'Черта ставится между двумя отдельными словами'],
  maxChoices: [
    `A word has at most ${MOST_CHOICES} alternatives`,
    `На месте слова — не больше ${MOST_CHOICES} через черту`,
  ],
  maxAlternatives: [
    `A phrase has at most ${MOST_ALTERNATIVES} words, alternatives included`,
    `Во фразе не больше ${MOST_ALTERNATIVES} слов вместе с вариантами`,
  ],
  maxLetters: [`A word has at most ${LONGEST_WORD} letters`, `В слове не больше ${LONGEST_WORD} букв`],
} as const

function* brokenRules(phrase: string): Generator<keyof typeof PHRASE_RULES> {
  if (phrase.length > LONGEST_PHRASE) {
    yield 'maxLength'
    return
  }
  const pieces = piecesOf(phrase)
  if (!pieces) {
    yield 'open'
    return
  }
  const words = pieces.filter(({ slot }) => !slot).flatMap(({ text }) => choicesOf(text))
  const length = words.length + pieces.filter(({ slot }) => slot).length
  if (length === 0) yield 'emptyPhrase'
  if (length > MOST_WORDS) yield 'maxWords'
  if (pieces.some((piece) => !piece.slot && hasIdleStrokes(piece.text))) yield 'stroke'
  if (words.some((choice) => choice.length > MOST_CHOICES)) yield 'maxChoices'
  if (words.flat().length > MOST_ALTERNATIVES) yield 'maxAlternatives'
  if (words.flat().some((word) => word.length > LONGEST_WORD)) yield 'maxLetters'
}

function unknownSlots(phrase: string): string[] {
  const slots = (phrase.length > LONGEST_PHRASE ? undefined : piecesOf(phrase))?.filter(({ slot }) => slot) ?? []
  return slots.map(({ text }) => text).filter((text) => !Object.hasOwn(SLOTS, text.toLowerCase()))
}

/** The problems of a rule's phrases: by themselves, in number, and with its exceptions. */
export async function* phraseProblems(rule: Partial<Rule>): AsyncGenerator<Problem> {
  const { any, all = [], except, after } = rule
  const searched: [path: string, phrases: Phrases][] = all.slice(0, MOST_GROUPS).map((group, n) => [`all[${n}]`, group])
  if (any) searched.unshift(['any', any])
  for (const [path, phrases] of searched) yield* listProblems(path, phrases)
  if (except) yield* listProblems('except', except)
  if (after?.any) yield* listProblems('after.any', after.any)
  const lists = searched.map(([, phrases]) => phrases)
  yield* countProblems('', lists)
  yield* countProblems('except', except ? [except] : [])
  yield* countProblems('after.any', after?.any ? [after.any] : [])
  if (rule.all?.length === 0)
    yield ['all', 'cannotMatch', 'Without a group there is nothing to find.', 'Без групп искать нечего.']
  if (all.length > MOST_GROUPS)
    yield ['all', 'maxGroups', `There are at most ${MOST_GROUPS} groups.`, `Групп не больше ${MOST_GROUPS}.`]
  const exceptions = await Exceptions.of(except)
  for (const [path, phrases] of searched) yield* matchProblems(path, phrases, exceptions)
  if (after?.any) yield* matchProblems('after.any', after.any, new Exceptions())
}

async function* listProblems(path: string, phrases: Phrases): AsyncGenerator<Problem> {
  for (const language of LANGUAGES)
    for (const [index, phrase] of (phrases[language] ?? []).slice(0, MOST_PHRASES).entries()) {
      const at = `${path}.${language}[${index}]`
      const shown = quote(phrase)
      for (const slot of unknownSlots(phrase)) {
        const ru = `Нет места ${quote(slot)}; есть ${KNOWN_SLOTS}.`
        yield [at, 'unknownSlot', `There is no slot ${quote(slot)}; known are ${KNOWN_SLOTS}.`, ru]
      }
      for (const code of brokenRules(phrase)) {
        const [en, ru] = PHRASE_RULES[code]
        yield [at, code, `${en}: ${shown}.`, `${ru}: ${shown}.`]
      }
      if (shouldYield()) await yieldToOthers()
    }
}

function* countProblems(path: string, lists: Phrases[]): Generator<Problem> {
  const countIn = (language: 'ru' | 'en') => lists.reduce((sum, list) => sum + (list[language]?.length ?? 0), 0)
  const count = Math.max(...LANGUAGES.map(countIn))
  if (count <= MOST_PHRASES) return
  const en = `A rule has at most ${MOST_PHRASES} phrases of one language here, not ${count}.`
  yield [path, 'maxPhrases', en, `Здесь у правила не больше ${MOST_PHRASES} фраз на одном языке, а не ${count}.`]
}

/** Rejects phrases that can never match: all, if each one contains an exception. */
async function* matchProblems(path: string, phrases: Phrases, exceptions: Exceptions): AsyncGenerator<Problem> {
  const texts = textsOf(phrases)
  if (texts.length === 0) yield [path, 'cannotMatch', 'Without a phrase it finds nothing.', 'Без фраз ничего не найти.']
  for (const text of texts) {
    if (!exceptions.cover(wordsIn(text))) return
    if (shouldYield()) await yieldToOthers()
  }
  if (texts.length > 0)
    yield [path, 'cannotMatch', 'The exceptions take every phrase away.', 'Исключения отнимают все фразы.']
}

export const countPhrases = ({ any, all = [], except, after }: Partial<Rule>): number =>
  [any, ...all, except, after?.any].reduce((sum, list) => sum + (list?.ru?.length ?? 0) + (list?.en?.length ?? 0), 0)

const textsOf = (phrases: Phrases): string[] =>
  LANGUAGES.flatMap((language) => (phrases[language] ?? []).slice(0, MOST_PHRASES))

const wordsIn = (text: string): string[][] =>
  (piecesOf(text) ?? []).flatMap((piece) => (piece.slot ? [[piece.text]] : choicesOf(piece.text)))

/** Matches all exceptions against a phrase at once (Shift-And): each word is a bit, so common words cost no time. */
class Exceptions {
  /** The positions of each word in the exceptions, as bits. */
  private readonly places = new Map<string, bigint>()
  private first = 0n
  private last = 0n
  private next = 1n

  static async of(except: Phrases = {}): Promise<Exceptions> {
    const exceptions = new Exceptions()
    for (const text of textsOf(except)) {
      exceptions.add(wordsIn(text))
      if (shouldYield()) await yieldToOthers()
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

  /** Whether a phrase contains an exception as adjacent words, for any choice of its alternatives. */
  cover(phrase: string[][]): boolean {
    let reached = 0n
    for (const choice of phrase) {
      const fitting = choice.reduce((places, word) => places & (this.places.get(word) ?? 0n), -1n)
      reached = ((reached << 1n) | this.first) & fitting
      if ((reached & this.last) !== 0n) return true
    }
    return false
  }
}
