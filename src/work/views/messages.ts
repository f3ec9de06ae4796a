import { defineMessages } from '../../platform/lib/messages.ts'

export const viewMessages = defineMessages('views', {
  noView: { en: 'View not found', ru: 'Вид не найден.' },
  otherCalls: {
    en: 'must be a department with calls that match the filter {filter}',
    ru: 'В отделе нет доступных вам звонков с фильтром «{filter}».',
  },
  tooMany: {
    en: 'You can have at most {limit} views. Delete some first',
    ru: 'Можно сохранить не больше {limit} видов. Сначала удалите лишние.',
  },
  tooManySubscriptions: {
    en: 'You can subscribe to at most {limit} views. Unsubscribe from one first',
    ru: 'Уведомления можно включить не больше чем для {limit} видов. Сначала отключите лишние.',
  },
})
