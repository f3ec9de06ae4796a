import { text } from '../../frame/words/translation.ts'
import { defineRuleKindView } from '../kind.ts'

export const replyRuleKindView = defineRuleKindView({
  form: ['side', 'any', 'window', 'after', 'except', 'na', 'mono'],
  words: {
    title: text('reply to other phrases', 'ответ на слова'),
    answers: text('replies with one of', 'отвечает одним из:'),
  },
  sentence: ({ any }, t, { who, list }) => [who, t.answers, list(any)],
})
