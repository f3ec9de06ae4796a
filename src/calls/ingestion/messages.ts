import { defineMessages } from '../../platform/lib/messages.ts'

/** Reasons why a file of the ingestion source cannot be registered. */
export const ingestionMessages = defineMessages('ingestion', {
  file: { en: '{file}: {rule}', ru: '{file}: {rule}' },
  several: { en: '{first}; {rest}', ru: '{first} {rest}' },
  notListed: { en: 'The files could not be listed', ru: 'Список файлов не получен.' },
  notJson: { en: 'not valid JSON', ru: 'не в формате JSON' },
  tooLarge: { en: 'must not exceed 1 MB', ru: 'больше 1 МБ' },
  broken: {
    en: 'not added; the log has the reason',
    ru: 'файл не добавлен: причина в журнале',
  },
})
