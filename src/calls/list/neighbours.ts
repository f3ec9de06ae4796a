import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { notFoundError } from '../../platform/errors.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { visibleRecordingCondition } from '../../people/managers/visibility.ts'
import { countSelectionSql } from './counts.ts'
import type { RecordingFilters } from './filters.ts'
import type { PageQuery } from './listing.ts'
import type { NeighboursJson } from './neighbours-schema.ts'
import { createSelection } from './create-selection.ts'
import { selectionCondition, type RecordingSelection } from './selection.ts'
import { recordingMessages } from '../recordings/messages.ts'

/** Finds the place of a recording in a list, and the recordings beside it. @throws HttpError 404 */
export async function loadNeighbours(
  core: Core,
  actor: Actor,
  id: string,
  query: RecordingFilters & Partial<Pick<PageQuery, 'order'>>,
): Promise<NeighboursJson> {
  const callTime = await loadCallTime(core.pool, actor, id)
  const selection = await createSelection(core, core.pool, actor, query, { transcripts: false })
  const { order = 'best' } = query
  if (order === 'best' && selection.found) return findNeighboursInResults(selection.found, id.toLowerCase())
  return loadNeighboursInList(core.pool, selection, { id, at: callTime }, order)
}

/** As text, because a Date has no microseconds. */
async function loadCallTime(sql: Sql, actor: Actor, id: string): Promise<string> {
  const p = new SqlParameters()
  const { rows } = await sql.query<{ at: string }>({
    text: `SELECT r.call_at::text AS at FROM recordings r WHERE ${p.and(visibleRecordingCondition(actor, id))}`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(recordingMessages.noRecording())
  return rows[0].at
}

/** In the order of a search, a recording that it did not find has no neighbours. */
function findNeighboursInResults(found: string[], id: string): NeighboursJson {
  const total = found.length
  const index = found.indexOf(id)
  if (index < 0) return { position: null, total, previous: null, next: null }
  return { position: index + 1, total, previous: found[index - 1] ?? null, next: found[index + 1] ?? null }
}

/** In the order of calls. One statement, so that all figures are of one snapshot. */
async function loadNeighboursInList(
  sql: Sql,
  selection: RecordingSelection,
  { id, at: callTime }: { id: string; at: string },
  order: PageQuery['order'],
): Promise<NeighboursJson> {
  const p = new SqlParameters()
  const earlier = { than: '<', by: 'r.call_at DESC, r.id DESC' }
  const later = { than: '>', by: 'r.call_at, r.id' }
  const [before, after] = order === 'asc' ? [earlier, later] : [later, earlier]
  const rows = selectionCondition(selection)
  const rowsBeyondSql = ({ than }: typeof before) =>
    `FROM recordings r WHERE ${p.and([...rows, { sql: `(r.call_at, r.id) ${than} (?::timestamptz, ?::uuid)`, values: [callTime, id] }])}`
  const { rows: found } = await sql.query<NeighboursJson & { position: number; isListed: boolean }>({
    text: `
      SELECT EXISTS (SELECT FROM recordings r WHERE ${p.and([...rows, { sql: 'r.id = ?', values: [id] }])}) AS "isListed",
             (${countSelectionSql(p, selection)}) AS total,
             (SELECT count(*)::integer + 1 ${rowsBeyondSql(before)}) AS position,
             (SELECT r.id ${rowsBeyondSql(before)} ORDER BY ${before.by} LIMIT 1) AS previous,
             (SELECT r.id ${rowsBeyondSql(after)} ORDER BY ${after.by} LIMIT 1) AS next`,
    values: p.values,
  })
  const { isListed, position, ...others } = found[0]!
  return { position: isListed ? position : null, ...others }
}
