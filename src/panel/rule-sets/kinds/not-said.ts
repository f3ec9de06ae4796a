import { text } from '../../frame/words/translation.ts'
import { defineRuleKindView } from '../kind.ts'

export const notSaidRuleKindView = defineRuleKindView({
  form: ['side', 'any', 'window', 'after', 'except', 'na', 'mono'],
  words: {
    title: text('phrase not said', 'фраза не сказана'),
    says: text('does not say any of', 'не говорит ничего из:'),
  },
  sentence: ({ any }, t, { who, list }) => [who, t.says, list(any)],
})
