import { defineMessages } from '../lib/messages.ts'

/** What is said of deliveries that cannot be sent again. */
export const callbackMessages = defineMessages('callbacks', {
  noDelivery: 'There is no such delivery',
  movedOn: 'The recording has moved on since: what this delivery tells is not so any more',
  notSentAgain: 'A delivery that is {status} cannot be sent again',
})
