import { defineMessages } from '../../platform/lib/messages.ts'

export const analysisMessages = defineMessages('analysis', {
  noVersion: { en: 'No check by this version', ru: 'Проверки этой версией нет.' },
  noText: { en: 'The call has no text yet', ru: 'У звонка ещё нет текста.' },
  noTranscript: { en: 'The call has no text', ru: 'У звонка нет текста.' },
  noRuleSet: { en: 'No rule set applies to the call', ru: 'Ни один набор правил к звонку не относится.' },
  workerDied: { en: 'The worker stopped in the middle of the check', ru: 'Сервис остановился посреди проверки.' },
  broken: {
    en: 'The service could not check the call',
    ru: 'Сервис не смог проверить звонок: причина — в его журнале.',
  },
  off: {
    en: 'The call check is off: ANALYSIS_PROVIDER is none',
    ru: 'Проверка звонков выключена: ANALYSIS_PROVIDER — none.',
  },
  automaticOff: { en: 'Automatic checking is off', ru: 'Автоматическая проверка выключена.' },
})
