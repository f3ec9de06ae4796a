import { text, template } from '../../frame/words/translation.ts'
import { kindView } from '../kind.ts'

export const model = kindView({
  form: ['side', 'na', 'mono'],
  words: {
    title: text('the model decides', 'решает модель'),
    decides: template('the model decides: {}', 'решает модель: {}'),
  },
  sentence: (_, t, { explanation }) => [t.decides(explanation)],
})
