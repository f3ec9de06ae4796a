import type { Core } from '../../platform/core.ts'
import { visibleTo } from '../../people/managers/visibility.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { FILTERS, type Filters } from './filters.ts'
import type { Selection } from './selection.ts'
import { countByDay } from './counts.ts'
import { findNamed } from './named.ts'
import { parseQuery } from './question.ts'
import { MAX_RESULTS } from './search-days.ts'
import { findByText } from './text-search.ts'

/** Combines validated filters to a selection. A search (q) runs now: the selection contains the ids that it found. */
export async function select(
  core: Core,
  sql: Sql,
  actor: Actor,
  filters: Filters,
  /** Select only calls with a transcript, and search only their text. */
  { transcripts }: { transcripts: boolean },
): Promise<Selection> {
  const selection: Selection = { flags: [], manager: [...visibleTo(actor)], ranges: [], others: [] }
  const values: Filters = transcripts ? { ...filters, status: ['DONE'] } : filters
  for (const [name, filter] of Object.entries(FILTERS)) {
    const value = values[name as keyof Filters]
    if (value === undefined) continue
    const context = { actor, timeZone: core.config.APP_TIMEZONE }
    if (filter.where) selection[filter.counters ?? 'others'].push(...filter.where(value, context))
    if (filter.range) addRange(selection, { closed: false, ...filter.range(value, context) })
  }
  if (values.q === undefined) return selection
  return { ...selection, found: await findBest(core, sql, values.q, selection, { textOnly: transcripts }) }
}

/** Each bound of a range is a filter of its own. */
function addRange({ ranges }: Selection, bound: Selection['ranges'][number]): void {
  const range = ranges.find(({ name }) => name === bound.name)
  if (range) Object.assign(range, bound)
  else ranges.push(bound)
}

/** Finds the best matches. Unless `textOnly`, calls found by other fields lead, with at most half of the places. */
async function findBest(
  core: Core,
  sql: Sql,
  question: string,
  among: Selection,
  { textOnly }: { textOnly: boolean },
): Promise<string[]> {
  const scope = { sql, among, days: await countByDay(sql, among) }
  const named = textOnly ? [] : await findNamed(scope, question)
  const query = await parseQuery(sql, question)
  const texts = query ? await findByText(core, scope, query) : []
  const first = named.slice(0, Math.max(MAX_RESULTS / 2, MAX_RESULTS - texts.length))
  return [...new Set([...first, ...texts])].slice(0, MAX_RESULTS)
}
