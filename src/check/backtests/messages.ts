import { defineMessages } from '../../platform/lib/messages.ts'

export const backtestMessages = defineMessages('backtests', {
  noBacktest: { en: 'Test run not found', ru: 'Прогон не найден.' },
  noDraft: { en: 'The rule set has no draft', ru: 'У набора правил нет черновика.' },
  noText: { en: 'The call has no transcript', ru: 'У звонка нет расшифровки.' },
  backwards: { en: 'must be after the start of the period', ru: 'Конец периода должен быть позже начала.' },
  workerDied: { en: 'The worker stopped during the test run', ru: 'Сервис остановился во время прогона.' },
  broken: { en: 'The service could not check the calls of the test run', ru: 'Сервис не проверил звонки.' },
  ended: { en: 'The test run has already finished', ru: 'Прогон уже завершён.' },
})
