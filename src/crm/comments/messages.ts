import { defineMessages } from '../../platform/lib/messages.ts'

export const writingMessages = defineMessages('writing', {
  notConfigured: 'CRM_WRITE_WEBHOOK_URL is not set',
  notOn: 'Enable the automatic mode first',
  noNumber: 'the portal did not tell the number of the comment',
  workerDied: 'the worker stopped while it wrote the comment',
  broken: 'the service could not write the comment',
  otherPortal: 'CRM_WRITE_WEBHOOK_URL leads to another portal than the data: it is of {host}',
})
