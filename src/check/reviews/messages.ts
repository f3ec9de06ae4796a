import { defineMessages } from '../../platform/lib/messages.ts'

export const reviewMessages = defineMessages('reviews', {
  noFinding: { en: 'There is no such finding', ru: 'Такой оценки нет.' },
  comment: {
    en: 'must say why the verdict is another than the machine’s',
    ru: 'Нужно сказать, почему решение другое, чем у машины.',
  },
  newer: { en: 'A newer check has taken the place of this one', ru: 'Звонок тем временем проверен заново.' },
  reviewedMeanwhile: {
    en: 'Somebody else has reviewed this verdict meanwhile. Load it again',
    ru: 'Этот вердикт тем временем разобрал кто-то другой. Загрузите его снова.',
  },
  nothingToUndo: {
    en: 'The last review of this verdict is not a decision of yours',
    ru: 'Последний разбор этого вердикта не ваш.',
  },
  invented: {
    en: 'The verdicts of this check are invented: there is nothing to judge',
    ru: 'Оценки этой проверки выдуманы: судить не о чем.',
  },
})
