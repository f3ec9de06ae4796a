import { choicesOf, hasIdleStrokes, piecesOf } from './phrases.ts'
import { SLOTS } from './slots.ts'
import { at, isRecord, quote, type Violations } from './violation.ts'

const MOST_WORDS = 10
const MOST_CHOICES = 20
/** Limit for all words of a phrase together; shipped phrases have at most 29 words, in 266 characters. */
const MOST_ALTERNATIVES = 100
const LONGEST_PHRASE = 1000
const MOST_PHRASES = 200
const LONGEST_WORD = 30
const LANGUAGES = ['ru', 'en']

/** How many phrases one list of a rule has, by language. */
export type Count = Record<string, number>

/** Phrases by language: each has one to ten words, known slots, closed quotation marks. */
export async function checkPhrases(value: unknown, path: string, count: Count, violations: Violations): Promise<void> {
  if (!isRecord(value)) {
    const message = 'It must be phrases by language: {"ru": […], "en": […]}.'
    violations.add(path, 'phrases', message, 'Нужны фразы по языкам: {"ru": […], "en": […]}.')
    return
  }
  violations.unknownKeys(value, path, LANGUAGES)
  for (const language of LANGUAGES) {
    const phrases = value[language]
    if (phrases === undefined) continue
    if (!Array.isArray(phrases)) {
      violations.add(at(path, language), 'list', 'It must be a list of phrases.', 'Нужен список фраз.')
      continue
    }
    count[language] = (count[language] ?? 0) + phrases.length
    // Beyond the most that a rule may have they are counted, not named one by one.
    for (const [index, phrase] of phrases.slice(0, MOST_PHRASES).entries()) {
      checkPhrase(phrase, at(at(path, language), index), violations)
      await violations.rest()
    }
  }
}

function checkPhrase(phrase: unknown, path: string, violations: Violations): void {
  if (typeof phrase !== 'string') {
    violations.add(path, 'text', 'A phrase must be a text.', 'Фраза должна быть текстом.')
    return
  }
  if (phrase.length > LONGEST_PHRASE) {
    const message = `A phrase has at most ${LONGEST_PHRASE} characters: ${quote(phrase)}.`
    violations.add(path, 'maxLength', message, `Во фразе не больше ${LONGEST_PHRASE} знаков: ${quote(phrase)}.`)
    return
  }
  const pieces = piecesOf(phrase)
  if (!pieces) {
    const message = `A quotation mark or a brace is left open in ${quote(phrase)}.`
    violations.add(path, 'open', message, `Не закрыта кавычка или скобка: ${quote(phrase)}.`)
    return
  }
  const words = pieces.filter(({ slot }) => !slot).flatMap(({ text }) => choicesOf(text))
  const slots = pieces.filter(({ slot }) => slot)
  const unknown = slots.find(({ text }) => !Object.hasOwn(SLOTS, text.toLowerCase()))
  if (unknown) {
    const known = Object.keys(SLOTS).join(', ')
    const message = `There is no slot ${quote(unknown.text)}; known are ${known}.`
    violations.add(path, 'unknownSlot', message, `Нет места ${quote(unknown.text)}; есть ${known}.`)
  }
  if (words.length + slots.length === 0)
    violations.add(path, 'emptyPhrase', 'A phrase must have a word or a slot.', 'Во фразе нужно слово или место {…}.')
  if (words.length + slots.length > MOST_WORDS) {
    const message = `A phrase has at most ${MOST_WORDS} words: ${quote(phrase)}.`
    violations.add(path, 'maxWords', message, `Во фразе не больше ${MOST_WORDS} слов: ${quote(phrase)}.`)
  }
  if (pieces.some((piece) => !piece.slot && hasIdleStrokes(piece.text))) {
    const message = `A stroke must stand between two single words: ${quote(phrase)}.`
    violations.add(path, 'stroke', message, `Черта ставится между двумя отдельными словами: ${quote(phrase)}.`)
  }
  if (words.some((choice) => choice.length > MOST_CHOICES)) {
    const message = `In the place of a word stand at most ${MOST_CHOICES}: ${quote(phrase)}.`
    violations.add(
      path,
      'maxChoices',
      message,
      `На месте слова — не больше ${MOST_CHOICES} через черту: ${quote(phrase)}.`,
    )
  }
  if (words.flat().length > MOST_ALTERNATIVES) {
    const message = `A phrase has at most ${MOST_ALTERNATIVES} words, alternatives included: ${quote(phrase)}.`
    const russian = `Во фразе не больше ${MOST_ALTERNATIVES} слов вместе с вариантами: ${quote(phrase)}.`
    violations.add(path, 'maxAlternatives', message, russian)
  }
  if (words.flat().some((word) => word.length > LONGEST_WORD)) {
    const message = `A word has at most ${LONGEST_WORD} letters: ${quote(phrase)}.`
    violations.add(path, 'maxLetters', message, `В слове не больше ${LONGEST_WORD} букв: ${quote(phrase)}.`)
  }
}

/** Names a rule with more phrases of one language than it may have. */
export function checkCount(count: Count, path: string, violations: Violations): void {
  const phrases = Math.max(0, ...Object.values(count))
  if (phrases <= MOST_PHRASES) return
  const message = `A rule has at most ${MOST_PHRASES} phrases of one language here, not ${phrases}.`
  const russian = `Здесь у правила не больше ${MOST_PHRASES} фраз на одном языке, а не ${phrases}.`
  violations.add(path, 'maxPhrases', message, russian)
}
