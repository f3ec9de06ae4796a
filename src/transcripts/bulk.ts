import type { Core } from '../core.ts'
import { pool } from '../db.ts'
import type { Actor } from '../http/access.ts'
import type { Filters } from '../recordings/filters.ts'
import { readPage, type Page, type PageOf } from '../recordings/listing.ts'
import {
  presentRecording,
  SELECT_RECORDING_WITH_TRANSCRIPT,
  type RecordingWithTranscriptRow,
} from '../recordings/present.ts'
import type { RecordingJson } from '../recordings/schema.ts'
import { select } from '../recordings/select.ts'

/** One page of the recordings with a transcript that the filters choose of what the actor may see. */
export async function listTranscripts(core: Core, actor: Actor, query: Filters & PageOf): Promise<Page<RecordingJson>> {
  const sql = pool(core.db)
  const selection = await select(core, sql, actor, query, { transcripts: true })
  const columns = SELECT_RECORDING_WITH_TRANSCRIPT
  const page = await readPage<RecordingWithTranscriptRow>(sql, columns, selection, query)
  return { ...page, items: page.items.map(presentRecording) }
}
