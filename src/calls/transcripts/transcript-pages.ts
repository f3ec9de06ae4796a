import { formatLimitSql, type ResultPage } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import type { RecordingFilterValues } from '../list/filters.ts'
import {
  listRecordingSelectionPage,
  listRecordingSelectionPageByIds,
  type RecordingPageQuery,
} from '../list/listing.ts'
import {
  presentRecording,
  SELECT_RECORDING_WITH_TRANSCRIPT_SQL,
  type RecordingWithTranscriptRow,
} from '../recordings/present.ts'
import type { RecordingJson } from '../recordings/schema.ts'
import { createRecordingSelection } from '../list/create-selection.ts'
import { recordingSelectionCondition, type RecordingSelection } from '../list/selection.ts'

/**
 * Lists a page of the transcripts that the actor can see, newest call first. With the order asc, lists them in the order in which
 * they became ready.
 */
export async function listTranscripts(
  core: Core,
  actor: Actor,
  query: RecordingFilterValues & RecordingPageQuery,
): Promise<ResultPage<RecordingJson>> {
  const sql = core.pool
  const selection = await createRecordingSelection(core, sql, actor, query, { transcripts: true })
  const page =
    query.order === 'asc'
      ? await listByReadiness(sql, selection, query)
      : await listRecordingSelectionPage<RecordingWithTranscriptRow>(
          sql,
          SELECT_RECORDING_WITH_TRANSCRIPT_SQL,
          selection,
          query,
        )
  return { ...page, items: page.items.map(presentRecording) }
}

/** The same order as in the index transcripts_ready. */
const READY_ORDER_SQL = 't.ready_number NULLS FIRST, t.created_at, t.recording_id'

function listByReadiness(
  sql: Sql,
  selection: RecordingSelection,
  { page, pageSize }: RecordingPageQuery,
): Promise<ResultPage<RecordingWithTranscriptRow>> {
  const p = new SqlParameters()
  const { flags, manager, ranges, others, found } = selection
  // Each transcript belongs to a DONE call. So without other conditions, the index alone provides the ids.
  const isUnfiltered = flags.length === 1 && !found && manager.length + ranges.length + others.length === 0
  const joinSql = isUnfiltered
    ? ''
    : `JOIN recordings r ON r.id = t.recording_id AND ${p.and(recordingSelectionCondition(selection))}`
  const ids = `
    SELECT t.recording_id FROM transcripts t ${joinSql} WHERE counted.total > ${(page - 1) * pageSize}
     ORDER BY ${READY_ORDER_SQL} ${formatLimitSql({ page, pageSize })}`
  const columns = SELECT_RECORDING_WITH_TRANSCRIPT_SQL
  return listRecordingSelectionPageByIds(sql, p, { columns, selection, ids, by: READY_ORDER_SQL, page, pageSize })
}
