import { distance } from 'fastest-levenshtein'
import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { loadLemmas } from '../../platform/lib/morphology.ts'
import { findNumbers } from '../../platform/lib/search/numbers.ts'
import { splitQuery } from '../../platform/lib/search/query.ts'
import { queryTerms } from '../../platform/lib/search/terms.ts'
import { shouldYield, yieldToOthers } from '../../platform/lib/yielder.ts'
import { select } from './select.ts'
import { MAX_QUERY } from './filters/content.ts'
import type { SuggestionJson } from './suggestions-schema.ts'
import { isLetters, loadVocabulary, type Vocabulary } from './vocabulary.ts'

const MAX_SUGGESTIONS = 3
/** Each candidate query costs a search. */
const MAX_TRIES = 6
/** The maximum number of unknown words to look up, because each takes a search. */
const MAX_UNKNOWN = 5
const MIN_LETTERS = 3

/** A word of a query that can be replaced. */
interface Word {
  /** Folded, as texts have it. */
  word: string
  start: number
  end: number
  /** Whether it also matches the beginning of a word. */
  isPrefix: boolean
}

/** Finds queries like `q` with matches by replacing words that match no visible call; best first. */
export async function suggestQueries(core: Core, actor: Actor, q: string): Promise<SuggestionJson[]> {
  const words = await findWords(q)
  if (words.length === 0) return []
  const vocabulary = await loadVocabulary(core, actor)
  const hasMatches = async (question: string) =>
    (await select(core, core.pool, actor, { q: question }, { transcripts: false })).found!.length > 0
  const similar = new Map<string, string[]>()
  for (const word of await findUnknown(words, vocabulary, hasMatches)) {
    similar.set(word, await findVisible(await findSimilar(word, vocabulary), hasMatches))
  }
  const found: SuggestionJson[] = []
  for (const suggestion of proposeQueries(q, words, similar)) {
    if (suggestion.query.length <= MAX_QUERY && (await hasMatches(suggestion.query))) found.push(suggestion)
    if (found.length === MAX_SUGGESTIONS) break
  }
  return found
}

/** The words of a query that match in any form. */
async function findWords(q: string): Promise<Word[]> {
  await loadLemmas()
  const chunks = splitQuery(q)
  return chunks.flatMap(({ tokens, isQuoted, isExcluded, isOr }, chunk) => {
    if (isQuoted || isExcluded || isOr) return []
    const numbers = [...findNumbers(tokens)]
    return tokens.flatMap(({ word, start, end }, at) => {
      const isNumber = numbers.some(({ from, to }) => at >= from && at < to)
      if (isNumber || word.length < MIN_LETTERS || !isLetters(word)) return []
      return { word, start, end, isPrefix: chunk === chunks.length - 1 && at === tokens.length - 1 }
    })
  })
}

/** The words that match no call, none if too many. `hasMatches` searches all calls that the actor sees. */
async function findUnknown(
  words: readonly Word[],
  vocabulary: Vocabulary,
  hasMatches: (question: string) => Promise<boolean>,
): Promise<string[]> {
  const isIn = ({ word, isPrefix }: Word) =>
    queryTerms(word).some((term) => vocabulary.has(term)) ||
    (isPrefix && [...vocabulary].some((other) => other.startsWith(word)))
  const missing = new Map(words.filter((word) => !isIn(word)).map((one) => [one.word, one]))
  if (missing.size > MAX_UNKNOWN) return []
  const unknown: string[] = []
  for (const { word, isPrefix } of missing.values()) {
    // The last word of a query is a prefix, unless an empty phrase follows.
    if (!(await hasMatches(isPrefix ? word : `${word} ""`))) unknown.push(word)
  }
  return unknown
}

/** Words within one edit, or two for a longer word: nearest first, then most frequent. */
async function findSimilar(word: string, vocabulary: Vocabulary): Promise<string[]> {
  const edits = word.length < 5 ? 1 : 2
  const similar: string[][] = [[], [], []]
  for (const other of vocabulary) {
    if (Math.abs(other.length - word.length) > edits) continue
    const needed = distance(word, other)
    if (needed <= edits) similar[needed]!.push(other)
    if (shouldYield()) await yieldToOthers()
  }
  return similar.flat().slice(0, MAX_TRIES)
}

/** The words that calls still have: the vocabulary may know words of calls that were deleted or moved since. */
async function findVisible(words: string[], hasMatches: (question: string) => Promise<boolean>): Promise<string[]> {
  const visible: string[] = []
  for (const word of words) if (await hasMatches(`"${word}"`)) visible.push(word)
  return visible
}

/** Queries with the n-th similar word of each unknown one. A word with fewer keeps its nearest. */
function* proposeQueries(
  q: string,
  words: readonly Word[],
  similar: ReadonlyMap<string, string[]>,
): Generator<SuggestionJson> {
  const replaced = words.filter(({ word }) => similar.get(word)?.length)
  const [first] = replaced
  if (!first) return
  for (let n = 0; n < Math.max(...Array.from(similar.values(), ({ length }) => length)); n++) {
    const substitute = ({ word }: Word) => similar.get(word)![n] ?? similar.get(word)![0]!
    let query = q
    for (const word of replaced.toReversed()) {
      query = query.slice(0, word.start) + substitute(word) + query.slice(word.end)
    }
    yield { query, word: q.slice(first.start, first.end), suggestion: substitute(first) }
  }
}
