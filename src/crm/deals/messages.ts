import { defineMessages } from '../../platform/lib/messages.ts'

/** What is said of the deals that somebody has chosen, and of the search for those of calls. */
export const dealMessages = defineMessages('deals', {
  notStored: 'the service could not store the deals that it found',
  unknown: 'must hold deals that were read from the CRM; {deal} is none',
})
