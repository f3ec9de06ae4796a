import { defineMessages } from '../platform/lib/messages.ts'

/** Error messages of the recognizer's HTTP API. Only other services receive them. */
export const recognizerMessages = defineMessages('recognizer', {
  noAddress: { en: 'Not found', ru: 'По этому адресу ничего нет' },
  wrongMethod: { en: 'Use {methods} here', ru: 'Здесь допустимо только {methods}' },
  unauthorized: { en: 'Missing or invalid credentials', ru: 'Нужен верный ключ' },
  tooLarge: { en: 'The file is larger than {limit} MB', ru: 'Файл больше {limit} МБ' },
  busy: {
    en: 'The recognizer is preparing other recordings. Try again in a minute.',
    ru: 'Распознаватель готовит другие записи. Повторите через минуту.',
  },
  notPlayable: { en: '{said}', ru: '{said}' },
  unknownParameter: { en: '{name}: unknown parameter', ru: '{name}: такого параметра нет' },
  decoder: { en: 'decoder: must be one of {values}', ru: 'decoder: допустимо {values}' },
  invalidText: {
    en: 'The body must begin with a line of JSON with segments and words; the audio follows',
    ru: 'Тело должно начинаться со строки JSON с segments и words, за ней следует аудио',
  },
  broken: { en: 'The recognizer failed. Try again.', ru: 'Ошибка распознавателя. Повторите.' },
  diskFull: {
    en: 'The recognizer’s disk is full. Free some space.',
    ru: 'Диск распознавателя заполнен. Освободите место.',
  },
})
