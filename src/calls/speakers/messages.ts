import { defineMessages } from '../../platform/lib/messages.ts'

/** Error messages about the speakers of calls and their separation. */
export const speakerMessages = defineMessages('speakers', {
  notSeparated: {
    en: 'The speakers of this call are not separated. Separate them first',
    ru: 'Собеседники в этом звонке не разделены. Сначала разделите их.',
  },
  hasChannels: {
    en: 'This call has two channels, one for each speaker',
    ru: 'В этом звонке два канала: у каждого собеседника свой.',
  },
  phraseEnd: { en: 'must be after the start of the phrase', ru: 'Конец должен быть позже начала.' },
  phrasesOverlap: { en: 'must not overlap', ru: 'Фразы не должны пересекаться.' },
  backwards: { en: 'must be after the start of the period', ru: 'Конец периода должен быть позже начала.' },
  noRun: { en: 'Separation not found', ru: 'Разделение не найдено.' },
  runNotStarted: {
    en: 'The separation has already been started or cancelled',
    ru: 'Это разделение уже запущено или отменено.',
  },
  runEnded: { en: 'The separation has already finished', ru: 'Разделение уже завершено.' },
  workerDied: { en: 'The worker stopped during the separation', ru: 'Сервис остановился во время разделения.' },
  broken: {
    en: 'The speakers could not be separated because of an internal error',
    ru: 'Сервис не разделил собеседников из-за внутренней ошибки.',
  },
})
