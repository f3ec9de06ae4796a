import type { Core } from '../../platform/core.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { RECORDING_FILTERS_BY_PARAMETER, type RecordingFilterValues } from './filters.ts'
import type { RecordingColumnRange, RecordingSelection } from './selection.ts'
import { countCallsByDay } from './counts.ts'
import { searchCallsByFields } from './field-search.ts'
import { searchCallsByManagerAndText } from './manager-search.ts'
import { parseTranscriptTextQuery } from './search-query.ts'
import { MAX_SEARCH_RESULTS } from './search-days.ts'
import { searchCallsByText } from './text-search.ts'

/** Combines validated filters and the permissions of the actor to a selection. A search runs at once and adds the ids it found. */
export async function createRecordingSelection(
  core: Core,
  sql: Sql,
  actor: Actor,
  filters: RecordingFilterValues,
  /** Selects only calls with a transcript, and searches only the text. */
  { transcripts }: { transcripts: boolean },
): Promise<RecordingSelection> {
  const selection: RecordingSelection = {
    flags: [],
    manager: [...visibleRecordingsCondition(actor)],
    ranges: [],
    others: [],
  }
  const values: RecordingFilterValues = transcripts ? { ...filters, status: ['DONE'] } : filters
  for (const [name, filter] of Object.entries(RECORDING_FILTERS_BY_PARAMETER)) {
    const value = values[name as keyof RecordingFilterValues]
    if (value === undefined) continue
    const context = { actor, timeZone: core.config.APP_TIMEZONE }
    if (filter.where) selection[filter.counters ?? 'others'].push(...filter.where(value, context))
    if (filter.range) addRange(selection, { closed: false, ...filter.range(value, context) })
  }
  if (values.q === undefined) return selection
  return { ...selection, found: await findBestMatches(core, sql, values.q, selection, { textOnly: transcripts }) }
}

/** Adds the bounds of a filter to the range of its column. The range of several filters is their intersection. */
function addRange({ ranges }: RecordingSelection, added: RecordingColumnRange): void {
  const range = ranges.find(({ name }) => name === added.name)
  if (!range) return void ranges.push(added)
  if (added.from !== undefined) range.from = Math.max(range.from ?? -Infinity, added.from)
  if (added.to !== undefined) range.to = Math.min(range.to ?? Infinity, added.to)
}

/**
 * Finds the best matches of a search. Without `textOnly`, matches by other fields precede text matches. Matches by other fields
 * fill at most half of the results if there are enough text matches.
 */
async function findBestMatches(
  core: Core,
  sql: Sql,
  searchText: string,
  candidates: RecordingSelection,
  { textOnly }: { textOnly: boolean },
): Promise<string[]> {
  const scope = { sql, among: candidates, days: await countCallsByDay(sql, candidates) }
  const fieldMatches = textOnly ? [] : await searchCallsByFields(scope, searchText)
  const query = await parseTranscriptTextQuery(sql, searchText)
  const managerMatches = textOnly ? [] : await searchCallsByManagerAndText(core, scope, searchText)
  const textMatches = [...managerMatches, ...(query ? await searchCallsByText(core, scope, query) : [])]
  const leadingMatches = fieldMatches.slice(
    0,
    Math.max(MAX_SEARCH_RESULTS / 2, MAX_SEARCH_RESULTS - textMatches.length),
  )
  return [...new Set([...leadingMatches, ...textMatches])].slice(0, MAX_SEARCH_RESULTS)
}
