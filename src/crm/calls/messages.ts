import { defineMessages } from '../../platform/lib/messages.ts'

export const callMessages = defineMessages('calls', {
  unknown: 'the portal does not tell of the call',
  rejected: 'the portal’s row of the call cannot be stored: {reason}',
  notStored: 'the service could not store what it read of the calls’ files',
  workerDied: 'the worker stopped while it loaded the call',
  broken: 'the service could not load the call',
})
