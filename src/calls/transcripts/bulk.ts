import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { countStatement } from '../list/counts.ts'
import type { Filters } from '../list/filters.ts'
import { readPage, type Page, type PageOf } from '../list/listing.ts'
import {
  presentRecording,
  SELECT_RECORDING_WITH_TRANSCRIPT,
  type RecordingWithTranscriptRow,
} from '../recordings/present.ts'
import type { RecordingJson } from '../recordings/schema.ts'
import { select } from '../list/select.ts'
import { rowsOf, type Selection } from '../list/selection.ts'

/**
 * One page of the recordings with a transcript that the filters choose of what the actor may see: the newest call first,
 * or with asc in the order in which the texts became ready, so that new ones come after all pages that were read.
 */
export async function listTranscripts(core: Core, actor: Actor, query: Filters & PageOf): Promise<Page<RecordingJson>> {
  const sql = core.pool
  const selection = await select(core, sql, actor, query, { transcripts: true })
  const page =
    query.order === 'asc'
      ? await readByReadiness(sql, selection, query)
      : await readPage<RecordingWithTranscriptRow>(sql, SELECT_RECORDING_WITH_TRANSCRIPT, selection, query)
  return { ...page, items: page.items.map(presentRecording) }
}

/** As the index transcripts_ready has it. */
const READY = 't.ready_number NULLS FIRST, t.created_at, t.recording_id'

/** Counts and reads in one statement, as of one moment. */
async function readByReadiness(
  sql: Sql,
  selection: Selection,
  { page, pageSize }: PageOf,
): Promise<Page<RecordingWithTranscriptRow>> {
  const p = new Parameters()
  const offset = `${p.add((page - 1) * pageSize)}::bigint`
  // Only what is DONE has a text: where nothing else is asked, the index alone tells the ids.
  const { flags, manager, ranges, others, found } = selection
  const isWhole = flags.length === 1 && !found && manager.length + ranges.length + others.length === 0
  const ids = `
    SELECT t.recording_id FROM transcripts t ${isWhole ? '' : 'JOIN recordings r ON r.id = t.recording_id'}
     WHERE counted.total > ${offset} AND ${isWhole ? 'true' : p.and(rowsOf(selection))}
     ORDER BY ${READY} LIMIT ${pageSize} OFFSET ${offset}`
  const { rows } = await sql.query<RecordingWithTranscriptRow & { total: number }>({
    text: `
      SELECT counted.total, listed.* FROM (${countStatement(p, selection)}) AS counted
        LEFT JOIN LATERAL (
          ${SELECT_RECORDING_WITH_TRANSCRIPT} WHERE r.id = ANY(ARRAY(${ids})) ORDER BY ${READY} LIMIT ${pageSize}
        ) AS listed ON true`,
    values: p.values,
  })
  return { items: rows.filter(({ id }) => id !== null), total: rows[0]!.total, page, pageSize }
}
