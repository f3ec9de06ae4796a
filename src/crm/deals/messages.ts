import { defineMessages } from '../../lib/messages.ts'

/** What is said of the deals that somebody has chosen. */
export const dealMessages = defineMessages('deals', {
  unknown: 'must hold deals that were read from the CRM; {deal} is none',
})
