import { defineMessages } from '../../platform/lib/messages.ts'

export const dealMessages = defineMessages('deals', {
  notStored: {
    en: 'the service could not store the deals that it found',
    ru: 'Сервис не смог сохранить найденные сделки.',
  },
  unknown: {
    en: 'must hold deals that were read from the CRM; {deal} is none',
    ru: 'Сделки {deal} нет среди прочитанных из CRM.',
  },
})
