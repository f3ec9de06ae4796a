import { text } from '../../frame/words/translation.ts'
import { defineRuleKindView } from '../kind.ts'

export const numberRuleKindView = defineRuleKindView({
  form: ['side', 'any', 'bounds', 'window', 'after', 'except', 'na', 'mono'],
  words: {
    title: text('number named', 'названо число'),
    names: text('names a number', 'называет число'),
    beside: text('near one of', 'рядом с одним из:'),
  },
  sentence: ({ any }, t, { who, bounds, list }) => [
    who,
    bounds ? `${t.names} ${bounds}` : t.names,
    t.beside,
    list(any),
  ],
})
