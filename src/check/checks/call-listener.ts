import type { CallListener } from '../../calls/listener.ts'
import { askForCheck, endChecks } from './checks.ts'
import { readCheckInputs, recheckAfterCorrection } from './recheck.ts'

/** The check of a call follows its transcript and the fields that select its rule sets. */
export const checkListener: CallListener = {
  async transcriptStored(sql, config, recordingId) {
    await askForCheck(sql, config, recordingId)
    return ['analysis']
  },
  transcriptRemoved: endChecks,
  async watchCorrection(sql, config, recordingId) {
    const before = await readCheckInputs(sql, [recordingId])
    return async () => ((await recheckAfterCorrection(sql, config, before)) ? ['analysis'] : [])
  },
}
