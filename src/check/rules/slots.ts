import type { WordInfo } from '../../platform/lib/morphology.ts'
import { isDigit } from '../../platform/lib/spoken-numbers.ts'

/** A placeholder in a phrase that matches any name, number, day or question. */
export type PhraseSlot = '{name}' | '{number}' | '{day}' | '{question}'

/** Maps the names of slots in braces, in both languages, to the slot. */
export const PHRASE_SLOTS_BY_NAME: Record<string, PhraseSlot> = {
  '{имя}': '{name}',
  '{name}': '{name}',
  '{число}': '{number}',
  '{number}': '{number}',
  '{день}': '{day}',
  '{day}': '{day}',
  '{вопрос}': '{question}',
  '{question}': '{question}',
}

const parseWordSet = (words: string): Set<string> => new Set(words.split(' '))

const DAY_WORDS = parseWordSet(
  `понедельник вторник среда четверг пятница суббота воскресенье завтра послезавтра сегодня число неделя выходной
   утро утром вечер вечером полдень обед январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
   monday tuesday wednesday thursday friday saturday sunday tomorrow today tonight weekend week morning afternoon evening
   noon january february march april june july august september october november december`.replaceAll(/\s+/g, ' '),
)

/** Frequent English first names. Other names are recognized by the dictionary or by a capital letter. */
const FIRST_NAMES = parseWordSet(
  `aaron adam alan albert alex alice amanda amy andrea andrew andy angela anna anne anthony barbara ben benjamin beth bill bob
   brandon brian carl carol caroline catherine charles charlie charlotte chloe chris christina christine christopher claire
   daniel danny dave david dean deborah dennis diana donald donna dorothy douglas edward elena elizabeth ella emily emma eric
   ethan eva evelyn fiona frank gary george gloria greg hannah harry heather helen henry ian isabella jack jacob jake james
   jane janet jason jeff jennifer jenny jeremy jessica jim joan joe john johnny jonathan jordan joseph joshua judith julia
   julie justin karen kate katherine kathy katie keith kelly ken kenneth kevin kim larry laura lauren leo lewis liam linda lisa
   liz louis louise lucas lucy luke margaret maria marie martha martin mary matt matthew megan melissa michael michelle mike
   mohammed monica nancy natalie nathan nick nicholas nicole nina noah nora oliver olivia oscar pamela patricia patrick paul
   peter phil philip rachel ralph raymond rebecca richard rick robert robin roger ron ronald rose roy russell ruth ryan sally
   sam samantha samuel sandra sara sarah scott sean sharon shirley simon sofia sophia sophie stephanie stephen steve steven
   sue susan suzanne teresa theresa thomas tim timothy tina tom tommy tony tracy tyler vanessa victoria vincent walter wendy
   william zoe`.replaceAll(/\s+/g, ' '),
)

/** Capitalized words that are not names. */
const NON_NAMES = parseWordSet('i я вы вас вам ваш ваша ok okay mr mrs ms sir madam english')

/** Words that can occur in an address beside or instead of a name. */
const ADDRESS_WORDS = parseWordSet('mr mrs ms miss sir madam алло hello hi hey да yes господин госпожа')

/**
 * Returns true if a word can be part of an address: a name, or a word such as "sir".
 * @param capital whether the word has a capital letter within a sentence
 */
export const isFormOfAddress = (info: WordInfo, word: string, capital: boolean): boolean =>
  ADDRESS_WORDS.has(word) || canBeProperName(info, word, capital)

/**
 * Returns true if a word can name a person or company: a known name, or a capitalized word.
 * @param capital whether the word has a capital letter within a sentence
 */
export function canBeProperName(info: WordInfo, word: string, capital: boolean): boolean {
  // Single letters are more often prepositions than initials.
  if (word.length < 2 || isDigit(word[0]!)) return false
  return info.name || FIRST_NAMES.has(word) || (capital && !NON_NAMES.has(word) && !DAY_WORDS.has(word))
}

/** Returns true if a word names a day, a part of one, a week or a month: «пятница», «завтра», «пятнадцатого», "morning". */
export const isDayWord = (info: WordInfo, word: string): boolean =>
  info.lemmas.some((lemma) => DAY_WORDS.has(lemma)) || (info.ordinal && word.endsWith('го'))
