import { both } from '../../frame/words/translation.ts'
import { kindView } from '../kind.ts'

export const model = kindView({
  form: ['side', 'na', 'mono'],
  words: {
    title: both('the model decides', 'решает модель'),
    decides: both(
      (what: string) => `the model decides: ${what}`,
      (what) => `решает модель: ${what}`,
    ),
  },
  sentence: (_, t, { explanation }) => [t.decides(explanation)],
})
