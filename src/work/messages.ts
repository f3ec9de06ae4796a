import { defineMessages } from '../platform/lib/messages.ts'

/** Errors that several features of this module share. */
export const workMessages = defineMessages('work', {
  afterEnd: { en: 'must not be after the end of the call', ru: 'Этот момент позже конца звонка.' },
  privateByOthers: { en: 'can be set to null only by the author', ru: 'Закрыть общий доступ может только автор.' },
})
