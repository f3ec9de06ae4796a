import { defineMessages } from '../../platform/lib/messages.ts'

export const dealMessages = defineMessages('deals', {
  notStored: 'the service could not store the deals that it found',
  unknown: 'must hold deals that were read from the CRM; {deal} is none',
})
