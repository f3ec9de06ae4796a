import { defineMessages } from '../../platform/lib/messages.ts'

export const backtestMessages = defineMessages('backtests', {
  noBacktest: 'There is no such backtest',
  noDraft: 'The rule set has no draft',
  noText: 'The call has no text',
  backwards: 'must be after from',
  workerDied: 'The worker stopped in the middle of the backtest',
  broken: 'The service could not judge the calls',
  ended: 'The backtest has ended',
})
