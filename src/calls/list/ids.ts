import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { SqlParameters, toConditions } from '../../platform/lib/sql-conditions.ts'
import { createRecordingSelection } from './create-selection.ts'
import type { RecordingFilterValues } from './filters.ts'
import { MAX_SELECTED_RECORDING_IDS, type RecordingIdsJson } from './ids-schema.ts'
import { recordingSelectionCondition } from './selection.ts'

/**
 * Lists the ids of the filtered recordings that the actor can see, newest call first. Returns at most MAX_SELECTED_RECORDING_IDS
 * ids.
 */
export async function listRecordingIds(
  core: Core,
  actor: Actor,
  { createdUntil, ...filters }: RecordingFilterValues & { createdUntil?: string },
): Promise<RecordingIdsJson> {
  const selection = await createRecordingSelection(core, core.pool, actor, filters, { transcripts: false })
  const p = new SqlParameters()
  const conditions = [
    ...recordingSelectionCondition(selection),
    ...toConditions(['r.created_at <= ?::timestamptz', createdUntil]),
  ]
  const { rows } = await core.pool.query<{ id: string }>({
    text: `SELECT r.id FROM recordings r WHERE ${p.and(conditions)}
            ORDER BY r.call_at DESC, r.id DESC LIMIT ${MAX_SELECTED_RECORDING_IDS}`,
    values: p.values,
  })
  return { ids: rows.map(({ id }) => id) }
}
