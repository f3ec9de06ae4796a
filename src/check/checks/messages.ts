import { defineMessages } from '../../platform/lib/messages.ts'

/** Why a call is not checked, or its check not shown. */
export const analysisMessages = defineMessages('analysis', {
  noVersion: 'No check by this version',
  noText: 'The call has no text yet',
  noTranscript: 'The call has no text',
  noRuleSet: 'No rule set applies to the call',
  workerDied: 'The worker stopped in the middle of the check',
  broken: 'The service could not check the call',
  off: 'The call check is off: ANALYSIS_PROVIDER is none',
  automaticOff: 'Automatic checking is off',
})
