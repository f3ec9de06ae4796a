import { defineMessages } from '../../platform/lib/messages.ts'

export const crmCallMessages = defineMessages('calls', {
  unknown: { en: 'the portal has no data about this call', ru: 'На портале нет данных об этом звонке.' },
  rejected: {
    en: 'the portal’s data about the call cannot be stored: {reason}',
    ru: 'Данные портала о звонке нельзя сохранить: {reason}',
  },
  notStored: {
    en: 'the service could not store file information for calls',
    ru: 'Сервис не сохранил данные о файлах звонков.',
  },
  workerDied: { en: 'the worker stopped during the load', ru: 'Сервис остановился во время загрузки.' },
  broken: {
    en: 'the service could not load the call; the log has the reason',
    ru: 'Сервис не загрузил звонок: причина в журнале.',
  },
})
