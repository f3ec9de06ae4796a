import type { CallListener } from '../../calls/listener.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { queueDealSearch } from '../deals/match.ts'
import { assignCallManagers } from '../managers/assign-managers.ts'
import { requeueCrmCalls } from './store-calls.ts'
import { linkSubmittedCalls } from './submitted-calls.ts'

/** After a correction of a call, updates its link to the portal, its manager and its deals. */
export const crmCallListener: CallListener = {
  // Lock in the same order as code that stores calls and deals: portal call, deal search, recording.
  async lockForCorrection(sql, recordingId, { externalCallId }) {
    if (externalCallId !== undefined) {
      await sql.query({
        text: 'SELECT FROM crm_calls WHERE recording_id = $1 OR call_id = $2 ORDER BY id FOR UPDATE',
        values: [recordingId, externalCallId],
      })
    }
    await queueDealSearch(sql, recordingId)
  },
  async callCorrected(sql, config, recordingId, { externalCallId }) {
    const isQueued = externalCallId !== undefined && (await relinkRecording(sql, config, recordingId, externalCallId))
    await assignCallManagers(sql, config, [recordingId])
    return isQueued ? ['crm-sync'] : []
  },
}

/**
 * Links a recording to the portal call with its new call id. A portal call that had this recording before is queued again.
 * @returns true if the caller must notify `crm-sync` after the commit
 */
async function relinkRecording(sql: Sql, config: Config, recordingId: string, callId: string | null): Promise<boolean> {
  const { rows } = await sql.query<{ id: string }>({
    text: `UPDATE crm_calls SET load_state = 'waiting', recording_id = NULL, loaded_at = NULL, loaded_file_id = NULL,
                  file_size = NULL, file_version = NULL, next_file_check_at = NULL
            WHERE recording_id = $1 AND call_id IS DISTINCT FROM $2 RETURNING call_id AS id`,
    values: [recordingId, callId],
  })
  const callIds = rows.map(({ id }) => id)
  await requeueCrmCalls(sql, callIds)
  if (callId !== null) await linkSubmittedCalls(sql, config, [callId], recordingId)
  return rows.length > 0
}
