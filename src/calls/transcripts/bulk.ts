import { limitOf, type Page } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { Parameters } from '../../platform/lib/where.ts'
import type { Filters } from '../list/filters.ts'
import { readPage, readPageOfIds, type PageQuery } from '../list/listing.ts'
import {
  presentRecording,
  SELECT_RECORDING_WITH_TRANSCRIPT,
  type RecordingWithTranscriptRow,
} from '../recordings/present.ts'
import type { RecordingJson } from '../recordings/schema.ts'
import { select } from '../list/select.ts'
import { rowsOf, type Selection } from '../list/selection.ts'

/** A page of visible transcripts: newest call first, or with asc in the order they became ready. */
export async function listTranscripts(
  core: Core,
  actor: Actor,
  query: Filters & PageQuery,
): Promise<Page<RecordingJson>> {
  const sql = core.pool
  const selection = await select(core, sql, actor, query, { transcripts: true })
  const page =
    query.order === 'asc'
      ? await readByReadiness(sql, selection, query)
      : await readPage<RecordingWithTranscriptRow>(sql, SELECT_RECORDING_WITH_TRANSCRIPT, selection, query)
  return { ...page, items: page.items.map(presentRecording) }
}

/** Like the index transcripts_ready. */
const READY = 't.ready_number NULLS FIRST, t.created_at, t.recording_id'

function readByReadiness(
  sql: Sql,
  selection: Selection,
  { page, pageSize }: PageQuery,
): Promise<Page<RecordingWithTranscriptRow>> {
  const p = new Parameters()
  const { flags, manager, ranges, others, found } = selection
  // Every transcript belongs to a DONE call, so without other conditions the index alone has the ids.
  const isWhole = flags.length === 1 && !found && manager.length + ranges.length + others.length === 0
  const chosen = isWhole ? '' : `JOIN recordings r ON r.id = t.recording_id AND ${p.and(rowsOf(selection))}`
  const ids = `
    SELECT t.recording_id FROM transcripts t ${chosen} WHERE counted.total > ${(page - 1) * pageSize}
     ORDER BY ${READY} ${limitOf({ page, pageSize })}`
  const columns = SELECT_RECORDING_WITH_TRANSCRIPT
  return readPageOfIds(sql, p, { columns, selection, ids, by: READY, page, pageSize })
}
