import { defineMessages } from '../lib/messages.ts'

/** Why a call is not checked, or its check not shown. */
export const analysisMessages = defineMessages('analysis', {
  noVersion: 'No check by this version',
  noText: 'The call has no text yet',
  off: 'The call check is off: ANALYSIS_PROVIDER is none',
})
