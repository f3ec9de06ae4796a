import { defineMessages } from '../lib/messages.ts'

/** What is said of queues. */
export const queueMessages = defineMessages('queue', {
  noQueue: 'There is no such queue',
})
