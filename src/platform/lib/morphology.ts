import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { stemmer as stemEnglish } from '@orama/stemmers/english'
import { stemmer as stemRussian } from '@orama/stemmers/russian'

/** What the dictionaries know of a word, whatever its context. */
export interface WordInfo {
  /** The word as written and its dictionary forms; two words are the same if they share one. */
  lemmas: string[]
  /** A dictionary has the word. Other Russian words get the lemmas that their endings suggest. */
  known: boolean
  name: boolean
  /** It can stand after «нет»: a noun or an adjective in the genitive. */
  genitive: boolean
  /** It is an ordinal, as in «пятнадцатого». */
  ordinal: boolean
}

interface Tag {
  [grammeme: string]: unknown
}
interface Parse {
  tag: Tag
  parser: string
  /** The number of forms of the word. */
  formCnt: number
  normalize(): { toString(): string } | false
  inflect(form: number): { toString(): string }
}
interface Az {
  Morph: ((word: string, options: object) => Parse[]) & {
    init(path: string, done: (error: Error | null) => void): void
  }
}

const require = createRequire(import.meta.url)

/** Longer words are no words of a language, and parsing takes time by their length. */
const LONGEST = 30
/** What stands in a text as a sign counts in both languages: % and $ have become Russian words. */
const BOTH: Record<string, string> = { процентов: 'percent', долларов: 'dollar', евро: 'euro', фунтов: 'pound' }
/** Words kept with what is known of them: more than anybody says in a month. */
const KEPT = 100_000
/** Without these az looks for repeated letters and slips, in about the third power of a word's length. */
const OPTIONS = { typos: 0, stutter: 0, ignoreCase: true }

let loading: Promise<void> | undefined
let az: Az
let english: typeof import('wink-lemmatizer').default
let englishWords: Record<string, number>
const known = new Map<string, WordInfo>()

/** Loads the dictionaries, once in a process: half a second and 50 MB. Everything else here needs them. */
export function loadLemmas(): Promise<void> {
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

/** Bundled, unlike az, which reads files of its own: build.mjs has its words as JSON, which is read twice as fast. */
async function loadEnglish(): Promise<void> {
  english = (await import('wink-lemmatizer')).default
  englishWords = (await import('wink-lexicon/src/wn-words.js')).default
}

/** Small letters, е for ё: recognizers and people write both. The length stays. */
export const fold = (text: string): string => text.toLowerCase().replaceAll('ё', 'е')

export function infoOf(word: string): WordInfo {
  const kept = known.get(word)
  if (kept) return kept
  const info = lookUp(word)
  if (known.size >= KEPT) known.clear()
  known.set(word, info)
  return info
}

function lookUp(word: string): WordInfo {
  const info: WordInfo = { lemmas: [word], known: false, name: false, genitive: false, ordinal: false }
  if (word.length > LONGEST) return info
  if (isCyrillic(word)) lookUpRussian(word, info)
  else if (isLatin(word)) lookUpEnglish(word, info)
  return info
}

const isCyrillic = (word: string): boolean => word >= 'а' && word <= 'я\uffff'
const isLatin = (word: string): boolean => word >= 'a' && word <= 'z\uffff'

function lookUpRussian(word: string, info: WordInfo): void {
  const parses = az.Morph(word, OPTIONS)
  const inDictionary = parses.some(isInDictionary)
  info.known = inDictionary
  const lemmas = new Set([word])
  for (const parse of parses) {
    // Of words that no dictionary has only the ending tells something; the other guesses find words in words.
    if (!inDictionary && parse.parser !== 'SuffixKnown') continue
    const { tag } = parse
    const lemma = parse.normalize()
    if (lemma) lemmas.add(fold(String(lemma)))
    info.name ||= Boolean(inDictionary && (tag.Name || tag.Surn || tag.Patr))
    info.genitive ||= Boolean((tag.gent || tag.gen2) && (tag.NOUN || tag.ADJF || tag.NPRO || tag.PRTF))
    info.ordinal ||= Boolean(tag.Anum)
  }
  if (Object.hasOwn(BOTH, word)) lemmas.add(BOTH[word]!)
  info.lemmas = [...lemmas]
}

const isInDictionary = ({ parser }: Parse): boolean => parser === 'Dictionary'

function lookUpEnglish(word: string, info: WordInfo): void {
  // The lemmatizer looks words up in plain objects, which also have "constructor".
  if (word in Object.prototype) return
  info.lemmas = [...new Set([word, english.noun(word), english.verb(word), english.adjective(word)])]
  info.known = info.lemmas.some((lemma) => englishWords[lemma] !== undefined)
}

/**
 * The dictionary forms of a word (folded), the word itself among them; a word that no dictionary has gets its stem
 * instead. Two words are forms of one word if they share a result.
 */
export function baseForms(word: string): string[] {
  const { known, lemmas } = infoOf(word)
  if (known || word.length > LONGEST) return lemmas
  if (isCyrillic(word)) return [...new Set([word, fold(stemRussian(word))])]
  return isLatin(word) ? [...new Set([word, stemEnglish(word)])] : lemmas
}

/** Endings that English words can have beside those of its exceptions. */
const ENGLISH_ENDINGS = ['s', 'es', 'ed', 'd', 'ing', 'er', 'est']

/** A verb has about as many forms with its participles. */
const MAX_FORMS = 150

/**
 * The forms of the words that a word (folded) can be, as far as the dictionaries and regular endings give them. For what
 * is found by words as written, such as names; at most 150.
 */
export function allForms(word: string): string[] {
  const forms = new Set(baseForms(word))
  if (word.length > LONGEST) return [...forms]
  if (isLatin(word)) for (const lemma of [...forms]) for (const form of englishForms(lemma)) forms.add(form)
  if (isCyrillic(word)) for (const form of russianForms(word)) forms.add(form)
  return [...forms].slice(0, MAX_FORMS)
}

/** A word that no dictionary has is inflected as its ending suggests. */
function* russianForms(word: string): Generator<string> {
  const parses = az.Morph(word, OPTIONS)
  const isWanted = parses.some(isInDictionary) ? isInDictionary : ({ parser }: Parse) => parser === 'SuffixKnown'
  for (const parse of parses.filter(isWanted)) {
    for (let form = 0; form < parse.formCnt; form++) yield fold(String(parse.inflect(form)))
  }
}

function englishForms(lemma: string): string[] {
  const stems = [lemma, lemma.replace(/e$/, ''), lemma.replace(/y$/, 'i'), lemma + lemma.slice(-1)]
  const forms = stems.flatMap((stem) => ENGLISH_ENDINGS.map((ending) => stem + ending))
  return forms.filter((form) => infoOf(form).lemmas.includes(lemma))
}
