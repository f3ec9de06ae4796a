import { both } from '../../frame/words/translation.ts'
import { kindView } from '../kind.ts'

export const number = kindView({
  form: ['side', 'any', 'bounds', 'window', 'after', 'except', 'na', 'mono'],
  words: {
    title: both('a number is named', 'названо число'),
    names: both('names a number', 'называет число'),
    beside: both('beside one of', 'рядом с одним из:'),
  },
  sentence: ({ any }, t, { who, bounds, list }) => [
    who,
    bounds ? `${t.names} ${bounds}` : t.names,
    t.beside,
    list(any),
  ],
})
