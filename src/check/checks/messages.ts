import { defineMessages } from '../../platform/lib/messages.ts'

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
