import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { notFoundError } from '../../platform/errors.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { visibleRecordingByIdCondition } from '../../people/managers/visibility.ts'
import { countRecordingSelectionSql } from './counts.ts'
import type { RecordingFilterValues } from './filters.ts'
import type { RecordingNeighboursJson } from './neighbours-schema.ts'
import { createRecordingSelection } from './create-selection.ts'
import { recordingSelectionCondition, type RecordingSelection } from './selection.ts'
import {
  buildAdjacentRowsSql,
  SELECT_RECORDING_LIST_PLACE_SQL,
  isOrderedByRank,
  type RecordingListOrder,
  type RecordingListPlace,
  type AdjacentRowsSql,
} from './sorting.ts'
import { recordingMessages } from '../recordings/messages.ts'

/**
 * Finds the position of a recording in a list, and the recordings before and after it.
 * @throws HttpError 404 if the actor cannot see the recording
 */
export async function loadRecordingNeighbours(
  core: Core,
  actor: Actor,
  id: string,
  query: RecordingFilterValues & Partial<RecordingListOrder>,
): Promise<RecordingNeighboursJson> {
  const place = await loadPlace(core.pool, actor, id)
  const selection = await createRecordingSelection(core, core.pool, actor, query, { transcripts: false })
  const list = { ...query, order: query.order ?? 'best' }
  if (isOrderedByRank(list) && selection.found) return findNeighboursInResults(selection.found, id.toLowerCase())
  return loadNeighboursInList(core.pool, selection, place, list)
}

async function loadPlace(sql: Sql, actor: Actor, id: string): Promise<RecordingListPlace> {
  const p = new SqlParameters()
  const { rows } = await sql.query<RecordingListPlace>({
    text: `${SELECT_RECORDING_LIST_PLACE_SQL} FROM recordings r WHERE ${p.and(visibleRecordingByIdCondition(actor, id))}`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(recordingMessages.noRecording())
  return rows[0]
}

/** Finds neighbours in the order of a search. A recording that the search did not find has none. */
function findNeighboursInResults(found: string[], id: string): RecordingNeighboursJson {
  const total = found.length
  const index = found.indexOf(id)
  if (index < 0) return { position: null, total, previous: null, next: null }
  return { position: index + 1, total, previous: found[index - 1] ?? null, next: found[index + 1] ?? null }
}

/** Finds neighbours in the order of a list. One statement ensures that all figures belong to the same snapshot. */
async function loadNeighboursInList(
  sql: Sql,
  selection: RecordingSelection,
  place: RecordingListPlace,
  list: RecordingListOrder,
): Promise<RecordingNeighboursJson> {
  const p = new SqlParameters()
  const { before, after } = buildAdjacentRowsSql(p, list, place)
  const inList = p.and(recordingSelectionCondition(selection))
  const rowsSql = ({ condition }: AdjacentRowsSql) => `FROM recordings r WHERE ${condition} AND ${inList}`
  const counts = before.map((rows) => `(SELECT count(*)::integer ${rowsSql(rows)})`)
  const nearestSql = (parts: AdjacentRowsSql[]) => {
    const firsts = parts.map((rows) => `(SELECT r.id ${rowsSql(rows)} ORDER BY ${rows.by} LIMIT 1)`)
    return `SELECT id FROM (${firsts.join(' UNION ALL ')}) AS nearest LIMIT 1`
  }
  const { rows: found } = await sql.query<RecordingNeighboursJson & { position: number; isListed: boolean }>({
    text: `
      SELECT EXISTS (SELECT FROM recordings r WHERE r.id = ${p.add(place.id)} AND ${inList}) AS "isListed",
             (${countRecordingSelectionSql(p, selection)}) AS total,
             ${counts.join(' + ')} + 1 AS position,
             (${nearestSql(before)}) AS previous,
             (${nearestSql(after)}) AS next`,
    values: p.values,
  })
  const { isListed, position, ...others } = found[0]!
  return { position: isListed ? position : null, ...others }
}
