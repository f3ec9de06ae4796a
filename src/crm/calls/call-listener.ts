import type { CallListener } from '../../calls/listener.ts'
import { queueMatch } from '../deals/due.ts'
import { assignManagers } from '../managers/of-calls.ts'
import { followCallId, lockCalls } from './corrected.ts'

/** The portal's call, the manager and the deals follow a corrected call. */
export const crmListener: CallListener = {
  // Code that stores calls and deals locks in the same order: the portal's call, the search for deals, the recording.
  async lockForCorrection(sql, recordingId, { externalCallId }) {
    if (externalCallId !== undefined) await lockCalls(sql, recordingId, externalCallId)
    await queueMatch(sql, recordingId)
  },
  async callCorrected(sql, config, recordingId, { externalCallId }) {
    const isQueued = externalCallId !== undefined && (await followCallId(sql, config, recordingId, externalCallId))
    await assignManagers(sql, config, [recordingId])
    return isQueued ? ['crm-sync'] : []
  },
}
