import { defineMessages } from '../../platform/lib/messages.ts'

/** What is said of deliveries that cannot be sent again, and why one was not taken. */
export const callbackMessages = defineMessages('callbacks', {
  noDelivery: 'There is no such delivery',
  movedOn: 'The recording has moved on since: what this delivery tells is not so any more',
  notSentAgain: 'A delivery that is {status} cannot be sent again',
  workerDied: 'the worker stopped in the middle of the delivery',
  broken: 'the service could not send it',
  superseded: 'the recording was retried or cancelled since',
  answered: 'answered {status}',
  address: 'the address {rule}',
  network: 'no answer ({code})',
  noAnswer: 'no answer within {seconds} seconds',
})
