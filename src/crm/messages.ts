import { defineMessages } from '../lib/messages.ts'

/** What is wrong with an event of the CRM. */
export const crmMessages = defineMessages('crm', {
  callId: 'must be a text of 1 to {limit} characters without control characters',
})
