import { defineMessages } from '../../platform/lib/messages.ts'

export const writingMessages = defineMessages('writing', {
  notConfigured: { en: 'CRM_WRITE_WEBHOOK_URL is not set', ru: 'CRM_WRITE_WEBHOOK_URL не задан.' },
  notOn: { en: 'Enable the automatic mode first', ru: 'Сначала включите автоматику.' },
  noNumber: { en: 'the portal did not tell the number of the comment', ru: 'Портал не назвал номер комментария.' },
  workerDied: {
    en: 'the worker stopped while it wrote the comment',
    ru: 'Сервис остановился посреди записи комментария.',
  },
  broken: {
    en: 'the service could not write the comment',
    ru: 'Сервис не смог записать комментарий: причина — в его журнале.',
  },
  otherPortal: {
    en: 'CRM_WRITE_WEBHOOK_URL leads to another portal than the data: it is of {host}',
    ru: 'CRM_WRITE_WEBHOOK_URL ведёт на другой портал; данные здесь с {host}.',
  },
})
