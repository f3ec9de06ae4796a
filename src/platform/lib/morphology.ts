import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { stemmer as stemEnglish } from '@orama/stemmers/english'
import { stemmer as stemRussian } from '@orama/stemmers/russian'

/** The dictionary entries of a word, whatever its context. */
export interface WordInfo {
  /** The word as written and its dictionary forms; two words are the same if they share one. «Пятого» is «пять» too. */
  lemmas: string[]
  /** The same, but «пятого» is «пятый» alone. */
  forms: string[]
  /** A dictionary has the word. Other Russian words get the lemmas that their endings suggest. */
  known: boolean
  name: boolean
  /** The dictionary has it only as the name of a person or place. */
  proper: boolean
  /** Words that can follow «нет»: a noun or an adjective in the genitive. */
  genitive: boolean
  /** Ordinals, as in «пятнадцатого». */
  ordinal: boolean
}

interface Tag {
  [grammeme: string]: unknown
}
interface MorphParse {
  tag: Tag
  parser: string
  /** The number of forms of the word. */
  formCnt: number
  normalize(): { toString(): string } | false
  /** The form of a number, or the first one with the grammemes. */
  inflect(form: number | string[]): { toString(): string } | false
}
interface Az {
  Morph: ((word: string, options: object) => MorphParse[]) & {
    init(path: string, done: (error: Error | null) => void): void
  }
}

const require = createRequire(import.meta.url)

/** Longer words do not exist, and parsing time grows with length. */
const MAX_WORD_LENGTH = 30
/** Signs such as % and $ are read as Russian words; these are their English forms. */
const ENGLISH_SIGN_NAMES: Record<string, string> = {
  процентов: 'percent',
  долларов: 'dollar',
  евро: 'euro',
  фунтов: 'pound',
}
/** The most words that are cached. */
const MAX_CACHED_WORDS = 100_000
/** Without these, az searches for repeated letters and typos, which takes about cubic time. */
const PARSER_OPTIONS = { typos: 0, stutter: 0, ignoreCase: true }

let loading: Promise<void> | undefined
let az: Az
let english: typeof import('wink-lemmatizer').default
let englishWords: Record<string, number>
const known = new Map<string, WordInfo>()

/** Loads the dictionaries, once per process: half a second and 50 MB. Everything else here needs them. */
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

/** Bundled, unlike az, which reads files of its own: build.mjs stores its words as JSON, which loads twice as fast. */
async function loadEnglish(): Promise<void> {
  english = (await import('wink-lemmatizer')).default
  englishWords = (await import('wink-lexicon/src/wn-words.js')).default
}

/** Lower case, е for ё: recognizers and people write both. The length does not change. */
export const foldText = (text: string): string => text.toLowerCase().replaceAll('ё', 'е')

/** The dictionary forms and the stem of a word in lower case. Cached. */
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
    // For words without an entry only guesses by their ending are useful; others find words in words.
    if (!inDictionary && parse.parser !== 'SuffixKnown') continue
    const { tag } = parse
    // The dictionary has patronymics as forms of the first name: «Ивановна» is not «Иван».
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
  // The lemmatizer uses plain objects, which also have "constructor".
  if (word in Object.prototype) return
  info.lemmas = [...new Set([word, english.noun(word), lemmatizeEnglishVerb(word), english.adjective(word)])]
  info.forms = info.lemmas
  info.known = info.lemmas.length > 1 || englishWords[word] !== undefined
}

/** The lemmatizer takes "hoped" for a form of "hop". A single consonant after a single vowel means that an e is missing. */
function lemmatizeEnglishVerb(word: string): string {
  const verb = english.verb(word)
  const [, stem] = /^(.*[^aeiou][aeiou][^aeiouwxy])(?:ed|ing)$/.exec(word) ?? []
  return stem !== undefined && verb === stem && englishWords[`${stem}e`] !== undefined ? `${stem}e` : verb
}

/** Stems are marked, to distinguish them from words of the dictionary. */
const markStem = (stem: string): string => `~${stem}`

/**
 * The keys that all forms of a word (folded) share: its dictionary forms, the word itself included. A word without an entry has
 * its stem as a key. Two words are forms of one word if they share a key.
 */
export function listBaseForms(word: string): string[] {
  // The dictionary has «в» as an abbreviation of «век».
  if (word.length === 1) return [word]
  const { known, proper, forms } = analyzeWord(word)
  if (word.length > MAX_WORD_LENGTH || (known && !proper)) return forms
  // The dictionary has «лиды» only as the name «Лида», and «лидов» not at all.
  if (isCyrillic(word)) return [...(known ? forms : [word]), markStem(foldText(stemRussian(word)))]
  return isLatin(word) ? [word, markStem(stemEnglish(word))] : forms
}

/** Endings that English words can have beside those of its exceptions. */
const ENGLISH_ENDINGS = ['s', 'es', 'ed', 'd', 'ing', 'er', 'est']

/** A verb has about as many forms with its participles. */
const MAX_FORMS = 150

/**
 * The forms of the words that a word (folded) can be, as far as the dictionaries and regular endings give them; at most
 * 150. An index of words as written, such as that of names, is searched by them.
 */
export function listWordForms(word: string): string[] {
  const { known, lemmas } = analyzeWord(word)
  const base = known ? lemmas : [word]
  const forms = new Set(base)
  if (word.length > MAX_WORD_LENGTH) return [...forms]
  if (isLatin(word)) for (const lemma of base) for (const form of listEnglishForms(lemma)) forms.add(form)
  if (isCyrillic(word)) for (const form of generateRussianForms(word)) forms.add(form)
  return [...forms].slice(0, MAX_FORMS)
}

/** A word without an entry is inflected as its ending suggests. */
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
