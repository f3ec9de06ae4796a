import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { countByDay } from './counts.ts'
import { findNamed } from './named.ts'
import { foldText, parseQuery } from './question.ts'
import { MAX_RESULTS } from './search-days.ts'
import type { Selection } from './selection.ts'
import { findByText } from './text-search.ts'

/**
 * Finds the ids of the best matches of a question in a selection, the best first. Unless `textOnly`, calls found by
 * manager, id, file name or phone come before those found by text, but take at most half of the places from them.
 */
export async function findBest(
  core: Core,
  sql: Sql,
  question: string,
  among: Selection,
  { textOnly }: { textOnly: boolean },
): Promise<string[]> {
  const scope = { sql, among, days: await countByDay(sql, among) }
  const named = textOnly ? [] : await findNamed(scope, question)
  const query = await parseQuery(sql, foldText(question))
  const texts = query ? await findByText(core, scope, query) : []
  const first = named.slice(0, Math.max(MAX_RESULTS / 2, MAX_RESULTS - texts.length))
  return [...new Set([...first, ...texts])].slice(0, MAX_RESULTS)
}
