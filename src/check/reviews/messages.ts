import { defineMessages } from '../../platform/lib/messages.ts'

export const reviewMessages = defineMessages('reviews', {
  noFinding: { en: 'Verdict not found', ru: 'Вердикт не найден.' },
  comment: {
    en: 'must give a reason for changing the verdict',
    ru: 'Укажите причину.',
  },
  newer: { en: 'The call has been checked again', ru: 'Звонок проверен снова.' },
  invented: {
    en: 'This is demo data, there is nothing to review',
    ru: 'Это демо, разбирать нечего.',
  },
})
