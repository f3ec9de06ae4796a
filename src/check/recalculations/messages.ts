import { defineMessages } from '../../platform/lib/messages.ts'

export const recalculationMessages = defineMessages('recalculations', {
  noRun: 'There is no such recalculation',
  notBegun: 'A recalculation that is {state} cannot be begun',
  ended: 'The recalculation has ended',
})
