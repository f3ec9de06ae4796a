import { defineMessages } from '../../lib/messages.ts'

/** Why comments cannot be written. */
export const writingMessages = defineMessages('writing', {
  notConfigured: 'CRM_WRITE_WEBHOOK_URL is not set',
  notOn: 'Enable the automatic mode first',
  otherPortal: 'CRM_WRITE_WEBHOOK_URL leads to another portal than the data: it is of {host}',
})
