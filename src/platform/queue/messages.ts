import { defineMessages } from '../lib/messages.ts'

/** What is said of queues. */
export const queueMessages = defineMessages('queue', {
  noQueue: { en: 'There is no such queue', ru: 'Такой очереди нет.' },
})
