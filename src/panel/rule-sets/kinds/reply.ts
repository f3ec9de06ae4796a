import { text } from '../../frame/words/translation.ts'
import { kindView } from '../kind.ts'

export const reply = kindView({
  form: ['side', 'any', 'window', 'after', 'except', 'na', 'mono'],
  words: {
    title: text('an answer follows', 'прозвучал ответ'),
    answers: text('answers with one of', 'отвечает одним из:'),
  },
  sentence: ({ any }, t, { who, list }) => [who, t.answers, list(any)],
})
