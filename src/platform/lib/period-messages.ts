import { defineMessages } from './messages.ts'

export const periodMessages = defineMessages('stats', {
  backwards: { en: 'must not be after the end of the period', ru: 'Конец раньше начала.' },
  tooLong: {
    en: 'must be at most {days} days before the end of the period',
    ru: 'Период должен быть не больше {days} дней.',
  },
  week: {
    en: 'must be a week such as 2026-W12 that has begun',
    ru: 'Укажите неделю, которая уже началась, например 2026-W12.',
  },
  notCompared: {
    en: 'must not be given if compared is false',
    ru: 'Доступно только для сделок, которые сравниваются.',
  },
  scoredBy: {
    en: 'must be the key of a rule set and the number of one of its versions, such as incoming-sales/2',
    ru: 'Нет такой версии правил.',
  },
  noReport: { en: 'No report yet', ru: 'Отчёта пока нет.' },
  day: { en: 'must be a day such as 2026-03-01, or an ISO 8601 time', ru: 'Введите дату, например 21.11.2026.' },
})
