import { text } from '../../frame/words/translation.ts'
import { kindView } from '../kind.ts'

export const notSaid = kindView({
  form: ['side', 'any', 'window', 'after', 'except', 'na', 'mono'],
  words: {
    title: text('none of the phrases is said', 'не сказана ни одна из фраз'),
    says: text('says none of', 'не говорит ничего из:'),
  },
  sentence: ({ any }, t, { who, list }) => [who, t.says, list(any)],
})
