import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { CallSearchScope } from './search-days.ts'
import { parseCallFieldSearch, parseTranscriptTextQuery } from './search-query.ts'
import { searchCallsByText } from './text-search.ts'

/**
 * Searches calls by words of the manager's name and words of the text, as in "delivery Anna". Best matches come first.
 * @returns call ids, or none if the search has operators or only one kind of words
 */
export async function searchCallsByManagerAndText(
  core: Core,
  scope: CallSearchScope,
  searchText: string,
): Promise<string[]> {
  const { nameWords, otherWords } = await splitNameWords(scope.sql, searchText)
  if (nameWords.length === 0 || otherWords.length === 0) return []
  const query = await parseTranscriptTextQuery(scope.sql, otherWords.join(' '))
  if (!query) return []
  const manager = {
    sql: `r.manager_id = ANY(ARRAY(SELECT coalesce(k.same_as, k.id) FROM managers k WHERE name_words(k.name) @> ?::text[]))`,
    values: [nameWords],
  }
  const among = { ...scope.among, manager: [...scope.among.manager, manager] }
  return searchCallsByText(core, { ...scope, among }, query)
}

/** Splits a search into normalized words of managers' names and other words as written. Returns no words if there are operators. */
async function splitNameWords(sql: Sql, searchText: string): Promise<{ nameWords: string[]; otherWords: string[] }> {
  const hasOperators = /["«»“”]/.test(searchText) || parseCallFieldSearch(searchText)?.alternatives.length !== 1
  // Postgres rejects NUL characters in text.
  const words = hasOperators ? [] : searchText.replaceAll('\0', ' ').trim().split(/\s+/)
  if (words.length < 2) return { nameWords: [], otherWords: words }
  const { rows } = await sql.query<{ word: string; folded: string[]; isName: boolean }>({
    text: `SELECT word, name_words(word) AS folded,
                  name_words(word) <> '{}' AND EXISTS (
                    SELECT FROM managers k WHERE name_words(k.name) @> name_words(word)) AS "isName"
             FROM unnest($1::text[]) WITH ORDINALITY AS words (word, n) ORDER BY n`,
    values: [words],
  })
  return {
    nameWords: rows.filter(({ isName }) => isName).flatMap(({ folded }) => folded),
    otherWords: rows.filter(({ isName }) => !isName).map(({ word }) => word),
  }
}
