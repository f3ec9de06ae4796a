import type { CallListener } from '../../calls/listener.ts'
import type { CheckListener } from '../../check/listener.ts'
import { isInBulkAction } from '../../platform/lib/log.ts'
import { insertViewCandidate } from './entered-views.ts'

/** Lets the schedule compare calls with new or corrected data with the subscribed views. */
export const viewsCallListener: CallListener = {
  async transcriptStored(sql, _config, recordingId) {
    await insertViewCandidate(sql, recordingId)
    return []
  },
  async callCorrected(sql, _config, recordingId) {
    if (!isInBulkAction()) await insertViewCandidate(sql, recordingId)
    return []
  },
}

export const viewsCheckListener: CheckListener = {
  async checkStored(sql, { recordingId, isOfMany }) {
    // A recheck of a period or a bulk action changes many calls at once.
    if (!isOfMany) await insertViewCandidate(sql, recordingId)
  },
  verdictDecided: (sql, { recordingId }) => insertViewCandidate(sql, recordingId),
}
