import { defineMessages } from '../../platform/lib/messages.ts'

export const dealMessages = defineMessages('deals', {
  notStored: {
    en: 'the service could not store the deals it found',
    ru: 'Сервис не сохранил найденные сделки.',
  },
  unknown: {
    en: 'must contain only deals loaded from the CRM; {deal} is not loaded',
    ru: 'Сделка {deal} не загружена из CRM.',
  },
})
