import { defineMessages } from '../../platform/lib/messages.ts'

/** What is said of recalculations that cannot be found, begun or ended. */
export const recalculationMessages = defineMessages('recalculations', {
  noRun: 'There is no such recalculation',
  notBegun: 'A recalculation that is {state} cannot be begun',
  ended: 'The recalculation has ended',
})
