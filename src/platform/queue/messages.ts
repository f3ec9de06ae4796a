import { defineMessages } from '../lib/messages.ts'

export const queueMessages = defineMessages('queue', {
  noQueue: { en: 'Queue not found', ru: 'Очередь не найдена.' },
})
