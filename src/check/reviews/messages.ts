import { defineMessages } from '../../platform/lib/messages.ts'

export const reviewMessages = defineMessages('reviews', {
  noFinding: { en: 'Verdict not found', ru: 'Вердикт не найден.' },
  comment: {
    en: 'must give a reason for changing the verdict',
    ru: 'Укажите причину.',
  },
  newer: { en: 'The call has been checked again', ru: 'Звонок уже проверен снова.' },
  reviewedMeanwhile: {
    en: 'Somebody else has already reviewed this verdict. Reload it',
    ru: 'Этот вердикт уже разобрал другой сотрудник. Обновите страницу.',
  },
  disputed: {
    en: 'You have already disputed this verdict',
    ru: 'Вы уже оспорили этот вердикт.',
  },
  nothingToUndo: {
    en: 'The last review of this verdict is not yours',
    ru: 'Последний разбор этого вердикта сделали не вы.',
  },
  invented: {
    en: 'This is demo data. There is nothing to review',
    ru: 'Это демо, разбирать нечего.',
  },
})
