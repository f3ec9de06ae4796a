import { defineMessages } from '../../platform/lib/messages.ts'

export const commentWritingMessages = defineMessages('writing', {
  notConfigured: { en: 'CRM_WRITE_WEBHOOK_URL is not set', ru: 'CRM_WRITE_WEBHOOK_URL не задан.' },
  notOn: { en: 'Turn on automation first', ru: 'Сначала включите автоматизацию.' },
  noNumber: { en: 'the portal did not return the ID of the comment', ru: 'Портал не вернул ID комментария.' },
  workerDied: {
    en: 'the worker stopped while writing the comment',
    ru: 'Сервис остановился во время записи комментария.',
  },
  broken: {
    en: 'the service could not write the comment; the log has the reason',
    ru: 'Сервис не записал комментарий: причина в журнале.',
  },
  otherPortal: {
    en: 'CRM_WRITE_WEBHOOK_URL belongs to another portal; the data here comes from {host}',
    ru: 'CRM_WRITE_WEBHOOK_URL указывает на другой портал, а данные загружены с {host}.',
  },
})
