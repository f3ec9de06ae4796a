import { defineMessages } from '../../platform/lib/messages.ts'

/** Why a file could not be registered. */
export const ingestionMessages = defineMessages('ingestion', {
  file: { en: '{file}: {rule}', ru: '{file}: {rule}' },
  several: { en: '{first}; {rest}', ru: '{first} {rest}' },
  notListed: { en: 'The files could not be listed', ru: 'Файлы не удалось перечислить.' },
  notJson: { en: 'it is not valid JSON', ru: 'это не JSON' },
  tooLarge: { en: 'must not exceed 1 MB', ru: 'больше 1 МБ' },
  broken: {
    en: 'the service could not register it; the log holds the reason',
    ru: 'сервис не смог принять файл: причина — в его журнале',
  },
})
