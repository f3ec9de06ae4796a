import { defineMessages } from '../../platform/lib/messages.ts'

export const analysisMessages = defineMessages('analysis', {
  noVersion: { en: 'The call has not been checked with this version', ru: 'По этой версии звонок не проверялся.' },
  noText: { en: 'The call has no transcript yet', ru: 'У звонка ещё нет расшифровки.' },
  noTranscript: { en: 'The call has no transcript', ru: 'У звонка нет расшифровки.' },
  noRuleSet: { en: 'No rule set applies to the call', ru: 'Ни один набор правил не подходит к звонку.' },
  tooShort: { en: 'Not checked: shorter than {seconds} s', ru: 'Не проверен: короче {seconds}\u00a0с.' },
  tooFewWords: { en: 'Not checked: fewer than {words} words', ru: 'Не проверен: слов меньше {words}.' },
  workerDied: { en: 'The worker stopped during the check', ru: 'Сервис остановился во время проверки.' },
  broken: {
    en: 'The service could not check the call; the log has the reason',
    ru: 'Сервис не проверил звонок: причина в журнале.',
  },
  off: {
    en: 'The call check is off: ANALYSIS_PROVIDER is none',
    ru: 'Проверка звонков выключена: ANALYSIS_PROVIDER=none.',
  },
  automaticOff: { en: 'Automatic checks are off', ru: 'Автоматическая проверка выключена.' },
})
