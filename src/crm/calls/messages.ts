import { defineMessages } from '../../platform/lib/messages.ts'

export const callMessages = defineMessages('calls', {
  unknown: { en: 'the portal does not tell of the call', ru: 'Портал ничего не говорит об этом звонке.' },
  rejected: {
    en: 'the portal’s row of the call cannot be stored: {reason}',
    ru: 'Строку портала об этом звонке нельзя сохранить: {reason}',
  },
  notStored: {
    en: 'the service could not store what it read of the calls’ files',
    ru: 'Сервис не смог сохранить прочитанное о файлах звонков.',
  },
  workerDied: { en: 'the worker stopped while it loaded the call', ru: 'Сервис остановился посреди загрузки звонка.' },
  broken: {
    en: 'the service could not load the call',
    ru: 'Сервис не смог загрузить звонок: причина — в его журнале.',
  },
})
