import { defineMessages } from '../../platform/lib/messages.ts'

export const viewMessages = defineMessages('views', {
  noView: { en: 'View not found', ru: 'Подборка не найдена.' },
  tooMany: {
    en: 'You can have at most {limit} views. Delete some first',
    ru: 'Можно сохранить не больше {limit} подборок. Сначала удалите лишние.',
  },
})
