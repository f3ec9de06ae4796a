import { defineMessages } from '../../platform/lib/messages.ts'

export const commentMessages = defineMessages('comments', {
  noComment: { en: 'Comment not found', ru: 'Комментарий не найден.' },
  noThread: { en: 'must be a comment on this call', ru: 'Это не комментарий к этому звонку.' },
  cannotSee: {
    en: 'must contain only people who can see the call',
    ru: 'Упомянуть можно только тех, кому виден звонок.',
  },
  tooMany: {
    en: 'A call can have at most {limit} comments. Delete some first',
    ru: 'У звонка может быть не больше {limit} комментариев. Сначала удалите лишние.',
  },
})
