import { shouldYield, yieldToEventLoop } from '../yielder.ts'
import type { SearchPhrase, PhrasePosition } from './query.ts'
import type { IndexedToken } from './terms.ts'

/** Represents a range of a text that a query matches, in UTF-16 units with an exclusive end. */
export interface TextMatch {
  start: number
  end: number
  /** Query words of which the matched text is a synonym. */
  synonymOf?: string
}

/**
 * Finds all ranges of a text that match one of the phrases, in text order. Joins overlapping ranges and yields to the event loop.
 */
export async function findPhraseMatches(
  positions: readonly IndexedToken[],
  phrases: readonly SearchPhrase[],
): Promise<TextMatch[]> {
  const byTerm = new Map<string, SearchPhrase[]>()
  for (const phrase of phrases) {
    for (const term of phrase.places[0]!.terms) byTerm.set(term, [...(byTerm.get(term) ?? []), phrase])
  }
  const withPrefix = phrases.filter(({ places }) => places[0]!.prefix !== undefined)
  const cached = new Map<IndexedToken['terms'], SearchPhrase[]>()
  const findPhrasesStartingWith = (terms: IndexedToken['terms']): SearchPhrase[] => {
    const found = cached.get(terms) ?? [
      ...terms.flatMap((term) => byTerm.get(term) ?? []),
      ...withPrefix.filter(({ places }) => terms[0]!.startsWith(places[0]!.prefix!)),
    ]
    cached.set(terms, found)
    return found
  }
  const matches: TextMatch[] = []
  for (const [at, { start, terms, spans }] of positions.entries()) {
    if (shouldYield()) await yieldToEventLoop()
    const candidates = [
      ...findPhrasesStartingWith(terms),
      ...(spans?.flatMap(({ term }) => byTerm.get(term) ?? []) ?? []),
    ]
    for (const phrase of new Set(candidates)) {
      const last = findLastPosition(positions, at, phrase.places)
      if (last === undefined) continue
      matches.push({ start, end: positions[last]!.end, ...(phrase.synonymOf && { synonymOf: phrase.synonymOf }) })
    }
  }
  return joinOverlaps(matches)
}

/** Returns the index of the last position of a phrase that begins at `at`; undefined without a match. */
function findLastPosition(
  positions: readonly IndexedToken[],
  at: number,
  places: PhrasePosition[],
): number | undefined {
  let last = at
  for (const [n, { terms, prefix }] of places.entries()) {
    const position = positions[at + n]
    if (!position) return undefined
    const isWord = position.terms.some((term) => terms.includes(term))
    if (isWord || (prefix !== undefined && position.terms[0]!.startsWith(prefix))) last = at + n
    else {
      const lengths = (position.spans ?? []).filter(({ term }) => terms.includes(term)).map(({ length }) => length)
      if (lengths.length === 0) return undefined
      last = at + n + Math.max(...lengths) - 1
    }
  }
  return last
}

function joinOverlaps(matches: TextMatch[]): TextMatch[] {
  const joined: TextMatch[] = []
  // At equal ranges, query words win over synonyms.
  const isSynonym = ({ synonymOf }: TextMatch) => Number(synonymOf !== undefined)
  const compare = (a: TextMatch, b: TextMatch) => a.start - b.start || b.end - a.end || isSynonym(a) - isSynonym(b)
  for (const match of matches.sort(compare)) {
    const last = joined.at(-1)
    if (!last || match.start >= last.end) joined.push({ ...match })
    else last.end = Math.max(last.end, match.end)
  }
  return joined
}
