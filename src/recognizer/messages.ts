import { defineMessages } from '../platform/lib/messages.ts'

/** Errors of the recognizer's HTTP layer, which only services read. */
export const recognizerMessages = defineMessages('recognizer', {
  noAddress: { en: 'There is nothing at this address', ru: 'По этому адресу ничего нет' },
  wrongMethod: { en: 'Use {methods} here', ru: 'Здесь можно только {methods}' },
  unauthorized: { en: 'Missing or invalid credentials', ru: 'Нужен верный ключ' },
  tooLarge: { en: 'The file is larger than {limit} MB', ru: 'Файл больше {limit} МБ' },
  busy: {
    en: 'The recognizer makes other copies now. Try again in a minute.',
    ru: 'Распознаватель сейчас готовит другие копии. Повторите через минуту.',
  },
  notPlayable: { en: '{said}', ru: '{said}' },
  unknownParameter: { en: '{name}: is not known', ru: '{name}: такого параметра нет' },
  decoder: { en: 'decoder: must be one of {values}', ru: 'decoder: одно из {values}' },
  broken: { en: 'The recognizer failed. Try again.', ru: 'У распознавателя что-то сломалось. Повторите.' },
  diskFull: {
    en: 'The disk of the recognizer is full. Free some space.',
    ru: 'На диске распознавателя нет места. Освободите его.',
  },
})
