import { defineMessages } from '../../platform/lib/messages.ts'

export const historyMessages = defineMessages('history', {
  order: 'must be after from',
  notOn: 'Enable the automatic mode first',
  noRoster: 'Apply the roster of managers first',
  noEstimate: 'There is no such estimate',
  stale: 'The estimate is older than a day. Make another one',
  refused: 'The estimate was refused',
  used: 'The estimate was confirmed already',
  another: 'Another load has not ended yet',
  noLoad: 'There is no such load',
  state: 'A load that is {state} cannot be changed so',
})
