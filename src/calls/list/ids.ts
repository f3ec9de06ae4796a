import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { SqlParameters, toConditions } from '../../platform/lib/sql-conditions.ts'
import { createRecordingSelection } from './create-selection.ts'
import type { RecordingFilterValues } from './filters.ts'
import { recordingSelectionCondition } from './selection.ts'

/** Lists the ids of the filtered recordings that the actor can see, newest call first. */
export async function listRecordingIds(
  core: Core,
  actor: Actor,
  filters: RecordingFilterValues,
  { createdUntil, limit }: { createdUntil?: string | undefined; limit: number },
): Promise<string[]> {
  const selection = await createRecordingSelection(core, core.pool, actor, filters, { transcripts: false })
  const p = new SqlParameters()
  const conditions = [
    ...recordingSelectionCondition(selection),
    ...toConditions(['r.created_at <= ?::timestamptz', createdUntil]),
  ]
  const { rows } = await core.pool.query<{ id: string }>({
    text: `SELECT r.id FROM recordings r WHERE ${p.and(conditions)}
            ORDER BY r.call_at DESC, r.id DESC LIMIT ${p.add(limit)}`,
    values: p.values,
  })
  return rows.map(({ id }) => id)
}
