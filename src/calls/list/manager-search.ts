import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { SearchScope } from './search-days.ts'
import { parseNameSearch, parseTextQuery } from './search-query.ts'
import { findByText } from './text-search.ts'

/** Finds the calls of a manager whose text has the other words of a search, as in "delivery Anna"; best matches first. */
export async function findByManagerAndText(core: Core, scope: SearchScope, searchText: string): Promise<string[]> {
  const { nameWords, otherWords } = await splitNameWords(scope.sql, searchText)
  if (nameWords.length === 0 || otherWords.length === 0) return []
  const query = await parseTextQuery(scope.sql, otherWords.join(' '))
  if (!query) return []
  const manager = {
    sql: `r.manager_id = ANY(ARRAY(SELECT coalesce(k.same_as, k.id) FROM managers k WHERE name_words(k.name) @> ?::text[]))`,
    values: [nameWords],
  }
  const among = { ...scope.among, manager: [...scope.among.manager, manager] }
  return findByText(core, { ...scope, among }, query)
}

/** Splits a search without operators into words of managers' names, folded, and its other words as they were written. */
async function splitNameWords(sql: Sql, searchText: string): Promise<{ nameWords: string[]; otherWords: string[] }> {
  const hasOperators = /["«»“”]/.test(searchText) || parseNameSearch(searchText)?.alternatives.length !== 1
  // Postgres rejects NUL in a text.
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
