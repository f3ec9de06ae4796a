import { defineMessages } from '../lib/messages.ts'

export const queueMessages = defineMessages('queue', {
  noQueue: { en: 'There is no such queue', ru: 'Такой очереди нет.' },
})
