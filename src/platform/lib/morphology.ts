import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { stemmer as stemEnglish } from '@orama/stemmers/english'
import { stemmer as stemRussian } from '@orama/stemmers/russian'

/** Contains the dictionary data of a word for all its possible meanings. */
export interface WordInfo {
  /** The word and its dictionary forms. Forms of one word share a lemma; «пятого» also has the lemma «пять». */
  lemmas: string[]
  /** Like `lemmas`, but an ordinal such as «пятого» has «пятый» instead of «пять». */
  forms: string[]
  /** True if a dictionary has the word. Other Russian words get lemmas from their endings. */
  known: boolean
  name: boolean
  /** True if the dictionary has the word only as the name of a person or place. */
  proper: boolean
  /** True for a noun, pronoun, adjective or participle in the genitive, which can follow «нет». */
  genitive: boolean
  /** True for ordinals such as «пятнадцатого». */
  ordinal: boolean
}

interface Tag {
  [grammeme: string]: unknown
}
interface MorphParse {
  tag: Tag
  parser: string
  /** Number of forms of the word. */
  formCnt: number
  normalize(): { toString(): string } | false
  /** Returns the form with this index, or the first form with these grammemes. */
  inflect(form: number | string[]): { toString(): string } | false
}
interface Az {
  Morph: ((word: string, options: object) => MorphParse[]) & {
    init(path: string, done: (error: Error | null) => void): void
  }
}

const require = createRequire(import.meta.url)

/** Longer words are not looked up, because the parsing time grows with the length. */
const MAX_WORD_LENGTH = 30
/** check/rules/words.ts reads signs such as % and $ as Russian words. These lemmas let English words find them too. */
const ENGLISH_SIGN_NAMES: Record<string, string> = {
  процентов: 'percent',
  долларов: 'dollar',
  евро: 'euro',
  фунтов: 'pound',
}
/** Clears the cache at this number of words. */
const MAX_CACHED_WORDS = 100_000
/** Disable the search for typos and repeated letters, which is slow for long words. */
const PARSER_OPTIONS = { typos: 0, stutter: 0, ignoreCase: true }

let loading: Promise<void> | undefined
let az: Az
let english: typeof import('wink-lemmatizer').default
let englishWords: Record<string, number>
const known = new Map<string, WordInfo>()

/**
 * Loads the Russian and English dictionaries once per process, in half a second and 50 MB.
 * Call it before the other functions of this module, except foldText().
 */
export function loadMorphology(): Promise<void> {
  loading ??= Promise.all([loadRussian(), loadEnglish()])
    .then(() => undefined)
    .catch((error: unknown) => {
      loading = undefined
      throw error
    })
  return loading
}

function loadRussian(): Promise<void> {
  return new Promise((resolve, reject) => {
    az = require('az') as Az
    az.Morph.init(join(dirname(require.resolve('az/package.json')), 'dicts'), (error) =>
      error ? reject(error) : resolve(),
    )
  })
}

/** build.mjs bundles these dictionaries as JSON, which loads twice as fast. az reads its own files instead. */
async function loadEnglish(): Promise<void> {
  english = (await import('wink-lemmatizer')).default
  englishWords = (await import('wink-lexicon/src/wn-words.js')).default
}

/** Lowercases text and replaces ё with е, because recognizers and people write both. */
export const foldText = (text: string): string => text.toLowerCase().replaceAll('ё', 'е')

/**
 * Returns the dictionary data of a word that foldText() folded. Caches up to 100,000 words. loadMorphology() must have finished.
 */
export function analyzeWord(word: string): WordInfo {
  const cached = known.get(word)
  if (cached) return cached
  const info = lookUpWord(word)
  if (known.size >= MAX_CACHED_WORDS) known.clear()
  known.set(word, info)
  return info
}

function lookUpWord(word: string): WordInfo {
  const info: WordInfo = {
    lemmas: [word],
    forms: [word],
    known: false,
    name: false,
    proper: false,
    genitive: false,
    ordinal: false,
  }
  if (word.length > MAX_WORD_LENGTH) return info
  if (isCyrillic(word)) lookUpRussian(word, info)
  else if (isLatin(word)) lookUpEnglish(word, info)
  return info
}

const isCyrillic = (word: string): boolean => word >= 'а' && word <= 'я\uffff'
const isLatin = (word: string): boolean => word >= 'a' && word <= 'z\uffff'

function lookUpRussian(word: string, info: WordInfo): void {
  const parses = az.Morph(word, PARSER_OPTIONS)
  const inDictionary = parses.some(isInDictionary)
  info.known = inDictionary
  info.proper = inDictionary
  const lemmas = new Set([word])
  const forms = new Set([word])
  for (const parse of parses) {
    // For unknown words, only guesses by the ending are useful. Other guesses find words inside the word.
    if (!inDictionary && parse.parser !== 'SuffixKnown') continue
    const { tag } = parse
    // The dictionary lists patronymics as forms of the first name, but «Ивановна» is not «Иван».
    const lemma = tag.Patr ? parse.inflect(['Patr', 'nomn', 'sing', tag.femn ? 'femn' : 'masc']) : parse.normalize()
    if (lemma) lemmas.add(foldText(String(lemma)))
    const form = tag.Anum ? parse.inflect(['Anum', 'nomn', 'sing', 'masc']) : lemma
    if (form) forms.add(foldText(String(form)))
    info.proper &&= Boolean(inDictionary && (tag.Name || tag.Surn || tag.Geox))
    info.name ||= Boolean(inDictionary && (tag.Name || tag.Surn || tag.Patr))
    info.genitive ||= Boolean((tag.gent || tag.gen2) && (tag.NOUN || tag.ADJF || tag.NPRO || tag.PRTF))
    info.ordinal ||= Boolean(tag.Anum)
  }
  if (Object.hasOwn(ENGLISH_SIGN_NAMES, word)) lemmas.add(ENGLISH_SIGN_NAMES[word]!)
  info.lemmas = [...lemmas]
  info.forms = [...forms]
}

const isInDictionary = ({ parser }: MorphParse): boolean => parser === 'Dictionary'

function lookUpEnglish(word: string, info: WordInfo): void {
  // The lemmatizer uses plain objects, which also have the key "constructor".
  if (word in Object.prototype) return
  info.lemmas = [...new Set([word, english.noun(word), lemmatizeEnglishVerb(word), english.adjective(word)])]
  info.forms = info.lemmas
  info.known = info.lemmas.length > 1 || englishWords[word] !== undefined
}

/**
 * Corrects the lemmatizer, which takes "hoped" for a form of "hop". If the stem ends in one vowel and one consonant, and the stem
 * with an e is a word, returns that word.
 */
function lemmatizeEnglishVerb(word: string): string {
  const verb = english.verb(word)
  const [, stem] = /^(.*[^aeiou][aeiou][^aeiouwxy])(?:ed|ing)$/.exec(word) ?? []
  return stem !== undefined && verb === stem && englishWords[`${stem}e`] !== undefined ? `${stem}e` : verb
}

/** Marks a stem, so that it differs from dictionary words. */
const markStem = (stem: string): string => `~${stem}`

/**
 * Returns the keys of a folded word: the word itself and its base forms. Unknown words and names also get their stem. Two words
 * with a common key count as forms of one word.
 */
export function getBaseForms(word: string): string[] {
  // The dictionary lists «в» as an abbreviation of «век».
  if (word.length === 1) return [word]
  const { known, proper, forms } = analyzeWord(word)
  if (word.length > MAX_WORD_LENGTH || (known && !proper)) return forms
  // The dictionary has «лиды» only as the name «Лида», and does not have «лидов».
  if (isCyrillic(word)) return [...(known ? forms : [word]), markStem(foldText(stemRussian(word)))]
  return isLatin(word) ? [word, markStem(stemEnglish(word))] : forms
}

/** Lists the endings of regular English forms. */
const ENGLISH_ENDINGS = ['s', 'es', 'ed', 'd', 'ing', 'er', 'est']

/** A Russian verb has about this many forms with its participles. */
const MAX_FORMS = 150

/**
 * Returns up to 150 forms of a folded word, by the dictionaries and regular endings.
 * Use them to search an index that contains words only as written, such as that of names.
 */
export function getWordForms(word: string): string[] {
  const { known, lemmas } = analyzeWord(word)
  const base = known ? lemmas : [word]
  const forms = new Set(base)
  if (word.length > MAX_WORD_LENGTH) return [...forms]
  if (isLatin(word)) for (const lemma of base) for (const form of listEnglishForms(lemma)) forms.add(form)
  if (isCyrillic(word)) for (const form of generateRussianForms(word)) forms.add(form)
  return [...forms].slice(0, MAX_FORMS)
}

/** Yields the forms of a Russian word. Inflects an unknown word as its ending suggests. */
function* generateRussianForms(word: string): Generator<string> {
  const parses = az.Morph(word, PARSER_OPTIONS)
  const isWanted = parses.some(isInDictionary) ? isInDictionary : ({ parser }: MorphParse) => parser === 'SuffixKnown'
  for (const parse of parses.filter(isWanted)) {
    for (let form = 0; form < parse.formCnt; form++) yield foldText(String(parse.inflect(form)))
  }
}

function listEnglishForms(lemma: string): string[] {
  const stems = [lemma, lemma.replace(/e$/, ''), lemma.replace(/y$/, 'i'), lemma + lemma.slice(-1)]
  const forms = stems.flatMap((stem) => ENGLISH_ENDINGS.map((ending) => stem + ending))
  return forms.filter((form) => analyzeWord(form).lemmas.includes(lemma))
}
