import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** What is known of a word, whatever it stands in. */
export interface WordInfo {
  /** The word as written and its basic forms; two words are the same if they share one. */
  lemmas: string[]
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
  normalize(): { toString(): string } | false
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
  const info: WordInfo = { lemmas: [word], name: false, genitive: false, ordinal: false }
  if (word.length > LONGEST) return info
  if (isCyrillic(word)) lookUpRussian(word, info)
  else if (isLatin(word)) info.lemmas = englishLemmas(word)
  return info
}

const isCyrillic = (word: string): boolean => word >= 'а' && word <= 'я\uffff'
const isLatin = (word: string): boolean => word >= 'a' && word <= 'z\uffff'

function lookUpRussian(word: string, info: WordInfo): void {
  const parses = az.Morph(word, OPTIONS)
  const inDictionary = parses.some(({ parser }) => parser === 'Dictionary')
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

function englishLemmas(word: string): string[] {
  // The lemmatizer looks words up in plain objects, where "constructor" is something else.
  if (word in Object.prototype) return [word]
  return [...new Set([word, english.noun(word), english.verb(word), english.adjective(word)])]
}
