import { defineMessages } from '../../platform/lib/messages.ts'

export const analysisRunMessages = defineMessages('recalculations', {
  noRun: { en: 'Recheck not found', ru: 'Пересчёт не найден.' },
  notBegun: { en: 'A recheck that is {state} cannot be started', ru: 'Этот пересчёт уже нельзя начать.' },
  ended: { en: 'The recheck has already finished', ru: 'Пересчёт уже завершён.' },
})
