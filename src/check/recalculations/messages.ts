import { defineMessages } from '../../platform/lib/messages.ts'

export const recalculationMessages = defineMessages('recalculations', {
  noRun: { en: 'There is no such recalculation', ru: 'Такого пересчёта нет.' },
  notBegun: { en: 'A recalculation that is {state} cannot be begun', ru: 'Этот пересчёт уже не начать.' },
  ended: { en: 'The recalculation has ended', ru: 'Пересчёт уже закончился.' },
})
