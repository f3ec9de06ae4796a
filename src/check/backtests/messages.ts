import { defineMessages } from '../../platform/lib/messages.ts'

export const backtestMessages = defineMessages('backtests', {
  noBacktest: { en: 'There is no such backtest', ru: 'Такой пробы нет.' },
  noDraft: { en: 'The rule set has no draft', ru: 'У набора правил нет черновика.' },
  noText: { en: 'The call has no text', ru: 'У звонка нет текста.' },
  backwards: { en: 'must be after from', ru: 'Конец должен быть позже начала.' },
  workerDied: { en: 'The worker stopped in the middle of the backtest', ru: 'Сервис остановился посреди пробы.' },
  broken: { en: 'The service could not judge the calls', ru: 'Сервис не смог оценить звонки.' },
  ended: { en: 'The backtest has ended', ru: 'Проба уже закончилась.' },
})
