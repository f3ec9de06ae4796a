import { distance } from 'fastest-levenshtein'
import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { loadMorphology } from '../../platform/lib/morphology.ts'
import { scanNumbers } from '../../platform/lib/search/numbers.ts'
import { splitSearchQuery } from '../../platform/lib/search/query.ts'
import { getQueryTerms } from '../../platform/lib/search/terms.ts'
import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { createRecordingSelection } from './create-selection.ts'
import { MAX_SEARCH_QUERY_CHARS } from './filters/content.ts'
import type { SearchSuggestionJson } from './suggestions-schema.ts'
import { hasOnlyLetters, loadSearchVocabulary, type SearchVocabulary } from './vocabulary.ts'

const MAX_SUGGESTIONS = 3
/** Each candidate costs a search. */
const MAX_CANDIDATES = 6
/** Each unknown word costs a search. If a query has more unknown words, it gets no suggestions. */
const MAX_UNKNOWN_WORDS = 5
const MIN_WORD_LETTERS = 3

/** A word of a query that a suggestion can replace. */
interface QueryWord {
  /** The word as in the search index, in lower case and with е for ё. */
  word: string
  start: number
  end: number
  /** True if the word also matches as a prefix. */
  isPrefix: boolean
}

/**
 * Suggests up to three queries with matches, best first. They contain similar words instead of those words of `q` that match no
 * visible call.
 */
export async function suggestSearchQueries(core: Core, actor: Actor, q: string): Promise<SearchSuggestionJson[]> {
  const words = await parseQueryWords(q)
  if (words.length === 0) return []
  const vocabulary = await loadSearchVocabulary(core, actor)
  const hasMatches = async (searchText: string) =>
    (await createRecordingSelection(core, core.pool, actor, { q: searchText }, { transcripts: false })).found!.length >
    0
  const similar = new Map<string, string[]>()
  for (const word of await findUnknownWords(words, vocabulary, hasMatches)) {
    similar.set(word, await filterVisibleWords(await findSimilarWords(word, vocabulary), hasMatches))
  }
  const found: SearchSuggestionJson[] = []
  for (const suggestion of proposeQueries(q, words, similar)) {
    if (suggestion.query.length <= MAX_SEARCH_QUERY_CHARS && (await hasMatches(suggestion.query)))
      found.push(suggestion)
    if (found.length === MAX_SUGGESTIONS) break
  }
  return found
}

/** Parses the words of a query that match in any form. Skips numbers, short words, quoted words and excluded words. */
async function parseQueryWords(q: string): Promise<QueryWord[]> {
  await loadMorphology()
  const chunks = splitSearchQuery(q)
  return chunks.flatMap(({ tokens, isQuoted, isExcluded, isOr }, chunk) => {
    if (isQuoted || isExcluded || isOr) return []
    const numbers = [...scanNumbers(tokens)]
    return tokens.flatMap(({ word, start, end }, at) => {
      const isNumber = numbers.some(({ from, to }) => at >= from && at < to)
      if (isNumber || word.length < MIN_WORD_LETTERS || !hasOnlyLetters(word)) return []
      return { word, start, end, isPrefix: chunk === chunks.length - 1 && at === tokens.length - 1 }
    })
  })
}

/**
 * Returns the words that match no visible call. Returns none if there are more than MAX_UNKNOWN_WORDS.
 * @param hasMatches searches all calls that the actor can see
 */
async function findUnknownWords(
  words: readonly QueryWord[],
  vocabulary: SearchVocabulary,
  hasMatches: (searchText: string) => Promise<boolean>,
): Promise<string[]> {
  const isKnown = ({ word, isPrefix }: QueryWord) =>
    getQueryTerms(word).some((term) => vocabulary.has(term)) ||
    (isPrefix && [...vocabulary].some((other) => other.startsWith(word)))
  const missingWords = new Map(words.filter((word) => !isKnown(word)).map((one) => [one.word, one]))
  if (missingWords.size > MAX_UNKNOWN_WORDS) return []
  const unknown: string[] = []
  for (const { word, isPrefix } of missingWords.values()) {
    // The last word of a query is a prefix, unless an empty phrase follows.
    if (!(await hasMatches(isPrefix ? word : `${word} ""`))) unknown.push(word)
  }
  return unknown
}

/**
 * Returns at most MAX_CANDIDATES words within one edit, or two edits for words of five or more letters. Nearer words come first;
 * equally near ones by frequency.
 */
async function findSimilarWords(word: string, vocabulary: SearchVocabulary): Promise<string[]> {
  const maxEdits = word.length < 5 ? 1 : 2
  const similar: string[][] = [[], [], []]
  for (const other of vocabulary) {
    if (Math.abs(other.length - word.length) > maxEdits) continue
    const editCount = distance(word, other)
    if (editCount <= maxEdits) similar[editCount]!.push(other)
    if (shouldYield()) await yieldToEventLoop()
  }
  return similar.flat().slice(0, MAX_CANDIDATES)
}

/** Keeps only words that still match a visible call. The vocabulary can contain words of deleted or moved calls. */
async function filterVisibleWords(
  words: string[],
  hasMatches: (searchText: string) => Promise<boolean>,
): Promise<string[]> {
  const visible: string[] = []
  for (const word of words) if (await hasMatches(`"${word}"`)) visible.push(word)
  return visible
}

/**
 * Yields queries in which each unknown word is replaced by its n-th similar word. A word with fewer similar words keeps the
 * nearest one.
 */
function* proposeQueries(
  q: string,
  words: readonly QueryWord[],
  similar: ReadonlyMap<string, string[]>,
): Generator<SearchSuggestionJson> {
  const replaceableWords = words.filter(({ word }) => similar.get(word)?.length)
  const [first] = replaceableWords
  if (!first) return
  for (let n = 0; n < Math.max(...Array.from(similar.values(), ({ length }) => length)); n++) {
    const substitute = ({ word }: QueryWord) => similar.get(word)![n] ?? similar.get(word)![0]!
    let query = q
    for (const word of replaceableWords.toReversed()) {
      query = query.slice(0, word.start) + substitute(word) + query.slice(word.end)
    }
    yield { query, word: q.slice(first.start, first.end), suggestion: substitute(first) }
  }
}
